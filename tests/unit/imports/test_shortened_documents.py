"""A client that rewrites its transcript as a whole tells a rewind by what is gone from it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contextd.domain.kinds import EPISODE
from contextd.domain.rewinds import left_entries
from contextd.domain.sessions import Event
from contextd.imports.shortened import shortened
from support.desks import Desk

AT = datetime(2026, 3, 3, 10, tzinfo=UTC)
LONG = "It is done in `src/queue.py`, with a test for each of the two cases that matter here: {}."


def prompts(names: str) -> list[Event]:
    return [
        Event(type="message", key=f"{one}:0", at=AT, role="user", text=one, seq=seq)
        for seq, one in enumerate(names, 1)
    ]


@pytest.mark.parametrize(
    ("stored", "document", "left"),
    [
        ("abc", "ab", "c"),  # cut at its end
        ("abc", "ax", "bc"),  # cut, and gone on with
        ("abc", "abcd", ""),  # grown
        ("abc", "bcd", ""),  # shortened at its beginning
        ("abc", "acd", ""),  # shortened in the middle
        ("abc", "xyz", ""),  # another document
        ("", "ab", ""),
    ],
)
def test_only_a_cut_end_was_rewound(stored: str, document: str, left: str) -> None:
    notes = shortened(prompts(stored), prompts(document))
    assert left_entries(notes) == frozenset(left)


def test_turns_that_reappear_in_a_transcript_are_live_again() -> None:
    before = prompts("abc")
    [note] = shortened(before, prompts("ab"))
    [again] = shortened([*before, note], prompts("abc"))
    assert again.key != note.key
    assert left_entries([*before, note, again]) == frozenset()
    assert shortened([*before, note], prompts("ab")) == []


def test_a_turn_that_is_gone_from_the_document_is_history_alone(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "0b9f3c0e-0000-4000-8000-000000000001.json"

    def written(*asked: str) -> None:
        history = [
            {"message": {"role": role, "content": text, "id": f"{role}-{one}"}, "contextItems": []}
            for one in asked
            for role, text in (("user", f"Please do {one} now"), ("assistant", LONG.format(one)))
        ]
        body = {
            "sessionId": path.stem,
            "title": "x",
            "workspaceDirectory": str(desk.root),
            "history": history,
        }
        path.write_text(json.dumps(body), "utf-8")
        desk.as_owner("import", path=str(path))
        desk.host.work_off()

    written("first", "second")
    written("first", "instead")
    listed = desk.as_owner("list_records", kind=EPISODE, status="any", limit=50)["records"]
    assert {one["title"]: one["status"] for one in listed} == {
        "Please do first now": "active",
        "Please do second now": "archived",
        "Please do instead now": "active",
    }
