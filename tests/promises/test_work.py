"""What `Sessions`, `Observations`, `Projects`, `Jobs` and `Files` promise."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from contextd.domain.code import Chunk, Import, SourceFile, Symbol
from contextd.domain.errors import Conflict, NotFound
from contextd.domain.sessions import Event, FileAccess, Observation, Project, Session
from contextd.domain.window import ContextItem
from strategies import AWKWARD, EPOCH, SCOPES

SHOP = SCOPES[2]
HERE = frozenset({SHOP})
HOUR = timedelta(hours=1)


def event(key: str, text: str = "hello", type: str = "message") -> Event:
    return Event(type=type, key=key, at=EPOCH, role="user", text=text, data={"n": 1})


def session(id_: str, hours: int = 0, **fields: object) -> Session:
    at = EPOCH + hours * HOUR
    return Session(**(dict(id=id_, scope=SHOP, started_at=at, last_seen_at=at) | fields))


@pytest.mark.parametrize("text", AWKWARD)
def test_a_session_comes_back_as_it_was_saved(store, text):
    access = FileAccess(path=text, count=2, first_at=EPOCH, last_at=EPOCH + HOUR)
    saved = session(
        "s", task=text, files=(access,), topics=(text,), data={"x": [text]}, ended_at=EPOCH
    )
    store.sessions.save(saved)
    assert store.sessions.get("s") == saved
    store.sessions.save(saved.with_(status="completed"))
    assert store.sessions.get("s") == saved.with_(status="completed")
    assert store.sessions.get("t") is None


def test_a_client_finds_its_own_session(store):
    store.sessions.save(session("s1", client="claude", external_id="x"))
    store.sessions.save(session("s2", hours=1, client="cursor", external_id="x"))
    store.sessions.save(session("s3", hours=2, client="claude", external_id="x", scope=SCOPES[3]))
    assert store.sessions.by_external("cursor", "x").id == "s2"
    assert store.sessions.by_external("claude", "x").id == "s3"
    assert store.sessions.by_external("claude", "y") is None


def item(source: str, type: str = "file", **fields: object) -> ContextItem:
    plain = dict(type=type, source=source, tokens=10, count=1, first_at=EPOCH, last_at=EPOCH)
    return ContextItem(**(plain | fields))


@pytest.mark.parametrize("text", AWKWARD)
def test_what_a_window_holds_comes_back_as_it_was_kept(store, text):
    store.sessions.save(session("s"))
    kept = item(text, score=0.25, status="archived", reason=text, last_at=EPOCH + HOUR)
    store.sessions.keep_items("s", [kept])
    assert store.sessions.items("s") == [kept]
    assert store.sessions.items("t") == []


def test_items_are_replaced_by_type_and_source_and_told_best_first(store):
    store.sessions.save(session("s"))
    store.sessions.save(session("t"))
    store.sessions.keep_items("s", [item("a"), item("b"), item("a", "module", score=0.5)])
    store.sessions.keep_items("s", [item("b", score=0.9, count=2)])
    store.sessions.keep_items("t", [item("z")])
    told = [(i.type, i.source, i.count) for i in store.sessions.items("s")]
    assert told == [("file", "b", 2), ("module", "a", 1), ("file", "a", 1)]
    store.sessions.save(session("s", status="completed"))
    assert len(store.sessions.items("s")) == 3


def test_a_window_belongs_to_a_session_that_was_saved(store):
    with pytest.raises(NotFound):
        store.sessions.keep_items("nobody", [item("a")])


def test_sessions_are_found_by_scope_status_and_last_sight_latest_first(store):
    for n in range(4):
        store.sessions.save(session(f"s{n}", hours=n, status="active" if n % 2 else "archived"))
    store.sessions.save(session("other", scope=SCOPES[3]))
    ids = lambda **wanted: [s.id for s in store.sessions.find(HERE, **wanted)]  # noqa: E731
    assert ids() == ["s3", "s2", "s1", "s0"]
    assert ids(statuses=("active",), limit=1) == ["s3"]
    assert ids(seen_before=EPOCH + 2 * HOUR) == ["s1", "s0"]


def test_an_event_that_arrives_twice_is_kept_once(store):
    store.sessions.save(session("s"))
    first = store.sessions.append("s", [event("a"), event("a"), event("b", "", "note")])
    assert [(e.key, e.seq) for e in first] == [("a", 1), ("b", 2)]
    again = store.sessions.append("s", [event("b"), event("c", "日本\x00")])
    assert again == [replace(event("c", "日本\x00"), seq=3)]
    assert [e.key for e in store.sessions.events("s")] == ["a", "b", "c"]
    assert [e.key for e in store.sessions.events("s", types=("message",), after=1)] == ["c"]
    assert [e.key for e in store.sessions.events("s", limit=2)] == ["a", "b"]
    store.sessions.save(session("s", status="completed"))
    assert len(store.sessions.events("s")) == 3


def test_events_need_their_session(store):
    with pytest.raises(NotFound):
        store.sessions.append("nobody", [event("a")])
    assert store.sessions.events("nobody") == []


def test_served_sentences_are_remembered(store):
    store.sessions.mark_served(SCOPES[2], ["a", "b", "a"])
    store.sessions.mark_served(SCOPES[2], iter(["b"]))
    assert store.sessions.served(SCOPES[2], ["a", "c"]) == {"a"}
    assert store.sessions.served(SCOPES[3], ["a", "b"]) == set()


def observed(n: int, action: str = "read", **fields: object) -> Observation:
    values = dict(at=EPOCH + n * HOUR, action=action, operation="search", type="memory") | fields
    return Observation(**values)


def test_rotation_keeps_the_latest_and_the_summary_counts_everything(store):
    every = [observed(n, "write" if n % 3 == 0 else "read") for n in range(2_600)]
    for start in range(0, 2_600, 130):
        store.observations.append(every[start : start + 130])
    kept = store.observations.recent(2_000)
    assert len(kept) == 600
    assert kept == every[:-601:-1]
    summary = store.observations.summary()
    assert (summary.reads, summary.writes, summary.misses) == (1733, 867, 0)
    assert (summary.read_frequency, summary.write_frequency) == ({"memory": 1733}, {"memory": 867})
    assert summary.last_activity == every[-1].at


def test_an_observation_comes_back_as_it_was_logged(store):
    one = observed(0, "miss", record_ids=("a", "b"), query="it's 日本", agent="x", type="")
    store.observations.append([one])
    assert store.observations.recent() == [one]
    assert store.observations.summary().missed_queries == {"it's 日本": 1}


def test_updates_and_deletes_count_as_writes(store):
    store.observations.append(
        [observed(n, action) for n, action in enumerate(["update", "delete"])]
    )
    assert store.observations.summary().writes == 2


def test_the_least_missed_query_makes_room_for_a_new_one(store):
    asked = ["often", "often", *(f"q{n}" for n in range(499)), "q0", "new"]
    store.observations.append([observed(n, "miss", query=query) for n, query in enumerate(asked)])
    missed = store.observations.summary().missed_queries
    assert len(missed) == 500
    assert (missed["often"], missed["q0"], missed["new"], "q1" in missed) == (2, 2, 1, False)
    assert store.observations.summary().misses == len(asked)


def test_each_scope_has_totals_of_its_own_that_stay_exact_when_the_log_rotates(store):
    places = [SCOPES[0], SCOPES[1], None]
    every = [
        observed(n, "miss" if n % 5 == 0 else "read", query=f"q{n % 7}", scope=places[n % 3])
        for n in range(2_400)
    ]
    for start in range(0, 2_400, 90):
        store.observations.append(every[start : start + 90])
    summary = store.observations.summary
    for place in places[:2]:
        mine = [one for one in every if one.scope == place]
        told = summary(scopes=frozenset([place]))
        assert (told.reads, told.misses) == (640, 160)
        assert told.read_frequency == {"memory": 640}
        assert sum(told.missed_queries.values()) == 160
        assert told.last_activity == mine[-1].at
        logged = store.observations.recent(5_000, scopes=frozenset([place]))
        assert logged == [one for one in store.observations.recent(5_000) if one.scope == place]
    both = summary(scopes=frozenset(places[:2]))
    assert (both.reads, both.misses) == (1_280, 320)
    assert (summary().reads, summary().misses) == (1_920, 480)
    assert list(summary().missed_queries) == [f"q{n % 7}" for n in range(2_365, 2_400, 5)]
    assert summary(scopes=frozenset()).reads == 0
    assert store.observations.recent(scopes=frozenset()) == []


def test_what_one_scope_missed_takes_no_place_from_another(store):
    asked = [observed(n, "miss", query=f"q{n}", scope=SCOPES[0]) for n in range(501)]
    store.observations.append([observed(0, "miss", query="mine", scope=SCOPES[1]), *asked])
    assert store.observations.summary(scopes=frozenset([SCOPES[1]])).missed_queries == {"mine": 1}
    assert len(store.observations.summary(scopes=frozenset([SCOPES[0]])).missed_queries) == 500


def test_projects_are_known_by_identity(store):
    shop = Project(
        identity="root+remote",
        scope=SHOP,
        name="Shop",
        roots=("/a",),
        aliases=("old",),
        created_at=EPOCH,
    )
    other = replace(shop, identity="other", scope=SCOPES[1], aliases=())
    store.projects.save(shop)
    store.projects.save(other)
    store.projects.save(replace(shop, name="Renamed"))
    assert store.projects.by_identity("root+remote") == replace(shop, name="Renamed")
    assert store.projects.by_identity("nobody") is None
    assert [p.identity for p in store.projects.all()] == ["other", "root+remote"]
    store.projects.save(replace(shop, identity="root+remote, once it had one"))
    assert store.projects.by_identity("root+remote") is None
    assert len(store.projects.all()) == 2


def test_a_job_runs_in_one_place_and_again_when_its_worker_dies(store):
    store.jobs.enqueue("scan", {"path": "日本"}, run_at=EPOCH)
    assert store.jobs.claim("w1", 60, EPOCH - HOUR) is None
    taken = store.jobs.claim("w1", 60, EPOCH)
    assert (taken.name, taken.arguments, taken.state, taken.attempts) == (
        "scan",
        {"path": "日本"},
        "running",
        1,
    )
    assert store.jobs.claim("w2", 60, EPOCH) is None
    store.jobs.checkpoint(taken.id, "w1", {"done": 3})
    assert store.jobs.renew(taken.id, "w1", 60, EPOCH + timedelta(seconds=30))
    assert store.jobs.claim("w2", 60, EPOCH + timedelta(seconds=89)) is None
    again = store.jobs.claim("w2", 60, EPOCH + timedelta(seconds=90))
    assert (again.id, again.attempts, again.checkpoint) == (taken.id, 2, {"done": 3})
    assert not store.jobs.renew(taken.id, "w1", 60, EPOCH)
    for late in (
        lambda: store.jobs.checkpoint(taken.id, "w1", {}),
        lambda: store.jobs.finish(taken.id, "w1", {}, EPOCH),
        lambda: store.jobs.fail(taken.id, "w1", "x", EPOCH, EPOCH),
    ):
        with pytest.raises(Conflict):
            late()
    store.jobs.finish(taken.id, "w2", {"files": 9}, EPOCH + HOUR)
    [done] = store.jobs.list()
    assert (done.state, done.result, done.finished_at) == ("done", {"files": 9}, EPOCH + HOUR)
    assert store.jobs.next_due() is None


def test_a_failing_job_is_tried_again_until_its_attempts_are_used_up(store):
    store.jobs.enqueue("x", {}, run_at=EPOCH, max_attempts=2)
    job = store.jobs.claim("w", 60, EPOCH)
    store.jobs.fail(job.id, "w", "boom", EPOCH, EPOCH + HOUR)
    assert store.jobs.next_due() == EPOCH + HOUR
    assert store.jobs.claim("w", 60, EPOCH) is None
    store.jobs.claim("w", 60, EPOCH + HOUR)
    store.jobs.fail(job.id, "w", "boom again", EPOCH + HOUR, EPOCH + 2 * HOUR)
    [failed] = store.jobs.list(states=("failed",))
    assert (failed.error, failed.attempts, failed.finished_at) == ("boom again", 2, EPOCH + HOUR)
    assert store.jobs.claim("w", 60, EPOCH + 9 * HOUR) is None


def test_a_job_that_failed_for_good_can_be_tried_again_with_all_its_attempts(store):
    job_id = store.jobs.enqueue("scan", {"n": 1}, run_at=EPOCH, max_attempts=1)
    store.jobs.claim("w", 60, EPOCH)
    store.jobs.checkpoint(job_id, "w", {"reached": 3})
    assert not store.jobs.retry(job_id, EPOCH), "it runs"
    store.jobs.fail(job_id, "w", "no luck", EPOCH, EPOCH + HOUR)
    assert store.jobs.claim("w", 60, EPOCH + HOUR) is None
    assert store.jobs.retry(job_id, EPOCH + HOUR)
    [waiting] = store.jobs.list()
    assert (waiting.state, waiting.attempts, waiting.finished_at) == ("ready", 0, None)
    assert waiting.error == "no luck", "what went wrong stays known until it works"
    again = store.jobs.claim("w", 60, EPOCH + HOUR)
    assert (again.id, again.attempts, again.checkpoint) == (job_id, 1, {"reached": 3})
    assert not store.jobs.retry("nothing", EPOCH)


def test_a_job_that_kills_its_workers_is_given_up(store):
    store.jobs.enqueue("x", {}, run_at=EPOCH, max_attempts=1)
    store.jobs.claim("w", 60, EPOCH)
    assert store.jobs.next_due() == EPOCH + timedelta(seconds=60)
    assert store.jobs.claim("w", 60, EPOCH + HOUR) is None
    [failed] = store.jobs.list()
    assert (failed.state, bool(failed.error)) == ("failed", True)


def test_a_unique_key_is_free_again_when_its_job_runs_but_a_cron_slot_never_is(store):
    for key, free in (("scan:shop", True), ("cron:distil:2026-01-01T03:00", False)):
        first = store.jobs.enqueue("x", {}, unique_key=key, run_at=EPOCH)
        assert store.jobs.enqueue("x", {}, unique_key=key) == first
        store.jobs.claim("w", 60, EPOCH)
        assert (store.jobs.enqueue("x", {}, unique_key=key) != first) is free
        store.jobs.fail(first, "w", "again", EPOCH, EPOCH + HOUR)
        assert first in [job.id for job in store.jobs.list(states=("ready",))]
    assert store.jobs.enqueue("x", {}) != store.jobs.enqueue("x", {})


def test_the_job_due_first_is_claimed_first_and_the_latest_is_listed_first(store):
    late = store.jobs.enqueue("late", {}, run_at=EPOCH + HOUR)
    soon = store.jobs.enqueue("soon", {}, run_at=EPOCH)
    now = EPOCH + 2 * HOUR
    assert [store.jobs.claim("w", 60, now).id for _ in range(2)] == [soon, late]
    assert [job.id for job in store.jobs.list(states=("running",), limit=1)] == [soon]


def source(path: str, text: str = "x = 1", **fields: object) -> SourceFile:
    chunks = tuple(
        Chunk(
            id=f"{path}:{n}",
            path=path,
            start_line=n,
            end_line=n,
            text=f"{text}{n}",
            symbol="f",
            language="py",
        )
        for n in range(3)
    )
    values = dict(
        path=path, size=9, mtime_ns=2**61, digest="d", language="py", lines=3, chunks=chunks
    )
    return SourceFile(**(values | fields))


@pytest.mark.parametrize("text", AWKWARD)
def test_a_file_comes_back_with_its_facts_and_its_chunks(store, text):
    file = source(
        f"src/{text}.py",
        text,
        symbols=(
            Symbol(
                name=text, kind="class", start_line=1, end_line=2, start=0, end=9, exported=True
            ),
        ),
        imports=(Import(specifier=text, line=1, target="b.py", names=((text, "*"),)),),
        exports=((text, "", "x"),),
        error=text,
    )
    store.files.put(SHOP, [file, source("b.py")])
    assert store.files.get(SHOP, file.path) == file
    assert store.files.get(SCOPES[3], file.path) is None
    wanted = [file.chunks[2], file.chunks[0]]
    assert store.files.chunks([wanted[0].id, "nobody", wanted[1].id]) == wanted


def test_all_files_come_without_the_text_of_their_chunks(store):
    store.files.put(SHOP, [source("b.py"), source("a.py")])
    store.files.put(SCOPES[3], [source("c.py")])
    bare = [
        replace(f, chunks=tuple(replace(c, text="") for c in f.chunks))
        for f in (source("a.py"), source("b.py"))
    ]
    assert store.files.all(SHOP) == bare
    assert store.files.stamps(SHOP) == dict.fromkeys(("a.py", "b.py"), (9, 2**61, "d"))


def test_a_file_put_again_or_removed_leaves_no_chunk_behind(store):
    store.files.put(SHOP, [source("a.py"), source("b.py")])
    store.files.put(SHOP, [source("a.py", chunks=source("a.py").chunks[:1])])
    store.files.remove(SHOP, ["b.py", "nobody.py"])
    left = store.files.chunks([f"{path}:{n}" for path in ("a.py", "b.py") for n in range(3)])
    assert [c.id for c in left] == ["a.py:0"]
    assert list(store.files.stamps(SHOP)) == ["a.py"]
