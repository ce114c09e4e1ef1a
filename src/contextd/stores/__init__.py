"""Where data lives. A store is a row of `STORES`; `open_store` picks it by its address.

Uses: domain, ports, runtime.
Start at: `STORES` below, `sqlite.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from contextd.domain.errors import Invalid, nearest
from contextd.ports.knowledge import Scrub
from contextd.ports.store import Store
from contextd.ports.upkeep import Clock
from contextd.runtime.runtime import SystemClock

STORES: dict[str, str] = {
    "sqlite": "contextd.stores.sqlite:open_sqlite",
}
"""The scheme of an address → the function that opens it, `module:function`."""


def open_store(
    url: str,
    *,
    scrub: Scrub,
    clock: Clock | None = None,
    backups: Path | None = None,
    fresh: bool = False,
) -> Store:
    """Return the store at `url`, such as `sqlite:///absolute/path/contextd.db`. `scrub` is applied to
    every text that enters it.

    A new store is made where there never was one, or where it may be `fresh`. Raises `Invalid` for an
    address no store has, `Unavailable` when the store cannot be opened, `Corrupt` when its data is
    damaged or gone: then its hint names the newest copy in `backups`.
    """
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in STORES:
        hint = nearest(scheme, list(STORES)) or f"use one of {', '.join(STORES)}"
        raise Invalid(f"no store is called {scheme!r}", hint)
    module, _, function = STORES[scheme].partition(":")
    # Imported here, so that only the driver of the store in use is loaded (apsw: 60 ms).
    opener: Callable[[str, Clock, Scrub, Path | None, bool], Store] = getattr(
        import_module(module), function
    )
    return opener(url, clock or SystemClock(), scrub, backups, fresh)
