"""Delete an organisation from PostgreSQL, its bytes included, and say where copies of them remain."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import errors

from contextd.stores.postgres_connection import UPKEEP
from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_migrate import require_migrated, require_usable
from contextd.stores.postgres_pool import WatchedConnection, connection_options
from contextd_common.errors import NotFound

_TRIES, _PAUSE = 60, 0.5
_PURGES = (
    # ANALYZE would keep those of a table without rows.
    (
        "the statistics of whole tables",
        "DELETE FROM pg_catalog.pg_statistic WHERE starelid IN (SELECT oid FROM pg_catalog.pg_class"
        " WHERE relkind = 'p' AND relnamespace = 'contextd'::regnamespace)",
    ),
    (
        "the statistics of columns, until pg_statistic is rewritten",
        "VACUUM FULL pg_catalog.pg_statistic",
    ),
    ("files of dropped tables, until the next checkpoint", "CHECKPOINT"),
)
"""What a user without the right to a purge leaves behind, and the purge."""


def delete_organisation(url: str, name: str) -> list[str]:
    """Drop the partitions of an organisation, and the statistics about its rows; return where its bytes remain, in
    sentences for a person.

    Dropping removes files; deleting rows leaves their bytes in the pages. Run it as the owner of the tables. Raises
    `NotFound`.
    """
    options = connection_options()
    with raising(), WatchedConnection.connect(url, autocommit=True, **options) as connection:
        connection.silence = UPKEEP.silence
        require_usable(connection)
        require_migrated(connection)
        connection.execute("SET lock_timeout = '1s'")
        if not _drop(connection, name):
            raise NotFound(f"no organisation {name!r} in this database", "check its name")
        # Its name stands in the row that was deleted, and in statistics about names.
        connection.execute("VACUUM FULL ANALYZE contextd.organisations")
        return [*_purged(connection), *_copies(connection)]


def _drop(connection: psycopg.Connection[Any], name: str) -> bool:
    """Drop the partitions; calls of other organisations that run meanwhile are not held up longer than a second."""
    for left in reversed(range(_TRIES)):
        try:
            row = connection.execute("SELECT contextd.drop_organisation(%s)", (name,)).fetchone()
        except (errors.LockNotAvailable, errors.DeadlockDetected):
            if not left:
                raise
            time.sleep(_PAUSE)
        else:
            return bool(row and row[0])
    return False


def _purged(connection: psycopg.Connection[Any]) -> list[str]:
    left: list[str] = []
    for what, purge in _PURGES:
        try:
            connection.execute(purge.encode())
        except (errors.InsufficientPrivilege, errors.LockNotAvailable):
            left.append(f"{what}: run `{purge}` as the owner of the server")
    return left


def _copies(connection: psycopg.Connection[Any]) -> list[str]:
    """Where a server keeps what was written to it."""
    asked = "SELECT current_setting('archive_mode'), pg_walfile_name(pg_current_wal_lsn())"
    [(archive, segment)] = connection.execute(asked).fetchall()
    copies = [f"the write-ahead log up to segment {segment}, until the server reuses its files"]
    if archive != "off":
        copies.append(f"the archive of the write-ahead log up to {segment}, until it expires")
    slots: list[Any] = []
    with suppress(errors.InsufficientPrivilege):
        slots = connection.execute("SELECT slot_name FROM pg_replication_slots").fetchall()
    copies += [f"the replica behind slot {slot}, until it has followed" for (slot,) in slots]
    return [
        *copies,
        "backups and dumps made before now, until they expire",
        "the server's log, if it logs statements or failed ones: values stand in them",
    ]
