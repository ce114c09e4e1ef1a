"""What stands between a replica and PostgreSQL fails: each call ends in time, and a retry with its key survives."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.changes import Changes, KnowledgeChanges, NewJob, Put
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.stores.postgres_connection import CALL, WAIT_SECONDS
from contextd_common.errors import Busy, Conflict, Unavailable
from support import pgbouncer, postgres_server
from support.network_proxy import NetworkProxy
from support.stores import Whole, address, opened
from support.strategies import SCOPES

pytestmark = pytest.mark.long

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset({SHOP}), limit=500)
LONGEST = 5.0
"""Seconds after which a call ends whatever the network does."""


def through(port: int, folder: Path) -> str:
    """The address of a new organisation through a port of this machine."""
    _, _, organisation = address("postgresql", folder).partition("#")
    return f"postgresql://postgres@127.0.0.1:{port}/postgres#{organisation}"


def record(id_: str) -> Record:
    return Record(id=id_, kind="memory", scope=SHOP, content=f"how {id_} is retried")


def keyed(store: Whole, id_: str) -> None:
    changes = Changes(knowledge=KnowledgeChanges(records=[Put(record(id_), "write")]))
    store.view.commit(changes, call=id_)


@pytest.fixture
def proxy() -> Iterator[NetworkProxy]:
    settings = conninfo_to_dict(postgres_server.url())
    with NetworkProxy(Path(str(settings["host"])) / ".s.PGSQL.5432") as one:
        yield one


def test_no_limit_of_a_call_is_longer_than_a_caller_waits():
    assert max(CALL.statement, CALL.silence, WAIT_SECONDS) < LONGEST


def test_a_network_that_swallows_packets_and_a_slow_server_end_in_typed_errors(proxy, tmp_path):
    url = through(proxy.port, tmp_path)
    store = Whole(opened(url))
    store.put(record("before"))

    direct = opened(address("postgresql", tmp_path))
    slow: Any = direct.queue

    def refused(act: Any) -> type[Exception]:
        with pytest.raises((Unavailable, Busy)) as refusal:
            act()
        assert refusal.value.hint
        return refusal.type

    proxy.swallowing.set()
    acts = [
        lambda: store.records.get(["before"]),
        lambda: keyed(store, "lost"),
        lambda: opened(url),
        # A server that works too long says so itself.
        lambda: slow._database.value("SELECT pg_sleep(20)"),
    ]
    with ThreadPoolExecutor(len(acts)) as pool:
        assert list(pool.map(refused, acts)) == [Unavailable, Unavailable, Unavailable, Busy]
    direct.close()
    proxy.swallowing.clear()
    keyed(store, "lost")
    assert {one.id for one in store.records.find(HERE).records} == {"before", "lost"}
    store.close()


def test_a_crashed_server_loses_nothing_acknowledged_and_does_nothing_twice(tmp_path):
    url, _, organisation = address("postgresql", tmp_path).partition("#")
    # The tests' server acknowledges before it has written; this promise is about a server that does not.
    store = Whole(opened(f"{url}&options=-csynchronous_commit%3Don#{organisation}"))
    ids = [f"r{number}" for number in range(30)]

    def write(id_: str) -> None:
        for _ in range(50):
            try:
                return keyed(store, id_)
            except Unavailable:
                time.sleep(0.05)
            except Conflict:
                return None  # Committed before its answer was lost.
        raise AssertionError(f"{id_} was never committed")

    with ThreadPoolExecutor(3) as pool:
        writes = [pool.submit(write, id_) for id_ in ids]
        for half in (8, 20):
            writes[half].result()
            crash(url)
        for one in writes:
            one.result()
    assert {one.id for one in store.records.find(HERE).records} == set(ids)
    assert {len(store.records.history(id_)) for id_ in ids} == {1}
    assert store.check() == []
    store.close()


def crash(url: str) -> None:
    """Kill a backend with work to do: the server drops every connection, and recovers."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'contextd' AND pid <> pg_backend_pid()"
        ).fetchone()
        assert found is not None
        os.kill(found[0], signal.SIGKILL)


def test_pgbouncer_in_transaction_mode_may_stand_between(tmp_path):
    with pgbouncer.running(postgres_server.url()) as port:
        stores = [Whole(opened(through(port, tmp_path))) for _ in range(3)]

        def work(place: int) -> list[str]:
            store, seen = stores[place], []
            for number in range(6):
                store.put(record(f"{place}-{number}"))
                store.queue.add([NewJob(name=f"of-{place}", scope=SHOP)])
                job = store.queue.claim("w", 60, lanes=["upkeep"], place="")
                assert job is not None
                store.queue.finish(job.id, "w", {})
                seen += [job.name, *(one.id for one in store.records.find(HERE).records)]
            return seen

        # Three organisations share two connections of the server.
        with ThreadPoolExecutor(3) as pool:
            for place, seen in enumerate(pool.map(work, range(3))):
                assert {name.removeprefix("of-")[0] for name in seen} == {str(place)}
        for store in stores:
            assert store.check() == []
            store.close()
