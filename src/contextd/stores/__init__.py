"""Storage. A store is a row of `STORES`; `open_store` selects it by URL.

Uses: contextd_code, contextd_common, domain, ports, runtime.
Start at: `STORES` below, `sqlite.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from contextd.ports.knowledge import Scrub
from contextd.ports.store import Store
from contextd.ports.upkeep import Clock
from contextd.ports.work import SharedDatabase
from contextd.runtime.runtime import SystemClock
from contextd_common.errors import Invalid, Unavailable, nearest

STORES: dict[str, str] = {
    "sqlite": "contextd.stores.sqlite:open_sqlite",
    "postgresql": "contextd.stores.postgres:open_postgres",
}
"""URL scheme → the function that opens the store, `module:function`."""

SHARED: dict[str, str] = {
    "postgresql": "contextd.stores.postgres_server:PostgresServer",
}
"""URL scheme → the function that opens a database of many organisations for a whole process."""

MIGRATIONS: dict[str, str] = {
    "postgresql": "contextd.stores.postgres_migrate:migrate_postgres",
}
"""URL scheme → the function that migrates a store which opening does not migrate."""


DELETIONS: dict[str, str] = {
    "postgresql": "contextd.stores.postgres_deletion:delete_organisation",
}
"""URL scheme → the function that deletes an organisation from a store of many."""


def open_store(
    url: str,
    organisation: str,
    *,
    scrub: Scrub,
    clock: Clock | None = None,
    backups: Path | None = None,
    fresh: bool = False,
    shared: SharedDatabase | None = None,
) -> Store:
    """The store of an organisation at `url`: `sqlite:///absolute/path/contextd.db`, a file of its own, or
    `postgresql://user@host/database`, which holds many. `scrub` is applied to every stored text.

    A new store is created if there never was one, or if `fresh` allows it. Raises `Invalid` for an unknown
    URL, `Unavailable` if the store cannot be opened, `Corrupt` if its data is damaged or missing: the hint
    then names the newest copy in `backups`. With `shared`, the store uses that database's connections.
    """
    opener: Callable[..., Store] = _function(STORES, url)
    more = {} if shared is None else {"shared": shared}
    return opener(url, organisation, clock or SystemClock(), scrub, backups, fresh, **more)


def open_shared(url: str) -> SharedDatabase | None:
    """The database of many organisations at `url`, None for a store of one. Connects when it is needed."""
    if url.partition("://")[0] not in SHARED:
        return None
    opened: SharedDatabase = _function(SHARED, url)(url)
    return opened


def migrate_store(url: str) -> tuple[int, int] | None:
    """Migrate the store at `url`; return its schema before and after. None for one that is migrated when it is
    opened.
    """
    if url.partition("://")[0] not in MIGRATIONS:
        return None
    found: tuple[int, int] = _function(MIGRATIONS, url)(url)
    return found


def delete_organisation(url: str, name: str) -> list[str]:
    """Delete an organisation with its bytes from a database of many; return where copies remain, in sentences.

    Raises `Invalid` for a store of one organisation, `NotFound` for an unknown name.
    """
    if url.partition("://")[0] not in DELETIONS:
        raise Invalid("this store is a file of one organisation", "delete the file")
    copies: list[str] = _function(DELETIONS, url)(url, name)
    return copies


def move_store(source: str, target: str, organisation: str) -> dict[str, int]:
    """Copy all that an organisation has at `source` to an empty store at `target`; return the number of rows by
    table. Raises `Conflict` if the target is not empty, or if the source is written meanwhile.
    """
    from contextd.stores.move import move  # noqa: PLC0415 - only this command needs it

    migrate_store(target)
    with ExitStack() as opened:
        ends: list[Any] = []
        for url in (source, target):
            # What is stored was scrubbed when it was written.
            store = open_store(url, organisation, scrub=lambda text: text)
            opened.callback(store.close)
            ends.append(store)
        return move(*ends)


def _function(table: Mapping[str, str], url: str) -> Any:
    scheme, separator, _ = url.partition("://")
    if not separator:
        # It may be a connection string with a password.
        raise Invalid(
            "the address of the store has no scheme",
            f"begin it with {' or '.join(f'{one}://' for one in table)}",
        )
    if scheme not in table:
        hint = nearest(scheme, list(table)) or f"use one of {', '.join(table)}"
        raise Invalid(f"unknown store {scheme!r}", hint)
    module, _, function = table[scheme].partition(":")
    # Imported here, so that only the driver of the store in use is loaded (apsw: 60 ms).
    try:
        return getattr(import_module(module), function)
    except ModuleNotFoundError as problem:
        raise Unavailable(
            f"the driver of {scheme} is not installed: {problem.name}",
            "pip install 'contextd-runtime[server]'",
        ) from problem
