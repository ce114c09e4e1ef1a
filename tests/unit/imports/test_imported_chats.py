"""Conversations of a chat export become sessions of the project: once, without secrets, and out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.desks import Desk

WHEN = "2025-10-09T08:0{}:00Z"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
SAID = ("When do I round prices?", "Once, at the end.", f"The token is {TOKEN}.")


def export(folder: Path, *said: str, title: str = "Rounding") -> str:
    """A chat export of Claude.ai with one conversation."""
    messages: list[dict[str, Any]] = [
        {"uuid": str(n), "sender": "assistant" if n % 2 else "human", "text": text, "created_at": WHEN.format(n)}
        for n, text in enumerate(said)
    ]  # fmt: skip
    chat = {
        "uuid": "u-1",
        "name": title,
        "created_at": WHEN.format(0),
        "updated_at": WHEN.format(9),
        "chat_messages": messages,
    }
    path = folder / "conversations.json"
    path.write_text(json.dumps([chat]))
    return str(path)


@pytest.fixture
def shop(words_only: Desk) -> Desk:
    words_only.as_owner("init")
    return words_only


def texts(desk: Desk) -> list[str]:
    [session] = desk.sessions()
    events = desk.view.sessions.events(session.id)
    return [one.text for one in events if one.type == "message"]


def test_a_conversation_becomes_a_session_of_its_own_time_without_its_secrets(shop, tmp_path):
    report = shop.as_owner("import", path=export(tmp_path, *SAID, title=f"About {TOKEN}"))
    assert (report["new"], report["sessions"], report["redacted"]) == (1, 1, 1)
    [session] = shop.sessions()
    assert session.started_at.year == session.ended_at.year == 2025
    assert texts(shop)[:2] == list(SAID[:2])
    assert TOKEN not in f"{session.task} {texts(shop)}"


def test_a_conversation_that_is_imported_again_adds_only_what_is_new(shop, tmp_path):
    shop.as_owner("import", path=export(tmp_path, *SAID[:2]))
    again = shop.as_owner("import", path=export(tmp_path, *SAID[:2]))
    assert (again["new"], again["duplicate"], again.get("updated", 0)) == (0, 1, 0)
    grown = shop.as_owner("import", path=export(tmp_path, *SAID[:2], "And what of halves?"))
    assert (grown["new"], grown["updated"], grown["events"]) == (0, 1, 1)
    assert texts(shop) == [*SAID[:2], "And what of halves?"]


def test_a_trial_stores_no_conversation(shop, tmp_path):
    report = shop.as_owner("import", path=export(tmp_path, *SAID[:2]), dry_run=True)
    assert (report["new"], report["events"]) == (1, 2)
    assert shop.sessions() == []


def test_a_conversation_whose_import_was_undone_comes_back_with_the_next_one(shop, tmp_path):
    path = export(tmp_path, *SAID[:2])
    done = shop.as_owner("import", path=path)
    shop.as_owner("undo_import", id=done["id"])
    assert shop.sessions() == []
    assert shop.as_owner("import", path=path)["new"] == 1
    assert texts(shop) == list(SAID[:2])
