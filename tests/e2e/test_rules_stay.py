"""A rule is told at the start of every later session, whoever stated it: real hooks, a real daemon, a neighbour."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from homes import Home, temporary_home, wait_for

from contextd.thin.client import call
from support.stated_rules import FROM_AGENT, FROM_FILE, FROM_PERSON, record_rules

SESSIONS = int(os.environ.get("CONTEXTD_RULE_SESSIONS", "4"))
"""Ordinary sessions after the rules were stated; ten before a release."""

FROM_PROMPT = "From now on all money amounts must be stored in cents."
OF_THE_PROJECT = (FROM_PROMPT, FROM_AGENT, FROM_FILE)


class Window:
    """One session of Claude Code on a home: its hooks, and the transcript that grows meanwhile."""

    def __init__(self, home: Home, cwd: Path) -> None:
        self._home, self._cwd = home, cwd
        self.session = str(uuid.uuid4())
        self._transcript = home.path / f"{self.session}.jsonl"
        self._parent = ""

    def hook(self, event: str, **payload: Any) -> str:
        """What the agent is told at an event."""
        told = {
            "hook_event_name": event,
            "session_id": self.session,
            "transcript_path": str(self._transcript),
            "cwd": str(self._cwd),
            **payload,
        }
        done = self._home.run("hook", "--client", "claude-code", stdin=json.dumps(told))
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout or "{}")
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def works(self, prompt: str) -> str:
        """A whole session: what its agent is told at the start and with the prompt."""
        told = self.hook("SessionStart", source="startup")
        told += self.hook("UserPromptSubmit", prompt=prompt)
        self._writes("user", prompt)
        given = {"file_path": str(self._cwd / "a.py"), "old_string": "a", "new_string": "b"}
        use = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": given}
        self._writes("assistant", [use])
        self._writes("user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}])
        self._writes("assistant", [{"type": "text", "text": "It is done, in the file a.py."}])
        self.hook("Stop", stop_hook_active=True)
        self.hook("SessionEnd", reason="other")
        wait_for(lambda: self._is_learned(prompt), "the session was learned from", 120)
        return told

    def _is_learned(self, prompt: str) -> bool:
        found = call("list_sessions", home=self._home.path, cwd=str(self._cwd)).value["sessions"]
        return any(one["task"] == prompt and one["status"] == "completed" for one in found)

    def _writes(self, role: str, content: Any) -> None:
        unique = str(uuid.uuid4())
        line = {
            "type": role,
            "uuid": unique,
            "parentUuid": self._parent or None,
            "sessionId": self.session,
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "cwd": str(self._cwd),
            "entrypoint": "cli",
            "isSidechain": False,
            "message": {"role": role, "content": content},
        }
        self._parent = unique
        with self._transcript.open("a") as stream:
            stream.write(json.dumps(line) + "\n")


@pytest.fixture(scope="module")
def shop() -> Iterator[Home]:
    """A project with a rule of every sort, and a neighbour without one."""
    with temporary_home() as home:
        home.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        for root in (home.project, neighbour(home)):
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            home.settle(root)
        record_rules(home.project, lambda lines: home.run("mcp", stdin=lines))
        Window(home, home.project).works(f"{FROM_PROMPT} How do we deploy?")
        yield home


def neighbour(home: Home) -> Path:
    root = home.path / "bakery"
    root.mkdir(exist_ok=True)
    return root


def test_every_later_session_is_told_each_rule_once(shop: Home) -> None:
    told = [
        Window(shop, shop.project).works(f"Rename variable number {number} in a.py")
        for number in range(SESSIONS)
    ]
    counts = {rule: [text.count(rule) for text in told] for rule in (*OF_THE_PROJECT, FROM_PERSON)}
    assert counts == dict.fromkeys(counts, [1] * SESSIONS)
    assert all("How do we deploy" not in one for text in told for one in rules_in(text))
    for action in ("+ UPDATE ledger SET x = 1", "+ unverified_hook(event)"):
        assert "✗" in shop.run("policy-check", action).stdout


def test_the_neighbour_is_told_the_persons_rule_alone(shop: Home) -> None:
    told = Window(shop, neighbour(shop)).works("Rename the variable in a.py")
    assert told.count(FROM_PERSON) == 1
    assert [rule for rule in OF_THE_PROJECT if rule in told] == []


def rules_in(text: str) -> list[str]:
    """The lines under the heading of the rules."""
    return text.partition("## Always\n")[2].partition("\n\n")[0].splitlines()
