"""A daemon killed in the middle of learning: everything is learned, and once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))

from homes import Home, has_ended, temporary_home, wait_for

from contextd.thin import client

SAID = [
    ("user", "Exports time out at night. Rule: every export must carry a checksum."),
    ("assistant", "We decided to move exports into the worker because requests time out."),
    ("user", "Convention: export files are named after the tenant and the day."),
]


def write_transcript(path: Path, session: str) -> None:
    lines = []
    for number, (role, text) in enumerate(SAID * 40):
        extra = "" if number < len(SAID) else f" This is turn number {number} of a long talk."
        spoken = text if number < len(SAID) else extra
        content = spoken if role == "user" else [{"type": "text", "text": spoken}]
        lines.append(
            {
                "type": role,
                "uuid": str(uuid.UUID(int=number)),
                "sessionId": session,
                "timestamp": f"2026-11-20T10:{number % 60:02}:00Z",
                "isSidechain": False,
                "message": {"role": role, "content": content},
            }
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def hook(home: Home, event: str, session: str, transcript: Path) -> None:
    payload = {
        "session_id": session,
        "transcript_path": str(transcript),
        "cwd": str(home.project),
        "hook_event_name": event,
    }
    done = home.run("hook", "--client", "claude-code", stdin=json.dumps(payload))
    assert done.returncode == 0


@pytest.mark.parametrize(
    "pause",
    [0.1, *(pytest.param(pause, marks=pytest.mark.slow) for pause in (0.0, 0.05, 0.2, 0.4))],
)
def test_a_daemon_killed_while_it_learns_learns_everything_once(pause):
    with temporary_home() as home:
        subprocess.run(["git", "init", "-q", str(home.project)], check=True)
        session = str(uuid.uuid4())
        transcript = home.path / "t.jsonl"
        write_transcript(transcript, session)
        daemon = home.start()
        hook(home, "SessionStart", session, transcript)
        hook(home, "SessionEnd", session, transcript)
        time.sleep(pause)
        os.kill(daemon, signal.SIGKILL)
        wait_for(lambda: has_ended(daemon), "the daemon is dead")
        # Its main thread is; the others may hold the socket for another moment.
        time.sleep(0.5)
        home.start()

        def finished() -> bool:
            jobs = client.call("jobs", home=home.path, cwd=str(home.project)).value["jobs"]
            return any(j["name"] == "learn_session" and j["state"] == "done" for j in jobs)

        wait_for(finished, "the session was learned from", 60)
        shown = json.loads(home.run("show", "--sessions", "--stats", "--json").stdout)
        assert shown["discoveries"] == {"rule": 2}
        assert [s["status"] for s in shown["sessions"]] == ["completed"]
