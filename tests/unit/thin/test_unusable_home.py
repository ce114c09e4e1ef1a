"""A home that is read-only, unreadable or no folder: every client says so and what to do, and no event is lost."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contextd.thin.client import call
from contextd.thin.home import home_problem
from contextd.thin.messages import refusal
from contextd_common.errors import Unavailable


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in the place of which there is a file: root, too, can create nothing in it."""
    (tmp_path / "taken").write_text("a file")
    return tmp_path / "taken" / "home"


def run(home: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "contextd", *arguments],
        input=said,
        capture_output=True,
        text=True,
        check=False,
        cwd=home.parent.parent,
        env={**os.environ, "CONTEXTD_HOME": str(home), "TMPDIR": str(home.parent.parent)},
    )


@pytest.mark.parametrize(
    "number", [errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST]
)
def test_an_error_of_the_home_says_what_to_do(tmp_path: Path, number: int) -> None:
    lock = str(tmp_path / "daemon.lock")
    problem, advice = home_problem(tmp_path, OSError(number, os.strerror(number), lock))
    assert str(tmp_path) in problem
    assert os.strerror(number) in problem
    assert "CONTEXTD_HOME" in advice


@pytest.mark.parametrize(
    "error", [TimeoutError(), ConnectionRefusedError(errno.ECONNREFUSED, "no"), ValueError()]
)
def test_other_errors_are_no_problem_of_the_home(tmp_path: Path, error: Exception) -> None:
    assert home_problem(tmp_path, error) == ("", "")


def test_a_home_in_a_folder_that_cannot_be_created_is_named() -> None:
    problem, advice = home_problem("/proc/none", FileNotFoundError(errno.ENOENT, "", "/proc/none"))
    assert "/proc/none cannot be used" in problem
    assert "CONTEXTD_HOME" in advice


@pytest.mark.parametrize("place", ["/usr/bin/python", "/"])
def test_a_file_outside_the_home_is_no_problem_of_the_home(tmp_path: Path, place: str) -> None:
    assert home_problem(tmp_path, PermissionError(errno.EACCES, "no", place)) == ("", "")


def test_a_call_names_the_home_and_what_to_do(home: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be used") as failed:
        call("status", home=home)
    assert str(home) in failed.value.message
    assert "CONTEXTD_HOME" in failed.value.hint


@pytest.mark.parametrize(
    "command", ["list", "status", "search x", "doctor", "init", "daemon start"]
)
def test_a_command_names_the_home_and_what_to_do(home: Path, command: str) -> None:
    done = run(home, *command.split())
    assert done.returncode == 1
    assert f"the home {home} cannot be used" in done.stderr
    assert "CONTEXTD_HOME" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_a_hook_tells_the_user_and_keeps_the_event_elsewhere(home: Path, event: str) -> None:
    said = {"session_id": "s", "hook_event_name": event, "prompt": "Use tabs from now on."}
    done = run(home, "hook", "--client", "claude-code", event, said=json.dumps(said))
    assert done.returncode == 0
    assert "cannot be used" in json.loads(done.stdout)["systemMessage"]
    assert "event lost" not in done.stderr


def test_a_request_of_an_agent_is_refused_with_advice() -> None:
    error = json.loads(refusal(1, "the home cannot be used", "set CONTEXTD_HOME"))["error"]
    assert error["data"] == {
        "code": "unavailable", "message": "the home cannot be used", "hint": "set CONTEXTD_HOME",
    }  # fmt: skip
