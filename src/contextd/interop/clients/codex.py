"""Codex CLI: the events of Claude Code, under names of its own where a turn is meant."""

from __future__ import annotations

from contextd.interop.clients.claude_code import MOMENTS, answer_in_hook_output
from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Reading, keeping_on

CLIENT = Client(
    name="codex",
    title="Codex CLI",
    fields=("turn_id",),
    reading=Reading(moments={**MOMENTS, "Interrupt": None}, prompt_id=("turn_id",)),
    answer=answer_in_hook_output,
    asking=keeping_on,
    transcripts="codex",
)
