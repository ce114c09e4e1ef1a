"""Open a subtask, and fold it into its message."""

from __future__ import annotations

import uuid
from dataclasses import field, replace
from typing import Annotated

from contextd.domain.details import RENDERED
from contextd.domain.kinds import kinds_that
from contextd.domain.limits import OptionalId, Range, Text
from contextd.domain.records import digest, short_id
from contextd.domain.result_display import text_form
from contextd.domain.subtasks import Subtask
from contextd.folding.session_subtasks import (
    SMALLEST,
    close_subtask,
    open_subtask,
    parent_session,
    require_open,
    room_for,
    subtask_named,
)
from contextd.knowledge.record_views import known
from contextd.knowledge.writing import Provenance, RecordText, save_new
from contextd.redaction.cutting import beginning
from contextd.runtime.operation import ExtraArguments, in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_records
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, TooLarge
from contextd_common.text.tokens import count_tokens, trim_to_tokens

_INJECTED = 5
"""Maximum memories a subtask begins with."""

_INJECTED_SHARE = 0.125
"""Their maximum share of its budget: 1,000 of 8,000 tokens."""

_REMEMBERED = 300
"""Tokens of a message that become a memory: a memory should make one point."""

_ENDS = (
    "End it with return(text): outcome, files changed, findings, what is open. "
    "Only the message should come back."
)


@dataclass(frozen=True, slots=True)
class Branched:
    """An opened subtask and its initial context."""

    subtask_id: str
    injected_context: Annotated[list[str], RENDERED]
    budget: int
    used: int

    def as_text(self) -> str:
        """The id, the budget and the context."""
        lines = [f"subtask {short_id(self.subtask_id)}: {self.budget:,} tokens. {_ENDS}"]
        return "\n".join([*lines, *self.injected_context])


@operation(
    "POST /api/subtasks",
    effect="write",
    profile="standard",
    extra=ExtraArguments(aliases={"description": "title"}),
)
@in_steps
def branch(
    runtime: Runtime,
    title: Text,
    task: Text,
    budget: Annotated[int, Range(SMALLEST)] | None = None,
    inject_memories: bool = True,
    session_id: OptionalId = "",
) -> Branched:
    """Start an isolated subtask: exploring, reading much, trial and error. Give its task to a sub-agent if
    you can.

    What contextd serves from now on is charged to it, until return. One at a time, ten per session.

    Args:
        title: Its purpose, in 3 to 5 words.
        task: The whole task, understandable without the rest of the conversation.
        budget: Most tokens contextd may serve inside it; 8,000 when empty.
        inject_memories: Start with relevant memories.
        session_id: The session; the connection's one when empty.
    """
    session = parent_session(runtime, session_id)
    room = room_for(runtime, session, budget)
    injected = _memories(runtime, task, room.budget) if inject_memories else []
    opened = open_subtask(
        runtime,
        replace(
            room,
            description=title,
            prompt=task.strip(),
            tokens_given=count_tokens("\n".join(injected)),
        ),
    )
    return Branched(opened.id, injected, opened.budget, opened.spent)


def _memories(runtime: Runtime, prompt: str, budget: int) -> list[str]:
    """The memories relevant to the prompt, best first, within their share of the budget."""
    found = find_records(runtime, prompt[:1_200], kinds_that("strategy"), limit=_INJECTED)
    now, left = runtime.clock.now(), int(budget * _INJECTED_SHARE)
    lines: list[str] = []
    for hit in found.hits:
        if hit.validity.replaced:
            continue
        line = text_form(known(hit.record, now, hit.validity, score=hit.score))
        cost = count_tokens(line + "\n")
        if cost <= left:
            lines.append(line)
            left -= cost
    return lines


@dataclass(frozen=True, slots=True)
class Returned:
    """A finished subtask. `memory` says whether a memory was made of its text."""

    success: bool
    subtask_id: str
    used: int
    budget: int
    memory_id: str = ""
    memory: str = ""
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """Its token use, and where its trace is."""
        headline = (
            f"subtask returned; {self.used:,} of {self.budget:,} tokens were served inside it"
        )
        parts = [headline, *([self.memory] if self.memory else []), *self.notes]
        return "; ".join(parts) + f". Its trace: expand({short_id(self.subtask_id)!r})"


@operation("POST /api/subtasks/return", effect="write", profile="standard")
@in_steps
def return_(
    runtime: Runtime, text: Text, extract_memory: bool = False, subtask_id: str = ""
) -> Returned:
    """End the open subtask: only this text remains; expand shows its trace.

    Args:
        text: Outcome, files changed, findings, what is open.
        extract_memory: Store it as a memory that awaits confirmation.
        subtask_id: The subtask; the open one of this connection when empty.
    """
    session, subtask = subtask_named(runtime, subtask_id)
    require_open(session, subtask)
    runtime.caller.require("write", session.scope)
    cost = count_tokens(text)
    if cost > subtask.budget:
        raise TooLarge(
            f"the text has {cost:,} tokens, more than the subtask's {subtask.budget:,}",
            "summarise the result; its trace can be expanded",
        )
    memory_id, memory = _remember(runtime, subtask, text) if extract_memory else ("", "")
    close_subtask(runtime, subtask, text)
    return Returned(True, subtask.id, subtask.spent, subtask.budget, memory_id, memory)


def _remember(runtime: Runtime, subtask: Subtask, message: str) -> tuple[str, str]:
    """The id of the memory made from a message, and a note. The id is derived from the subtask's, so a
    return repeated after a crash creates no second one.
    """
    id = str(uuid.UUID(digest(f"{subtask.id} returned")))
    try:
        saved = save_new(
            runtime.aside(),
            RecordText(
                "memory",
                title=subtask.description,
                content=trim_to_tokens(message.strip(), _REMEMBERED)
                or beginning(message.strip(), 1_000),
                data={"outcome": "mixed", "task": subtask.prompt[:500]},
            ),
            Provenance(session=subtask.session),
            id=id,
            candidate=True,
        )
    except ContextdError as error:
        return "", f"no memory was made: {error.message}"
    if saved.record_or_none is None:
        return "", f"no memory was made: {saved.reason}"
    words = {
        "added": "memory stored; it awaits confirmation",
        "inbox": "memory stored; it awaits review",
    }
    return saved.record.id, words.get(saved.outcome, "this memory exists already")
