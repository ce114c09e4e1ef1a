"""Gemini CLI: its own names for the events, and no event when the user merely types."""

from __future__ import annotations

from functools import partial

from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Reading, in_hook_output

CLIENT = Client(
    name="gemini-cli",
    title="Gemini CLI",
    names=("gemini",),
    marks=("GEMINI_SESSION_ID", "GEMINI_CLI"),
    instructions="GEMINI.md",
    transcripts="gemini-cli",
    reading=Reading(
        moments={
            "SessionStart": "started",
            "BeforeAgent": "prompted",
            # Fires before every turn, compacted or not.
            "PreCompress": None,
            "SessionEnd": "ended",
            "AfterAgent": "stopped",
            "AfterModel": None,
            "AfterTool": "answered",
            "BeforeModel": None,
            "BeforeTool": None,
            "BeforeToolSelection": None,
            "Notification": None,
        },
        said=("prompt_response",),
        output=("tool_response.error", "tool_response.returnDisplay"),
    ),
    answer=partial(
        in_hook_output,
        {"started": "SessionStart", "prompted": "BeforeAgent", "answered": "AfterTool"},
    ),
)
