"""Storage. A store is a row of `STORES`; `open_store` selects it by URL.

Uses: contextd_code, domain, ports, runtime.
Start at: `STORES` below, `sqlite.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from contextd.ports.knowledge import Scrub
from contextd.ports.store import Store
from contextd.ports.upkeep import Clock
from contextd.runtime.runtime import SystemClock
from contextd_code.errors import Invalid, nearest

STORES: dict[str, str] = {
    "sqlite": "contextd.stores.sqlite:open_sqlite",
}
"""URL scheme → the function that opens the store, `module:function`."""


def open_store(
    url: str,
    *,
    scrub: Scrub,
    clock: Clock | None = None,
    backups: Path | None = None,
    fresh: bool = False,
) -> Store:
    """The store at `url`, such as `sqlite:///absolute/path/contextd.db`. `scrub` is applied to every
    stored text.

    A new store is created if there never was one, or if `fresh` allows it. Raises `Invalid` for an unknown
    URL, `Unavailable` if the store cannot be opened, `Corrupt` if its data is damaged or missing: the hint
    then names the newest copy in `backups`.
    """
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in STORES:
        hint = nearest(scheme, list(STORES)) or f"use one of {', '.join(STORES)}"
        raise Invalid(f"unknown store {scheme!r}", hint)
    module, _, function = STORES[scheme].partition(":")
    # Imported here, so that only the driver of the store in use is loaded (apsw: 60 ms).
    opener: Callable[[str, Clock, Scrub, Path | None, bool], Store] = getattr(
        import_module(module), function
    )
    return opener(url, clock or SystemClock(), scrub, backups, fresh)
