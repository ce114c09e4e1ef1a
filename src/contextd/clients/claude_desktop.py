"""Claude Desktop: MCP servers per user; it has no repository and reads no instructions."""

from __future__ import annotations

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import JSON
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import plain_server

_FOLDER = {"darwin": "Library/Application Support/Claude", "win32": "AppData/Roaming/Claude"}

CLIENT = Client(
    name="claude-desktop",
    title="Claude Desktop",
    limits="it starts in no project: its agent names one with the argument `project`",
    instructions="",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSON, "mcpServers", plain_server),
                user=FilePlace(
                    "Claude/claude_desktop_config.json",
                    below=".config",
                    elsewhere={
                        name: f"{folder}/claude_desktop_config.json"
                        for name, folder in _FOLDER.items()
                    },
                ),
            ),
        ),
        variable="XDG_CONFIG_HOME",
        afterwards="Claude Desktop starts servers outside of any repository: name the project in what you ask.",
    ),
    presence=Presence(made=(FilePlace("Claude", below=".config", elsewhere=_FOLDER),)),
)
