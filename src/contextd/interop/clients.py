"""The coding clients contextd knows, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from contextd.domain.errors import NotFound, nearest

Reach = Literal["user", "project"]
"""Whether an installation serves every project of a user or one repository."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A moment a client tells contextd about.

    `timeout` is in seconds: how long the client waits before it goes on without an answer. An empty
    `matcher` takes every occurrence.
    """

    name: str
    timeout: int
    matcher: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Everything needed to connect one coding client.

    `servers` and `hooks` say which JSON file holds them for a user (below the home, or below
    the client's own configuration directory when one is chosen) and for a project (below its root);
    `servers_key` and `hooks_key` name the member of the file. `entry` is the shape of an MCP server
    and `handler` that of a hook, both from a command line. `variable` is the environment variable
    that chooses the configuration directory, and `instructions` the file of a repository the client
    reads for standing instructions.
    """

    name: str
    title: str
    servers: Mapping[Reach, str]
    servers_key: str
    entry: Callable[[Sequence[str]], dict[str, Any]]
    hooks: Mapping[Reach, str]
    hooks_key: str
    handler: Callable[[Sequence[str], HookEvent], dict[str, Any]]
    events: tuple[HookEvent, ...]
    instructions: str
    directory: str
    variable: str

    def servers_file(self, home: Path, root: Path | None, config: Path | None) -> Path:
        """The file with the MCP servers: of the project when `root` is given."""
        if root is not None:
            return root / self.servers["project"]
        return (config or home) / self.servers["user"]

    def hooks_file(self, home: Path, root: Path | None, config: Path | None) -> Path:
        """The file with the hooks: of the project when `root` is given."""
        if root is not None:
            return root / self.hooks["project"]
        return (config or home / self.directory) / self.hooks["user"]


def _stdio_entry(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", "command": command[0], "args": list(command[1:])}


def _command_handler(command: Sequence[str], event: HookEvent) -> dict[str, Any]:
    # With `args` the client starts the program itself; without, a shell would split a path with
    # spaces in it.
    return {
        "type": "command",
        "command": command[0],
        "args": list(command[1:]),
        "timeout": event.timeout,
    }


CLIENTS: dict[str, Client] = {
    row.name: row
    for row in (
        Client(
            name="claude-code",
            title="Claude Code",
            servers={"user": ".claude.json", "project": ".mcp.json"},
            servers_key="mcpServers",
            entry=_stdio_entry,
            hooks={"user": "settings.json", "project": ".claude/settings.json"},
            hooks_key="hooks",
            handler=_command_handler,
            events=(
                HookEvent("SessionStart", timeout=5),
                HookEvent("UserPromptSubmit", timeout=2),
                HookEvent("PreCompact", timeout=5),
                HookEvent("SessionEnd", timeout=5),
            ),
            instructions="CLAUDE.md",
            directory=".claude",
            variable="CLAUDE_CONFIG_DIR",
        ),
    )
}
"""Every client by name. The installer, the docs and the tests read this table."""


def client_named(name: str) -> Client:
    """The client called `name`. Raises `NotFound` with the nearest one."""
    if name not in CLIENTS:
        known = "known clients: " + ", ".join(CLIENTS)
        raise NotFound(f"no client {name!r}", nearest(name, list(CLIENTS)) or known)
    return CLIENTS[name]
