"""Memories: strategies worth using again, and how well they served."""

from __future__ import annotations

from typing import Annotated, Literal

from contextd.domain.confidence import apply
from contextd.domain.dataclass import dataclass
from contextd.domain.details import DETAIL
from contextd.domain.kinds import kinds_that
from contextd.domain.limits import Id, Range, Statement, Text
from contextd.domain.query import Query
from contextd.domain.records import FOUND, Record, short_id
from contextd.domain.scope import Scope
from contextd.domain.showing import text_form
from contextd.knowledge.acknowledgement import Recorded, recorded
from contextd.knowledge.anchoring import notes
from contextd.knowledge.views import Known, known
from contextd.knowledge.writing import (
    Changed,
    change,
    change_all,
    new_record,
    save_new,
    within_limits,
)
from contextd.person.person import kept_in, where_kept
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.finding import KNOWN, SEARCHED, find_documents, find_records, give, resolve
from contextd.search.questions import asked, unanswered


@dataclass(frozen=True, slots=True)
class Memories:
    """Memories, best first."""

    memories: list[Known]
    note: str = ""

    def as_text(self) -> str:
        """A paragraph per memory."""
        lines = [memory.as_text() for memory in self.memories]
        return "\n".join([*lines, self.note] if self.note else lines)


@operation("GET /api/memories/search", profile="core", personal=True)
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
        reach=scope,
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
    # What is no lesson may answer all the same, and then nothing is missing.
    elsewhere = not (memories or narrowed) and _is_told_elsewhere(runtime, query)
    noted = asked(runtime, query, ids, type="memory", narrowed=narrowed or elsewhere)
    nothing = _ELSEWHERE if elsewhere else unanswered(runtime, _NOTHING, noted=noted)
    return Memories(memories, found.notice if memories else nothing)


_NOTHING = "nothing relevant is known"


_ELSEWHERE = "no lesson or note is about this; context_search finds sessions or skills that are"


def _is_told_elsewhere(runtime: Runtime, query: str) -> bool:
    """Whether a session or a skill answers what nothing recorded does."""
    others = (*SEARCHED["session"], "skill")
    return bool(find_documents(runtime, query, others, limit=1, handed_out=False).hits)


@operation("POST /api/memories", effect="write", profile="core", personal=True)
def memory_record(
    runtime: Runtime,
    title: Text,
    description: str,
    content: Statement,
    outcome: Literal["success", "failure", "mixed"],
    tags: list[str] | None = None,
    topic: str = "",
    scope: Literal["project", "person"] | None = None,
) -> Recorded:
    """Record a lesson: what worked, or what to avoid.

    Args:
        title: Short name.
        description: When to use it, and when not.
        content: One to three sentences.
        outcome: Whether it worked.
        tags: Words to filter by.
        topic: The next lesson on it replaces it.
        scope: Person: all their projects.
    """
    where = kept_in(runtime, scope)
    data = {"description": description, "outcome": outcome}
    key = "-".join(topic.casefold().split())
    before = _on_topic(runtime, key, where) if key else None
    if before is not None:
        revision = before.with_(
            title=title.strip(), content=content.strip(), data={**before.data, **data},
            tags=tuple(tags) if tags else before.tags, status="active",
        )  # fmt: skip
        after = change(
            runtime, before, within_limits(revision), action="update", reason=f"topic {key}"
        )
        runtime.trace.wrote([after.id], type="memory", action="update")
        message = f"{short_id(after.id)} on {key} says this now"
        note = f"what is known on {key} says this now"
        return Recorded(after.id, "updated", message, note, operation="UPDATE")
    saved = save_new(
        runtime,
        "memory",
        title=title,
        content=content,
        tags=tags,
        data={**data, **({"topic": key} if key else {})},
        session=runtime.session,
        scope=where,
    )
    runtime.trace.wrote([saved.record.id], type="memory")
    return recorded(saved, where_kept(runtime, where, scope))


def _on_topic(runtime: Runtime, topic: str, scope: Scope) -> Record | None:
    query = Query(
        scopes=frozenset({scope}),
        kinds=("memory",),
        where={"topic": topic},
        limit=1,
        statuses=FOUND,
    )
    return next(iter(runtime.view.records.find(query).records), None)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What feedback did to a memory."""

    success: Annotated[bool, DETAIL]
    new_confidence: float
    memory_id: str

    def as_text(self) -> str:
        """The new confidence."""
        return f"noted; {short_id(self.memory_id)} now has confidence {self.new_confidence:.2f}"


@operation(
    "POST /api/memories/{memory_id}/feedback", effect="write", profile="standard", personal=True
)
def memory_feedback(runtime: Runtime, memory_id: Id, helpful: bool, comment: str = "") -> Feedback:
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
    reason = f"{signal}: {comment}" if comment else signal
    rating = new_record(
        runtime,
        "feedback",
        content=comment or f"{signal} feedback on {record.title or short_id(record.id)}",
        data={"record_id": record.id, "helpful": helpful, "comment": comment},
    )
    change_all(runtime, [Changed(record, after, "feedback", reason)], beside=[rating])
    runtime.trace.wrote([record.id], type=record.kind, action="update")
    return Feedback(True, after.confidence, record.id)
