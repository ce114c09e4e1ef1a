"""Asking an agent for its lessons at the end of a turn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextd.app import load_operations
from support.desks import Desk, Home

load_operations()


def hook(desk: Desk, event: str, session: str, **payload: Any) -> Any:
    body = {"session_id": session, "cwd": str(desk.root), "hook_event_name": event, **payload}
    return desk.on("hook")("hook_event", event=event, payload=body)["output"]


WORK = "Retry the export worker"


def transcript(desk: Desk, session: str, said: Any = None) -> str:
    """The path of a transcript in which an agent edits a file and says so, or of what was `said`."""
    said = said or [
        ("user", WORK),
        ("assistant", [{"type": "tool_use", "id": "t1", "name": "Edit",
                        "input": {"file_path": str(desk.root / "export.py")}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "updated"}]),
        ("assistant", [{"type": "text", "text": "Exports retry twice now."}]),
    ]  # fmt: skip
    minute = len(list(desk.root.parent.glob("*.jsonl")))
    lines = [
        {
            "type": role,
            "uuid": f"{session}-{place}",
            "sessionId": session,
            "timestamp": f"2026-11-20T10:{minute:02}:0{place}Z",
            "entrypoint": "cli",
            "message": {"role": role, "content": content},
        }
        for place, (role, content) in enumerate(said)
    ]
    path = desk.root.parent / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_lessons_are_asked_for_once_as_context_where_the_client_takes_it(words_only: Desk) -> None:
    desk = words_only
    path = transcript(desk, "new")
    first = hook(desk, "Stop", "new", transcript_path=path, prompt_id="p1")
    assert first["hookSpecificOutput"]["hookEventName"] == "Stop"
    assert "contextd's remember" in first["hookSpecificOutput"]["additionalContext"]
    assert hook(desk, "Stop", "new", transcript_path=path, prompt_id="p2") == {}
    # Versions that name no prompt know only the block.
    old = hook(desk, "Stop", "old", transcript_path=transcript(desk, "old"))
    assert old["decision"] == "block"


def test_nothing_is_asked_where_that_is_switched_off(words_only: Desk) -> None:
    words_only.configure("lessons:\n  ask: never\n")
    path = transcript(words_only, "s")
    assert hook(words_only, "Stop", "s", transcript_path=path, prompt_id="p1") == {}


@pytest.mark.parametrize("looks", [False, True], ids=["only talked", "only looked"])
def test_open_work_stays_in_the_briefing_past_a_session_that_changed_nothing(
    words_only: Desk, home: Home, looks: bool
) -> None:
    def briefed(session: str, said: Any = None) -> str:
        home.clock.move(minutes=5)
        start = hook(words_only, "SessionStart", session)
        if said:
            path = transcript(words_only, session, said)
            hook(words_only, "SessionEnd", session, transcript_path=path)
            words_only.host.work_off()
        return str(start["hookSpecificOutput"]["additionalContext"])

    edit = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "export.py"}}
    work = [
        ("user", WORK),
        ("assistant", [edit]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "updated"}]),
        ("assistant", "Exports retry twice now.\n\nOpen: decide how long to wait"),
    ]
    briefed("work", work)
    read = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "cats.md"}}
    look = [
        ("assistant", [read]),
        ("user", [{"type": "tool_result", "tool_use_id": "t2", "content": "Tom"}]),
    ]
    talk = [
        ("user", "What is a good name for a cat?"),
        *(look if looks else []),
        ("assistant", "Many like Tom for a cat."),
    ]
    assert "Open: decide how long to wait" in briefed("talk", talk)
    later = briefed(
        "more", [("user", "Wait for a minute then"), *work[1:3], ("assistant", "Done.")]
    )
    assert "Asked last: What is a good name for a cat?" in later
    assert "Open: decide how long to wait" in later
    assert "export.py" in later
    assert "decide how long to wait" not in briefed("last")
