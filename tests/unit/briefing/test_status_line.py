"""The line below a client's prompt: asked for, light, and never in the way of a user's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contextd.briefing.prepared_briefings import write_ready
from contextd.clients.install import Launch, install, uninstall
from contextd.thin import ready
from contextd.thin.ready import check_of, ready_path
from contextd.thin.statusline import line_of
from support.clients import CodingClient
from support.repositories import SHOP, committed

OURS = {"type": "command", "command": "contextd statusline"}


def settings_of(home: Path) -> Path:
    return home / ".claude" / "settings.json"


def connect(home: Path, **options: Any) -> dict[str, Any]:
    install("claude-code", home, None, launch=Launch(["contextd"], **options))
    settings: dict[str, Any] = json.loads(settings_of(home).read_text())
    return settings


def test_it_is_there_for_those_who_ask_and_goes_without_a_trace(tmp_path: Path) -> None:
    before = '{\n    "model": "opus"  }\n'
    settings_of(tmp_path).parent.mkdir()
    settings_of(tmp_path).write_text(before)
    assert "statusLine" not in connect(tmp_path)
    assert connect(tmp_path, status_line=True)["statusLine"] == OURS
    assert connect(tmp_path)["statusLine"] == OURS
    uninstall("claude-code", tmp_path, None)
    assert settings_of(tmp_path).read_text() == before


def test_a_line_of_the_users_stays(tmp_path: Path) -> None:
    own = {"type": "command", "command": "~/bin/contextd-and-git-statusline"}
    settings_of(tmp_path).parent.mkdir()
    settings_of(tmp_path).write_text(json.dumps({"statusLine": own}))
    assert connect(tmp_path, status_line=True)["statusLine"] == own
    report = install("claude-code", tmp_path, None, launch=Launch(["contextd"], status_line=True))
    assert any(
        "kept your own status line" in change for file in report.files for change in file.changes
    )
    uninstall("claude-code", tmp_path, None)
    assert json.loads(settings_of(tmp_path).read_text()) == {"statusLine": own}


@pytest.mark.parametrize(
    ("figures", "line"),
    [
        ({}, ""),
        ({"project": "shop", "memories": 1}, "contextd: shop · 1 memory"),
        (
            {"project": "shop", "memories": 23, "rules": 4, "tokens": 612, "waits": 2},
            "contextd: shop · 23 memories · 4 rules · told 612 tokens · 2 in the inbox",
        ),
        ({"project": "a\x1b[2J", "memories": 1}, ""),
        ({"project": "shop", "memories": "many", "rules": None}, "contextd: shop · 0 memories"),
    ],
)
def test_it_says_what_there_is(figures: dict[str, Any], line: str) -> None:
    assert line_of(figures) == line


def test_it_counts_one_project_and_one_session(words_only: Any, tmp_path: Path) -> None:
    desk = words_only
    desk("save_context", content="Deploys go through the green pipeline on Mondays")
    client, other = CodingClient(desk, tmp_path), CodingClient(desk, tmp_path)
    told = client.starts()
    assert told
    figures = desk.on("cli")("status_line", session=client.session)
    assert (figures["memories"], figures["rules"], figures["waits"]) == (1, 0, 0)
    assert figures["tokens"] > 0
    assert desk.on("cli")("status_line", session=other.session)["tokens"] == 0
    assert desk.on("cli")("status_line", session=client.session, client="codex")["tokens"] == 0
    elsewhere = desk.at(committed(tmp_path / "elsewhere", {**SHOP, "elsewhere.txt": "x"})).on("cli")
    elsewhere("init")
    beside = elsewhere("status_line", session=client.session)
    assert (beside["memories"], beside["tokens"]) == (0, 0)
    assert desk.nowhere().on("cli")("status_line", session=client.session)["project"] == ""


def test_without_a_daemon_it_reads_what_lies_ready_and_starts_none(tmp_path: Path) -> None:
    home, shop, beside = tmp_path / "home", tmp_path / "shop", tmp_path / "bakery"
    for folder in (home / "ready", shop / "src", beside):
        folder.mkdir(parents=True)
    made = {
        "v": ready.VERSION,
        "root": str(shop),
        "made_at": datetime.now(UTC).isoformat(),
        "text": "briefing",
        "check": check_of("briefing"),
        "figures": {"project": "shop", "memories": 3, "rules": 1, "waits": 0},
    }
    ready_path(home, shop).write_text(json.dumps(made))

    def shown(folder: Path) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "contextd", "statusline"],
            input=json.dumps({"session_id": "s", "cwd": str(folder)}),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "CONTEXTD_HOME": str(home)},
        )
        return done.returncode, done.stdout, done.stderr

    assert shown(shop / "src") == (0, "contextd: shop · 3 memories · 1 rule\n", "")
    assert shown(beside) == (0, "", "")
    assert [path.name for path in home.iterdir()] == ["ready"]


def test_the_ready_file_has_the_figures_of_the_status_line(words_only: Any) -> None:
    desk = words_only
    desk("save_context", content="Prices are integers in cents")
    assert write_ready(desk.runtime()) >= 1
    made = json.loads(ready_path(desk.runtime().settings.home, desk.root).read_text())
    assert made["figures"]["memories"] == 1
