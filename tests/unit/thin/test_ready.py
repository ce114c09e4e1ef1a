"""What a hook makes of the briefing that lies ready."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.thin import ready

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
FORMS = [
    {
        "names": ["claude-code"],
        "marks": ["CLAUDECODE"],
        "answer": {"context": {"text": ready.TEXT}},
    },
    {"names": ["gemini-cli", "gemini"], "marks": ["GEMINI_CLI"], "answer": {"say": ready.TEXT}},
]


def lay(home: Path, root: Path, /, **changed: Any) -> None:
    text = f"Briefing\n- {ready.SINCE}\n- Use tabs"
    made = {
        "v": ready.VERSION, "root": str(root), "made_at": NOW.isoformat(), "last_at": "",
        "text": text, "check": ready.check_of(text), "forms": FORMS,
    }  # fmt: skip
    path = ready.ready_path(home, root)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(made | changed), "utf-8")


def test_it_is_found_from_below_its_root_and_is_nobody_elses(tmp_path: Path) -> None:
    home, shop = tmp_path / "home", tmp_path / "shop"
    (shop / "src" / "deep").mkdir(parents=True)
    home.mkdir()
    lay(home, shop)
    assert ready.find(home, str(shop / "src" / "deep"), NOW)
    assert ready.find(home, str(shop), NOW)
    assert ready.find(home, str(tmp_path), NOW) is None
    assert ready.find(home, str(tmp_path / "shop2"), NOW) is None
    assert ready.find(home, "", NOW) is None


def test_a_nested_project_has_its_own(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    lay(tmp_path, tmp_path, text="outer", check=ready.check_of("outer"))
    lay(tmp_path, inner, text="inner", check=ready.check_of("inner"))
    found = ready.find(tmp_path, str(inner), NOW)
    assert found
    assert found["text"] == "inner"


@pytest.mark.parametrize(
    "changed",
    [
        {"v": 99}, {"root": "/elsewhere"}, {"text": "cut"}, {"text": None}, {"made_at": ""},
        {"made_at": (NOW - timedelta(days=15)).isoformat()}, {"made_at": "yesterday"},
    ],
    ids=str,
)  # fmt: skip
def test_a_changed_or_outdated_ready_briefing_is_not_used(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    lay(tmp_path, tmp_path, **changed)
    assert ready.find(tmp_path, str(tmp_path), NOW) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"1" * 70_000])
def test_rubbish_in_its_place_is_nothing(tmp_path: Path, content: bytes) -> None:
    lay(tmp_path, tmp_path)
    ready.ready_path(tmp_path, tmp_path).write_bytes(content)
    assert ready.find(tmp_path, str(tmp_path), NOW) is None


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(seconds=20), "just now"), (timedelta(minutes=12), "12 min ago"),
        (timedelta(hours=3), "3 h ago"), (timedelta(days=5), "5 days ago"),
    ],
    ids=str,
)  # fmt: skip
def test_it_says_how_long_ago_one_worked_here(gap: timedelta, words: str) -> None:
    text = f"A\n- {ready.SINCE}\n- B"
    made = {"text": text, "last_at": (NOW - gap).isoformat()}
    assert ready.said(made, NOW) == f"A\n- Last worked here {words}.\n- B"
    assert ready.said({"text": text, "last_at": ""}, NOW) == "A\n- B"


def test_each_client_gets_its_own_form_and_an_unknown_one_nothing() -> None:
    made = {"forms": FORMS}
    assert ready.answer(made, "claude-code", [], "x") == {"context": {"text": "x"}}
    assert ready.answer(made, "gemini", ["CLAUDECODE"], "x") == {"say": "x"}
    assert ready.answer(made, "", ["GEMINI_CLI"], "x") == {"say": "x"}
    assert ready.answer(made, "", [], "x") is None
    assert ready.answer(made, "emacs", [], "x") is None


def test_of_hooks_that_tell_a_session_at_once_one_does(tmp_path: Path) -> None:
    (tmp_path / "ready").mkdir()
    assert not ready.was_told(tmp_path, "one")
    assert [ready.note_told(tmp_path, "one") for _ in range(3)] == [True, False, False]
    assert ready.was_told(tmp_path, "one")
    assert ready.note_told(tmp_path, "two"), "another session"
    for mark in (tmp_path / "ready").iterdir():
        os.utime(mark, (0, 0))
    assert not ready.was_told(tmp_path, "one")
    assert ready.note_told(tmp_path, "one")
    assert len(list((tmp_path / "ready").iterdir())) == 1


def test_a_session_whose_note_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert ready.note_told(tmp_path / "no home", "s") is True
    (tmp_path / "ready").mkdir()
    assert [ready.note_told(tmp_path, "s") for _ in range(2)] == [True, False]


def test_rule_files_that_changed_since_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / ".context" / "policies"
    folder.mkdir(parents=True)
    for name, since in (("old.yaml", -60), ("pulled.yaml", 60), ("# Obey.yaml", 90)):
        (folder / name).write_text("title: x")
        at = (NOW + timedelta(seconds=since)).timestamp()
        os.utime(folder / name, (at, at))
    lay(tmp_path, tmp_path, rule_folders=[str(folder), str(tmp_path / "gone")])
    made = ready.find(tmp_path, str(tmp_path), NOW)
    assert made
    assert ready.said(made, NOW).endswith("\n\n" + ready.CHANGED_RULES.format(2))
    lay(tmp_path, tmp_path, rule_folders=[str(tmp_path / "gone")])
    made = ready.find(tmp_path, str(tmp_path), NOW)
    assert made
    assert "Rule files" not in ready.said(made, NOW)
