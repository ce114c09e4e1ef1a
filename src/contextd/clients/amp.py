"""Amp: MCP servers in its settings, instructions in AGENTS.md."""

from __future__ import annotations

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import plain_server
from contextd.clients.text_files import TOOLS, Block

CLIENT = Client(
    name="amp",
    title="Amp",
    limits="it is not briefed by hooks: a rule asks its agent to call session_start, which gives the briefing",
    own_instructions=(FilePlace("amp/AGENTS.md", below=".config"),),
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "amp.mcpServers", plain_server),
                user=FilePlace("amp/settings.json", below=".config"),
                project=FilePlace(".amp/settings.json"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(TOOLS),
                user=FilePlace("amp/AGENTS.md", below=".config"),
                project=FilePlace("AGENTS.md"),
            ),
        ),
        variable="XDG_CONFIG_HOME",
        afterwards="With `--scope project` Amp asks for your approval first: `amp mcp approve contextd` in the project.",
    ),
    presence=Presence(programs=("amp",), made=(FilePlace("amp", below=".config"),)),
)
