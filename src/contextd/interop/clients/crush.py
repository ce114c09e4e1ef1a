"""Crush: MCP servers below `mcp`; it shows its agent what they say of themselves."""

from __future__ import annotations

from contextd.interop.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.interop.clients.codec import JSONC
from contextd.interop.clients.entries import ServerEntry
from contextd.interop.clients.shapes import stdio_server

CLIENT = Client(
    name="crush",
    title="Crush",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcp", stdio_server),
                user=FilePlace("crush/crush.json", below=".config"),
                project=FilePlace("crush.json", others=(".crush.json",)),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(programs=("crush",), made=(FilePlace("crush", below=".config"),)),
)
