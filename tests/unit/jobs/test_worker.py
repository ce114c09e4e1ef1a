"""A worker and its hold: what becomes of a job that fails, loses its lease, or is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.jobs import LANES, Job
from contextd.jobs import queue
from contextd.jobs.queue import Hold, Worker, retry_seconds
from contextd_common.errors import Conflict, Invalid, Unavailable
from support.clocks import Standing
from support.stores import EVERY_STORE, Whole, address, opened
from support.strategies import SCOPES

SHOP, RIVAL = SCOPES[2], SCOPES[3]

Run = Callable[[Job, Hold], Mapping[str, Any]]


@pytest.fixture
def clock() -> Standing:
    return Standing()


@pytest.fixture(params=EVERY_STORE)
def store(request: pytest.FixtureRequest, tmp_path: Path, clock: Standing) -> Iterator[Whole]:
    whole = Whole(opened(address(request.param, tmp_path), clock))
    yield whole
    whole.close()


def worker(store: Whole, clock: Standing, run: Run) -> Worker:
    return Worker(store.queue, clock, run, lanes=LANES, place="here", rounds={})


def state(store: Whole, job_id: str) -> Job:
    [found] = [job for job in store.jobs.list() if job.id == job_id]
    return found


def test_a_job_that_is_stopped_is_given_back_with_what_it_kept(store, clock):
    job_id = store.enqueue("embed_pending", scope=SHOP, max_attempts=1)
    neighbour = store.enqueue("embed_pending", scope=RIVAL)

    def run(job: Job, hold: Hold) -> Mapping[str, Any]:
        hold.keep({"reached": 3})
        working.stop()
        hold.check()
        raise AssertionError("it went on")

    working = worker(store, clock, run)
    assert working.run_one()
    found = state(store, job_id)
    assert (found.state, found.attempts, found.error) == ("ready", 0, "")
    assert found.progress == {"reached": 3}
    assert not working.run_one(), "a worker that stops takes no more jobs"
    assert state(store, neighbour).attempts == 0


def test_a_job_that_does_not_end_in_time_is_given_back_and_may_write_no_more(store, clock):
    job_id = store.enqueue("embed_pending", scope=SHOP, max_attempts=1)
    begun, end = threading.Event(), threading.Event()
    refused: list[Exception] = []

    def run(job: Job, hold: Hold) -> Mapping[str, Any]:
        begun.set()
        end.wait(30)
        for write in (hold.check, lambda: hold.keep({"late": True})):
            with pytest.raises(Conflict) as caught:
                write()
            refused.append(caught.value)
        return {"late": True}

    working = worker(store, clock, run)
    thread = threading.Thread(target=working.run_one)
    thread.start()
    assert begun.wait(30)
    working.stop()
    working.give_back()
    found = state(store, job_id)
    assert (found.state, found.attempts) == ("ready", 0)
    end.set()
    thread.join(30)
    assert len(refused) == 2
    found = state(store, job_id)
    assert (found.state, found.progress, found.result) == ("ready", {}, {})


class HeldUp:
    """A queue that holds up whoever claims a job, before or after the claim, until it may go on."""

    def __init__(self, queue: Any, when: str) -> None:
        self._queue, self._when = queue, when
        self.reached, self.may_go_on = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def _wait(self, when: str) -> None:
        if when == self._when:
            self.reached.set()
            assert self.may_go_on.wait(30)

    def come_round(self, rounds: Mapping[str, Any]) -> None:
        self._queue.come_round(rounds)
        self._wait("before")

    def claim(self, *given: Any, **named: Any) -> Job | None:
        found: Job | None = self._queue.claim(*given, **named)
        self._wait("after")
        return found


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_stop_that_comes_while_a_job_is_claimed_leaves_none_running(
    store: Whole, clock: Standing, when: str
) -> None:
    job_id = store.enqueue("embed_pending", scope=SHOP, max_attempts=1)
    queue = HeldUp(store.queue, when)

    end = threading.Event()

    def run(job: Job, hold: Hold) -> Mapping[str, Any]:
        assert end.wait(30), "a job that takes long"
        return {}

    working = Worker(queue, clock, run, lanes=LANES, place="here", rounds={})  # type: ignore[arg-type]
    thread = threading.Thread(target=working.run_one)
    thread.start()
    assert queue.reached.wait(30)
    working.stop()
    given_back = threading.Thread(target=working.give_back)
    given_back.start()
    # Nothing is claimed yet: it need not wait. After the claim it must, or it would find nothing to release.
    given_back.join(30 if when == "before" else 0.2)
    queue.may_go_on.set()
    given_back.join(30)
    found = state(store, job_id)
    end.set()
    thread.join(30)
    assert (found.state, found.attempts) == ("ready", 0)
    assert state(store, job_id).state == "ready"


def test_a_job_whose_lease_was_lost_stops_and_its_other_run_counts(store, clock):
    job_id = store.enqueue("embed_pending", scope=SHOP)

    def run(job: Job, hold: Hold) -> Mapping[str, Any]:
        clock.move(minutes=5)
        other = store.queue.claim("other", 60, lanes=LANES, place="here")
        assert other is not None
        assert other.id == job.id
        return {"by": "the first"}

    assert worker(store, clock, run).run_one()
    assert state(store, job_id).state == "running"
    store.queue.finish(job_id, "other", {"by": "the other"})
    assert state(store, job_id).result == {"by": "the other"}


def test_a_lease_is_renewed_on_whatever_failed_before_until_it_is_lost(monkeypatch):
    monkeypatch.setattr(queue, "LEASE_SECONDS", 0.003)
    answers: list[Any] = [KeyError("a defect"), Unavailable("not now", ""), True, False, True]

    class Renewing:
        def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return bool(answer)

    job = Job(id="j", name="embed_pending", arguments={}, state="running")
    hold = Hold(Renewing(), job, "w", threading.Event())  # type: ignore[arg-type]
    hold.renew_until_over()
    assert (hold.lost, answers) == (True, [True])


@pytest.mark.parametrize(
    ("error", "reason"),
    [(Invalid("no such file", "look"), "invalid: no such file"), (KeyError("x"), "KeyError('x')")],
)
def test_a_job_that_fails_says_why_and_is_tried_again_later(store, clock, error, reason):
    job_id = store.enqueue("embed_pending", scope=SHOP)

    def run(job: Job, hold: Hold) -> Mapping[str, Any]:
        raise error

    working = worker(store, clock, run)
    assert working.run_one()
    found = state(store, job_id)
    assert (found.state, found.error, found.attempts) == ("ready", reason, 1)
    assert (found.run_at - clock.at).total_seconds() == 2
    assert not working.run_one()


def test_pauses_between_attempts_double_up_to_a_quarter_of_an_hour():
    assert [retry_seconds(n) for n in (1, 2, 3, 9, 10, 11, 60)] == [2, 4, 8, 512, 900, 900, 900]


def test_a_job_of_no_known_name_fails_for_good_at_once_and_keeps_none_waiting(store, clock):
    unknown = store.enqueue("tidy_everything", scope=SHOP)
    store.enqueue("embed_pending", scope=SHOP)
    ran: list[str] = []

    def run(job: Job, hold: Hold) -> Mapping[str, Any]:
        ran.append(job.name)
        return {}

    working = worker(store, clock, run)
    assert working.run_one()
    assert working.run_one()
    assert ran == ["embed_pending"]
    found = state(store, unknown)
    assert (found.state, found.attempts) == ("failed", 1)
    assert "no job 'tidy_everything'" in found.error


def test_checking_tells_a_lost_job_from_one_that_is_stopped(store, clock):
    store.enqueue("embed_pending", scope=SHOP)
    job = store.queue.claim("w", 60, lanes=LANES, place="here")
    assert job is not None
    stopping = threading.Event()
    hold = Hold(store.queue, job, "w", stopping)
    hold.check()
    stopping.set()
    with pytest.raises(Unavailable):
        hold.check()
    hold.give_back()
    with pytest.raises(Conflict):
        hold.check()
    hold.give_back()
    assert state(store, job.id).state == "ready"
