"""Memories: reusable strategies, and how well they served."""

from __future__ import annotations

from typing import Annotated, Literal

from contextd.domain.confidence import rated
from contextd.domain.kinds import kinds_that
from contextd.domain.limits import Id, Range, Statement, Text
from contextd.domain.records import short_id
from contextd.domain.result_display import text_form
from contextd.knowledge.acknowledgement import Recorded, recorded
from contextd.knowledge.git_anchors import notes
from contextd.knowledge.record_views import Known, known
from contextd.knowledge.recording import NewRecord, record_new
from contextd.knowledge.writing import Changed, change_all, new_record
from contextd.person.person import kept_in, where_kept
from contextd.runtime.operation import ExtraArguments, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import (
    KNOWN,
    SEARCHED,
    find_documents,
    find_records,
    give,
    resolve,
)
from contextd.search.logged_queries import asked, unanswered
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Memories:
    """Memories, best first."""

    memories: list[Known]
    note: str = ""

    def as_text(self) -> str:
        """A paragraph per memory."""
        lines = [memory.as_text() for memory in self.memories]
        return "\n".join([*lines, self.note] if self.note else lines)


@operation("GET /api/memories/search", profile="full", where="person")
def memory_search(
    runtime: Runtime,
    query: Text,
    scope: Literal["project", "team", "org", "all"] = "all",
    outcome: Literal["success", "failure", "all"] = "all",
    limit: Annotated[int, Range(1, 100)] = 5,
    min_confidence: Annotated[float, Range(0, 1)] = 0.0,
) -> Memories:
    """Recall lessons, fixes, notes and rules. Use before a task or when stuck.

    Args:
        query: The task or problem.
        scope: How far to look.
        outcome: What worked or failed.
        limit: The most results.
        min_confidence: Least confidence.
    """
    where = {} if outcome == "all" else {"outcome": outcome}
    kinds = ("memory",) if where else tuple(dict.fromkeys((*kinds_that("strategy"), *KNOWN)))
    found = find_records(
        runtime,
        query,
        kinds,
        limit=limit,
        level=scope,
        where=where,
        min_confidence=min_confidence,
    )
    now = runtime.clock.now()
    records = [hit.record for hit in found.hits]
    stale = notes(runtime, records)
    memories = [
        known(
            hit.record,
            now,
            hit.validity,
            score=hit.score,
            why=hit.why,
            stale=stale.get(hit.record.id, ""),
        )
        for hit in found.hits
    ]
    give(runtime, (("discovery", memory.id, text_form(memory)) for memory in memories))
    narrowed = bool(where) or min_confidence > 0 or scope != "all"
    ids = [memory.id for memory in memories]
    # A record of another kind may answer too; then there is no gap.
    elsewhere = not (memories or narrowed) and _is_told_elsewhere(runtime, query)
    noted = asked(runtime, query, ids, type="memory", narrowed=narrowed or elsewhere)
    nothing = _ELSEWHERE if elsewhere else unanswered(runtime, _NOTHING, noted=noted)
    return Memories(memories, found.notice if memories else nothing)


_NOTHING = "no results"


_ELSEWHERE = "no lesson or note is about this; context_search finds sessions or skills that are"


def _is_told_elsewhere(runtime: Runtime, query: str) -> bool:
    """Whether a session or a skill matches when no record does."""
    others = (*SEARCHED["session"], "skill")
    return bool(find_documents(runtime, query, others, limit=1, handed_out=False).hits)


@operation(
    "POST /api/memories",
    effect="write",
    profile="full",
    where="person",
    extra=ExtraArguments(aliases={"result": "outcome", "summary": "description"}),
)
def memory_record(
    runtime: Runtime,
    title: Text,
    description: str,
    text: Statement,
    outcome: Literal["success", "failure", "mixed"],
    tags: list[str] | None = None,
    topic: str = "",
    scope: Literal["project", "person"] | None = None,
) -> Recorded:
    """Record a lesson: what worked, or what to avoid.

    Args:
        title: Short name.
        description: When to use it, and when not.
        text: One to three sentences.
        outcome: Whether it worked.
        tags: Words to filter by.
        topic: The next lesson on it replaces it.
        scope: Person: all their projects.
    """
    where = kept_in(runtime, scope)
    fields = {"description": description, "outcome": outcome, **({"topic": topic} if topic else {})}
    saved, _ = record_new(runtime, NewRecord("memory", text, title, tags, fields, scope=where))
    return recorded(saved, where_kept(runtime, where, scope))


@dataclass(frozen=True, slots=True)
class Feedback:
    """What feedback did to a memory."""

    success: bool
    new_confidence: float
    memory_id: str

    def as_text(self) -> str:
        """The new confidence."""
        return f"noted; {short_id(self.memory_id)} now has confidence {self.new_confidence:.2f}"


@operation("POST /api/memories/{id}/feedback", effect="write", profile="standard", where="person")
def memory_feedback(runtime: Runtime, id: Id, useful: bool, note: str = "") -> Feedback:
    """Say whether a memory helped. This changes its confidence and rank.

    Args:
        id: The memory's id, or its first characters.
        useful: Whether it helped.
        note: Why, in a few words.
    """
    record = resolve(runtime, id)
    signal = "helpful" if useful else "unhelpful"
    after = rated(record, useful=useful)
    reason = f"{signal}: {note}" if note else signal
    rating = new_record(
        runtime,
        "feedback",
        content=note.strip() or f"{signal} feedback on {record.title or short_id(record.id)}",
        data={"record_id": record.id, "helpful": useful, "comment": note},
    )
    change_all(runtime, [Changed(record, after, "feedback", reason)], beside=[rating])
    runtime.trace.wrote([record.id], type=record.kind, action="update")
    return Feedback(True, after.confidence, record.id)
