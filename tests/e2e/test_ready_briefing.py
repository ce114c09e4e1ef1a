"""A session begins with its briefing although no daemon runs, and the daemon learns what was told."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import Home, has_ended, temporary_home, wait_for

from contextd.thin.client import call
from contextd.thin.ready import ready_path

RULE = "Amounts of money are integers in cents, never floats"


@pytest.fixture(scope="module")
def shop() -> Iterator[Home]:
    """A home with a project about which something is known, and a neighbour about which more is."""
    with temporary_home() as home:
        home.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        for root, fact in ((home.project, RULE), (neighbour(home), "The oven is hot by five")):
            home.settle(root)
            call("remember", {"content": fact}, home=home.path, cwd=str(root))
        for root in (home.project, neighbour(home)):
            wait_for(ready_path(home.path, root.resolve()).exists, "a briefing lies ready")
        yield home


def neighbour(home: Home) -> Path:
    root = home.path / "bakery"
    root.mkdir(exist_ok=True)
    return root


@pytest.fixture
def after_a_reboot(shop: Home) -> Home:
    """No daemon runs."""
    while daemons := shop.daemons():
        for daemon in daemons:
            os.kill(daemon, signal.SIGKILL)
            wait_for(lambda daemon=daemon: has_ended(daemon), "it is dead")
    return shop


def starts(
    home: Home, session: str, cwd: Path, source: str = "startup", client: str = "claude-code"
) -> Any:
    event = {
        "hook_event_name": "SessionStart",
        "session_id": session,
        "source": source,
        "cwd": str(cwd),
    }
    return home.run("hook", "--client", client, stdin=json.dumps(event))


def told(done: Any) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


def test_the_briefing_is_there_at_once_and_the_session_knows_what_it_was_told(
    after_a_reboot: Home,
) -> None:
    home = after_a_reboot
    below = home.project / "src"
    below.mkdir(exist_ok=True)
    text = told(starts(home, "first", below))
    assert RULE in text
    assert "oven" not in text
    assert "{contextd" not in text
    # The hook of a plugin, beside that of the settings.
    assert starts(home, "first", below).stdout == ""
    rows = wait_for(
        lambda: call("list_sessions", home=home.path, cwd=str(home.project)).value["sessions"],
        "the daemon took the event in",
    )
    line = call(
        "session_timeline", {"session_id": rows[0]["id"]}, home=home.path, cwd=str(home.project)
    ).value
    assert RULE in [one["content"] for one in line["injected"]]
    # The same session is not briefed again with its first prompt.
    prompt = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "first",
        "prompt": "go on",
        "cwd": str(home.project),
    }
    assert RULE not in home.run("hook", "--client", "claude-code", stdin=json.dumps(prompt)).stdout


def test_a_running_daemon_gives_a_fresher_briefing_than_the_ready_file(
    after_a_reboot: Home,
) -> None:
    home = after_a_reboot
    home.start()
    assert "Last worked here" not in told(starts(home, "warm", neighbour(home)))


def test_a_session_that_goes_on_after_a_compaction_waits_for_its_own_words(
    after_a_reboot: Home,
) -> None:
    home = after_a_reboot
    done = starts(home, "first", home.project, source="compact")
    assert "Last worked here" not in done.stdout
