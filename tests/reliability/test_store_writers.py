"""Several writers at once, as threads and as processes: nothing acknowledged is lost, nobody starves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shop_notes import HERE, SHOP, at, note, put, stored, view_of

from contextd.domain.changes import Changes, KnowledgeChanges, NewJob, Put, Removal, WorkChanges
from contextd.domain.documents import record_document
from contextd.domain.jobs import LANES
from contextd.domain.query import Document
from contextd.domain.records import Record
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.runtime.runtime import SystemClock
from contextd.stores.sqlite import SqliteStore
from contextd.stores.write_lock import Turnstile
from contextd_common.errors import Busy, Stale
from support.clocks import Standing
from support.examples import drawn
from support.stores import opened, plain
from support.strategies import vector

WRITER = """
import sys, time, json
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.query import Document, Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores import open_store
url, seconds, bulk, go = sys.argv[1], float(sys.argv[2]), sys.argv[3] == "bulk", float(sys.argv[4])
scope = Scope("acme", "web", "shop")
view = open_store(url, "local", scrub=str).view(OWNER.grant([scope]))
time.sleep(max(0.0, go - time.time()))
end, waits, written = time.monotonic() + seconds, [], []
if bulk:
    many = [Document(id=f"bulk-{n}", kind="event", scope=scope, text=f"bulk words {n}") for n in range(200)]
while time.monotonic() < end:
    record = Record(kind="memory", scope=scope, content=f"upload number {len(written)}")
    begun = time.monotonic()
    view.commit(Changes(actor="w", knowledge=KnowledgeChanges(records=[Put(record, "write")])))
    waits.append(time.monotonic() - begun)
    written.append(record.id)
    if bulk and len(written) % 50 == 0:
        view.commit(Changes(knowledge=KnowledgeChanges(documents=many)))
    if len(written) % 10 == 0:
        view.index.lexical(["upload", "number"], Query(scopes=frozenset({scope})), 10)
json.dump({"written": written, "waits": waits}, sys.stdout)
"""


def run_writers(folder: Path, processes: int, seconds: float) -> list[dict]:
    url = at(folder)
    opened(url).close()
    go = str(time.time() + 0.4 + 0.1 * processes)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, url, str(seconds), "bulk" if n == 0 else "", go],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for n in range(processes)
    ]
    ended = [process.communicate(timeout=seconds + 60) for process in running]
    assert [err.decode() for _, err in ended] == [""] * processes
    results = [json.loads(out) for out, _ in ended]
    store = opened(url)
    assert stored(store) == sorted(id_ for result in results for id_ in result["written"])
    assert store.upkeep.check() == []
    store.close()
    return results


def fairness(results: list[dict]) -> dict[str, float]:
    counts = [len(result["written"]) for result in results]
    waits = sorted(wait for result in results for wait in result["waits"])
    return {
        "commits": sum(counts),
        "slowest_share": min(counts) / (sum(counts) / len(counts)),
        "p99_seconds": waits[int(len(waits) * 0.99)],
        "max_seconds": waits[-1],
    }


def test_four_processes_write_one_store_and_lose_nothing(tmp_path):
    results = run_writers(tmp_path, 4, 1.5)
    assert all(result["written"] for result in results)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_eight_processes_share_the_store_fairly(tmp_path, record_property):
    figures = fairness(run_writers(tmp_path, 8, 20))
    for name, value in figures.items():
        record_property(name, value)
    print(figures)
    assert figures["slowest_share"] >= 0.5
    assert figures["p99_seconds"] < 1
    assert figures["max_seconds"] < 5


def test_threads_write_and_roll_back_side_by_side_and_lose_nothing(tmp_path):
    store = opened(at(tmp_path))
    put(store, "there")
    acknowledged = ["there"]
    problems: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for n in range(25):
                put(store, f"{name}-{n}")
                acknowledged.append(f"{name}-{n}")
                view_of(store).index.lexical(["upload"], HERE, 5)
        except BaseException as problem:
            problems.append(problem)

    def roll_back() -> None:
        for n in range(25):
            refused = [Put(note(f"undone-{n}"), "write"), Put(note("there"), "write")]
            try:
                view_of(store).commit(
                    Changes(actor="w", knowledge=KnowledgeChanges(records=refused))
                )
                problems.append(AssertionError("a second record was taken under one id"))
            except Stale:
                continue
            except BaseException as problem:
                problems.append(problem)

    threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(4)]
    threads.append(threading.Thread(target=roll_back))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(acknowledged) == 101
    assert stored(store) == sorted(acknowledged)
    assert view_of(store).index.stats("").documents == 101
    assert store.upkeep.check() == []
    store.close()


def test_writes_and_removals_of_another_store_show_in_the_next_vector_search(tmp_path):
    mine, theirs = (opened(at(tmp_path)) for _ in range(2))
    writing = view_of(theirs)

    def ask() -> list[str]:
        return [match.id for match in view_of(mine).index.dense(vector("q"), "m", HERE, 9)]

    assert ask() == []
    for id_ in ("one", "two"):
        record = note(id_)
        writing.commit(
            Changes(actor="w", knowledge=KnowledgeChanges(records=[Put(record, "write")]))
        )
        assert id_ not in ask()
        vectors = {record_document(record).digest: vector(id_)}
        writing.commit(Changes(knowledge=KnowledgeChanges(vectors={SHOP: vectors}, model="m")))
        assert id_ in ask()
    removal = Removal(note("one").with_(version=1), "undo")
    writing.commit(Changes(actor="w", knowledge=KnowledgeChanges(records=[removal])))
    assert ask() == ["two"]
    theirs.upkeep.rebuild(SHOP)
    assert ask() == []
    mine.close()
    theirs.close()


steps = st.lists(
    st.tuples(st.sampled_from("pdaqc"), st.sampled_from("abcdef"), st.integers(0, 3)), max_size=25
)


@settings(
    max_examples=drawn(25), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(history=steps)
def test_a_matrix_kept_up_by_steps_equals_one_read_anew(tmp_path_factory, history):
    url = at(tmp_path_factory.mktemp("dense"))
    warm, writer = opened(url), opened(url)
    view = view_of(writer)
    for act, id_, text in history:
        document = Document(id=id_, kind="memory", scope=SHOP, text=str(text))
        vectors = {SHOP: {document.digest: vector(str(text))}}
        match act:
            case "p":
                embedded = {"vectors": vectors, "model": "m"} if text % 2 else {}
                view.commit(Changes(knowledge=KnowledgeChanges(documents=[document], **embedded)))
            case "d":
                view.commit(Changes(knowledge=KnowledgeChanges(forget={SHOP: [id_]})))
            case "a":
                view.commit(Changes(knowledge=KnowledgeChanges(vectors=vectors, model="m")))
            case "c" if text == 0:
                writer.upkeep.rebuild(SHOP)
        if act == "q" or text == 3:
            fresh = opened(url)
            expected = view_of(fresh).index.dense(vector("q"), "m", HERE, 9)
            assert view_of(warm).index.dense(vector("q"), "m", HERE, 9) == expected
            fresh.close()
    warm.close()
    writer.close()


def test_the_turnstile_gives_up_in_time_with_busy_and_works_again_after(tmp_path):
    first, second = (Turnstile(tmp_path / "gate", timeout=0.05) for _ in range(2))
    with first.hold():
        with pytest.raises(Busy) as refusal, second.hold():
            pass
        assert refusal.value.hint
        with pytest.raises(Busy), first.hold():
            pass
    with second.hold(), pytest.raises(Busy), first.hold():
        pass
    with first.hold():
        assert True


def test_the_turnstile_lets_threads_through_in_the_order_they_came(tmp_path):
    turnstile = Turnstile(tmp_path / "gate")
    order: list[int] = []

    def pass_through(number: int) -> None:
        with turnstile.hold():
            order.append(number)

    threads = [threading.Thread(target=pass_through, args=(n,)) for n in range(8)]
    with turnstile.hold():
        for number, thread in enumerate(threads, 2):
            thread.start()
            while len(turnstile._queue) < number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(8))


def open_files(folder: Path) -> list[str]:
    """The names of this process's open files in a folder."""
    links = [one for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    return [path.name for path in (one.readlink() for one in links) if path.parent == folder]


def test_closing_the_turnstile_closes_its_files_but_never_under_a_writer(tmp_path):
    turnstile = Turnstile(tmp_path / "gate")
    with turnstile.hold():
        turnstile.close()
        assert sorted(open_files(tmp_path)) == ["gate", "gate.next"]
    turnstile.close()
    assert open_files(tmp_path) == []


def test_a_killed_holder_leaves_the_turnstile_open(tmp_path):
    holding = (
        "import sys, time; from pathlib import Path; from contextd.stores.write_lock import Turnstile\n"
        "with Turnstile(Path(sys.argv[1])).hold(): print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", holding, str(tmp_path / "gate")], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(Busy), Turnstile(tmp_path / "gate", timeout=0.05).hold():
        pass
    child.kill()
    child.communicate()
    with Turnstile(tmp_path / "gate", timeout=5).hold():
        assert True


def test_a_matrix_gives_back_the_room_of_forgotten_documents(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    view = view_of(store)
    documents = [
        Document(id=f"{n:04}", kind="memory", scope=SHOP, text=str(n)) for n in range(1_500)
    ]
    vectors = {document.digest: vector(document.text) for document in documents}
    view.commit(
        Changes(knowledge=KnowledgeChanges(documents=documents, vectors={SHOP: vectors}, model="m"))
    )
    assert len(view.index.dense(vector("q"), "m", HERE, 2_000)) == 1_500
    view.commit(
        Changes(
            knowledge=KnowledgeChanges(forget={SHOP: [document.id for document in documents[100:]]})
        )
    )
    assert len(view.index.dense(vector("q"), "m", HERE, 2_000)) == 100
    [matrix] = store._caches.vectors._matrices.values()
    assert (matrix.roster.size, len(matrix.vectors)) == (100, 128)
    store.close()


def at_once(count: int, act) -> list:
    """What `act` returned in each of `count` threads that started together."""
    ready, results, problems = threading.Barrier(count), [], []

    def run(number: int) -> None:
        try:
            ready.wait()
            results.append(act(number))
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    return results


def test_the_same_write_ten_times_at_once_is_one(tmp_path):
    stores = [opened(at(tmp_path)) for _ in range(2)]
    view_of(stores[0]).commit(Changes(work=WorkChanges(open=[Session(id="s", scope=SHOP)])))
    record = Record(id="same-record", kind="memory", scope=SHOP, content="upload")
    event = Event(type="note", key="k", at=record.created_at)
    job = NewJob(name="x", scope=SHOP, unique_key="cron:slot")

    def write(number: int) -> tuple[int, str, int]:
        view = view_of(stores[number % 2])
        try:
            view.commit(
                Changes(actor="w", knowledge=KnowledgeChanges(records=[Put(record, "write")]))
            )
            written = 1
        except Stale:
            written = 0
        done = view.commit(
            Changes(work=WorkChanges(sessions=[SessionChange(id="s", events=(event,))], jobs=[job]))
        )
        return written, done.jobs[0], len(done.events["s"])

    results = at_once(10, write)
    assert sum(written for written, _, _ in results) == 1
    assert len({job for _, job, _ in results}) == 1
    assert sum(new for _, _, new in results) == 1
    view = view_of(stores[1])
    assert view.records.find(HERE).records == [record.with_(version=1)]
    assert len(view.records.history(record.id)) == 1
    assert [job.unique_key for job in view.jobs.list()] == ["cron:slot"]
    assert len(view.sessions.events("s")) == 1
    for store in stores:
        store.close()


def test_each_job_is_claimed_once_by_workers_at_once(tmp_path):
    stores = [opened(at(tmp_path), Standing()) for _ in range(2)]
    wanted = stores[0].queue.add([NewJob(name="x", arguments={"n": n}) for n in range(40)])

    def work(number: int) -> list[str]:
        taken = []
        queue = stores[number % 2].queue
        while job := queue.claim(f"w{number}", 600, lanes=LANES, place="here"):
            taken.append(job.id)
        return taken

    taken = [id_ for ids in at_once(8, work) for id_ in ids]
    assert sorted(taken) == sorted(wanted)
    for store in stores:
        store.close()


def test_checks_and_searches_during_writes_see_whole_states_only(tmp_path):
    store = opened(at(tmp_path))
    stop = threading.Event()

    def act(number: int) -> list:
        view = view_of(store)
        if number:
            while not stop.is_set():
                found = {m.id for m in view.index.lexical(["upload"], HERE, 1_000)}
                assert {r.id for r in view.records.get(sorted(found))} == found
                assert store.upkeep.check() == []
            return []
        for n in range(60):
            put(store, f"r{n:03}")
        stop.set()
        return stored(store)

    assert sorted(len(found) for found in at_once(3, act)) == [0, 0, 60]
    store.close()


def test_a_search_reads_one_state_so_that_no_filter_is_left_out_too_late(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    put(store, "mine")
    deleted = note("deleted").with_(status="deleted")
    other = opened(at(tmp_path))
    statements: list[str] = []

    def intrude(cursor: object, sql: str, values: object) -> bool:
        statements.append(sql)
        if (
            "temp.places_" in sql
            and sql.startswith("SELECT")
            and not view_of(other).records.get(["deleted"])
        ):
            view_of(other).commit(
                Changes(actor="w", knowledge=KnowledgeChanges(records=[Put(deleted, "write")]))
            )
        return True

    # Where all are active, that is no condition of the search.
    store.database.connection.exec_trace = intrude
    index = view_of(store).index
    assert [match.id for match in index.lexical(["upload"], HERE, 5)] == ["mine"]
    assert any("temp.places_" in sql and sql.startswith("SELECT") for sql in statements)
    assert view_of(other).index.stats("").documents == 2
    assert [match.id for match in index.lexical(["upload"], HERE, 5)] == ["mine"]
    store.close()
    other.close()
