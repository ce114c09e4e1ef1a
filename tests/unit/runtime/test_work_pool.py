"""The pool of a process: owners take turns, a failing duty holds up no other one, and threads do not add up."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from contextd.runtime import supervision
from contextd.runtime.work_pool import Background, WorkPool

SIZE = 2


@pytest.fixture
def pool() -> Iterator[WorkPool]:
    made = WorkPool({"jobs": SIZE, "watches": 1})
    yield made
    made.close()


class Backlog:
    """An owner with so many jobs. All owners begin when `may_begin` is set; `order` notes who ran."""

    def __init__(
        self, pool: WorkPool, name: str, jobs: int, shared: Shared, *, crew: str = "jobs"
    ) -> None:
        self.background, self.name, self.left, self._shared = Background(pool), name, jobs, shared
        self.background.add(crew, "worker", self.step)

    def step(self) -> float | None:
        assert self._shared.may_begin.wait(30)
        with self._shared.lock:
            self._shared.order.append(self.name)
            self._shared.at_once[self.name] += 1
            self._shared.most = max(self._shared.most, self._shared.at_once[self.name])
        self.left -= 1
        with self._shared.lock:
            self._shared.at_once[self.name] -= 1
        if self.left:
            return 0.0
        self._shared.over.release()
        return None


class Shared:
    """What the owners of a test note together."""

    def __init__(self) -> None:
        self.may_begin, self.lock, self.over = (
            threading.Event(),
            threading.Lock(),
            threading.Semaphore(0),
        )
        self.order: list[str] = []
        self.at_once: Counter[str] = Counter()
        self.most = 0


def test_owners_take_turns_whatever_one_of_them_has_to_do(pool: WorkPool) -> None:
    shared = Shared()
    greedy = Backlog(pool, "greedy", 400, shared, crew="watches")
    greedy.background.wake("worker")
    others = [Backlog(pool, f"other {number}", 4, shared, crew="watches") for number in range(10)]
    for one in others:
        one.background.wake("worker")
    shared.may_begin.set()
    for _ in range(11):
        assert shared.over.acquire(timeout=30)
    everyone = {"greedy", *(one.name for one in others)}
    rounds = [shared.order[start : start + 11] for start in range(0, 44, 11)]
    assert all(set(one) == everyone for one in rounds), rounds
    assert Counter(shared.order)["greedy"] == 400


def test_a_thousand_owners_run_in_as_many_threads_as_the_crew_has(pool: WorkPool) -> None:
    shared = Shared()
    shared.may_begin.set()
    ran: set[str] = set()
    before = threading.active_count()
    owners = [Backlog(pool, str(number), 1, shared) for number in range(1_000)]
    for one in owners:
        one.background.wake("worker")
    for _ in owners:
        assert shared.over.acquire(timeout=30)
    ran.update(shared.order)
    assert (len(ran), shared.most) == (1_000, 1)
    assert threading.active_count() <= before + SIZE


def test_a_duty_that_fails_is_counted_and_runs_again_while_others_go_on(
    pool: WorkPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "LONGEST_PAUSE", 0.0)
    failing, beside = Background(pool), Background(pool)
    again, served = threading.Event(), threading.Event()

    def fails_once() -> None:
        if not failing.states()[0].failures:
            raise KeyError("a defect")
        again.set()

    failing.add("jobs", "worker", fails_once)
    beside.add("jobs", "worker", lambda: served.set())
    failing.wake("worker")
    beside.wake("worker")
    assert again.wait(30)
    assert served.wait(30)
    assert [state.problem for state in (*failing.states(), *beside.states())] == [
        "service worker failed once: KeyError: 'a defect'",
        "",
    ]


def test_pauses_double_with_each_failure_in_a_row_and_begin_anew_after_a_success(
    pool: WorkPool,
) -> None:
    results = [KeyError(1), KeyError(2), KeyError(3), None, KeyError(4)]
    background = Background(pool)

    def step() -> None:
        result = results.pop(0)
        if result is not None:
            raise result

    background.add("jobs", "worker", step)
    duty = background._duties["worker"]
    assert [duty.run() for _ in range(5)] == [0.1, 0.2, 0.4, None, 0.1]


def test_a_duty_woken_while_it_runs_runs_once_more_and_an_earlier_time_counts(
    pool: WorkPool,
) -> None:
    background, begun, may_end = Background(pool), threading.Semaphore(0), threading.Event()
    ran: list[int] = []

    def step() -> None:
        ran.append(1)
        begun.release()
        assert may_end.wait(30)

    background.add("watches", "look", step)
    background.wake("look", 3_600)
    assert not ran
    background.wake("look")
    assert begun.acquire(timeout=30)
    for _ in range(5):
        background.wake("look")
    assert not background.at_rest()
    may_end.set()
    assert begun.acquire(timeout=30)
    assert background.close() == []
    assert len(ran) == 2
    background.wake("look")
    assert background.at_rest()


def test_a_step_that_does_not_end_is_named_and_the_duty_runs_no_more(pool: WorkPool) -> None:
    background, begun, may_end, ended = (Background(pool), *(threading.Event() for _ in range(3)))

    def step() -> float:
        begun.set()
        assert may_end.wait(30)
        ended.set()
        return 0.0

    background.add("watches", "stuck", step)
    background.wake("stuck")
    assert begun.wait(30)
    assert background.close(timeout=0.0) == ["stuck"]
    begun.clear()
    may_end.set()
    assert ended.wait(30)
    assert background.close() == []
    assert not begun.is_set()
