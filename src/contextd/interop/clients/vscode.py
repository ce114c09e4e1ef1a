"""VS Code with GitHub Copilot: MCP servers, and instructions per project."""

from __future__ import annotations

from contextd.interop.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.interop.clients.codec import JSONC
from contextd.interop.clients.entries import ServerEntry
from contextd.interop.clients.shapes import stdio_server
from contextd.interop.clients.texts import TOOLS, Block

_FOLDER = {
    "darwin": "Library/Application Support/Code/User",
    "win32": "AppData/Roaming/Code/User",
}
_ALWAYS = "---\napplyTo: '**'\n---\n\n"

CLIENT = Client(
    name="vscode",
    title="VS Code (Copilot)",
    instructions=".github/copilot-instructions.md",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "servers", stdio_server),
                user=FilePlace(
                    "Code/User/mcp.json",
                    below=".config",
                    elsewhere={name: f"{folder}/mcp.json" for name, folder in _FOLDER.items()},
                ),
                project=FilePlace(".vscode/mcp.json"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(TOOLS, _ALWAYS),
                project=FilePlace(".github/instructions/contextd.instructions.md"),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(
        programs=("code",), made=(FilePlace("Code/User", below=".config", elsewhere=_FOLDER),)
    ),
)
