"""Claude Code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from contextd.clients.client import (
    BRIEFED,
    Client,
    ConfigFile,
    Configuration,
    HookEvent,
    Location,
    Presence,
    Verdict,
    Versions,
)
from contextd.clients.codec import JSON
from contextd.clients.config_entries import HookEntries, ServerEntry, StatusLineEntry
from contextd.clients.config_shapes import shell_hook, stdio_server
from contextd.clients.folder_trust import CLAUDE_CODE
from contextd.clients.hook_event import (
    Moment,
    Occurrence,
    PayloadReader,
    in_hook_output,
    keeping_on,
)
from contextd.clients.plugin_form import PLUGIN, PluginForm

EVENTS_NOT_ACTED_ON = (
    "ConfigChange", "CwdChanged", "Elicitation", "ElicitationResult", "FileChanged", "InstructionsLoaded",
    "Notification", "PermissionDenied", "PermissionRequest", "PostToolBatch", "PreToolUse", "Setup",
    "StopFailure", "TaskCompleted", "TaskCreated", "TeammateIdle", "UserPromptExpansion", "WorktreeCreate",
    "WorktreeRemove",
)  # fmt: skip
"""Events of Claude Code, and of the clients that copied them, that contextd handles and ignores."""

MOMENTS: Mapping[str, Moment | None] = {
    "SessionStart": "started",
    "UserPromptSubmit": "prompted",
    "PostToolUse": "answered",
    "PostToolUseFailure": "failed",
    "Stop": "stopped",
    "SubagentStart": "delegating",
    "SubagentStop": "delegated",
    "PreCompact": "compacting",
    "PostCompact": "compacted",
    "SessionEnd": "ended",
    **dict.fromkeys(EVENTS_NOT_ACTED_ON),
}
"""The moments its events map to. Clients that copied its hooks share them and its answer format."""

answer_in_hook_output = partial(
    in_hook_output,
    {
        "started": "SessionStart",
        "prompted": "UserPromptSubmit",
        "answered": "PostToolUse",
        "failed": "PostToolUseFailure",
        "delegating": "SubagentStart",
    },
)


def _asking(occurrence: Occurrence, text: str) -> dict[str, Any]:
    """A demand at the end of a turn. As context it reaches the agent once, displayed as a hook's message; a
    block reaches it twice, and the user reads that the hook reported a problem. Versions that send no prompt id
    reject context here, with an error on the screen.
    """
    if not occurrence.prompt_id:
        return keeping_on(occurrence, text)
    return {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": text}}


def _acting(verdict: Verdict, text: str) -> dict[str, Any]:
    """The verdict before a tool is used. A refusal replaces the tool's result; a warning leaves the decision to
    the user or to other hooks.
    """
    output: dict[str, Any] = {"hookEventName": "PreToolUse"}
    if verdict == "deny":
        output |= {"permissionDecision": "deny", "permissionDecisionReason": text}
    else:
        output["additionalContext"] = text
    return {"hookSpecificOutput": output}


_CHANGING = "Bash|Write|Edit|MultiEdit|NotebookEdit"
"""The tools that run or change something. Other tools do not wait for a hook."""


_SETTINGS = Location("settings.json", below=".claude")
_SETTINGS_OF_PROJECT = Location(".claude/settings.json")

CLIENT = Client(
    name="claude-code",
    title="Claude Code",
    program_marks=("CLAUDE_CODE_ENTRYPOINT=sdk",),
    folder_trust=CLAUDE_CODE,
    payloads=PayloadReader(moments={**MOMENTS, "PreToolUse": "acting"}),
    answer=answer_in_hook_output,
    asking=_asking,
    acting=_acting,
    transcripts="claude-code",
    instructions="CLAUDE.md",
    own_instructions=(Location("CLAUDE.md", below=".claude"), Location("rules", below=".claude")),
    configuration=Configuration(
        files=(
            ConfigFile(
                ServerEntry(JSON, "mcpServers", stdio_server),
                user=Location(".claude.json"),
                project=Location(".mcp.json"),
            ),
            ConfigFile(
                HookEntries(
                    JSON,
                    "hooks",
                    partial(shell_hook, on_windows="sh"),
                    obsolete={"args": "2.1.139"},
                    # Versions before 2.1.101 ignore a whole file of settings, permissions too, for one
                    # event that they do not know.
                    events=(
                        HookEvent("SessionStart", timeout=5, since="1.0.62"),
                        HookEvent("UserPromptSubmit", timeout=5),
                        HookEvent("PreToolUse", 2, _CHANGING, setting="policies.hook"),
                        # Only what failed: a hook on every answer would cost a process for each call.
                        HookEvent("PostToolUseFailure", timeout=5, since="2.0.56"),
                        HookEvent("Stop", timeout=5),
                        HookEvent("SubagentStart", timeout=5, since="2.0.43"),
                        HookEvent("SubagentStop", timeout=5),
                        HookEvent("PreCompact", timeout=5),
                        HookEvent("PostCompact", timeout=5, since="2.1.76"),
                        HookEvent("SessionEnd", timeout=5, since="1.0.85"),
                    ),
                ),
                user=_SETTINGS,
                project=_SETTINGS_OF_PROJECT,
            ),
            ConfigFile(
                StatusLineEntry(JSON, "statusLine"),
                user=_SETTINGS,
                project=_SETTINGS_OF_PROJECT,
            ),
        ),
        variable="CLAUDE_CONFIG_DIR",
    ),
    plugin=PluginForm(
        manifest=".claude-plugin/plugin.json",
        root="$CLAUDE_PLUGIN_ROOT",
        catalogue=".claude-plugin/marketplace.json",
        catalogue_members={"owner": {"name": PLUGIN}},
        install=(
            "claude plugin marketplace add SOURCE",
            "claude plugin install contextd@contextd",
        ),
    ),
    presence=Presence(programs=("claude",), made=(Location("", below=".claude"),)),
    versions=Versions(
        minimum="1.0.64",
        needs=BRIEFED,
        tried=("1.0.64", "2.1.100", "2.1.332"),
        update="run `claude update`",
    ),
)
