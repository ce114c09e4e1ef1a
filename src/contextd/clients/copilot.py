"""GitHub Copilot CLI: the case of an event's name in the configuration selects that of its payload."""

from __future__ import annotations

import json
from typing import Any

from contextd.clients.client import (
    BRIEFED,
    Calling,
    Client,
    ConfigFile,
    Configuration,
    Location,
    Presence,
    Versions,
    hook_events,
)
from contextd.clients.codec import JSON
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import in_a_shell, plain_server
from contextd.clients.folder_trust import COPILOT
from contextd.clients.hook_event import PayloadReader
from contextd.clients.plugin_form import PLUGIN, PluginForm
from contextd.clients.text_files import OwnFile

_EVENTS = hook_events(
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUseFailure",
    "Stop",
    "SubagentStart",
    "PreCompact",
    "SessionEnd",
)


def _hooks(calling: Calling) -> str:
    """Our own hook file: the client reads every file of the folder."""
    lines = {
        "bash": calling.line or in_a_shell(calling.hook),
        "powershell": calling.line or in_a_shell(calling.hook, "powershell"),
    }
    hooks = {
        event.name: [{"type": "command", **lines, "timeoutSec": event.timeout}] for event in _EVENTS
    }
    return json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


def _others(text: str) -> str:
    """Other entries that the user added to that file."""
    for event, handlers in _listed(text).items():
        for number in reversed(range(len(handlers))):
            one = handlers[number]
            if isinstance(one, dict) and _KNOWN_BY in str(one.get("bash")):
                text = JSON.remove(text, ("hooks", event, number))
    return text if any(_listed(text).values()) else ""


def _listed(text: str) -> dict[str, list[Any]]:
    document = JSON.read(text)
    hooks = document.get("hooks") if isinstance(document, dict) else None
    listed = hooks.items() if isinstance(hooks, dict) else ()
    return {event: handlers for event, handlers in listed if isinstance(handlers, list)}


_KNOWN_BY = " hook --client copilot-cli"

CLIENT = Client(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    folder_trust=COPILOT,
    own_instructions=(Location("copilot-instructions.md", below=".copilot"),),
    names=("copilot",),
    marks=("COPILOT_CLI",),
    fields=("sessionId",),
    transcripts="copilot-cli",
    payloads=PayloadReader(
        moments={
            "SessionStart": "started",
            "sessionStart": "started",
            "UserPromptSubmit": "prompted",
            "userPromptSubmitted": "prompted",
            "PreCompact": "compacting",
            "preCompact": "compacting",
            "SessionEnd": "ended",
            "sessionEnd": "ended",
            "Notification": None,
            "notification": None,
            "PermissionRequest": None,
            "permissionRequest": None,
            "PostToolUse": "answered",
            "postToolUse": "answered",
            "PostToolUseFailure": "failed",
            "postToolUseFailure": "failed",
            "PreToolUse": None,
            "preToolUse": None,
            "Stop": "stopped",
            "agentStop": "stopped",
            "SubagentStart": "delegating",
            "subagentStart": "delegating",
            "SubagentStop": None,
            "subagentStop": None,
            "userPromptTransformed": None,
            "errorOccurred": None,
        },
        session=("session_id", "sessionId"),
        transcript=("transcript_path", "transcriptPath"),
        output=("error", "tool_result.text_result_for_llm", "toolResult.textResultForLlm"),
    ),
    answer=lambda moment, text: {"additionalContext": text},
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(
                    JSON,
                    "mcpServers",
                    lambda line: {"type": "local", **plain_server(line), "tools": ["*"]},
                ),
                user=Location("mcp-config.json", below=".copilot"),
                project=Location(".github/mcp.json"),
            ),
            ConfigFile(
                OwnFile(_hooks, _KNOWN_BY, "its hooks", _others, events=_EVENTS),
                user=Location("hooks/contextd.json", below=".copilot"),
                project=Location(".github/hooks/contextd.json"),
            ),
        ),
        variable="COPILOT_HOME",
    ),
    plugin=PluginForm(
        manifest=".github/plugin/plugin.json",
        root="${PLUGIN_ROOT}",
        catalogue=".github/plugin/marketplace.json",
        members={"skills": "skills/"},
        catalogue_members={"owner": {"name": PLUGIN}},
        install=(
            "copilot plugin marketplace add SOURCE",
            "copilot plugin install contextd@contextd",
        ),
    ),
    presence=Presence(programs=("copilot",), made=(Location("", below=".copilot"),)),
    versions=Versions(
        minimum="1.0.65",
        needs=BRIEFED,
        tried=("1.0.65", "1.0.102"),
        update="run `copilot update`",
    ),
)
