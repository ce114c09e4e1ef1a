"""VS Code with GitHub Copilot: MCP servers, and instructions per project. It also runs the hooks of Copilot CLI
and of Claude Code, and passes their answers to its agent at the start of a session and of a sub-agent.
"""

from __future__ import annotations

from functools import partial

from contextd.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    Location,
    Presence,
    Versions,
)
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import stdio_server
from contextd.clients.hook_event import PayloadReader, in_hook_output
from contextd.clients.text_files import TOOLS, Block

_FOLDER = {
    "darwin": "Library/Application Support/Code/User",
    "win32": "AppData/Roaming/Code/User",
}
_ALWAYS = "---\napplyTo: '**'\n---\n\n"

CLIENT = Client(
    name="vscode",
    title="VS Code (Copilot)",
    limits="it runs the hooks of Copilot CLI and Claude Code: `contextd install copilot-cli` has its sessions briefed;"
    " it shows nothing at a prompt",
    # Beside its own spelling in the payload, which no other client uses, it has no sign of its own.
    fields=("hookEventName",),
    runs_hooks_of=("claude-code", "copilot-cli"),
    shown=frozenset({"started", "answered", "delegating"}),
    payloads=PayloadReader(
        moments={
            "SessionStart": "started",
            "UserPromptSubmit": "prompted",
            "PostToolUse": "answered",
            "Stop": "stopped",
            "SubagentStart": "delegating",
            "PreCompact": "compacting",
            "PreToolUse": None,
            "SubagentStop": None,
        },
        session=("session_id", "sessionId"),
        # The format of its transcripts is not a promise, and nothing reads it.
        transcript=(),
    ),
    answer=partial(
        in_hook_output,
        {"started": "SessionStart", "answered": "PostToolUse", "delegating": "SubagentStart"},
    ),
    instructions=".github/copilot-instructions.md",
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSONC, "servers", stdio_server),
                user=Location(
                    "Code/User/mcp.json",
                    below=".config",
                    elsewhere={name: f"{folder}/mcp.json" for name, folder in _FOLDER.items()},
                ),
                project=Location(".vscode/mcp.json"),
            ),
            ConfigFile(
                Block(TOOLS, _ALWAYS),
                project=Location(".github/instructions/contextd.instructions.md"),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    presence=Presence(
        programs=("code",), made=(Location("Code/User", below=".config", elsewhere=_FOLDER),)
    ),
    versions=Versions(minimum="1.102", needs="MCP servers in the user's `mcp.json`"),
)
