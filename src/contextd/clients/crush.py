"""Crush: MCP servers below `mcp`; it passes their instructions to its agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import stdio_server


def _server(line: Sequence[str]) -> dict[str, Any]:
    # Its own limit of ten seconds is short for a daemon that starts on a busy machine.
    return {**stdio_server(line), "timeout": 60}


CLIENT = Client(
    name="crush",
    title="Crush",
    limits="its one hook comes before tools: the server's instructions ask its agent to call session_start, which"
    " gives the briefing",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcp", _server),
                user=FilePlace("crush/crush.json", below=".config"),
                project=FilePlace("crush.json", others=(".crush.json",)),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(programs=("crush",), made=(FilePlace("crush", below=".config"),)),
)
