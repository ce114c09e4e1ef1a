"""Qwen Code: the events of Claude Code, with variables of Gemini CLI besides its own."""

from __future__ import annotations

from contextd.interop.clients.claude_code import MOMENTS, answer_in_hook_output
from contextd.interop.clients.client import Client
from contextd.interop.clients.occurrence import Reading, keeping_on

CLIENT = Client(
    name="qwen-code",
    title="Qwen Code",
    names=("qwen",),
    marks=("QWEN_CODE_CLI",),
    instructions="QWEN.md",
    reading=Reading(moments=MOMENTS, output=("error", "tool_response.llmContent")),
    answer=answer_in_hook_output,
    asking=keeping_on,
    transcripts="qwen-code",
)
