"""OpenCode: its hooks are plugins in JavaScript, so only the MCP server is registered here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.interop.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.interop.clients.codec import JSONC
from contextd.interop.clients.entries import ServerEntry


def _server(line: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(line), "enabled": True}


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    transcripts="opencode",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcp", _server),
                user=FilePlace(
                    "opencode/opencode.json", below=".config", others=("opencode/opencode.jsonc",)
                ),
                project=FilePlace("opencode.json", others=("opencode.jsonc",)),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(programs=("opencode",), made=(FilePlace("opencode", below=".config"),)),
)
