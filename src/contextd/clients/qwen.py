"""Qwen Code: the events of Claude Code, with variables of Gemini CLI besides its own."""

from __future__ import annotations

from contextd.clients.claude_code import MOMENTS, answer_in_hook_output
from contextd.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    FilePlace,
    HookEvent,
    Presence,
)
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import HookEntries, ServerEntry
from contextd.clients.config_shapes import plain_server, shell_hook_in_ms
from contextd.clients.folder_trust import QWEN
from contextd.clients.hook_event import Reading, keeping_on

_EVENTS = (
    HookEvent("SessionStart", timeout=5, matcher="*"),
    HookEvent("UserPromptSubmit", timeout=5, matcher="*"),
    HookEvent("PostToolUseFailure", timeout=5, matcher="*"),
    HookEvent("Stop", timeout=5, matcher="*"),
    HookEvent("SubagentStart", timeout=5, matcher="*"),
    HookEvent("PreCompact", timeout=5, matcher="*"),
    HookEvent("SessionEnd", timeout=5, matcher="*"),
)

_USER = FilePlace("settings.json", below=".qwen")
_PROJECT = FilePlace(".qwen/settings.json")

CLIENT = Client(
    name="qwen-code",
    title="Qwen Code",
    folder_trust=QWEN,
    names=("qwen",),
    marks=("QWEN_CODE_CLI",),
    instructions="QWEN.md",
    own_instructions=(FilePlace("QWEN.md", below=".qwen"),),
    reading=Reading(moments=MOMENTS, output=("error", "tool_response.llmContent")),
    answer=answer_in_hook_output,
    asking=keeping_on,
    transcripts="qwen-code",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcpServers", plain_server),
                user=_USER,
                project=_PROJECT,
            ),
            ConfigFile(
                holds="hooks",
                part=HookEntries(JSONC, _EVENTS, shell_hook_in_ms),
                user=_USER,
                project=_PROJECT,
            ),
        ),
        variable="QWEN_HOME",
    ),
    presence=Presence(programs=("qwen",), made=(FilePlace("", below=".qwen"),)),
)
