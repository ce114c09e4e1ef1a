"""`contextd statusline`: a line for a client's status line, from the running daemon or the prepared briefing.
It never starts a daemon, never fails, and prints nothing without data. Standard library only: the client runs
it repeatedly.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.thin import ready
from contextd.thin.channel import Channel, dial, preamble, working_directory
from contextd.thin.home import home_directory
from contextd.thin.plain_json import object_in, text_in

_SECONDS = 0.25
"""Time limit in total: Claude Code redraws its line three times a second at most, and drops a slow one."""

_CONNECT_SECONDS = 0.05
_LARGEST = 1 << 20
_CLIENT = "claude-code"


def main() -> int:
    """Print the line for the session on stdin. Always returns 0."""
    deadline = time.monotonic() + _SECONDS
    try:
        home = home_directory()
        payload = _told(deadline)
        cwd = _directory(payload)
        figures = _from_daemon(home, cwd, payload, deadline) or _from_file(home, cwd)
        line = line_of(figures)
    except Exception:  # noqa: BLE001  a line that fails would stand on the user's screen
        return 0
    if line:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return 0


def line_of(figures: Mapping[str, Any]) -> str:
    """The figures in a line; empty without a project."""
    project = figures.get("project")
    if not isinstance(project, str) or not project.isprintable() or not project:
        return ""
    memories, rules = _number(figures, "memories"), _number(figures, "rules")
    waits, tokens = _number(figures, "waits"), _number(figures, "tokens")
    parts = [f"contextd: {project}", _many(memories, "memory", "memories")]
    parts += [_many(rules, "rule", "rules")] if rules else []
    parts += [f"told {tokens} tokens"] if tokens else []
    parts += [f"{waits} in the inbox"] if waits else []
    return " · ".join(parts)


def _from_daemon(
    home: Path, cwd: str, payload: Mapping[str, Any], deadline: float
) -> Mapping[str, Any]:
    """The figures from a daemon that answers at once; empty without one."""
    try:
        connection = dial(home, _CONNECT_SECONDS)
        if connection is None:
            return {}
        with Channel(connection) as channel:
            channel.send(preamble(home, "call", cwd=cwd, client=_CLIENT))
            if "welcome" not in channel.receive(deadline - time.monotonic()):
                return {}
            asked = {"client_session": text_in(payload, "session_id"), "client": _CLIENT}
            channel.send({"id": 1, "operation": "status_line", "arguments": asked})
            answer = channel.receive(deadline - time.monotonic())
    except (OSError, ValueError):
        return {}
    value = answer.get("value")
    return value if isinstance(value, dict) and value.get("project") else {}


def _from_file(home: Path, cwd: str) -> Mapping[str, Any]:
    made = ready.find(home, cwd, datetime.now(UTC)) or {}
    figures = made.get("figures")
    return figures if isinstance(figures, dict) else {}


def _told(deadline: float) -> Mapping[str, Any]:
    """The client's data on the session; empty if it does not arrive in time."""
    pieces: list[bytes] = []
    while sum(map(len, pieces)) < _LARGEST:
        left = max(0.0, deadline - time.monotonic())
        if sys.platform != "win32" and not select.select([0], [], [], left)[0]:
            break
        piece = os.read(0, 1 << 16)
        if not piece:
            break
        pieces.append(piece)
    return object_in(b"".join(pieces)) or {}


def _directory(payload: Mapping[str, Any]) -> str:
    """The directory of the session's agent: the project it was opened in, if known."""
    workspace = payload.get("workspace")
    place = text_in(workspace, "project_dir") if isinstance(workspace, dict) else ""
    return place or text_in(payload, "cwd") or working_directory()


def _number(figures: Mapping[str, Any], name: str) -> int:
    value = figures.get(name)
    return value if isinstance(value, int) else 0


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
