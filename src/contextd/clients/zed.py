"""Zed: MCP servers are its context servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import plain_server
from contextd.clients.text_files import TOOLS, Block


def _server(line: Sequence[str]) -> dict[str, Any]:
    return {"source": "custom", **plain_server(line), "env": {}}


CLIENT = Client(
    name="zed",
    title="Zed",
    limits="it runs no hooks: `contextd install zed --scope project` adds a rule that asks its agent to call"
    " session_start, which gives the briefing",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "context_servers", _server),
                user=FilePlace(
                    "zed/settings.json",
                    below=".config",
                    elsewhere={"win32": "AppData/Roaming/Zed/settings.json"},
                ),
                project=FilePlace(".zed/settings.json"),
            ),
            ConfigFile(holds="instructions", part=Block(TOOLS), project=FilePlace("AGENTS.md")),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(
        programs=("zed", "zeditor"),
        made=(FilePlace("zed", below=".config", elsewhere={"win32": "AppData/Roaming/Zed"}),),
    ),
)
