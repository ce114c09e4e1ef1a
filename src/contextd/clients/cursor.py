"""Cursor: MCP servers, hooks, and rules per project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from contextd.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    FilePlace,
    HookEvent,
    Presence,
)
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ServerEntry
from contextd.clients.config_shapes import stdio_server
from contextd.clients.hook_event import Moment, Reading
from contextd.clients.listed_hooks import ListedHooks
from contextd.clients.text_files import TOOLS, Block

_ALWAYS = "---\ndescription: How to use contextd in this project\nalwaysApply: true\n---\n\n"

_EVENTS = (
    HookEvent("sessionStart", timeout=5),
    HookEvent("beforeSubmitPrompt", timeout=5),
    HookEvent("afterAgentResponse", timeout=5),
    HookEvent("preCompact", timeout=5),
    HookEvent("sessionEnd", timeout=5),
)


def _at_the_top(moment: Moment, text: str) -> dict[str, Any]:
    del moment
    return {"additional_context": text}


def _not_readable(home: Path, chosen: Path | None) -> None:
    """Hooks can be switched off in its settings, so its agent is also asked to start sessions by tools."""
    del home, chosen


CLIENT = Client(
    name="cursor",
    title="Cursor",
    limits="it shows nothing at a prompt: rules are in the briefing",
    fields=("cursor_version",),
    shown=frozenset({"started"}),
    reading=Reading(
        moments={
            "sessionStart": "started",
            "SessionStart": "started",
            "beforeSubmitPrompt": "prompted",
            "UserPromptSubmit": "prompted",
            "afterAgentResponse": "stopped",
            "preCompact": "compacting",
            "PreCompact": "compacting",
            "sessionEnd": "ended",
            "SessionEnd": "ended",
            # Names under which it runs the hooks of Claude Code.
            "PreToolUse": None,
            "PostToolUse": None,
            "PostToolUseFailure": None,
            "Stop": None,
            "stop": None,
            "SubagentStart": None,
            "SubagentStop": None,
            "subagentStart": None,
            "subagentStop": None,
            "preToolUse": None,
            "postToolUse": None,
            "postToolUseFailure": None,
        },
        session=("conversation_id", "session_id"),
        # Its conversations are read from its database.
        transcript=(),
        prompt_id=("generation_id",),
        answer=("text",),
    ),
    answer=_at_the_top,
    transcripts="cursor",
    configuration=Configuration(
        files=(
            ConfigFile(
                holds="MCP server",
                part=ServerEntry(JSONC, "mcpServers", stdio_server),
                user=FilePlace(".cursor/mcp.json"),
                project=FilePlace(".cursor/mcp.json"),
            ),
            ConfigFile(
                holds="hooks",
                part=ListedHooks(JSONC, _EVENTS),
                user=FilePlace(".cursor/hooks.json"),
                project=FilePlace(".cursor/hooks.json"),
            ),
            ConfigFile(
                holds="instructions",
                part=Block(TOOLS, _ALWAYS),
                project=FilePlace(".cursor/rules/contextd.mdc"),
            ),
        ),
        trusts=_not_readable,
    ),
    presence=Presence(programs=("cursor", "cursor-agent"), made=(FilePlace(".cursor"),)),
)
