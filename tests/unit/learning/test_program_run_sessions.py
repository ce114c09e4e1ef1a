"""Sessions that a program runs are told the rules and teach nothing, whatever their client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.clients import CodingClient
from support.desks import Desk
from support.transcripts import codex_rows, lines_to

RULE = "Amounts of money are stored as integer cents, never as floats."
NOTE = "The staging host is called otter"


@pytest.fixture
def knowing(desk: Desk) -> Desk:
    """A project with a rule and a session of a person that left something behind."""
    fields = {"requirement": RULE, "severity": "critical"}
    desk("remember", title="Money", kind="policy", fields=fields)
    desk("save_context", content=NOTE)
    return desk


def begun(desk: Desk, client: str, path: Path, marks: list[str], **payload: Any) -> str:
    """What an agent is told whose session begins."""
    body = {"session_id": path.stem, "cwd": str(desk.root), "transcript_path": str(path)}
    given = {"event": "SessionStart", "payload": {**body, "source": "startup", **payload}}
    answer = desk.on("hook")("hook_event", client=client, marks=marks, **given)
    return str(answer["output"].get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.mark.parametrize(
    ("entrypoint", "whole"), [("cli", True), ("sdk-cli", False), ("sdk-py", False)]
)
def test_claude_code_says_by_its_environment_that_a_program_runs_it(
    knowing: Desk, tmp_path: Path, entrypoint: str, whole: bool
) -> None:
    marks = ["CLAUDECODE", f"CLAUDE_CODE_ENTRYPOINT={entrypoint}"]
    told = begun(knowing, "claude-code", tmp_path / "s1.jsonl", marks)
    assert (RULE in told, NOTE in told) == (True, whole)


@pytest.mark.parametrize(("source", "whole"), [("cli", True), ("exec", False)])
def test_codex_says_by_its_transcript_that_a_program_runs_it(
    knowing: Desk, tmp_path: Path, source: str, whole: bool
) -> None:
    rows = codex_rows()[:1]
    rows[0]["payload"]["source"] = source
    told = begun(knowing, "codex", lines_to(tmp_path / "rollout-s2.jsonl", rows), [])
    assert (RULE in told, NOTE in told) == (True, whole)


def test_a_session_that_a_program_runs_teaches_nothing(knowing: Desk, tmp_path: Path) -> None:
    session = CodingClient(knowing, tmp_path, entrypoint="sdk-cli")
    session.starts()
    session.asks("From now on every log line is written in Danish. Say so in the readme.")
    session.answers("The readme says that every log line is written in Danish.")
    session.ends()
    knowing.host.work_off()
    texts = json.dumps(knowing("list_records", kind="", limit=50), default=str)
    assert RULE in texts
    assert "Danish" not in texts
