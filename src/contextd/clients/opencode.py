"""OpenCode: its hooks are JavaScript modules that name their events. An installation writes ours to OpenCode's
plugin folder; it is part of the npm package as well.
"""

from __future__ import annotations

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
from contextd.clients.hook_event import PayloadReader, as_context
from contextd.clients.module_file import module_file
from contextd.clients.plugin_form import ModuleForm

_PAYLOADS = PayloadReader(
    moments={
        "SessionStart": "started",
        "UserPromptSubmit": "prompted",
        "Stop": "stopped",
        "PreCompact": "compacting",
        "PostCompact": "compacted",
        "SessionEnd": "ended",
    },
)

CLIENT = Client(
    name="opencode",
    title="OpenCode",
    own_instructions=(Location("opencode/AGENTS.md", below=".config"),),
    transcripts="opencode",
    payloads=_PAYLOADS,
    answer=as_context,
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(
                    JSONC,
                    "mcp",
                    lambda line: {"type": "local", "command": list(line), "enabled": True},
                ),
                user=Location(
                    "opencode/opencode.json", below=".config", others=("opencode/opencode.jsonc",)
                ),
                project=Location("opencode.json", others=("opencode.jsonc",)),
            ),
            ConfigFile(
                module_file("opencode", "npm/opencode.js", _PAYLOADS),
                # Version 1.0.61 does not start while there is a folder `plugins`.
                user=Location("opencode/plugin/contextd.js", below=".config"),
                project=Location(".opencode/plugin/contextd.js"),
                moved={
                    "user": Location("opencode/plugins/contextd.js", below=".config"),
                    "project": Location(".opencode/plugins/contextd.js"),
                },
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
    presence=Presence(programs=("opencode",), made=(Location("opencode", below=".config"),)),
    versions=Versions(
        minimum="1.1.16",
        needs="a plugin that can show its agent the briefing",
        tried=("1.1.16", "1.18.33"),
        update="run `opencode upgrade`",
    ),
)
