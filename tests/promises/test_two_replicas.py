"""Two stores opened on one database: what one commits the other sees, and of two at once one waits or is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from queue import Queue
from threading import Barrier, Event, Thread
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.changes import Changes, KnowledgeChanges, NewJob, Put
from contextd.domain.documents import record_document
from contextd.domain.jobs import LANES
from contextd.domain.projects import Project
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event as SessionEvent
from contextd.domain.sessions import Seat, Session, SessionChange
from contextd.domain.upkeep import Ages
from contextd.domain.usage import ByProducts, HandedOut, Observation
from contextd.stores.postgres_migrate import migrate_postgres
from contextd.stores.postgres_words import PostgresIndexWriter
from contextd.stores.sql_index_writing import row_of
from contextd_common.errors import Conflict, ContextdError, Stale
from support import postgres_server
from support.clocks import Ticking
from support.stores import Whole, address, opened
from support.strategies import EPOCH, SCOPES, vector

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset({SHOP}))
SHARED = ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)]
"""The stores that more than one process may open; the others live in memory."""


@pytest.fixture(params=SHARED)
def replicas(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Whole]]:
    url = address(request.param, tmp_path)
    both = [Whole(opened(url, Ticking())) for _ in range(2)]
    yield both
    for one in both:
        one.close()


def record(id_: str, content: str = "how uploads are retried", **fields: object) -> Record:
    return Record(id=id_, kind="memory", scope=SHOP, content=content, **fields)


def at_once(replicas: list[Whole], act: Callable[[Whole, int], object]) -> list[object]:
    """What each replica answers, or the error it raises; all begin together."""
    barrier = Barrier(len(replicas))

    def run(place: int) -> object:
        barrier.wait()
        try:
            return act(replicas[place], place)
        except ContextdError as error:
            return error

    with ThreadPoolExecutor(len(replicas)) as pool:
        return list(pool.map(run, range(len(replicas))))


def test_a_commit_of_one_replica_is_found_by_words_and_vectors_in_the_other(replicas):
    one, other = replicas
    assert other.index.lexical(["upload"], HERE, 5) == []
    for number in range(3):
        one.put(record(f"r{number}"))
    one.embed(record("r0"))
    assert {m.id for m in other.index.lexical(["upload"], HERE, 5)} == {"r0", "r1", "r2"}
    near = other.index.dense(vector(record("r0").text), "m", HERE, 5)
    assert {m.id for m in near} == {"r0", "r1", "r2"}
    other.put(record("r1", "where invoices are kept"))
    assert {m.id for m in one.index.lexical(["upload"], HERE, 5)} == {"r0", "r2"}
    assert [m.id for m in one.index.lexical(["invoic"], HERE, 5)] == ["r1"]
    assert one.check() == other.check() == []


def test_of_two_changes_of_one_record_at_once_the_second_is_told(replicas):
    for turn in range(8):
        replicas[0].put(record(f"r{turn}", "first"))

        def change(store: Whole, place: int, id_: str = f"r{turn}") -> object:
            new = record(id_, f"from {place}").with_(version=1)
            return store.commit(actor=str(place), records=[Put(new, "write")])

        done = at_once(replicas, change)
        refused = [one for one in done if isinstance(one, Conflict)]
        assert len(refused) == 1, done
        assert len(replicas[0].records.history(f"r{turn}")) == 2
        assert replicas[0].records.get([f"r{turn}"]) == replicas[1].records.get([f"r{turn}"])


def test_the_same_thing_recorded_at_once_where_alone_is_asked_for_is_recorded_once(replicas):
    for turn in range(8):

        def say(store: Whole, place: int, said: str = f"said {turn}") -> object:
            put = Put(record(f"{said[5:]}-{place}", said), "write", alone=True)
            return store.commit(records=[put])

        refused = [one for one in at_once(replicas, say) if isinstance(one, Conflict)]
        assert len(refused) == 1
    assert len(replicas[0].records.find(HERE).records) == 8


def test_each_job_is_taken_by_one_worker(replicas):
    replicas[0].queue.add([NewJob(name="x", scope=SHOP) for _ in range(12)])

    def work(store: Whole, place: int) -> list[str]:
        taken: list[str] = []
        while job := store.queue.claim(str(place), 60, lanes=["upkeep"], place=""):
            taken.append(job.id)
        return taken

    first, second = at_once(replicas, work)
    assert len(first) + len(second) == len({*first, *second}) == 12


def test_messages_of_two_replicas_are_numbered_without_gaps(replicas):
    replicas[0].open(Session(id="s", scope=SHOP, started_at=EPOCH))

    def say(store: Whole, place: int) -> object:
        for number in range(10):
            event = SessionEvent(
                type="message", key=f"{place}-{number}", at=EPOCH, role="user", text="x"
            )
            store.commit(sessions=[SessionChange(id="s", events=(event,))])
        return None

    assert at_once(replicas, say) == [None, None]
    assert [event.seq for event in replicas[1].sessions.events("s")] == list(range(1, 21))
    assert replicas[1].check() == []


def test_a_connection_that_calls_two_replicas_at_once_opens_one_session(replicas):
    for turn in range(8):

        def call(store: Whole, place: int, connection: str = f"c{turn}") -> object:
            id_ = f"{connection}-{place}"
            begun = Session(id=id_, scope=SHOP, client="claude", external_id=connection)
            store.open(begun.with_(started_at=EPOCH, last_seen_at=EPOCH))
            return id_

        done = at_once(replicas, call)
        [opened_id] = [one for one in done if isinstance(one, str)]
        assert [type(one) for one in done if one != opened_id] == [Stale]
        found = replicas[1].sessions.by_external("claude", f"c{turn}")
        assert found is not None
        assert found.id == opened_id


def test_a_value_proposed_by_two_replicas_at_once_is_kept_as_one(replicas):
    for turn in range(8):

        def propose(store: Whole, place: int, name: str = f"key {turn}") -> object:
            return store.replicas.keep(name, f"from {place}")

        kept = at_once(replicas, propose)
        assert kept[0] == kept[1]


def test_the_job_of_a_machine_that_is_gone_is_settled_by_one_replica(replicas):
    replicas[0].queue.add([NewJob(name="learn", scope=SHOP, place="gone") for _ in range(3)])

    def settle(store: Whole, place: int) -> object:
        store.replicas.attend(f"machine {place}")
        return [job.id for job in store.replicas.settle_orphans(timedelta(0), ["learn"])]

    one, other = at_once(replicas, settle)
    assert len(one) + len(other) == len({*one, *other}) == 3
    taken = [one.queue.claim("w", 60, lanes=LANES, place="machine 1") for one in replicas]
    assert None not in taken


def test_an_attempt_that_lost_its_lease_can_end_nothing(replicas):
    [id_] = replicas[0].queue.add([NewJob(name="learn", scope=SHOP)])
    assert replicas[0].queue.claim("w-1", -3_600, lanes=LANES, place="") is not None
    again = replicas[1].queue.claim("w-2", 60, lanes=LANES, place="")
    assert again is not None
    assert again.attempts == 2
    for act in (
        lambda queue: queue.finish(id_, "w-1", {}),
        lambda queue: queue.fail(id_, "w-1", "too late", None),
        lambda queue: queue.keep_progress(id_, "w-1", {}),
        lambda queue: queue.release(id_, "w-1"),
    ):
        with pytest.raises(Conflict):
            act(replicas[0].queue)
    replicas[1].queue.finish(id_, "w-2", {"done": 1})
    [job] = replicas[0].jobs.list()
    assert (job.state, job.result) == ("done", {"done": 1})


@pytest.fixture
def listening(replicas: list[Whole]) -> Iterator[list[Queue[tuple[str, Scope | None]]]]:
    """What each replica hears of the others; both have begun to listen."""
    stop, heard = Event(), [Queue(), Queue()]
    servers: list[Any] = [one.store._server for one in replicas]  # type: ignore[attr-defined]

    def serve(server: Any) -> None:
        while not stop.is_set():
            server.exchange_signals()

    for one, to in zip(replicas, heard, strict=True):
        one.signals.listen(lambda *signal, to=to: to.put(signal))
    threads = [Thread(target=serve, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    yield heard
    stop.set()
    for server, thread in zip(servers, threads, strict=True):
        server.hurry()
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    "replicas", [pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
def test_a_replica_hears_of_changes_and_work_soon_and_together(replicas, listening):
    mine, theirs = listening
    assert mine.get(timeout=10) == theirs.get(timeout=10) == ("woken", None)
    for _ in range(300):
        replicas[0].signals.send("changed", SHOP)
        replicas[0].signals.send("woken")
    assert [theirs.get(timeout=10) for _ in range(2)] == [("changed", SHOP), ("woken", None)]
    for number in range(900):
        replicas[1].signals.send("changed", Scope("local", "default", f"project-{number}"))
    told: list[tuple[str, Scope | None]] = []
    while ("changed", None) not in told:
        told.append(mine.get(timeout=10))
    # A batch too large for a payload says only that something changed.
    assert len(told) < 600


@pytest.mark.parametrize("replicas", ["sqlite"], indirect=True)
def test_replicas_over_a_file_send_nothing(replicas):
    heard: list[object] = []
    replicas[1].signals.listen(lambda *signal: heard.append(signal))
    replicas[0].signals.send("changed", SHOP)
    assert heard == []
    assert replicas[1].replicas.clocks() == {}


def test_a_call_is_carried_out_once(replicas):
    def call(store: Whole, place: int) -> object:
        return store.view.commit(changes_of(f"r{place}"), call="key")

    def changes_of(id_: str) -> Changes:
        return Changes(knowledge=KnowledgeChanges(records=[Put(record(id_), "write")]))

    refused = [one for one in at_once(replicas, call) if isinstance(one, Conflict)]
    assert len(refused) == 1
    assert len(replicas[0].records.find(HERE).records) == 1


def test_a_job_that_fails_waits_again_once_while_its_work_is_asked_for_again(replicas):
    one = replicas[0]
    for turn in range(6):
        key = NewJob(name="x", scope=SHOP, unique_key=f"k{turn}")
        [id_] = one.queue.add([key])
        assert one.queue.claim("w", 60, lanes=["upkeep"], place="").id == id_

        def act(store: Whole, place: int, id_: str = id_, key: NewJob = key) -> object:
            return store.queue.add([key]) if place else store.queue.fail(id_, "w", "x", 0)

        assert not [error for error in at_once(replicas, act) if isinstance(error, ContextdError)]
        ready = one.jobs.list(states=["ready"])
        assert [job.unique_key for job in ready].count(f"k{turn}") == 1
        assert one.queue.claim("w", 60, lanes=["upkeep"], place="") is not None


def test_usage_of_two_replicas_is_counted_in_full(replicas):
    def work(store: Whole, place: int) -> None:
        for number in range(10):
            miss = observed("miss", f"{place}-{number}")
            store.upkeep.note(ByProducts(observations=[miss, observed("read", "")]))

    assert at_once(replicas, work) == [None, None]
    summary = replicas[1].observations.summary(frozenset({SHOP}))
    assert (summary.reads, summary.misses, len(summary.missed_queries)) == (20, 20, 20)
    assert len(replicas[1].observations.recent(frozenset({SHOP}))) == 40


def observed(action: Any, query: str) -> Observation:
    return Observation(at=EPOCH, action=action, operation="x", type="m", query=query, scope=SHOP)


@pytest.mark.long
def test_a_commit_holds_up_neither_queue_nor_usage_log_nor_upkeep_nor_other_scopes(tmp_path):
    url = address("postgresql", tmp_path)
    one, other = [Whole(opened(url, Ticking())) for _ in range(2)]
    one.put(record("used"))
    one.put(record("elsewhere").with_(scope=SCOPES[0]))
    one.open(Session(id="s", scope=SHOP, started_at=EPOCH))
    [id_] = one.queue.add([NewJob(name="held", scope=SHOP, unique_key="k")])
    database: Any = one.store.queue
    with database._database.write(str(SHOP)) as connection:
        connection.execute("SELECT seq FROM jobs WHERE id = ? /* FOR UPDATE */", (id_,))
        # Each of these would wait for the commit, and fail as busy.
        [free] = other.queue.add([NewJob(name="free", scope=SHOP, unique_key="other")])
        assert other.queue.claim("w", 60, lanes=["upkeep"], place="").id == free
        assert other.queue.claim("w", 60, lanes=["upkeep"], place="") is None
        other.queue.finish(free, "w", {})
        told = HandedOut(SHOP, "s", "digest")
        other.upkeep.note(ByProducts(observations=[observed("read", "")], handed_out=[told]))
        assert other.upkeep.retire(Ages(jobs=EPOCH, calls=EPOCH, originals=EPOCH)) == {}
        other.directory.register(Project(identity="i", scope=SHOP, name="shop"))
        other.change("s", events=(SessionEvent(type="message", key="k", at=EPOCH, text="x"),))
        other.put(record("elsewhere", "changed").with_(scope=SCOPES[0]))
    assert other.queue.claim("w", 60, lanes=["upkeep"], place="").id == id_
    one.close()
    other.close()


@pytest.mark.long
def test_a_reader_misses_no_change_that_is_committed_late(tmp_path):
    url = address("postgresql", tmp_path)
    one, other, reader = [Whole(opened(url, Ticking())) for _ in range(3)]
    one.put(record("r0"))
    found = lambda: {m.id for m in reader.index.lexical(["upload"], HERE, 5)}  # noqa: E731
    assert found() == {"r0"}
    database: Any = one.store.queue
    with ThreadPoolExecutor(1) as pool:
        # Another lock than the scope's: the clock of the part alone has to order the two.
        with database._database.write("no scope") as connection:
            PostgresIndexWriter(connection).put([row_of(record_document(record("early")))])
            connection.flush()
            late = pool.submit(other.put, record("late"))
            wait_for_a_blocked_writer(late)
            assert found() == {"r0"}
            assert not late.done()
        late.result()
    assert found() == {"r0", "early", "late"}
    for store in (one, other, reader):
        store.close()


def wait_for_a_blocked_writer(writer: Future[Any]) -> None:
    blocked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        while not writer.done() and connection.execute(blocked).fetchone() == (0,):
            pass


@pytest.mark.long
def test_a_restored_database_is_read_again_though_its_clock_looks_familiar():
    with postgres_server.another_database() as url:
        migrate_postgres(url)
        one, other = [Whole(opened(f"{url}#x", Ticking())) for _ in range(2)]
        one.put(record("r0"))
        backup = "CREATE DATABASE saved TEMPLATE {}"
        restore = "ALTER DATABASE saved RENAME TO {}"
        moved(url, backup)
        one.put(record("lost"))
        one.embed(record("lost"))
        assert {m.id for m in one.index.lexical(["upload"], HERE, 5)} == {"r0", "lost"}
        moved(url, "DROP DATABASE {} WITH (FORCE)", restore)
        other.put(record("new"))
        other.embed(record("new"))
        assert {m.id for m in one.index.lexical(["upload"], HERE, 5)} == {"r0", "new"}
        near = one.index.dense(vector(record("new").text), "m", HERE, 5)
        assert {m.id for m in near} == {"r0", "new"}
        one.close()
        other.close()


def moved(url: str, *statements: str) -> None:
    """Run statements about a database that nobody uses meanwhile."""
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = %s",
            (name,),
        )
        for statement in statements:
            connection.execute(statement.format(name).encode())


def test_a_seat_taken_at_one_replica_is_the_connections_at_the_other(replicas):
    one, other = replicas
    for id_ in ("s", "t"):
        one.open(Session(id=id_, scope=SHOP, started_at=EPOCH))

    def sit(store: Whole, place: int) -> object:
        return store.commit(seats=[Seat(SHOP, "c", "st"[place]), Seat(SHOP, f"d{place}", "s")])

    for _ in range(5):
        at_once(replicas, sit)
        seats = one.sessions.seats(frozenset({SHOP}))
        assert seats == other.sessions.seats(frozenset({SHOP}))
        assert [seat.digest for seat in seats] == ["c", "d0", "d1"]
    other.commit(left=["c"])
    assert one.sessions.seated(SHOP, "c") is None
