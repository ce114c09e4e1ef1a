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

from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_pool import WatchedConnection, connection_options
from contextd_common.errors import Busy, Unavailable

_LOCK = 7_238_114
"""The advisory lock of a migration. It is tried again and again, because a wait inside it could not be ended."""

_TRIES, _PAUSE = 240, 0.5
_LONGEST_STEP = 3_600.0
"""Seconds without a word of the server: a migration may rewrite a table."""

_OLDEST = 15
"""The oldest PostgreSQL that the tests run on."""


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
    scripts, options = migrations(), connection_options()
    with raising(), WatchedConnection.connect(url, autocommit=True, **options) as connection:
        require_usable(connection)
        connection.silence = _LONGEST_STEP
        connection.execute("SET lock_timeout = '1s'")
        _take_turn(connection)
        try:
            before = schema_of(connection)
            _require_known(before, len(scripts))
            for number in range(before, len(scripts)):
                _apply_in_turn(connection, number, scripts[number])
            return before, len(scripts)
        except errors.InsufficientPrivilege as problem:
            raise Unavailable(
                f"this user may not migrate the database: {str(problem).partition(chr(10))[0]}",
                "run it as the owner of the database, and let that user create roles (ALTER ROLE NAME CREATEROLE)",
            ) from problem
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


def require_usable(connection: psycopg.Connection[Any]) -> None:
    """Raise `Unavailable` for a server that cannot hold a store. The checks use what it reports while connecting and send
    no query. A pooler may not forward all of it.
    """
    reported = connection.info.parameter_status
    if connection.info.server_version < 10_000 * _OLDEST:
        raise Unavailable(
            f"the database runs on PostgreSQL {reported('server_version')}, which is too old",
            f"upgrade its server to PostgreSQL {_OLDEST} or newer",
        )
    if (encoding := reported("server_encoding")) not in (None, "UTF8"):
        raise Unavailable(
            f"the database stores text as {encoding}, which cannot hold every character",
            "create another with `createdb --encoding=UTF8 --template=template0 NAME`, and name it in store.url",
        )
    if reported("in_hot_standby") == "on":
        raise Unavailable(
            "the database is a standby in recovery, which stores nothing",
            "name the primary server in store.url, or promote this one",
        )
    if reported("default_transaction_read_only") == "on":
        raise Unavailable(
            "the database is read-only: default_transaction_read_only is on",
            "turn it off for this database and user, or name another server in store.url",
        )


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
    if not version:
        raise Unavailable("the database has no tables of contextd", "run `contextd store migrate`")
    if version < known:
        raise Unavailable(
            f"the database has schema {version} and needs {known}", "run `contextd store migrate`"
        )
