"""Continue: a list of MCP servers, and rules; it does not pass servers' instructions to its agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import YAML
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import stdio_server
from contextd.clients.text_files import BARE_TOOLS, Block


def _server(line: Sequence[str]) -> dict[str, Any]:
    return {"name": "contextd", **stdio_server(line)}


_RULE = Block(BARE_TOOLS, "---\nname: contextd\nalwaysApply: true\n---\n\n")

CLIENT = Client(
    name="continue",
    title="Continue",
    limits="`cn -p` runs no hooks: a rule asks its agent to call session_start, which gives the briefing",
    instructions=".continue/rules",
    own_instructions=(FilePlace(".continue/rules"),),
    bare=True,
    transcripts="continue",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(YAML, "mcpServers", _server, listed=True),
                user=FilePlace(".continue/config.yaml"),
            ),
            ConfigFile(
                holds="instructions",
                part=_RULE,
                user=FilePlace(".continue/rules/contextd.md"),
                project=FilePlace(".continue/rules/contextd.md"),
            ),
        ),
    ),
    presence=Presence(programs=("cn",), made=(FilePlace(".continue"),)),
)
