from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from contextd.domain.kinds import KINDS
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, changed
from contextd.interop.importers import importer_for
from contextd.interop.importers.sample import sample_session
from contextd.sessions.distil import Item, distil, generalised
from contextd.sessions.extract import extract
from contextd.sessions.track import fold

T0 = datetime(2026, 3, 1, 9, tzinfo=UTC)
SESSION = Session(scope=Scope("local"), cwd="/w/shop", started_at=T0, last_seen_at=T0)
FAILED = "F.\nE   KeyError: 'tax'\n1 failed, 3 passed"


class _Story:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, type: Any, text: str = "", role: str = "", **data: Any) -> _Story:
        at = T0 + timedelta(minutes=len(self.events))
        key = f"e{len(self.events)}"
        self.events.append(Event(type=type, key=key, at=at, role=role, text=text, data=data))
        return self

    def user(self, text: str) -> _Story:
        return self.add("message", text, "user")

    def agent(self, text: str) -> _Story:
        return self.add("message", text, "assistant")

    def run(self, command: str, output: str, code: int = 0) -> _Story:
        call = f"t{len(self.events)}"
        self.add("tool_call", f"Bash: {command}", "assistant", tool="Bash", id=call)
        bad = code != 0
        return self.add(
            "tool_result", output, "tool", tool="Bash", id=call, exit_code=code, is_error=bad
        )

    def edit(self, path: str, old: str, new: str) -> _Story:
        call = f"t{len(self.events)}"
        given = {"file_path": f"/w/shop/{path}", "old_string": old, "new_string": new}
        self.add("tool_call", f"Edit: {path}", "assistant", tool="Edit", id=call, input=given)
        return self.add("file_access", "", "assistant", path=path, mode="write")

    def items(self, outcome: str = "") -> list[Item]:
        return distil(SESSION, self.events, extract(self.events), outcome)


def _kinds(items: list[Item]) -> list[str]:
    return [item.kind for item in items]


def test_an_error_that_a_change_made_go_away_is_a_remediation() -> None:
    story = (
        _Story()
        .run("pytest -q", FAILED, 1)
        .agent("The problem is that the tax table has no entry for books.")
        .edit("src/tax.py", "RATES[kind]", "RATES.get(kind, 0)")
        .run("pytest -q -k tax", "4 passed")
        .agent("Fixed it by falling back to a rate of zero.")
    )
    (item,) = story.items()
    assert item.kind == "remediation"
    assert item.data == {
        "problem": "KeyError: 'tax'",
        "symptoms": ["KeyError: 'tax'", "1 failed, 3 passed"],
        "root_cause": "The problem is that the tax table has no entry for books.",
        "solution": "Fixed it by falling back to a rate of zero.",
        "affected_files": ["src/tax.py"],
        "code_diff": "src/tax.py\n-RATES[kind]\n+RATES.get(kind, 0)",
        "verified": True,
    }


def test_without_a_change_or_a_pass_there_is_no_remediation() -> None:
    assert _Story().run("pytest", FAILED, 1).run("pytest", "4 passed").items() == []
    assert _Story().run("pytest", FAILED, 1).edit("a.py", "x", "y").items() == []
    other = _Story().run("pytest", FAILED, 1).edit("a.py", "x", "y").run("ls", "a.py")
    assert other.items() == []


def test_success_with_a_stated_reason_is_a_memory() -> None:
    story = (
        _Story()
        .user("Make the export faster")
        .agent("I decided to stream rows to /w/shop/out/rows.csv because memory stayed flat.")
        .run("pytest", "4 passed")
    )
    (item,) = story.items()
    assert item.kind == "memory"
    assert item.data["outcome"] == "success"
    assert "not when" in item.data["description"]
    assert "/w/shop" not in item.content


def test_a_correction_is_a_warning_even_in_work_that_succeeded() -> None:
    story = (
        _Story()
        .agent("I put the total into the view.")
        .user("No, don't put sums into views, keep them in the domain layer.")
        .run("pytest", "4 passed")
    )
    items = story.items()
    assert _kinds(items)[0] == "anti_pattern"
    assert "domain layer" in items[0].data["instead"]


def test_a_command_that_kept_failing_is_a_warning() -> None:
    story = _Story()
    for _ in range(3):
        story.run("npm run build", "error: Cannot find module 'left-pad'", 1)
    (item,) = story.items("success")
    assert item.kind == "anti_pattern"
    assert "only right when" in item.content
    assert "3 times" in item.data["what_happened"]
    assert story.run("npm run build", "built").items() == []


def test_the_callers_word_counts_only_where_nothing_hard_speaks() -> None:
    said = "We chose one table over a queue because operators can read it."
    assert _kinds(_Story().agent(said).items("success")) == ["memory"]
    assert _Story().agent(said).items("") == []
    assert _kinds(_Story().agent(said).run("pytest", FAILED, 1).items("success")) == []


def test_what_a_subagent_said_teaches_nothing() -> None:
    story = _Story().run("pytest", "4 passed")
    story.add("message", "No, that's wrong. Use the other table for this.", "user", sidechain=True)
    assert story.items() == []


def test_generalised_text_has_no_literals_of_one_task() -> None:
    text = "See https://x.test/a, mail a.b@x.test, commit 1a2b3c4d5e, src/app/main.py:12 and /home/u/p/q.txt"
    told = generalised(text)
    assert not re.search(r"https?:|@|1a2b|src/|:12|/home", told)
    assert "main.py" in told


def test_the_sample_session_teaches_what_it_is_meant_to(tmp_path: Path) -> None:
    path = tmp_path / "sample.jsonl"
    files = ("lib/upload.ts", "lib/config.ts", "test/upload.test.ts")
    text = sample_session(
        cwd='C:\\odd "place"',
        session="s-1",
        start=T0,
        files=files,
        branch="feat/x",
        test="npm test",
    )
    path.write_text(text, "utf-8")
    assert "{{" not in text
    batch = importer_for(path).read(path)
    assert batch.counts["read"] >= 40
    assert batch.counts.get("bad", 0) == 0
    assert (batch.external_id, batch.branch) == ("s-1", "feat/x")
    assert batch.started is not None
    assert timedelta(0) <= batch.started - T0 < timedelta(minutes=1)
    found = extract(batch.events, limit=20)
    types = [finding.type for finding in found]
    assert types.count("decision") == 2
    assert types.count("rule") == 2
    assert types.count("pattern") == 1
    assert any(f.type == "issue" and f.solution for f in found)
    assert not any("reminder" in f.content or "never do this" in f.content for f in found)
    change = fold(SESSION, batch.events)
    assert change is not None
    session = changed(SESSION, change)
    assert session.outcome == "success"
    assert {access.path for access in session.files} == set(files)
    items = distil(session, batch.events, found, "")
    assert _kinds(items) == ["remediation", "anti_pattern", "memory"]
    for item in items:
        KINDS[item.kind].check(item.data)
        assert 20 <= len(item.content) <= 1_000
        assert len(item.title) <= 80


def test_at_most_three_items_come_out_and_the_same_every_time() -> None:
    story = _Story().user("No, never use floats for the price of an order.")
    for name in ("a", "b", "c", "d"):
        story.run(f"make {name}", f"error: {name} is broken", 2)
        story.agent(f"The bug was that {name} had lost its index.").edit(f"{name}.py", "1", "2")
        story.run(f"make {name}", "4 passed")
    items = story.items("success")
    assert len(items) == 3
    assert items == story.items("success")
