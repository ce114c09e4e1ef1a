"""Hook events, in one form for all clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A command to be run, or a file to be written: with a whole new `content`, or by `replacements` of one
    text by another.
    """

    command: str = ""
    path: str = ""
    content: str | None = None
    replacements: tuple[tuple[str, str], ...] = ()


def tool_use(tool_input: Any) -> ToolUse | None:
    """The requested command or write; None for a tool that does neither."""
    if not isinstance(tool_input, Mapping):
        return None
    if command := _text(tool_input, ("command",)):
        return ToolUse(command=command)
    path = _text(tool_input, ("file_path", "notebook_path", "path"))
    several = tool_input.get("edits")
    edits = (
        [one for one in several if isinstance(one, Mapping)] if isinstance(several, list) else []
    )
    pairs = [
        (_text(one, ("old_string",)), _text(one, ("new_string",)))
        for one in (tool_input, *edits)
        if "new_string" in one
    ]
    content = tool_input.get("content", tool_input.get("new_source"))
    if not path or (not pairs and not isinstance(content, str)):
        return None
    return ToolUse(
        path=path,
        content=_clean(content) if isinstance(content, str) and not pairs else None,
        replacements=tuple(pairs),
    )


_FILES = ("file_path", "filePath", "notebook_path", "absolute_path", "target_file", "path")
"""Names that clients give to the file of a tool call."""


def files_touched(tool_input: Any) -> tuple[str, ...]:
    """The files that a tool call names in fields of their own, whether it reads or writes them."""
    if not isinstance(tool_input, Mapping):
        return ()
    named = (_text(tool_input, (name,)) for name in _FILES)
    return tuple(dict.fromkeys(path for path in named if path))


def _clean(text: str) -> str:
    # A client that cuts a text between the halves of a character leaves one half.
    return text.encode("utf-8", "replace").decode()


Moment = Literal[
    "started", "prompted", "acting", "answered", "failed", "stopped", "delegating", "delegated",
    "compacting", "compacted", "ended",
]  # fmt: skip
"""The moments contextd handles: a session began or continues, its user sent a prompt, its agent is about to use
a tool, a tool returned or failed, it ended a turn, a sub-agent began, ended, its window is about to be
compacted, was compacted, the session is over.
"""

_OF_TOOLS: frozenset[Moment] = frozenset({"acting", "answered", "failed"})

ANSWERED: frozenset[Moment] = frozenset({"started", "prompted", "answered", "failed", "delegating"})
"""Moments whose answer the client shows to the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One hook event. `session` is the client's own id for the session, `reason` why it began, compacts or
    ended, in the client's words; `prompt_id` distinguishes equal prompts. `answer` is the agent's last message
    or the summary of a compacted window, `output` a tool's result. `again` says that the agent was already kept
    from ending its turn once. `tool` is the pending tool call; `files` and `command` are what a pending or finished
    one names. `agent` is a sub-agent, with a transcript of its own.
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
    files: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadReader:
    """How to read a client's hook payload: for each value the names of its field, of which the first present
    one counts, or for `output` all. `moments` maps the client's event names to ours; None marks an event that
    is known and ignored.
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
        """The event in our form; None for an ignored one."""
        moment = self.moments.get(event)
        if moment is None:
            return None
        tool_input = payload.get(self.tool_input) if moment in _OF_TOOLS else None
        tool = tool_use(tool_input)
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
            tool=tool if moment == "acting" else None,
            files=files_touched(tool_input),
            command=tool.command if tool is not None else "",
        )


def _text(payload: Mapping[Any, Any], names: tuple[str, ...]) -> str:
    """The first of these fields with text or a number, as text that can be stored; `a.b` is a field inside
    another one.
    """
    for name in names:
        value: Any = payload
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return _clean(str(value))
    return ""


def keeping_on(occurrence: Occurrence, text: str) -> dict[str, Any]:
    """The answer by which most clients make their agent do one more thing before its turn ends."""
    del occurrence
    return {"decision": "block", "reason": text}


def as_context(moment: Moment, text: str) -> dict[str, Any]:
    """The text as the only member of the answer, at any moment."""
    del moment
    return {"context": text}


def in_hook_output(names: Mapping[Moment, str], moment: Moment, text: str) -> dict[str, Any]:
    """The answer that most clients share: the text as `additionalContext` of the named event."""
    return {"hookSpecificOutput": {"hookEventName": names[moment], "additionalContext": text}}
