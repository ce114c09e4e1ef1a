"""Which turns of a transcript the user rewound, in each format that has branches; and what only looks like it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.rewinds import is_rewind
from contextd.domain.sessions import Event
from contextd.imports.importers import importer_for
from contextd.sessions.turns import all_turns, live_line

SESSION = "5f0c5d6e-0000-4000-8000-000000000001"


def told(path: Path, lines: Sequence[dict[str, Any]]) -> list[Event]:
    """The events of these lines, numbered as a store does."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    importer = importer_for(path)
    assert importer is not None
    events = importer.read(path, 0).events
    return [replace(event, seq=seq) for seq, event in enumerate(events, 1)]


def left(events: Sequence[Event]) -> list[str]:
    return [turn.prompt for turn in all_turns(events) if turn.left]


class Claude:
    """Lines of Claude Code."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.last = ""

    def add(self, role: str, content: Any, *, parent: str | None = None, **more: Any) -> str:
        at, key = len(self.lines), f"u{len(self.lines)}"
        before = self.last if parent is None else parent
        self.lines.append(
            {
                "type": role, "uuid": key, "parentUuid": before or None, "sessionId": SESSION,
                "timestamp": f"2026-03-01T10:{at:02}:00Z", "cwd": "/w", "isSidechain": False,
                "message": {"role": role, "content": content}, **more,
            }
        )  # fmt: skip
        if not more.get("isSidechain"):
            self.last = key
        return key

    def turn(self, prompt: str, parent: str | None = None) -> str:
        self.add("user", prompt, parent=parent)
        return self.add("assistant", [{"type": "text", "text": f"Done: {prompt}"}])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"{SESSION}.jsonl"


def test_a_prompt_after_an_earlier_message_leaves_the_turns_since(path: Path) -> None:
    talk = Claude()
    place = talk.turn("first")
    talk.turn("second")
    talk.turn("third")
    talk.turn("instead", place)
    events = told(path, talk.lines)
    assert left(events) == ["second", "third"]
    texts = [event.text for event in live_line(events) if event.type == "message"]
    assert texts == ["first", "Done: first", "instead", "Done: instead"]


def test_an_edited_prompt_takes_the_place_of_the_one_before(path: Path) -> None:
    talk = Claude()
    place = talk.turn("first")
    talk.add("user", "secnod", parent=place)
    talk.turn("second", place)
    assert left(told(path, talk.lines)) == ["secnod"]


def test_a_branch_that_is_taken_up_again_is_live_and_the_other_is_left(path: Path) -> None:
    talk = Claude()
    place = talk.turn("first")
    second = talk.turn("second")
    talk.turn("instead", place)
    talk.turn("on with the second", second)
    assert left(told(path, talk.lines)) == ["instead"]


def test_reading_on_from_the_middle_finds_the_same_rewinds(path: Path) -> None:
    talk = Claude()
    place = talk.turn("first")
    talk.turn("second")
    talk.turn("instead", place)
    whole = told(path, talk.lines)
    importer = importer_for(path)
    assert importer is not None
    middle = sum(len(json.dumps(line)) + 1 for line in talk.lines[:4])
    later = importer.read(path, middle).events
    assert [e.key for e in later if is_rewind(e.data)] == [
        e.key for e in whole if is_rewind(e.data)
    ]


def parallel_calls(talk: Claude) -> None:
    talk.add("user", "read both")
    one = talk.add("assistant", [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}])
    two = talk.add("assistant", [{"type": "tool_use", "id": "b", "name": "Read", "input": {}}])
    talk.add("user", [{"type": "tool_result", "tool_use_id": "b", "content": "x"}], parent=two)
    talk.add("user", [{"type": "tool_result", "tool_use_id": "a", "content": "x"}], parent=one)
    talk.turn("next", two)


def sub_agents(talk: Claude) -> None:
    talk.turn("first")
    talk.add("user", "look for x", parent="", isSidechain=True)
    talk.turn("second")


def compaction(talk: Claude) -> None:
    talk.turn("first")
    talk.turn("second")
    talk.add("system", "", parent="", subtype="compact_boundary", logicalParentUuid="u1")
    talk.add(
        "user",
        "This session is being continued from a previous conversation",
        isCompactSummary=True,
    )
    talk.turn("third")


def lost_parent(talk: Claude) -> None:
    talk.turn("first")
    talk.turn("second")
    talk.turn("third", "of-a-file-that-is-gone")


def command_before_a_resumption(talk: Claude) -> None:
    place = talk.turn("first")
    talk.add("user", "<command-name>/exit</command-name>")
    talk.add("user", "<local-command-stdout>Bye!</local-command-stdout>")
    talk.turn("second", place)


def message_of_the_client(talk: Claude) -> None:
    place = talk.turn("first")
    talk.turn("second")
    text = "<task-notification>the task in the background ended</task-notification>"
    talk.add("user", text, parent=place)
    talk.last = "u3"
    talk.turn("third")


def error_and_retry(talk: Claude) -> None:
    talk.turn("first")
    talk.add("user", "second")
    talk.add("assistant", [{"type": "text", "text": "API Error"}], isApiErrorMessage=True)
    talk.turn("go on")


@pytest.mark.parametrize(
    "happening",
    [
        parallel_calls, sub_agents, compaction, lost_parent, command_before_a_resumption,
        message_of_the_client, error_and_retry,
    ],
)  # fmt: skip
def test_branches_that_only_resemble_a_rewind_remove_no_turn_from_the_live_line(
    path: Path, happening: Any
) -> None:
    talk = Claude()
    happening(talk)
    events = told(path, talk.lines)
    assert left(events) == []
    assert live_line(events) == events


def test_gemini_says_before_which_message_it_goes_on(tmp_path: Path) -> None:
    def said(id: str, kind: str, text: str) -> dict[str, Any]:
        return {"id": id, "type": kind, "timestamp": "2026-03-01T10:00:00Z", "content": text}

    lines = [
        {"sessionId": SESSION, "projectHash": "x", "startTime": "2026-03-01T10:00:00Z"},
        said("m1", "user", "first"), said("m2", "gemini", "Done one"),
        said("m3", "user", "second"), said("m4", "gemini", "Done two"),
        {"$rewindTo": "m3"},
        said("m5", "user", "instead"),
    ]  # fmt: skip
    assert left(told(tmp_path / "session-x.jsonl", lines)) == ["second"]


def test_codex_says_how_many_turns_it_rolled_back(tmp_path: Path) -> None:
    def line(kind: str, at: int, **payload: Any) -> dict[str, Any]:
        return {"timestamp": f"2026-03-01T10:00:{at:02}Z", "type": kind, "payload": payload}

    def said(at: int, role: str, text: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        return line(
            "response_item", at, type="message", role=role, content=[{"type": kind, "text": text}]
        )

    lines = [
        line("session_meta", 0, id=SESSION, cwd="/w"),
        said(1, "user", "<environment_context>x</environment_context>"),
        said(2, "user", "first"), said(3, "assistant", "Done one"),
        said(4, "user", "second"), said(5, "assistant", "Done two"),
        line("event_msg", 6, type="thread_rolled_back", num_turns=1),
        said(7, "user", "instead"),
    ]  # fmt: skip
    assert left(told(tmp_path / "rollout-x.jsonl", lines)) == ["second"]


def test_qwen_goes_back_by_the_parent_of_the_next_prompt(tmp_path: Path) -> None:
    def said(key: str, parent: str, kind: str, text: str, at: int) -> dict[str, Any]:
        return {
            "uuid": key, "parentUuid": parent or None, "sessionId": SESSION, "type": kind, "cwd": "/w",
            "timestamp": f"2026-03-01T10:00:{at:02}Z", "provenance": "real_user",
            "message": {"role": kind, "parts": [{"text": text}]},
        }  # fmt: skip

    lines = [
        said("a", "", "user", "first", 1), said("b", "a", "assistant", "Done one", 2),
        said("c", "b", "user", "second", 3), said("d", "c", "assistant", "Done two", 4),
        said("e", "b", "user", "instead", 5),
    ]  # fmt: skip
    assert left(told(tmp_path / "chat.jsonl", lines)) == ["second"]


def test_the_prompt_that_a_hook_told_is_left_with_its_turn(path: Path) -> None:
    talk = Claude()
    place = talk.turn("first")
    talk.turn("second")
    talk.turn("instead", place)
    read = told(path, talk.lines)
    asked = [event for event in read if event.type == "message" and event.role == "user"]
    hooks = [
        Event(type="query", key=f"prompt:{n}", at=one.at, role="user", text=one.text, seq=100 + n)
        for n, one in enumerate(asked)
    ]
    live = live_line([*read, *hooks])
    assert [event.text for event in live if event.type == "query"] == ["first", "instead"]
