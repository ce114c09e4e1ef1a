"""OpenCode: its hooks are modules in JavaScript. Ours is part of the npm package and names the events itself;
an installation registers the MCP server only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.interop.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.interop.clients.codec import JSONC
from contextd.interop.clients.entries import ServerEntry
from contextd.interop.clients.occurrence import Reading, as_context
from contextd.interop.clients.plugin_form import ModuleForm


def _server(line: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(line), "enabled": True}


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    own_instructions=(FilePlace("opencode/AGENTS.md", below=".config"),),
    transcripts="opencode",
    reading=Reading(
        moments={
            "SessionStart": "started",
            "UserPromptSubmit": "prompted",
            "Stop": "stopped",
            "PreCompact": "compacting",
            "SessionEnd": "ended",
        },
    ),
    answer=as_context,
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcp", _server),
                user=FilePlace(
                    "opencode/opencode.json", below=".config", others=("opencode/opencode.jsonc",)
                ),
                project=FilePlace("opencode.json", others=("opencode.jsonc",)),
            ),
        ),
        variable="XDG_CONFIG_HOME",
    ),
    plugin=ModuleForm(
        module="opencode.js",
        hooked=True,
        members={"main": "./npm/opencode.js", "exports": {".": "./npm/opencode.js"}},
        install=("opencode plugin -g contextd-plugin",),
    ),
    presence=Presence(programs=("opencode",), made=(FilePlace("opencode", below=".config"),)),
)
