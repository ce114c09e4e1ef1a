"""Qwen Code: the events of Claude Code, with variables of Gemini CLI besides its own."""

from __future__ import annotations

from contextd.clients.claude_code import MOMENTS, answer_in_hook_output
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
from contextd.clients.folder_trust import QWEN
from contextd.clients.hook_event import PayloadReader, keeping_on

_EVENTS = hook_events(
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUseFailure",
    "Stop",
    "SubagentStart",
    "PreCompact",
    "SessionEnd",
    matcher="*",
)

_USER = Location("settings.json", below=".qwen")
_PROJECT = Location(".qwen/settings.json")

CLIENT = Client(
    name="qwen-code",
    title="Qwen Code",
    folder_trust=QWEN,
    names=("qwen",),
    marks=("QWEN_CODE_CLI",),
    instructions="QWEN.md",
    own_instructions=(Location("QWEN.md", below=".qwen"),),
    payloads=PayloadReader(moments=MOMENTS, output=("error", "tool_response.llmContent")),
    answer=answer_in_hook_output,
    asking=keeping_on,
    transcripts="qwen-code",
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
        variable="QWEN_HOME",
    ),
    presence=Presence(programs=("qwen",), made=(Location("", below=".qwen"),)),
    versions=Versions(
        minimum="0.15.6",
        needs=BRIEFED,
        tried=("0.15.6", "0.24.4"),
        update="run `npm install -g @qwen-code/qwen-code`, or update it as you installed it",
    ),
)
