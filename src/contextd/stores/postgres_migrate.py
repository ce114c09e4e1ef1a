"""Forward-only migrations of PostgreSQL: `migrations/postgres/NNNN_name.sql`, run by `contextd store migrate`.

A replica never migrates: two that start at once would wait for each other, and one that is killed halfway would
leave a schema that no replica knows.
"""

from __future__ import annotations

import time
from importlib import resources
from typing import Any

import psycopg
from psycopg import errors

from contextd.stores.postgres_connection import connection_options, raising
from contextd_common.errors import Busy, Unavailable

_LOCK = 7_238_114
"""The advisory lock of a migration. It is tried again and again, because a wait inside it could not be ended."""

_TRIES, _PAUSE = 240, 0.5


def migrations() -> list[str]:
    """The SQL of each migration, in order."""
    folder = resources.files("contextd.stores") / "migrations" / "postgres"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text("utf-8") for name in names]


def migrate_postgres(url: str) -> tuple[int, int]:
    """Migrate the database at `url`, as a user who may create roles; return the schema before and after.

    Each migration is a transaction of its own. Raises `Busy` while another program migrates, `Unavailable` for a
    database of a newer contextd.
    """
    scripts = migrations()
    with raising(), psycopg.connect(url, autocommit=True, **connection_options()) as connection:
        connection.execute("SET lock_timeout = '1s'")
        _take_turn(connection)
        try:
            before = schema_of(connection)
            _require_known(before, len(scripts))
            for number in range(before, len(scripts)):
                _apply_in_turn(connection, number, scripts[number])
            return before, len(scripts)
        finally:
            if not connection.broken:
                connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def _apply_in_turn(connection: psycopg.Connection[Any], number: int, script: str) -> None:
    """Apply a migration. A wait for a table would hold up all later readers of it, so each wait is short."""
    for left in reversed(range(_TRIES)):
        try:
            _apply(connection, number, script)
        except errors.LockNotAvailable:
            if not left:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _apply(connection: psycopg.Connection[Any], number: int, script: str) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL search_path = contextd, pg_catalog")
        if not number:
            connection.execute("CREATE SCHEMA contextd")
            connection.execute("CREATE TABLE contextd.schema (version int NOT NULL)")
            connection.execute("INSERT INTO contextd.schema VALUES (0)")
        connection.execute(script.encode())
        connection.execute("UPDATE contextd.schema SET version = %s", (number + 1,))


def _take_turn(connection: psycopg.Connection[Any]) -> None:
    for _ in range(_TRIES):
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,)).fetchone()
        if row and row[0]:
            return
        time.sleep(_PAUSE)
    raise Busy("another program migrates this database", "wait for it, then try again")


def schema_of(connection: psycopg.Connection[Any]) -> int:
    """The number of the last migration of a database, 0 without any."""
    row = connection.execute("SELECT to_regclass('contextd.schema')::text").fetchone()
    if not row or row[0] is None:
        return 0
    found = connection.execute("SELECT version FROM contextd.schema").fetchone()
    return int(found[0]) if found else 0


def _require_known(version: int, known: int) -> None:
    if version > known:
        raise Unavailable(
            f"the database was made by a newer contextd (schema {version}, this one knows {known})",
            "upgrade contextd",
        )


def require_migrated(connection: psycopg.Connection[Any]) -> None:
    """Raise `Unavailable` for a database whose schema is not the one of this program."""
    version, known = schema_of(connection), len(migrations())
    _require_known(version, known)
    if version < known:
        raise Unavailable(
            f"the database has schema {version} and needs {known}", "run `contextd store migrate`"
        )
