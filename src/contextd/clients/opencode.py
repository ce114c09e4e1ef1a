"""OpenCode: its hooks are JavaScript modules that name their events. An installation writes ours to OpenCode's
plugin folder; it is part of the npm package as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.clients.client import Client, ConfigFile, Configuration, FilePlace, Presence
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ServerEntry
from contextd.clients.hook_event import Reading, as_context
from contextd.clients.module_file import module_file
from contextd.clients.plugin_form import ModuleForm


def _server(line: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(line), "enabled": True}


_READING = Reading(
    moments={
        "SessionStart": "started",
        "UserPromptSubmit": "prompted",
        "Stop": "stopped",
        "PreCompact": "compacting",
        "SessionEnd": "ended",
    },
)

CLIENT = Client(
    name="opencode",
    title="OpenCode",
    own_instructions=(FilePlace("opencode/AGENTS.md", below=".config"),),
    transcripts="opencode",
    reading=_READING,
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
            ConfigFile(
                holds="hooks",
                part=module_file("opencode", "npm/opencode.js", _READING),
                user=FilePlace("opencode/plugins/contextd.js", below=".config"),
                project=FilePlace(".opencode/plugins/contextd.js"),
            ),
        ),
        variable="XDG_CONFIG_HOME",
        afterwards="With a plugin OpenCode fetches its plugin library from npm once; "
        "until it has it, each start without a network takes a minute and a half.",
    ),
    plugin=ModuleForm(
        module="opencode.js",
        hooked=True,
        members={"main": "./npm/opencode.js", "exports": {".": "./npm/opencode.js"}},
        install=("opencode plugin -g contextd-plugin",),
    ),
    presence=Presence(programs=("opencode",), made=(FilePlace("opencode", below=".config"),)),
)
