"""The supported coding clients, one row each: their configuration, hooks, tools and plugins.

Uses: contextd_code, contextd_common, domain, files, thin.
Start at: `CLIENTS` below, `client.py`, `install.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from contextd.clients import (
    claude_code,
    cline,
    codex,
    copilot,
    cursor,
    gemini,
    opencode,
    qwen,
    vscode,
    without_hooks,
)
from contextd.clients.client import Client
from contextd_common.errors import NotFound, nearest

CLIENTS: dict[str, Client] = {
    row.name: row
    for row in (
        claude_code.CLIENT,
        codex.CLIENT,
        gemini.CLIENT,
        qwen.CLIENT,
        opencode.CLIENT,
        copilot.CLIENT,
        vscode.CLIENT,
        cline.CLIENT,
        without_hooks.CONTINUE,
        cursor.CLIENT,
        without_hooks.WINDSURF,
        without_hooks.ZED,
        without_hooks.CLAUDE_DESKTOP,
        without_hooks.CRUSH,
        without_hooks.GOOSE,
        without_hooks.AMP,
        without_hooks.AIDER,
    )
}
"""Every client by name."""


def client_named(name: str) -> Client:
    """Return the client with this name. Raises `NotFound` with the nearest one."""
    found = _by_name().get(name)
    if found is None:
        known = "known clients: " + ", ".join(CLIENTS)
        raise NotFound(f"no client {name!r}", nearest(name, list(CLIENTS)) or known)
    return found


def client_running(named: str, marks: Iterable[str], payload: Mapping[str, Any]) -> Client:
    """Return the client that runs a hook. Several clients also run hooks written for another one, so the
    environment outranks the name in the command. Raises as `client_named`.
    """
    present = frozenset(marks)
    stated = _by_name().get(named, claude_code.CLIENT)
    # A fork of another client sets that one's variables as well, and is listed after it.
    for client in reversed(CLIENTS.values()):
        if stated.name in client.runs_hooks_of and client.runs(present, payload):
            return client
    return client_named(named or claude_code.CLIENT.name)


def _by_name() -> dict[str, Client]:
    return {name: row for row in CLIENTS.values() for name in (row.name, *row.names)}
