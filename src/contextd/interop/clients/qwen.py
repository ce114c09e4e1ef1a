"""Qwen Code: the events of Claude Code, with variables of Gemini CLI besides its own."""

from __future__ import annotations

from functools import partial

from contextd.interop.clients.claude_code import EVENTS_NOT_ACTED_ON
from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Reading, in_hook_output

CLIENT = Client(
    name="qwen-code",
    title="Qwen Code",
    names=("qwen",),
    marks=("QWEN_CODE_CLI",),
    instructions="QWEN.md",
    reading=Reading(
        moments={
            "SessionStart": "started",
            "UserPromptSubmit": "prompted",
            "PreCompact": "compacting",
            "SessionEnd": "ended",
            **dict.fromkeys(EVENTS_NOT_ACTED_ON),
        }
    ),
    answer=partial(in_hook_output, {"started": "SessionStart", "prompted": "UserPromptSubmit"}),
)
