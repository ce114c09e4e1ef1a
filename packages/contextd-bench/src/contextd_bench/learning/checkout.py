"""The checkout that a replayed session works in: a clone at the session's time, or a stand-in."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from contextd_bench.learning.recordings import Recording, blocks_of, edits_of

_MESSAGE = re.compile(
    r"git commit\b.*?(?:<<\s*'?EOF'?\n(?P<here>.*?)\n\s*EOF|-m\s+\"(?!\$\()(?P<plain>[^\"]+)\")",
    re.DOTALL,
)


class ReplayedCheckout:
    """A repository in which recorded edits are repeated.

    `clone` is a repository to check out at a session's start. Without it files exist from their
    first edit on, and the agent's commits are repeated.
    """

    def __init__(self, root: Path, clone: Path | None = None) -> None:
        self.root, self._clone = root, clone
        if clone is not None:
            _git(root.parent, "clone", "-q", "--no-hardlinks", str(clone), str(root))
            self._branch = _git(root, "rev-parse", "HEAD").strip()
            return
        root.mkdir(parents=True)
        _git(root, "init", "-q", "-b", "main")

    def opens(self, at: datetime, name: str) -> None:
        """Make the first commit of a stand-in."""
        if self._clone is None:
            (self.root / "README.md").write_text(f"# {name}\n", "utf-8")
            self._commit("Begin", at)

    def begins(self, at: datetime) -> None:
        """Check out the commit of that time, if its history exists."""
        if self._clone is None:
            return
        found = _git(self.root, "rev-list", "-1", f"--before={at.isoformat()}", self._branch)
        if found.strip():
            _git(self.root, "checkout", "-q", "-f", found.strip())

    def follow(self, line: str, at: datetime) -> None:
        """Apply the edits of a transcript line to the files."""
        if '"tool_use"' not in line:
            return
        try:
            row = json.loads(line)
        except ValueError:
            return
        for path, given in edits_of(row):
            self._edit(Path(path), given, at.timestamp())
        for call in blocks_of(row, "tool_use"):
            asked = call.get("input")
            command = asked.get("command") if isinstance(asked, dict) else None
            match = _MESSAGE.search(command) if isinstance(command, str) else None
            if match and self._clone is None:
                self._commit((match["here"] or match["plain"]).strip(), at)

    def _edit(self, path: Path, tool_input: Mapping[str, Any], at: float) -> None:
        path = path if path.is_absolute() else self.root / path
        if not path.resolve().is_relative_to(self.root.resolve()) or ".git" in path.parts:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text("utf-8", "replace") if path.is_file() else ""
            path.write_text(_edited(text, tool_input), "utf-8")
            os.utime(path, (at, at))
        except OSError:
            return  # A file where a folder was recorded, as after a rename.

    def _commit(self, message: str, at: datetime) -> None:
        when = at.isoformat()
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        _git(self.root, "add", "-A")
        _git(self.root, "commit", "-q", "--allow-empty", "-m", message, **dates)


def mapped(one: Recording, root: Path, elsewhere: Iterable[str] = ()) -> Recording:
    """The recording as if its agent had worked in `root`: every directory it worked in becomes that."""
    places = {*elsewhere}
    for line in one.lines:
        match = re.search(r'"cwd":\s*"((?:[^"\\]|\\.)*)"', line)
        if match:
            places.add(match[1])
    here = json.dumps(str(root))[1:-1]

    def there(text: str) -> str:
        for place in sorted(places, key=len, reverse=True):
            text = text.replace(place, here)
        return text

    one.lines = [there(line) for line in one.lines]
    for each in one.exchanges:
        each.prompt = there(each.prompt)
        each.answers = [there(answer) for answer in each.answers]
        each.edited = {there(path.replace("\\", "\\\\")) for path in each.edited}
    return one


def _edited(text: str, tool_input: Mapping[str, Any]) -> str:
    if isinstance(tool_input.get("content"), str):
        return str(tool_input["content"])
    changes = tool_input.get("edits") if isinstance(tool_input.get("edits"), list) else [tool_input]
    for change in changes or []:
        old, new = str(change.get("old_string") or ""), str(change.get("new_string") or "")
        text = text.replace(old, new, 1) if old and old in text else f"{text}{new}\n"
    return text


def _git(root: Path, *arguments: str, **more: str) -> str:
    env = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "Replay", "GIT_AUTHOR_EMAIL": "replay@example.invalid",
        "GIT_COMMITTER_NAME": "Replay", "GIT_COMMITTER_EMAIL": "replay@example.invalid",
        **more,
    }  # fmt: skip
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    return done.stdout
