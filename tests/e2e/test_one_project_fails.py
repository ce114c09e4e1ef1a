"""A repository in which git does not answer holds up its own events alone, and leaves no process behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import Home, has_ended, temporary_home, wait_for

from contextd.thin import spool
from contextd.thin.client import call, control
from contextd_common.errors import Unavailable
from support.repositories import committed, git


class Pair:
    """A home with a project whose git hangs, and one beside it."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.home = home
        self.broken, self.sound = (
            # Of different content: the same first commit would be the same project.
            committed(folder / name, {"src/a.py": f"def {name}():\n    return 1\n"})
            for name in ("one", "two")
        )
        for root in (self.broken, self.sound):
            home.project = root
            home.settle()
            self.hook(root, "SessionStart", source="startup")

    def hook(self, root: Path, event: str, **more: str) -> Any:
        """Run a hook of an agent in a project."""
        payload = {"session_id": f"in {root.name}", "hook_event_name": event, "cwd": str(root)}
        return self.home.run(
            "hook", "--client", "claude-code", stdin=json.dumps({**payload, **more})
        )

    def prompt(self, root: Path, *prompts: str) -> None:
        for prompt in prompts:
            self.hook(root, "UserPromptSubmit", prompt=prompt)

    def prompts(self, root: Path) -> list[str]:
        """The prompts that are stored of a project, in order."""
        asked = {"home": self.home.path, "cwd": str(root)}
        [session] = call("list_sessions", **asked).value["sessions"]
        shown = call("session_timeline", {"session_id": session["id"]}, **asked).value["moments"]
        return [one["text"] for one in shown if one["role"] == "user"]

    @property
    def loose(self) -> Path:
        """The object of the broken repository's head."""
        head = git(self.broken, "rev-parse", "HEAD")
        return self.broken / ".git" / "objects" / head[:2] / head[2:]

    def damage(self) -> None:
        """Replace the head's object by a pipe, and let a new daemon find it."""
        self.loose.rename(self.broken / "kept")
        os.mkfifo(self.loose)
        self.home.run("daemon", "stop")

    def mend(self) -> None:
        (self.broken / "kept").replace(self.loose)

    def hang(self) -> None:
        """Have every git of a new daemon hang in the broken repository, without a pipe that could be found."""
        self.home.run("daemon", "stop")
        program = self.home.path / "bin" / "git"
        program.parent.mkdir()
        hangs = (
            f'case "$*$GIT_DIR" in *--list*) ;; *{self.broken / ".git"}) exec sleep 1000 ;; esac'
        )
        program.write_text(f'#!/bin/sh\n{hangs}\nexec {shutil.which("git")} "$@"\n')
        program.chmod(0o755)
        self.home.environment["PATH"] = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def programs(self) -> list[int]:
        """The processes that work in the broken repository."""
        found = []
        for process in Path("/proc").iterdir():
            try:
                if process.name.isdigit() and (process / "cwd").readlink() == self.broken:
                    found.append(int(process.name))
            except OSError:
                continue
        return found


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with temporary_home() as home:
        home.environment["CONTEXTD_EMBEDDER_NAME"] = "none"
        # Hooks give up soon, as they do.
        home.environment["CONTEXTD_HOOKS_DEADLINE_MS"] = "1000"
        yield Pair(home, tmp_path)


@pytest.mark.skipif("sys.platform != 'linux'", reason="looks into /proc")
def test_the_events_of_a_broken_repository_wait_and_no_others(pair: Pair) -> None:
    pair.damage()
    spool.leave(pair.home.path, _spooled(pair.broken, "first of one"))
    spool.leave(pair.home.path, _spooled(pair.sound, "first of two"))
    pair.home.start()
    wait_for(lambda: pair.prompts(pair.sound) == ["first of two"], "it is stored", 30)

    pair.prompt(pair.broken, "second of one")
    pair.prompt(pair.sound, "second of two")
    both = ["first of two", "second of two"]
    wait_for(lambda: pair.prompts(pair.sound) == both, "the other's prompts are stored", 30)

    place, cause = str(pair.broken), f"{pair.loose} is not an ordinary file"
    told = wait_for(lambda: _told(pair, "2 events wait"), "both events are set aside")
    for said in told:
        assert place in said
        assert cause in said
    assert "✗ spool" in pair.home.run("doctor").stdout

    # Also after a restart, and also if it is killed.
    os.kill(pair.home.start(), signal.SIGKILL)
    wait_for(lambda: not pair.home.daemons(), "the daemon is dead")
    pair.home.start()
    wait_for(lambda: _told(pair, "2 events wait"), "both events are still set aside")

    pair.mend()
    pair.prompt(pair.broken, "third of one")
    wanted = ["first of one", "second of one", "third of one"]
    wait_for(lambda: pair.prompts(pair.broken) == wanted, "all are stored, in order")
    assert control("status", home=pair.home.path)["set_aside"] == []
    assert "✓ spool" in pair.home.run("doctor").stdout


def _spooled(root: Path, prompt: str) -> dict[str, Any]:
    payload = {
        "session_id": f"in {root.name}",
        "hook_event_name": "UserPromptSubmit",
        "cwd": str(root),
        "prompt": prompt,
    }
    at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    event = {"event": "UserPromptSubmit", "client": "claude-code", "payload": payload}
    return {"at": at, "cwd": str(root), **event}


def _told(pair: Pair, words: str) -> list[str]:
    """What doctor, status and the daemon say; empty until each of them says these words."""
    said = []
    # In the sound project, in the broken one, and in none.
    for place in (pair.sound, pair.broken, pair.home.path):
        pair.home.project = place
        said += [pair.home.run(*one).stdout for one in (("doctor",), ("status",))]
    said.append(pair.home.run("daemon", "status").stdout)
    return said if all(words in one for one in said) else []


@pytest.mark.skipif("sys.platform != 'linux'", reason="looks into /proc")
@pytest.mark.parametrize("end", ["stop", "SIGTERM", "SIGKILL"])
def test_no_git_outlives_a_daemon_that_waits_for_it(pair: Pair, end: str) -> None:
    pair.hang()
    daemon = pair.home.start()
    spool.leave(pair.home.path, _spooled(pair.broken, "first of one"))
    pair.hook(pair.sound, "UserPromptSubmit", prompt="first of two")
    wait_for(pair.programs, "git hangs")

    if end == "stop":
        pair.home.run("daemon", "stop")
    else:
        os.kill(daemon, getattr(signal, end))
    wait_for(lambda: has_ended(daemon), "the daemon has ended")

    wait_for(lambda: not pair.programs(), "git has ended")


@pytest.mark.skipif("sys.platform == 'win32'", reason="needs a pipe")
def test_a_call_in_a_broken_repository_says_what_is_wrong(pair: Pair) -> None:
    pair.damage()
    with pytest.raises(Unavailable, match="is not an ordinary file"):
        call("briefing_get", home=pair.home.path, cwd=str(pair.broken))
    pair.mend()
    assert call("briefing_get", home=pair.home.path, cwd=str(pair.broken)).text
