"""Goose: MCP servers are its extensions, per user; it passes their instructions to its agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import YAML
from contextd.clients.config_entries import ServerEntry


def _server(line: Sequence[str]) -> dict[str, Any]:
    return {
        "enabled": True,
        "type": "stdio",
        "name": "contextd",
        "description": "What earlier sessions learned of this project",
        "cmd": line[0],
        "args": list(line[1:]),
        "timeout": 300,
    }


CLIENT = Client(
    name="goose",
    title="Goose",
    limits="its hooks show its agent nothing: the server's instructions ask it to call session_start, which gives the"
    " briefing",
    own_instructions=(FilePlace("goose/.goosehints", below=".config"),),
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(YAML, "extensions", _server),
                user=FilePlace(
                    "goose/config.yaml",
                    below=".config",
                    elsewhere={"win32": "AppData/Roaming/Block/goose/config/config.yaml"},
                ),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(
        programs=("goose",),
        made=(
            FilePlace("goose", below=".config", elsewhere={"win32": "AppData/Roaming/Block/goose"}),
        ),
    ),
)
