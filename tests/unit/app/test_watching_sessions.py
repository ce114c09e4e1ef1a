"""A contextd that rested while no session was open watches over the first one."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from contextd.app import Host, idle_watch, load_operations
from contextd.runtime.settings import load_settings
from support.clocks import Shifted
from support.desks import Desk


def test_a_session_opened_in_a_resting_home_ends_when_its_timeout_is_over(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_watch, "LOOK_SECONDS", 0.05)
    load_operations()
    clock = Shifted()
    settings = load_settings(home=tmp_path / "alone", flags={"embedder.name": "none"})
    host = Host.open(settings, work=True, clock=clock)
    try:
        agent = Desk(host, repository, connection="agent-1")
        agent.as_owner("init")
        # Once the jobs of the scan are done, nothing else wakes anybody.
        calm = time.monotonic() + 60
        while not host.idle() and time.monotonic() < calm:
            time.sleep(0.02)
        agent("read_file", path="src/auth/guard.ts")
        assert [session.ended_at for session in agent.sessions()] == [None]
        clock.move(hours=2)
        deadline = time.monotonic() + 60
        while agent.sessions()[0].ended_at is None:
            assert time.monotonic() < deadline, "nobody looked at the session"
            time.sleep(0.02)
        agent("read_file", path="src/auth/token.ts")
        assert len(agent.sessions()) == 2
    finally:
        host.close()
