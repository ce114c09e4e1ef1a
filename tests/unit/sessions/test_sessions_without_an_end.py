"""Sessions of clients that send no event at their end, or have no hooks at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from support.desks import Desk, Home
from support.transcripts import ANSWER, PROMPT, continue_dev


def exited_process() -> int:
    """The id of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize("exited", [True, False], ids=["exited", "alive"])
def test_a_session_ends_when_its_client_has_disconnected_and_exited(
    words_only: Desk, home: Home, exited: bool
) -> None:
    desk = replace(words_only, client="qwen-code")
    process = exited_process() if exited else os.getpid()
    prompt = {"session_id": "q1", "cwd": str(desk.root), "prompt": PROMPT}
    given = {"event": "UserPromptSubmit", "payload": prompt, "client": "qwen-code"}
    desk.on("hook")("hook_event", **given, ancestors=[process])
    # Its agent called nothing: the connection alone says which session is its own.
    desk.connected("one", process)("connection_closed")
    desk.host.work_off()
    [session] = desk.sessions()
    assert session.ended_at is None
    home.clock.move(seconds=6)
    desk.work_on("end_idle_sessions")
    [session] = desk.sessions()
    assert (session.ended_at is not None) == exited
    done = [one for one in desk.nowhere().as_owner("jobs")["jobs"] if one["result"].get("ended")]
    assert [one["result"] for one in done] == ([{"ended": 1, "archived": 0}] if exited else [])


def written_by_continue(desk: Desk, home: Path, name: str, tool: str) -> Path:
    """A session of Continue in the desk's project that called a tool of ours."""
    folder = home / ".continue" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    path = continue_dev(folder)
    document = json.loads(path.read_text("utf-8"))
    document |= {"sessionId": name, "workspaceDirectory": str(desk.root)}
    call = document["history"][1]["message"]["toolCalls"][0]
    call["function"] = {"name": tool, "arguments": "{}"}
    path.unlink()
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_session_without_hooks_is_learned_from_the_transcript_that_tells_of_its_calls(
    words_only: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    desk = replace(words_only, client="continue")
    desk.connected("one")("context_search", query="where are the tokens renewed")
    path = written_by_continue(desk, tmp_path, "mine-1", "context_search")
    written_by_continue(desk, tmp_path, "other-1", "read_file")
    desk.connected("one")("connection_closed")
    desk.host.work_off()
    [session] = desk.sessions()
    assert (session.external_id, session.status) == ("mine-1", "completed")
    assert session.data["transcript"] == str(path)
    events = desk.view.sessions.events(session.id, types=("message",))
    assert [event.text for event in events] == [PROMPT, ANSWER]


def test_two_transcripts_that_fit_equally_are_nobodys(
    words_only: Desk, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    desk = replace(words_only, client="continue")
    desk.connected("one")("context_search", query="where are the tokens renewed")
    for name in ("one-1", "two-1"):
        written_by_continue(desk, tmp_path, name, "context_search")
    desk.connected("one")("connection_closed")
    for _ in range(4):
        desk.host.work_off()
        home.clock.move(minutes=2)
    [session] = desk.sessions()
    assert (session.external_id, session.status) == ("one", "completed")
    assert desk.view.sessions.events(session.id, types=("message",)) == []
