"""Codex CLI: the events of Claude Code, under names of its own where a turn is meant."""

from __future__ import annotations

from functools import partial

from contextd.interop.clients.claude_code import EVENTS_NOT_ACTED_ON
from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Reading, in_hook_output

CLIENT = Client(
    name="codex",
    title="Codex CLI",
    fields=("turn_id",),
    reading=Reading(
        moments={
            "SessionStart": "started",
            "UserPromptSubmit": "prompted",
            "PreCompact": "compacting",
            "SessionEnd": "ended",
            "Interrupt": None,
            **dict.fromkeys(EVENTS_NOT_ACTED_ON),
        },
        prompt_id=("turn_id",),
    ),
    answer=partial(in_hook_output, {"started": "SessionStart", "prompted": "UserPromptSubmit"}),
)
