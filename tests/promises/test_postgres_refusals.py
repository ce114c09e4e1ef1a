"""A PostgreSQL database that cannot be used: a typed error says why and what to do, and never shows the password."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.changes import Changes, KnowledgeChanges, NewJob, Put
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.stores import migrate_store, open_shared, open_store
from contextd.stores.postgres_connection import DatabaseConnections
from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_migrate import migrations
from contextd_common.errors import ContextdError, Unavailable
from support import postgres_server
from support.network_proxy import NetworkProxy
from support.stores import Whole, plain
from support.strategies import SCOPES

pytestmark = pytest.mark.long

PASSWORD, WRONG = "right-geheim", "wrong-geheim"
SHOP = SCOPES[2]
KNOWN = len(migrations())


class Server:
    """The tests' server, a port to it, and one database for the states."""

    def __init__(self, url: str, port: int) -> None:
        self.url, self.port = url, port
        self.name = str(conninfo_to_dict(url)["dbname"])

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            for statement in statements:
                connection.execute(statement.format(name=self.name).encode())

    def at(self, name: str = "", user: str = "postgres", more: str = "") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{name or self.name}{more}"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    socket = Path(str(conninfo_to_dict(postgres_server.url())["host"])) / ".s.PGSQL.5432"
    with (
        postgres_server.another_database() as url,
        NetworkProxy(socket) as proxy,
        postgres_server.password_demanded("guarded"),
    ):
        migrate_store(url)
        made = Server(url, proxy.port)
        made.run("CREATE ROLE stranger LOGIN")
        made.run(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'")
        made.run("GRANT contextd_replica TO guarded")
        yield made
        made.run("DROP ROLE stranger", "DROP ROLE guarded")


def schema(version: int) -> Callable[[Server], Any]:
    return lambda server: changed(
        server,
        f"UPDATE contextd.schema SET version = {version}",
        f"UPDATE contextd.schema SET version = {KNOWN}",
    )


@contextmanager
def changed(server: Server, before: str, after: str) -> Iterator[str]:
    server.run(before)
    yield server.at()
    server.run(after)


@contextmanager
def made(server: Server, options: str, user: str = "postgres") -> Iterator[str]:
    server.run(f"CREATE DATABASE odd {options}")
    yield server.at("odd", user)
    server.run("DROP DATABASE odd")


def of(encoding: str) -> Callable[[Server], Any]:
    options = f"ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    return lambda server: made(server, options)


def read_only(server: Server) -> Any:
    alter = "ALTER DATABASE {name} %s default_transaction_read_only"
    return changed(server, f"{alter % 'SET'} = on", alter % "RESET")


STATES: dict[str, tuple[Any, str, str, str]] = {
    "missing": (lambda s: s.at("nowhere"), "unavailable", "does not exist", "createdb"),
    "stopped": (
        lambda s: "postgresql://postgres@127.0.0.1:1/postgres",
        "unavailable",
        "cannot be reached",
        "check that it runs",
    ),
    "unknown host": (
        lambda s: "postgresql://postgres@nowhere.invalid/postgres",
        "unavailable",
        "host of store.url is unknown",
        "correct the host",
    ),
    "wrong password": (
        lambda s: s.at(user=f"guarded:{WRONG}"),
        "unavailable",
        "did not accept the user or the password",
        "PGPASSWORD",
    ),
    "no password": (
        lambda s: s.at(user="guarded"),
        "unavailable",
        "did not accept the user or the password",
        "PGPASSWORD",
    ),
    "unknown user": (
        lambda s: s.at(user=f"whoever:{WRONG}"),
        "unavailable",
        "does not have this user",
        "createuser",
    ),
    "no rights": (
        lambda s: s.at(user="stranger"),
        "unavailable",
        "may not be used by this user",
        "GRANT contextd_replica",
    ),
    "no connection left": (
        lambda s: made(s, "CONNECTION LIMIT 0", "stranger"),
        "busy",
        "no connection left",
        "max_connections",
    ),
    "empty": (lambda s: made(s, ""), "unavailable", "has no tables", "contextd store migrate"),
    "older": (schema(1), "unavailable", "has schema 1", "contextd store migrate"),
    "newer": (schema(99), "unavailable", "made by a newer contextd", "upgrade contextd"),
    "Latin": (of("LATIN1"), "unavailable", "as LATIN1", "--encoding=UTF8"),
    "ASCII": (of("SQL_ASCII"), "unavailable", "as SQL_ASCII", "--encoding=UTF8"),
    "read-only": (read_only, "unavailable", "is read-only", "name another server"),
    "without TLS": (
        lambda s: s.at(more="?sslmode=require"),
        "unavailable",
        "offers no TLS",
        "postgresql.conf",
    ),
    "unknown parameter": (
        lambda s: s.at(more=f"?password={WRONG}&sslmod=require"),
        "invalid",
        "unknown parameter 'sslmod'",
        "sslmode",
    ),
    "password with @": (
        lambda s: s.at(user=f"guarded:@{WRONG}"),
        "invalid",
        "cannot be read",
        "%40",
    ),
    "password with /": (
        lambda s: s.at(user=f"guarded:/{WRONG}"),
        "invalid",
        "cannot be read",
        "%2F",
    ),
    "password with %": (
        lambda s: s.at(user=f"guarded:%{WRONG}"),
        "invalid",
        "cannot be read",
        "%25",
    ),
    "half an address": (
        lambda s: f"postgresql://guarded:{WRONG}@[::1/postgres",
        "invalid",
        "cannot be read",
        "postgresql://USER",
    ),
    "password as port": (
        lambda s: f"postgresql://guarded:{WRONG}/postgres",
        "invalid",
        "cannot be read",
        "postgresql://USER",
    ),
    "no scheme": (
        lambda s: f"host=127.0.0.1 password={WRONG}",
        "invalid",
        "has no scheme",
        "postgresql://",
    ),
}
"""State → the address of a database in it, and the error's code and words of its message and its hint."""

NOT_FOR_MIGRATE = {"empty", "older", "no rights", "no scheme"}
"""A migration upgrades the first two, has a hint of its own for the third, and leaves other stores alone."""


def refused(act: Callable[[], object]) -> ContextdError:
    with pytest.raises(ContextdError) as refusal:
        act()
    return refusal.value


@pytest.mark.parametrize("state", STATES)
def test_a_database_that_cannot_be_used_says_why_and_what_to_do(state, server, caplog):
    caplog.set_level(logging.DEBUG)
    address, code, words, hint = STATES[state]
    with ExitStack() as undone:
        found = address(server)
        url = found if isinstance(found, str) else undone.enter_context(found)
        acts: list[Callable[[], object]] = [lambda: open_store(url, "acme", scrub=plain)]
        if state not in NOT_FOR_MIGRATE:
            acts.append(lambda: migrate_store(url))
        for act in acts:
            error = refused(act)
            assert (error.code, words in error.message, hint in error.hint) == (code, True, True), (
                error.as_dict()
            )
            assert "geheim" not in f"{error.as_dict()}{error.__cause__}{error.__context__}"
    assert "geheim" not in caplog.text


def test_who_may_not_migrate_hears_who_may(server):
    with made(server, "", "stranger") as url:
        error = refused(lambda: migrate_store(url))
    assert "may not migrate" in error.message
    assert "owner of the database" in error.hint


def test_a_replica_needs_the_role_of_the_tables_and_owns_nothing(server):
    url = server.at(user=f"guarded:{PASSWORD}")
    shared = open_shared(url)
    assert shared is not None
    store = Whole(open_store(url, "acme", scrub=plain, shared=shared))
    store.put(Record(id="a", kind="memory", scope=SHOP, content="how uploads are retried"))
    store.queue.add([NewJob(name="x", scope=SHOP)])
    assert shared.take_due("here", 5) == ["acme"]
    assert [one.id for one in store.records.find(Query(scopes=frozenset({SHOP}))).records] == ["a"]
    store.close()
    shared.close()


def test_a_caller_who_gets_no_connection_hears_why_and_the_next_gets_one(server):
    pool = DatabaseConnections(server.at(user=f"guarded:{PASSWORD}"))
    pool.timeout = 0.2
    server.run("ALTER ROLE guarded NOLOGIN")

    def got() -> object:
        with raising():
            return pool.getconn()

    assert "may not be used by this user" in refused(got).message
    server.run("ALTER ROLE guarded LOGIN")
    # Its next attempt is a moment away, and not minutes as after a long outage.
    assert pool.reconnect_timeout <= 5
    connection = None
    while connection is None:
        try:
            connection = pool.getconn()
        except psycopg.OperationalError:
            continue
    pool.putconn(connection)
    pool.close()


def test_a_full_disk_refuses_a_write_and_keeps_what_was_confirmed(server):
    store = Whole(open_store(server.url, "full", scrub=plain))

    def put(id_: str) -> None:
        one = Put(Record(id=id_, kind="memory", scope=SHOP, content=f"how {id_} works"), "write")
        store.view.commit(Changes(knowledge=KnowledgeChanges(records=[one])), call=id_)

    put("before")
    server.run(
        "CREATE FUNCTION contextd.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$",
        "CREATE TRIGGER full_disk BEFORE INSERT ON contextd.docs FOR EACH ROW EXECUTE FUNCTION contextd.full_disk()",
    )
    error = refused(lambda: put("refused"))
    assert isinstance(error, Unavailable)
    assert ("disk is full" in error.message, "free space" in error.hint) == (True, True)
    server.run("DROP TRIGGER full_disk ON contextd.docs", "DROP FUNCTION contextd.full_disk()")
    put("after")
    found = store.records.find(Query(scopes=frozenset({SHOP}))).records
    assert {one.id for one in found} == {"before", "after"}
    assert store.check() == []
    store.close()
