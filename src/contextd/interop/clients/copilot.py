"""GitHub Copilot CLI: the casing of an event's name in the configuration chooses that of its payload."""

from __future__ import annotations

from typing import Any

from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Moment, Reading


def _at_the_top(moment: Moment, text: str) -> dict[str, Any]:
    return {"additionalContext": text}


CLIENT = Client(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    names=("copilot",),
    marks=("COPILOT_CLI",),
    fields=("sessionId",),
    transcripts="copilot-cli",
    reading=Reading(
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
            "SubagentStart": None,
            "subagentStart": None,
            "SubagentStop": None,
            "subagentStop": None,
            "userPromptTransformed": None,
            "errorOccurred": None,
        },
        session=("session_id", "sessionId"),
        transcript=("transcript_path", "transcriptPath"),
        output=("error", "tool_result.text_result_for_llm", "toolResult.textResultForLlm"),
    ),
    answer=_at_the_top,
)
