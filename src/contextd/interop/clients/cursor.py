"""Cursor: MCP servers, and rules per project."""

from __future__ import annotations

from contextd.interop.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.interop.clients.codec import JSONC
from contextd.interop.clients.entries import ServerEntry
from contextd.interop.clients.shapes import stdio_server
from contextd.interop.clients.texts import TOOLS, Block

_ALWAYS = "---\ndescription: What contextd knows of this project\nalwaysApply: true\n---\n\n"

CLIENT = Client(
    name="cursor",
    title="Cursor",
    transcripts="cursor",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcpServers", stdio_server),
                user=FilePlace(".cursor/mcp.json"),
                project=FilePlace(".cursor/mcp.json"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(TOOLS, _ALWAYS),
                project=FilePlace(".cursor/rules/contextd.mdc"),
            ),
        ),
    ),
    presence=Presence(programs=("cursor", "cursor-agent"), made=(FilePlace(".cursor"),)),
)
