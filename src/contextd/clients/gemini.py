"""Gemini CLI: its own event names, and no event when the user merely types."""

from __future__ import annotations

from functools import partial

from contextd.clients.client import (
    BRIEFED,
    Client,
    ConfigFile,
    Configuration,
    Location,
    Presence,
    Versions,
    hook_events,
)
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import HookEntries, ServerEntry
from contextd.clients.config_shapes import plain_server, shell_hook_in_ms
from contextd.clients.folder_trust import GEMINI
from contextd.clients.hook_event import PayloadReader, in_hook_output
from contextd.clients.plugin_form import PluginForm

_EVENTS = hook_events("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd", matcher="*")

_USER, _PROJECT = Location(".gemini/settings.json"), Location(".gemini/settings.json")

CLIENT = Client(
    name="gemini-cli",
    title="Gemini CLI",
    folder_trust=GEMINI,
    names=("gemini",),
    marks=("GEMINI_SESSION_ID", "GEMINI_CLI"),
    instructions="GEMINI.md",
    own_instructions=(Location(".gemini/GEMINI.md"),),
    transcripts="gemini-cli",
    payloads=PayloadReader(
        moments={
            "SessionStart": "started",
            "BeforeAgent": "prompted",
            # Fires before every turn, compacted or not.
            "PreCompress": None,
            "SessionEnd": "ended",
            "AfterAgent": "stopped",
            "AfterModel": None,
            "AfterTool": "answered",
            "BeforeModel": None,
            "BeforeTool": None,
            "BeforeToolSelection": None,
            "Notification": None,
        },
        answer=("prompt_response",),
        output=("tool_response.error", "tool_response.returnDisplay"),
    ),
    answer=partial(
        in_hook_output,
        {"started": "SessionStart", "prompted": "BeforeAgent", "answered": "AfterTool"},
    ),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSONC, "mcpServers", plain_server),
                user=_USER,
                project=_PROJECT,
            ),
            ConfigFile(
                HookEntries(JSONC, "hooks", shell_hook_in_ms, events=_EVENTS),
                user=_USER,
                project=_PROJECT,
            ),
        ),
        variable="GEMINI_CLI_HOME",
    ),
    plugin=PluginForm(
        manifest="gemini-extension.json",
        root="${extensionPath}",
        pasted=True,
        hooks="hooks/hooks.json",
        install=("gemini extensions install SOURCE",),
    ),
    presence=Presence(programs=("gemini",), made=(Location(".gemini/settings.json"),)),
    versions=Versions(
        minimum="0.27.4",
        needs=BRIEFED,
        tried=("0.27.4", "0.61.0"),
        update="run `npm install -g @google/gemini-cli`, or update it as you installed it",
    ),
)
