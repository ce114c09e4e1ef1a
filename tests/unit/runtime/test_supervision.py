"""Services that fail are started again, counted and told of, and no other one stops."""

from __future__ import annotations

import asyncio

import pytest

from contextd.runtime import supervision
from contextd.runtime.supervision import ServiceState, Supervisor


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
