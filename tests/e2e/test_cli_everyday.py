"""The everyday verbs, typed fields and completion, with a real daemon behind them."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from homes import CONTEXTD, Home

SCHEMA = """types:
  incident:
    description: Something that broke
    fields:
      severity: {type: enum, values: [low, high], required: true}
      minutes: {type: number}
      resolved: {type: boolean}
      services: {type: "string[]"}
"""


class Shop(NamedTuple):
    """A project with a type of its own, beside another one, `mail`, of the same home."""

    home: Home
    project: Path
    mail: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the project."""
        return subprocess.run(
            [str(CONTEXTD), *words], cwd=self.project, env=self.home.environment,
            capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip


@pytest.fixture
def shop(shared_home: Home, tmp_path: Path) -> Shop:
    """A project and its neighbour that nobody has used yet. What makes them is their `.context/`, which their owner
    trusts.
    """
    roots = [tmp_path / f"{name}-{tmp_path.name}" for name in ("shop", "mail")]
    for root in roots:
        (root / ".context").mkdir(parents=True)
        (root / ".context" / "schema.yaml").write_text(SCHEMA)
        shared_home.trust(root)
    made = Shop(shared_home, *roots)
    # Somebody has been next door.
    Shop(shared_home, *reversed(roots)).run("remember", "Another project's note")
    return made


def value(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_note_is_remembered_searched_listed_logged_and_forgotten(shop: Shop) -> None:
    saved = shop.run(
        "remember", "Mail", "is", "queued,", "never", "sent", "--tags", "mail", "--json"
    )
    id = str(value(saved)["id"])[:8]
    assert "Mail is queued, never sent" in shop.run("search", "is", "mail", "queued").stdout
    assert id in shop.run("list", "context").stdout
    there = shop.run("list", "--project", shop.mail.name).stdout
    assert "Another project's note" in there
    assert id not in there
    assert f"{id}  Mail is queued, never sent" in shop.run("log").stdout
    assert "Mail is queued" not in shop.run("log", "--project", shop.mail.name).stdout
    assert shop.run("forget", id).returncode == 0
    assert id not in shop.run("list").stdout
    assert "deleted" in shop.run("log").stdout


def test_recall_without_a_memory_names_the_wider_search(shop: Shop) -> None:
    done = shop.run("recall", "mail queue")
    assert done.returncode == 0
    assert "`contextd search mail queue`" in done.stderr
    shop.run("remember", "Mail is queued, never sent")
    found = shop.run("recall", "mail queue")
    assert "Mail is queued, never sent" in found.stdout
    assert "contextd search" not in found.stderr


def test_the_log_has_sessions_and_records_latest_first(shop: Shop) -> None:
    shop.run("session-start", "--task-description", "repair the queue")
    shop.run("remember", "The queue holds a week")
    entries = value(shop.run("log", "--json"))["entries"]
    assert [entry["what"] for entry in entries] == ["context", "session"]
    assert entries[1]["text"] == "repair the queue"
    assert [entry["at"] for entry in entries] == sorted((e["at"] for e in entries), reverse=True)
    assert len(value(shop.run("log", "--limit", "1", "--json"))["entries"]) == 1


def test_fields_are_read_as_the_type_that_declares_them(shop: Shop) -> None:
    fields = "severity=high minutes=12 resolved=no services=mail,web services=db".split()
    saved = shop.run(
        "remember", "--kind", "incident", *(w for f in fields for w in ("--field", f)), "--json"
    )
    whole = value(shop.run("get-record", str(value(saved)["id"]), "--json"))
    kept = {
        name: whole["data"]["structuredData"][name] for name in ("severity", "minutes", "resolved")
    }
    assert kept == {"severity": "high", "minutes": 12, "resolved": False}
    assert whole["data"]["structuredData"]["services"] == ["mail", "web", "db"]
    found = shop.run("query-by-type", "incident", "--field", "severity=high", "--json")
    assert len(value(found)["entries"]) == 1
    assert (
        value(shop.run("query-by-type", "incident", "--field", "severity=low", "--json"))["entries"]
        == []
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("minutes=soon", "minutes must be a number, not 'soon'"),
        ("resolved=perhaps", "resolved must be true or false, not 'perhaps'"),
        ("severity=hihg", "must be one of low, high (did you mean 'high'?)"),
        ("severty=high", "incident has no field 'severty', did you mean 'severity'?"),
        ("severity", "'severity' is not name=value"),
    ],
)
def test_a_wrong_field_names_the_fields_and_what_they_take(
    shop: Shop, field: str, said: str
) -> None:
    done = shop.run("save-typed-context", "incident", "--field", field)
    assert done.returncode == 2
    assert said in done.stderr
    assert "severity (low|high, required), minutes (number)" in done.stderr
    assert shop.run("list").stdout.strip() == "nothing matches"


def test_one_field_of_a_record_is_changed_and_the_others_stay(shop: Shop) -> None:
    saved = shop.run(
        "remember", "--kind", "remediation", "--title", "Lock",
        "--field", "problem=a race", "--field", "solution=a lock", "--json",
    )  # fmt: skip
    id = str(value(saved)["id"])
    assert shop.run("edit-record", id, "--field", "verified=yes").returncode == 0
    data = value(shop.run("get-record", id, "--json"))["data"]
    assert (data["problem"], data["solution"], data["verified"]) == ("a race", "a lock", True)


def test_config_says_where_a_value_holds_and_where_it_comes_from(shop: Shop) -> None:
    everywhere = shop.home.path / "config.yaml"
    everywhere.write_text("briefing: {tokens: 700}\nprompt: {tokens: 80}\n")
    (shop.project / ".context" / "config.yaml").write_text("briefing: {tokens: 900}\n")
    try:
        rows = value(shop.run("config", "--json"))["settings"]
        there = value(shop.run("config", "--project", shop.mail.name, "--json"))["settings"]
    finally:
        everywhere.unlink()
    here, beside = ({row["name"]: row for row in of} for of in (rows, there))
    assert here["briefing.tokens"]["value"] == 900
    assert here["briefing.tokens"]["origin"].endswith(".context/config.yaml")
    assert here["prompt.tokens"]["value"] == beside["prompt.tokens"]["value"] == 80
    assert beside["briefing.tokens"]["value"] == 700


@pytest.mark.long
def test_a_shell_completes_names_only_the_daemon_knows(shop: Shop) -> None:
    saved = value(shop.run("remember", "The queue holds a week", "--json"))
    bash = shutil.which("bash")
    assert bash is not None

    def complete(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        script = (
            'eval "$(contextd completion bash)"; '
            f"COMP_WORDS=(contextd {line}); COMP_CWORD={len(words)}; "
            '_contextd_completion contextd; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        path = f"{CONTEXTD.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [bash, "--norc", "-c", script], cwd=shop.project, check=True, text=True,
            env={**shop.home.environment, "PATH": path}, capture_output=True, timeout=60,
        )  # fmt: skip
        return done.stdout.split()

    rows = value(shop.run("list-projects", "--json"))["projects"]
    projects = [row["slug"] for row in rows if row["slug"].startswith("mail")]
    assert projects
    assert complete("show", "--project", "mail") == projects
    assert complete("remember", "--kind", "inc") == ["incident"]
    assert complete("remember", "--kind", "incident", "--field", "s") == ["severity=", "services="]
    assert complete("query-by-type", "") == ["incident"]
    assert complete("forget", "") == [str(saved["id"])[:8]]
    assert complete("forg") == ["forget"]


def test_the_latest_lines_of_the_log_are_shown(shop: Shop) -> None:
    shop.home.start()
    lines = value(shop.run("daemon", "logs", "--lines", "2", "--json"))["lines"]
    assert lines == shop.home.log().splitlines()[-len(lines) :]
    assert len(lines) <= 2


def test_lines_fit_the_terminal_and_a_pipe_gets_them_whole(shop: Shop) -> None:
    sentence = " ".join(["The queue holds what the mail server did not take"] * 4)
    shop.run("remember", sentence)
    piped = shop.run("list").stdout
    ours, theirs = pty.openpty()
    subprocess.run(
        [str(CONTEXTD), "search", "mail queue"], cwd=shop.project, stdin=theirs, stdout=theirs,
        env={**shop.home.environment, "COLUMNS": "60", "NO_COLOR": "1"}, check=True, timeout=60,
    )  # fmt: skip
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        shown = terminal.read(1 << 16).decode()
    assert len(piped.splitlines()) == 1
    assert max(map(len, shown.splitlines())) <= 60
    assert " ".join(sentence.split()[:20]) in " ".join(shown.split())


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ["get-record", "\x7f"],
        ["list", "--cursor", "nonsense"],
        ["list", "--limit", "-1"],
        ["grep-codebase", "("],
        ["import", "/"],
        ["backup", "--path", "/dev/null/kept.db"],
        ["dashboard", "--nothing"],
        ["session-end", "--session-id", "zzzz"],
        ["call", "tool_call", "nope", "{}"],
        ["show", "--module", "nope"],
        ["search", "x", "--project", "nope"],
        ["remember", "x", "--kind", "nope"],
        ["daemon", "logs", "--lines", "x"],
        ["log", "--limit", "x"],
        ["restore", "/"],
    ],
    ids=" ".join,
)
def test_bad_input_is_an_error_with_a_way_out_and_no_traceback(
    shop: Shop, words: list[str]
) -> None:
    done = shop.run(*words)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "internal" not in done.stderr
    assert "hint: " in done.stderr


def test_the_home_of_nobody_is_not_made_by_asking_for_help(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    environment = {**os.environ, "CONTEXTD_HOME": str(missing)}
    subprocess.run([str(CONTEXTD), "--help"], env=environment, check=True, capture_output=True)
    assert not missing.exists()
