"""Services that fail are started again, counted and told of, and no other one stops."""

from __future__ import annotations

import asyncio
import threading

import pytest

from contextd.runtime import supervision
from contextd.runtime.supervision import FIRST_PAUSE, LONGEST_PAUSE, ServiceState, Supervisor


class Pausing(threading.Event):
    """Notes how long it is waited on, and does not wait; set after so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.pauses: list[float] = []
        self._times = times

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout or 0.0)
        if len(self.pauses) >= self._times:
            self.set()
        return self.is_set()


def kept(supervisor: Supervisor, name: str, stop: Pausing) -> ServiceState:
    """How a service stands once it was kept until `stop`."""
    supervisor._stop = stop
    supervisor._keep(name)
    [state] = [state for state in supervisor.states() if state.name == name]
    return state


def test_a_service_that_fails_is_told_and_started_again_ever_later():
    supervisor, stop = Supervisor(), Pausing(14)

    def run(event: threading.Event) -> None:
        raise KeyError("a defect")

    supervisor.add("worker", run)
    supervisor.add("usage log", lambda event: None)
    state = kept(supervisor, "worker", stop)
    assert stop.pauses[:4] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE, 8 * FIRST_PAUSE]
    assert max(stop.pauses) == stop.pauses[-1] == LONGEST_PAUSE
    assert (state.failures, state.running) == (14, False)
    assert state.problem == "service worker failed 14 times: KeyError: 'a defect'"
    assert [one.problem for one in supervisor.states() if one.name != "worker"] == [""]


def test_one_that_ran_for_long_begins_with_the_first_pause(monkeypatch):
    supervisor, stop = Supervisor(), Pausing(4)
    clock, passed = supervision.time.monotonic, [0.0]
    monkeypatch.setattr(supervision.time, "monotonic", lambda: clock() + passed[0])

    def run(event: threading.Event) -> None:
        passed[0] = 2 * LONGEST_PAUSE if len(stop.pauses) == 2 else 0.0
        raise OSError("gone")

    supervisor.add("worker", run)
    kept(supervisor, "worker", stop)
    assert stop.pauses == [FIRST_PAUSE, 2 * FIRST_PAUSE, FIRST_PAUSE, 2 * FIRST_PAUSE]


def test_one_that_returns_is_done_and_one_that_was_noted_goes_on():
    supervisor = Supervisor()
    supervisor.add("once", lambda event: supervisor.note("once", ValueError("one row")))
    state = kept(supervisor, "once", Pausing(1))
    assert (state.failures, state.last_error) == (1, "ValueError: one row")
    assert state.as_dict()["last_error"] == "ValueError: one row"


def test_services_in_threads_go_on_beside_one_that_fails_and_all_end():
    supervisor = Supervisor()
    again, beside = threading.Event(), threading.Event()

    def fails_once(stop: threading.Event) -> None:
        if not again.is_set():
            again.set()
            raise RuntimeError("once")
        stop.wait()

    def goes_on(stop: threading.Event) -> None:
        again.wait()
        beside.set()
        stop.wait()

    supervisor.add("fails", fails_once)
    supervisor.add("goes on", goes_on)
    supervisor.start()
    assert beside.wait(30)
    assert supervisor.close() == []
    assert {state.name: state.failures for state in supervisor.states()} == {
        "fails": 1,
        "goes on": 0,
    }


def test_a_service_of_an_event_loop_is_started_again(monkeypatch):
    supervisor, runs = Supervisor(), []
    monkeypatch.setattr(supervision, "FIRST_PAUSE", 0.0)

    async def run() -> None:
        runs.append(1)
        if len(runs) == 1:
            raise RuntimeError("once")

    asyncio.run(supervisor.keep("http", run))
    [state] = supervisor.states()
    assert (len(runs), state.failures, state.running) == (2, 1, False)


@pytest.mark.parametrize(("failures", "said"), [(1, "failed once:"), (2, "failed 2 times:")])
def test_a_service_says_how_often_it_failed(failures: int, said: str) -> None:
    assert said in ServiceState("worker", failures=failures, last_error="x").problem
