"""What `Queue` and `Jobs` promise."""

from __future__ import annotations

from datetime import timedelta

import pytest

from contextd.domain.changes import NewJob
from contextd.domain.jobs import LANES, Schedule
from contextd_common.errors import Conflict
from support.strategies import SCOPES

SHOP, TEAM = SCOPES[2], SCOPES[1]
HOUR = timedelta(hours=1)


def claim(store, worker: str = "w", *, lanes=LANES, place: str = "here"):
    return store.queue.claim(worker, 60, lanes=lanes, place=place)


def test_a_job_runs_in_one_place_and_again_when_its_worker_dies(timed, clock):
    store = timed
    store.enqueue("scan", scope=SHOP, arguments={"path": "日本"}, run_at=clock.at + HOUR)
    assert claim(store) is None
    clock.move(hours=1)
    taken = claim(store, "w1")
    assert (taken.name, taken.scope, taken.arguments) == ("scan", SHOP, {"path": "日本"})
    assert (taken.state, taken.attempts) == ("running", 1)
    assert claim(store, "w2") is None
    store.queue.keep_progress(taken.id, "w1", {"done": 3})
    clock.move(seconds=30)
    assert store.queue.renew(taken.id, "w1", 60)
    clock.move(seconds=59)
    assert claim(store, "w2") is None
    clock.move(seconds=1)
    again = claim(store, "w2")
    assert (again.id, again.attempts, again.progress) == (taken.id, 2, {"done": 3})
    assert not store.queue.renew(taken.id, "w1", 60)
    for late in (
        lambda: store.queue.keep_progress(taken.id, "w1", {}),
        lambda: store.queue.finish(taken.id, "w1", {}),
        lambda: store.queue.fail(taken.id, "w1", "x", 1),
    ):
        with pytest.raises(Conflict):
            late()
    store.queue.finish(taken.id, "w2", {"files": 9})
    [done] = store.jobs.list()
    assert (done.state, done.result, done.finished_at) == ("done", {"files": 9}, clock.at)
    assert store.queue.next_due(LANES, "here") is None


def test_a_failing_job_is_tried_again_until_its_attempts_are_used_up(timed, clock):
    store = timed
    store.enqueue("x", max_attempts=2)
    job = claim(store)
    store.queue.fail(job.id, "w", "boom", 3600)
    assert store.queue.next_due(LANES, "here") == clock.at + HOUR
    assert claim(store) is None
    clock.move(hours=1)
    claim(store)
    store.queue.fail(job.id, "w", "boom again", 3600)
    [failed] = store.jobs.list(states=("failed",))
    assert (failed.error, failed.attempts, failed.finished_at) == ("boom again", 2, clock.at)
    clock.move(hours=9)
    assert claim(store) is None


def test_a_job_that_failed_for_good_can_be_tried_again_with_all_its_attempts(store):
    job_id = store.enqueue("scan", scope=SHOP, max_attempts=1)
    claim(store)
    store.queue.keep_progress(job_id, "w", {"reached": 3})
    assert not store.jobs.retry(job_id), "it runs"
    store.queue.fail(job_id, "w", "no luck", 60)
    assert claim(store) is None
    assert store.jobs.retry(job_id)
    [waiting] = store.jobs.list()
    assert (waiting.state, waiting.attempts, waiting.finished_at) == ("ready", 0, None)
    assert waiting.error == "no luck", "what went wrong stays known until it works"
    again = claim(store)
    assert (again.id, again.attempts, again.progress) == (job_id, 1, {"reached": 3})
    assert not store.jobs.retry("nothing")


def test_a_job_given_back_is_due_at_once_and_the_attempt_does_not_count(timed, clock):
    store = timed
    job_id = store.enqueue("scan", scope=SHOP, arguments={"n": 1}, max_attempts=1)
    neighbour = store.enqueue("scan", scope=TEAM, run_at=clock.at + HOUR)
    for _ in range(7):
        assert claim(store, "w1").id == job_id
        store.queue.keep_progress(job_id, "w1", {"reached": 3})
        store.queue.release(job_id, "w1")
        [waiting] = [job for job in store.jobs.list() if job.id == job_id]
        assert (waiting.state, waiting.attempts, waiting.error) == ("ready", 0, "")
    again = claim(store, "w1")
    assert (again.arguments, again.attempts, again.progress) == ({"n": 1}, 1, {"reached": 3})
    [other] = [job for job in store.jobs.list() if job.id == neighbour]
    assert (other.state, other.attempts, other.run_at) == ("ready", 0, clock.at + HOUR)


def test_only_who_holds_a_job_gives_it_back_and_newer_work_takes_its_place(timed, clock):
    store = timed
    first = store.enqueue("x", scope=SHOP, unique_key="k")
    claim(store, "w1")
    with pytest.raises(Conflict):
        store.queue.release(first, "w2")
    second = store.enqueue("x", scope=SHOP, unique_key="k")
    store.queue.release(first, "w1")
    states = {job.id: (job.state, job.finished_at) for job in store.jobs.list()}
    assert states == {first: ("done", clock.at), second: ("ready", None)}
    with pytest.raises(Conflict):
        store.queue.release(first, "w1")


def test_a_job_nobody_can_run_is_failed_for_good_with_attempts_left(timed, clock):
    store = timed
    store.enqueue("x", max_attempts=5)
    job = claim(store)
    store.queue.fail(job.id, "w", "no such job", None)
    [failed] = store.jobs.list()
    ended = (failed.state, failed.error, failed.finished_at)
    assert ended == ("failed", "no such job", clock.at)
    assert store.queue.next_due(LANES, "here") is None


def test_a_job_that_kills_its_workers_is_given_up(timed, clock):
    store = timed
    store.enqueue("x", max_attempts=1)
    claim(store)
    assert store.queue.next_due(LANES, "here") == clock.at + timedelta(seconds=60)
    clock.move(hours=1)
    assert claim(store) is None
    [failed] = store.jobs.list()
    assert (failed.state, bool(failed.error)) == ("failed", True)


def test_a_unique_key_is_its_scope_s_own_and_free_again_when_its_job_runs(timed, clock):
    store = timed
    first = store.enqueue("x", scope=SHOP, unique_key="k", run_at=clock.at + HOUR)
    assert store.enqueue("x", scope=SHOP, unique_key="k") == first
    assert store.jobs.list()[0].run_at == clock.at, "due as early as the earlier of the two"
    other = store.enqueue("x", scope=TEAM, unique_key="k")
    assert other not in (first, store.enqueue("x", unique_key="k"))
    assert claim(store).id == first
    second = store.enqueue("x", scope=SHOP, unique_key="k")
    assert second != first
    assert store.enqueue("x", scope=SHOP, unique_key="k") == second
    store.queue.fail(first, "w", "again", 1)
    [over] = [job for job in store.jobs.list() if job.id == first]
    assert (over.state, "superseded" in over.result) == ("done", True)
    assert store.enqueue("x") != store.enqueue("x")


def test_a_job_that_fails_is_tried_again_when_only_itself_has_its_key(timed, clock):
    store = timed
    first = store.enqueue("x", scope=SHOP, unique_key="k")
    store.enqueue("x", scope=TEAM, unique_key="k")
    assert claim(store).id == first
    store.queue.fail(first, "w", "again", 1)
    [again] = [job for job in store.jobs.list() if job.id == first]
    assert (again.state, again.error) == ("ready", "again")


def test_lanes_do_not_wait_for_one_another_and_places_keep_to_themselves(store):
    index = store.enqueue("index", lane="index", place="laptop")
    learn = store.enqueue("learn", lane="learning")
    assert claim(store, lanes=("learning",)).id == learn
    assert claim(store, lanes=("index",), place="server") is None
    assert store.queue.next_due(("index",), "server") is None
    assert claim(store, lanes=("index", "upkeep"), place="laptop").id == index


def test_jobs_are_claimed_by_priority_and_then_by_due_time(timed, clock):
    store = timed
    late = store.enqueue("late", run_at=clock.at + HOUR)
    soon = store.enqueue("soon", run_at=clock.at)
    urgent = store.enqueue("urgent", run_at=clock.at + HOUR, priority=5)
    clock.move(hours=2)
    assert [claim(store).id for _ in range(3)] == [urgent, soon, late]
    assert [job.id for job in store.jobs.list(states=("running",), limit=1)] == [urgent]
    assert store.jobs.list(prefix=soon[:8])[0].id == soon
    assert store.jobs.count() == {"running": 3}


def test_work_comes_round_once_a_round_and_rounds_slept_through_are_not_made_up_for(timed, clock):
    store = timed
    rows = {"tidy": NewJob(name="tidy", lane="upkeep", priority=2)}
    store.queue.schedule(Schedule(job="tidy", scope=SHOP, due_at=clock.at, every=HOUR))
    assert store.queue.next_due(LANES, "here") == clock.at
    assert store.queue.come_round(rows) == 1
    assert store.queue.come_round(rows) == 0
    [job] = store.jobs.list()
    assert (job.name, job.scope, job.lane, job.priority) == ("tidy", SHOP, "upkeep", 2)
    assert store.queue.next_due(("learning",), "here") == clock.at + HOUR
    clock.move(hours=5.5)
    assert store.queue.come_round(rows) == 1
    assert len(store.jobs.list()) == 1, "it still waits"
    assert store.queue.next_due(("learning",), "here") == clock.at + HOUR / 2


def test_a_schedule_keeps_its_round_and_what_is_due_once_takes_the_earlier_time(timed, clock):
    store, now = timed, clock.at
    for later in (2, 1, 3):
        at = now + later * HOUR
        store.queue.schedule(Schedule(job="often", scope=SHOP, due_at=at, every=HOUR))
        store.queue.schedule(Schedule(job="once", scope=None, due_at=at))
    clock.move(hours=1)
    rows = {name: NewJob(name=name) for name in ("often", "once")}
    assert store.queue.come_round(rows) == 1
    assert [job.name for job in store.jobs.list()] == ["once"]
    clock.move(hours=1)
    assert store.queue.come_round(rows) == 1
    assert [job.name for job in store.jobs.list()] == ["often", "once"]


def test_jobs_of_a_schedule_nobody_knows_any_more_are_not_queued(timed, clock):
    timed.queue.schedule(Schedule(job="gone", scope=SHOP, due_at=clock.at))
    assert timed.queue.come_round({}) == 1
    assert timed.jobs.list() == []
