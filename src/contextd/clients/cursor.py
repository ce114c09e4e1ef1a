"""Cursor: MCP servers, hooks, and rules per project."""

from __future__ import annotations

from pathlib import Path

from contextd.clients.client import (
    Client,
    ConfigFile,
    Configuration,
    Location,
    Presence,
    Versions,
    hook_events,
)
from contextd.clients.codec import JSONC
from contextd.clients.config_entries import ListedHooks, ServerEntry
from contextd.clients.config_shapes import stdio_server
from contextd.clients.hook_event import PayloadReader
from contextd.clients.text_files import TOOLS, Block

_ALWAYS = "---\ndescription: How to use contextd in this project\nalwaysApply: true\n---\n\n"

_EVENTS = hook_events(
    "sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "preCompact", "sessionEnd"
)


def _not_readable(home: Path, chosen: Path | None) -> None:
    """Hooks can be switched off in its settings, so its agent is also asked to start sessions by tools."""
    del home, chosen


CLIENT = Client(
    name="cursor",
    title="Cursor",
    limits="it shows nothing at a prompt: rules are in the briefing",
    fields=("cursor_version",),
    shown=frozenset({"started"}),
    payloads=PayloadReader(
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
    answer=lambda moment, text: {"additional_context": text},
    transcripts="cursor",
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSONC, "mcpServers", stdio_server),
                user=Location(".cursor/mcp.json"),
                project=Location(".cursor/mcp.json"),
            ),
            ConfigFile(
                ListedHooks(JSONC, "hooks", events=_EVENTS),
                user=Location(".cursor/hooks.json"),
                project=Location(".cursor/hooks.json"),
            ),
            ConfigFile(
                Block(TOOLS, _ALWAYS),
                project=Location(".cursor/rules/contextd.mdc"),
            ),
        ),
        trusts=_not_readable,
    ),
    presence=Presence(programs=("cursor", "cursor-agent"), made=(Location(".cursor"),)),
    versions=Versions(minimum="1.7", needs="hooks"),
)
