"""Doctor says of each client on this machine whether it is connected, and when it was heard of."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS, detection
from contextd.clients.install import Launch, install
from support.clients import CodingClient
from support.desks import Desk

GIT = shutil.which("git")


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "somebody"
    folder.mkdir()
    for name in {row.configuration.variable for row in CLIENTS.values()} - {""}:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setattr(detection.shutil, "which", lambda name, **how: None)
    return folder


def clients(desk: Desk) -> dict[str, Any]:
    checks = desk.as_owner("doctor")["checks"]
    return {c["name"]: c for c in checks if c["name"].startswith("client ")}


def test_clients_that_are_not_there_are_not_spoken_of(person: Path, words_only: Desk) -> None:
    assert clients(words_only) == {}


def test_found_connected_seen_and_captured_are_told_apart(person: Path, words_only: Desk) -> None:
    (person / ".codex").mkdir()
    (person / ".claude").mkdir()
    (person / ".cursor").mkdir()
    (person / ".cursor" / "mcp.json").write_text("{ bad")
    install("claude-code", person, None, launch=Launch(["contextd"]))
    install("codex", person, None, launch=Launch(["contextd"]))
    told = clients(words_only)
    assert told["client claude-code"]["detail"] == "Claude Code: connected; not seen yet"
    assert told["client claude-code"]["ok"]
    assert not told["client codex"]["ok"]
    assert "/hooks" in told["client codex"]["detail"]
    assert not told["client cursor"]["ok"]
    assert "line 1" in told["client cursor"]["detail"]
    agent = CodingClient(words_only, person)
    agent.starts()
    told = clients(words_only)
    assert told["client claude-code"]["detail"].endswith("last seen just now; captured nothing yet")
    agent.asks("Where is the guard of the handler?")
    told = clients(words_only)
    assert told["client claude-code"]["detail"].endswith("captured last just now")
    assert "not seen yet" in told["client codex"]["detail"]


def test_a_client_that_was_never_connected_is_told_the_way(person: Path, words_only: Desk) -> None:
    (person / ".config" / "goose").mkdir(parents=True)
    told = clients(words_only)["client goose"]
    assert told["ok"]
    assert "contextd install goose" in told["detail"]


def test_doctor_names_the_limits_of_a_client_and_the_alternative(
    person: Path, words_only: Desk
) -> None:
    limited = [row for row in CLIENTS.values() if row.limits]
    assert {row.name for row in limited} >= {"codex", "cline", "continue", "claude-desktop"}
    (person / ".continue").mkdir()
    install("continue", person, None, launch=Launch(["contextd"]))
    detail = clients(words_only)["client continue"]["detail"]
    assert "runs no hooks" in detail
    assert "session_start" in detail


def test_one_source_says_whether_a_session_was_captured(person: Path, words_only: Desk) -> None:
    (person / ".claude").mkdir()
    install("claude-code", person, None, launch=Launch(["contextd"]))
    agent = CodingClient(words_only, person)
    agent.starts()
    agent.asks("Where is the guard of the handler?")
    checks = {check["name"]: check["detail"] for check in words_only.as_owner("doctor")["checks"]}
    assert checks["capture"] == "the only session so far was captured"
    assert checks["client claude-code"].endswith("captured last just now")


def program(folder: Path, name: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client on `PATH` that says this version."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    # Where a program is, is remembered for each value of `PATH`.
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    places = {name: str(path), "git": GIT}
    monkeypatch.setattr(detection.shutil, "which", lambda asked, **how: places.get(asked))


@pytest.mark.skipif(os.name == "nt", reason="a script for a POSIX shell")
def test_a_client_that_is_too_old_is_named_with_what_to_do(
    person: Path, words_only: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / ".gemini").mkdir()
    install("gemini-cli", person, None, launch=Launch(["contextd"]))
    program(person / "new", "gemini", "0.61.0", monkeypatch)
    assert clients(words_only)["client gemini-cli"]["ok"]
    program(person / "old", "gemini", "0.20.2", monkeypatch)
    told = clients(words_only)["client gemini-cli"]
    assert not told["ok"]
    assert "Gemini CLI 0.20.2 is too old" in told["detail"]
    assert "0.27.4 or later" in told["detail"]


@pytest.mark.skipif(os.name == "nt", reason="a script for a POSIX shell")
def test_entries_that_the_installed_version_does_not_understand_are_named(
    person: Path, words_only: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / ".claude").mkdir()
    install("claude-code", person, None, launch=Launch(["contextd"]))
    program(person / "bin", "claude", "2.0.50", monkeypatch)
    told = clients(words_only)["client claude-code"]
    assert not told["ok"]
    assert "version 2.0.50 knows no hook on PostToolUseFailure, PostCompact" in told["detail"]
    assert "`contextd install claude-code` updates it" in told["detail"]
    install("claude-code", person, None, launch=Launch(["contextd"], version="2.0.50"))
    assert clients(words_only)["client claude-code"]["ok"]
