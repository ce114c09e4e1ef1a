"""Windsurf: MCP servers per user, and rules."""

from __future__ import annotations

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import JSON
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import plain_server
from contextd.clients.text_files import TOOLS, Block

_ALWAYS = "---\ntrigger: always_on\n---\n\n"

CLIENT = Client(
    name="windsurf",
    title="Windsurf",
    limits="its hooks show its agent nothing: a rule asks it to call session_start, which gives the briefing",
    own_instructions=(FilePlace(".codeium/windsurf/memories/global_rules.md"),),
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSON, "mcpServers", plain_server),
                user=FilePlace(".codeium/windsurf/mcp_config.json"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(TOOLS),
                user=FilePlace(".codeium/windsurf/memories/global_rules.md"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(TOOLS, _ALWAYS),
                project=FilePlace(".windsurf/rules/contextd.md"),
            ),
        ),
    ),
    presence=Presence(programs=("windsurf",), made=(FilePlace(".codeium/windsurf"),)),
)
