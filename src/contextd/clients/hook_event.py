"""What clients tell through their hooks, in one form whatever the client calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from contextd.clients.tool_use import ToolUse, tool_use
from contextd.domain.dataclass import dataclass

Moment = Literal[
    "started", "prompted", "acting", "answered", "failed", "stopped", "delegating", "delegated",
    "compacting", "compacted", "ended",
]  # fmt: skip
"""The moments contextd acts on: a session began or goes on, its user said something, its agent is about to
use a tool, a tool answered it or failed, it ended a turn, a sub-agent of it begins, ended, its window is
about to be compacted, it was, the session is over.
"""

ANSWERED: frozenset[Moment] = frozenset({"started", "prompted", "answered", "failed", "delegating"})
"""Moments whose answer the client shows to the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One hook event. `session` is the client's own id for the session, `reason` why it began,
    compacts or ended, in the client's words; `prompt_id` tells two equal prompts apart. `answer` is what
    the agent said last or what is left of a compacted window, `output` what a tool answered. `again` says
    that the agent was kept from ending its turn once already. `tool` is what it is about to do. `agent` is a
    sub-agent, with a transcript of its own.
    """

    moment: Moment
    session: str = ""
    transcript: str = ""
    prompt: str = ""
    prompt_id: str = ""
    reason: str = ""
    answer: str = ""
    output: str = ""
    again: bool = False
    agent: str = ""
    agent_transcript: str = ""
    tool: ToolUse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a client's hook payload is read: for each thing the names of its field, the first that is
    there counts, but of an `output` all. `moments` maps the client's names of events to ours; None is an event that is known
    and not acted on.
    """

    moments: Mapping[str, Moment | None]
    session: tuple[str, ...] = ("session_id",)
    transcript: tuple[str, ...] = ("transcript_path",)
    prompt: tuple[str, ...] = ("prompt",)
    prompt_id: tuple[str, ...] = ("prompt_id",)
    reason: tuple[str, ...] = ("source", "trigger", "reason")
    answer: tuple[str, ...] = ("last_assistant_message", "compact_summary")
    output: tuple[str, ...] = (
        "error",
        "tool_response",
        "tool_response.stdout",
        "tool_response.stderr",
    )
    again: str = "stop_hook_active"
    agent: tuple[str, ...] = ("agent_id",)
    agent_transcript: tuple[str, ...] = ("agent_transcript_path",)
    tool_input: str = "tool_input"

    def knows(self, event: str) -> bool:
        """Whether the client is known to have such an event."""
        return event in self.moments

    def decode(self, event: str, payload: Mapping[str, Any]) -> Occurrence | None:
        """The event in our form; None for one that is not acted on."""
        moment = self.moments.get(event)
        if moment is None:
            return None
        return Occurrence(
            moment=moment,
            session=_text(payload, self.session),
            transcript=_text(payload, self.transcript),
            prompt=_text(payload, self.prompt),
            prompt_id=_text(payload, self.prompt_id),
            reason=_text(payload, self.reason),
            answer=_text(payload, self.answer),
            output="\n".join(filter(None, (_text(payload, (name,)) for name in self.output))),
            again=payload.get(self.again) is True,
            agent=_text(payload, self.agent),
            agent_transcript=_text(payload, self.agent_transcript),
            tool=tool_use(payload.get(self.tool_input)) if moment == "acting" else None,
        )


def _text(payload: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these fields that holds text or a number, as text that can be stored; `a.b` is a
    field inside another one.
    """
    for name in names:
        value: Any = payload
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            # A client that cuts a text between the halves of a character leaves one half.
            return str(value).encode("utf-8", "replace").decode()
    return ""


def keeping_on(occurrence: Occurrence, text: str) -> dict[str, Any]:
    """The answer by which most clients have their agent do one thing more before its turn ends."""
    del occurrence
    return {"decision": "block", "reason": text}


def as_context(moment: Moment, text: str) -> dict[str, Any]:
    """The text as the only member of the answer, whatever the moment."""
    del moment
    return {"context": text}


def in_hook_output(names: Mapping[Moment, str], moment: Moment, text: str) -> dict[str, Any]:
    """The answer most clients share: the text as `additionalContext` of the event called so."""
    return {"hookSpecificOutput": {"hookEventName": names[moment], "additionalContext": text}}
