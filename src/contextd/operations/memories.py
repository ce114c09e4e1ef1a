"""Memories: strategies worth using again, and how well they served."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contextd.domain.confidence import apply
from contextd.domain.errors import Invalid
from contextd.domain.tokens import count_tokens
from contextd.operations.anchors import notes
from contextd.operations.core import operation
from contextd.operations.finding import find_records, resolve
from contextd.operations.tracking import session_id_of
from contextd.operations.views import Known, known
from contextd.operations.window import hand_out
from contextd.operations.writing import change, save_new
from contextd.runtime import Runtime
from contextd.sessions.window import Serving

STRATEGIES = ("memory", "discovery", "remediation", "anti_pattern")
"""What `memory_search` looks through."""


@dataclass(frozen=True, slots=True)
class Memories:
    """Memories, best first."""

    memories: list[Known]
    note: str = ""

    def as_text(self) -> str:
        """A paragraph per memory."""
        lines = [memory.as_text() for memory in self.memories]
        return "\n".join([*lines, self.note] if self.note else lines)


@operation("GET /api/memories/search", profile="core")
def memory_search(
    runtime: Runtime,
    query: str,
    scope: Literal["project", "team", "org", "all"] = "all",
    outcome: Literal["success", "failure", "all"] = "all",
    limit: int = 5,
    min_confidence: float = 0.0,
) -> Memories:
    """Recall lessons, decisions and fixes of earlier sessions. Use before a task or when stuck.

    Args:
        query: The task or problem.
        scope: How far to look.
        outcome: What worked, or what failed.
        limit: The most results.
        min_confidence: Hide what is less sure.
    """
    if not 1 <= limit <= 100:
        raise Invalid(f"limit is {limit}", "choose 1 to 100")
    where = {} if outcome == "all" else {"outcome": outcome}
    kinds = ("memory",) if where else STRATEGIES
    found = find_records(
        runtime,
        query,
        kinds,
        limit=limit,
        reach=scope,
        where=where,
        min_confidence=min_confidence,
    )
    now = runtime.clock.now()
    stale = notes(runtime, (hit.record for hit in found.hits))
    memories = [
        known(hit.record, now, hit.score, hit.why, stale.get(hit.record.id, ""))
        for hit in found.hits
    ]
    hand_out(runtime, [Serving("discovery", m.id, count_tokens(m.as_text())) for m in memories])
    runtime.trace.read([memory.id for memory in memories], type="memory", query=query)
    nothing = "nothing relevant is known; the question was noted as a gap"
    return Memories(memories, found.notice if memories else nothing)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The id of what was stored, or of the duplicate that was there."""

    id: str
    outcome: str
    message: str
    redacted: int = 0
    warnings: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The message."""
        return self.message


@operation("POST /api/memories", effect="write", profile="core")
def memory_record(
    runtime: Runtime,
    title: str,
    description: str,
    content: str,
    outcome: Literal["success", "failure", "mixed"],
    tags: list[str] | None = None,
) -> Recorded:
    """Record a lesson for next time: what worked, or what to avoid.

    Args:
        title: A short name.
        description: When to use it, and when not.
        content: The lesson, in one to three sentences.
        outcome: Whether it worked.
        tags: Words to filter by.
    """
    if not title.strip():
        raise Invalid("memory_record: title is empty", "give it a short name")
    saved = save_new(
        runtime,
        "memory",
        title=title,
        content=content,
        tags=tags,
        data={"description": description, "outcome": outcome},
        session=session_id_of(runtime),
    )
    runtime.trace.wrote([saved.record.id], type="memory")
    return recorded(saved.record.id, saved.outcome, saved.reason, saved.redacted)


def recorded(id: str, outcome: str, reason: str, redacted: int) -> Recorded:
    """The acknowledgment of a write, in words."""
    told = {
        "added": "recorded",
        "inbox": "kept for review",
        "duplicate": "already known",
    }[outcome]
    message = f"{told} as {id[:8]}" + (f" ({reason})" if reason else "")
    if redacted:
        message += f"; {redacted} secret{'s' if redacted > 1 else ''} removed before storing"
    return Recorded(id, outcome, message, redacted)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What feedback did to a memory."""

    success: bool
    new_confidence: float
    memory_id: str

    def as_text(self) -> str:
        """The new confidence."""
        return f"noted; {self.memory_id[:8]} now has confidence {self.new_confidence:.2f}"


@operation("POST /api/memories/{memory_id}/feedback", effect="write", profile="standard")
def memory_feedback(runtime: Runtime, memory_id: str, helpful: bool, comment: str = "") -> Feedback:
    """Say whether a memory helped. It moves its confidence and its rank.

    Args:
        memory_id: The memory's id, or its first characters.
        helpful: Whether it helped.
        comment: Why, in a few words.
    """
    record = resolve(runtime, memory_id)
    signal = "helpful" if helpful else "unhelpful"
    after = record.with_(
        confidence=apply(record.confidence, signal),
        helpful=record.helpful + helpful,
        unhelpful=record.unhelpful + (not helpful),
    )
    with runtime.store.transaction():
        change(
            runtime, after, action="feedback", reason=f"{signal}: {comment}" if comment else signal
        )
        rating = {"record_id": record.id, "helpful": helpful, "comment": comment}
        save_new(
            runtime,
            "feedback",
            content=comment or f"{signal} feedback on {record.title or record.id[:8]}",
            data=rating,
            gate=False,
        )
    runtime.trace.wrote([record.id], type=record.kind, action="update")
    return Feedback(True, after.confidence, record.id)
