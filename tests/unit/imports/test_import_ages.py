"""What an import brings of a history, and from when it ages."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from contextd.domain.confidence import confidence_at
from contextd.domain.query import Query
from contextd.domain.records import STATUSES

LETTERS = "abcdef0123456789"


@pytest.fixture
def person(tmp_path, monkeypatch) -> None:
    """A home without any client."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))


def everything(desk):
    """All records of the project that an import may bring."""
    query = Query(scopes=frozenset({desk.scope}), statuses=STATUSES, limit=500)
    return list(desk.view.records.find(query).records)


def commit_dated(root: Path, when: str, message: str) -> None:
    """An empty commit of that day."""
    git = ["git", "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=a@example.invalid"]
    subprocess.run(
        [*git, "commit", "-q", "--allow-empty", "-m", message],
        check=True,
        env={**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when},
    )


CHANGES = (
    "Speed up the drain\n\nThe parser read every order twice, which took most of the time at night."
    "\n\nNow it keeps the offset of the last order that was read and goes on from there.",
    "Bump the requirements\n\n- Updates httpx from 0.26.0 to 0.27.0\n- Updates rich from 13.6 to 13.7",
    "Rename the queue\n\nThis change should make the name of the queue easier to find in the logs.",
    "Fix the mailer\n\nUsers could not log in because the mailer must have been started before them.",
)
"""Messages of commits that say what they change, and nothing that later work must heed."""


def test_commits_that_say_what_they_changed_leave_nothing_in_the_inbox(desk, person):
    desk.as_owner("init")
    for number, message in enumerate(CHANGES):
        commit_dated(desk.root, f"2024-01-{number + 1:02d}T10:00:00Z", message)
    desk.as_owner("import_found")
    assert [one for one in everything(desk) if one.data.get("origin") == "commit"] == []
    assert desk.as_owner("inbox")["waiting"] == []


def test_a_history_full_of_warnings_leaves_five_notes(desk, person):
    desk.as_owner("init")
    for number in range(9):
        warning = f"Queue {LETTERS[number] * 4} must never be drained while order {number} is open."
        commit_dated(desk.root, f"2024-01-0{number + 1}T10:00:00Z", f"Drain {number}\n\n{warning}")
    desk.as_owner("import_found")
    said = [one for one in everything(desk) if one.data.get("origin") == "commit"]
    assert len(said) == 5


def test_imported_records_decay_from_the_day_of_the_import(desk, person, home, tmp_path):
    desk.as_owner("init")
    warning = "A second drain job must never be started: orders went lost when two ran at once."
    commit_dated(desk.root, "2019-03-01T10:00:00Z", f"Drain one queue only\n\n{warning}")
    fact = "The map of carts is not thread-safe: two workers wrote over each other's orders."
    commit_dated(desk.root, "2019-03-02T10:00:00Z", f"Give every worker its carts\n\n{fact}")
    old = {
        "id": "a1",
        "content": "Carts are kept for two days",
        "createdAt": "2019-03-01T10:00:00Z",
    }
    (tmp_path / "contexts.json").write_text(json.dumps({"entries": [old]}))
    desk.as_owner("import_found")
    desk.as_owner("import", path=str(tmp_path / "contexts.json"))
    brought = [one for one in everything(desk) if "2019" in one.created_at.isoformat()]
    assert sorted(one.kind for one in brought) == ["context", "discovery", "discovery"]
    now = home.clock.now()
    assert all(confidence_at(one, now) == one.confidence for one in brought)
    assert desk.as_owner("consolidation_trigger", collection="memories")["archived"] == 0
    home.clock.move(days=365)
    later = home.clock.now()
    held = [one.content for one in brought if confidence_at(one, later) == one.confidence]
    assert held == [warning], "a directive holds until somebody ends it, and nothing else does"
    assert desk.as_owner("consolidation_trigger", collection="memories")["archived"] == 1
