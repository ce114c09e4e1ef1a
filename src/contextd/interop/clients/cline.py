"""Cline: one executable per event, and a payload with a member named after the event."""

from __future__ import annotations

from typing import Any

from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Moment, Reading


def _as_context(moment: Moment, text: str) -> dict[str, Any]:
    return {"context": text}


CLIENT = Client(
    name="cline",
    title="Cline",
    fields=("clineVersion",),
    transcripts="cline",
    reading=Reading(
        moments={
            "TaskStart": "started",
            "agent_start": "started",
            "TaskResume": "started",
            "UserPromptSubmit": "prompted",
            "PreCompact": "compacting",
            "TaskCancel": "ended",
            "TaskComplete": "ended",
            "agent_end": "ended",
            "SessionShutdown": "ended",
            "TaskError": None,
            "PreToolUse": None,
            "PostToolUse": "answered",
            "tool_call": None,
            "tool_result": "answered",
        },
        session=("taskId",),
        prompt=("userPromptSubmit.prompt", "taskStart.taskMetadata.initialTask"),
        prompt_id=(),
        output=("postToolUse.result",),
        reason=(),
    ),
    answer=_as_context,
)
