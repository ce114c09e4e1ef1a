"""Due work of many organisations of one PostgreSQL database: found at once, by one process at a time, never lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.changes import NewJob
from contextd.domain.jobs import LANES, Schedule
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.time import to_micros
from contextd.stores import (
    delete_organisation,
    migrate_store,
    open_shared,
    open_store,
    postgres_server,
    postgres_signals,
)
from contextd.stores.postgres_server import PostgresServer
from support import postgres_server as server_of_tests
from support.network_proxy import NetworkProxy
from support.stores import Whole, plain
from support.strategies import SCOPES

pytestmark = pytest.mark.long

HOUR = timedelta(hours=1)
NAMES = ("one", "other")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A database whose due work is of these tests alone."""
    with server_of_tests.another_database() as found:
        migrate_store(found)
        yield found


@pytest.fixture
def two(url: str) -> Iterator[list[Any]]:
    """Two processes, each with the stores of both organisations, in which nothing is due."""
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("jobs", "schedules", "due"):
            connection.execute(f"DELETE FROM contextd.{table}".encode())
    processes = [Process(url) for _ in range(2)]
    yield processes
    for one in processes:
        one.close()


class Process:
    """What one process has of a database."""

    def __init__(self, url: str) -> None:
        shared = open_shared(url)
        assert isinstance(shared, PostgresServer)
        self.shared = shared
        self.stores = [open_store(url, name, scrub=plain, shared=shared) for name in NAMES]
        self.one, self.other = (store.queue for store in self.stores)

    def due(self, place: str = "here", most: int = 10) -> list[str]:
        return sorted(self.shared.take_due(place, most))

    def close(self) -> None:
        for store in self.stores:
            store.close()
        self.shared.close()


def test_due_work_is_taken_by_one_process_and_is_due_again_only_when_more_comes(two):
    mine, theirs = two
    assert mine.due() == []
    mine.one.add([NewJob(name="x")])
    theirs.other.add([NewJob(name="x"), NewJob(name="y")])
    assert theirs.due() == ["one", "other"]
    assert mine.due() == theirs.due() == []
    for queue in (theirs.one, theirs.other):
        while job := queue.claim("w", 60, lanes=LANES, place="here"):
            queue.finish(job.id, "w", {})
        queue.expect("here")
    assert mine.due() == []
    mine.one.add([NewJob(name="x")])
    assert mine.due() == ["one"]


def test_the_organisation_due_longest_is_taken_first(two):
    mine, _ = two
    now = datetime.now(UTC)
    mine.other.add([NewJob(name="x", run_at=now - 2 * HOUR)])
    mine.one.add([NewJob(name="x", run_at=now - HOUR), NewJob(name="x", run_at=now - HOUR)])
    assert [mine.due(most=1), mine.due(most=1), mine.due(most=1)] == [["other"], ["one"], []]


def test_later_work_other_places_and_leases_are_due_in_their_time(two):
    mine, theirs = two
    later = datetime.now(UTC) + HOUR
    mine.one.add([NewJob(name="x", run_at=later), NewJob(name="x", place="there")])
    mine.other.schedule(Schedule(job="x", scope=None, due_at=later))
    assert mine.due() == []
    # Neither the look of another place nor its own may make this one forget what is due there.
    mine.one.expect("here")
    assert mine.due() == []
    assert theirs.due("there") == ["one"]
    assert theirs.one.claim("w", -1, lanes=LANES, place="there") is not None
    theirs.one.expect("there")
    assert theirs.due("there") == ["one"], "a lease that ended is due"
    noted = noted_times(mine)
    assert noted[("one", "")] == noted[("other", "")] == to_micros(later)
    assert ("one", "there") in noted


def noted_times(process: Process) -> dict[tuple[str, str], Any]:
    """The latest time that is noted for each organisation and place, in microseconds."""
    with psycopg.connect(process.shared.url) as connection:
        rows = connection.execute(
            "SELECT name, place, max(at) FROM contextd.due"
            " JOIN contextd.organisations USING (org) GROUP BY 1, 2"
        ).fetchall()
    return {(name, place): at for name, place, at in rows}


def test_work_that_its_taker_dies_with_is_due_again(two, monkeypatch):
    mine, theirs = two
    mine.one.add([NewJob(name="x")])
    monkeypatch.setattr(postgres_server, "_TAKEN_SECONDS", 0)
    assert theirs.due() == ["one"]
    assert mine.due() == ["one"]


def test_a_job_that_is_committed_while_another_process_looks_is_not_forgotten(two):
    mine, theirs = two
    with psycopg.connect(mine.shared.url) as connection:
        connection.execute(
            "SELECT set_config('app.org', %s, true)", (str(mine.stores[0].database.org),)
        )
        connection.execute(
            "INSERT INTO contextd.jobs (id, scope, name, arguments, state, lane, priority, place, unique_key,"
            " max_attempts, run_at, created_at) VALUES ('j', '', 'x', '{}', 'ready', 'index', 0, '', '', 5, 1, 1)"
        )
        theirs.one.expect("here")
        assert theirs.due() == []
        connection.commit()
    assert theirs.due() == ["one"]


def test_clocks_of_several_organisations_are_read_at_once_and_apart(two):
    mine, theirs = two
    assert mine.shared.clocks(["unknown"]) == {}
    before = mine.shared.clocks(NAMES)
    Whole(theirs.stores[0]).put(Record(id="r", kind="memory", scope=SCOPES[2], content="uploads"))
    after = mine.shared.clocks(NAMES)
    assert after["other"] == before["other"]
    assert after["one"][SCOPES[2]] > before["one"].get(SCOPES[2], 0)
    assert after["one"] == mine.stores[0].replicas.clocks()


def test_a_deleted_organisation_is_due_no_more(two):
    mine, _ = two
    store = open_store(mine.shared.url, "gone", scrub=plain, shared=mine.shared)
    store.queue.add([NewJob(name="x")])
    store.close()
    delete_organisation(mine.shared.url, "gone")
    assert mine.due() == []
    assert ("gone", "") not in noted_times(mine)


def test_the_role_of_the_tables_may_not_read_who_has_work(two):
    mine, _ = two
    mine.one.add([NewJob(name="x")])
    with psycopg.connect(mine.shared.url, autocommit=True) as connection:
        connection.execute("SET ROLE contextd_app")
        for asked in ("SELECT * FROM contextd.due", "SELECT contextd.take_due('', 1, 1, 1)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(asked.encode())


def test_signals_come_back_after_the_network_swallowed_them(url, monkeypatch):
    """A connection that looks healthy and brings nothing is replaced, in five seconds at the settings of the product."""
    assert postgres_signals._CHECK_SECONDS + postgres_signals._SILENCE_SECONDS < 5
    monkeypatch.setattr(postgres_signals, "_CHECK_SECONDS", 0.1)
    monkeypatch.setattr(postgres_signals, "_SILENCE_SECONDS", 0.2)
    monkeypatch.setattr(postgres_signals, "_RECONNECT_SECONDS", 0.01)
    socket = Path(str(conninfo_to_dict(url)["host"])) / ".s.PGSQL.5432"
    database = str(conninfo_to_dict(url)["dbname"])
    stop, heard = Event(), Queue[tuple[str, Scope | None]]()
    with NetworkProxy(socket) as proxy:
        far = PostgresServer(f"postgresql://postgres@127.0.0.1:{proxy.port}/{database}")
        near = PostgresServer(url)
        far.signals.listen(7, lambda *signal: heard.put(signal))

        def serve(server: PostgresServer) -> None:
            while not stop.is_set():
                time.sleep(server.exchange_signals())

        threads = [Thread(target=serve, args=(one,)) for one in (far, near)]
        for thread in threads:
            thread.start()
        try:
            assert heard.get(timeout=30) == ("woken", None)
            proxy.swallowing.set()
            wait_until(lambda: far.signals_lost)
            near.signals.send(7, "changed", Scope("local"))
            proxy.swallowing.clear()
            # Whoever listens again looks for what it may have missed, then hears as before. The signal above may have waited
            # for the new connection, and is then heard as well.
            wait_for(heard, ("woken", None))
            near.signals.send(7, "changed", Scope("local", "default"))
            wait_for(heard, ("changed", Scope("local", "default")))
            assert not far.signals_lost
        finally:
            stop.set()
            for one in (far, near):
                one.hurry()
            for thread in threads:
                thread.join(30)
            for one in (far, near):
                one.close()


def wait_for(heard: Queue[tuple[str, Scope | None]], signal: tuple[str, Scope | None]) -> None:
    while heard.get(timeout=30) != signal:
        pass


def wait_until(holds: Any) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)
