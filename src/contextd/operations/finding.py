"""Finding records and other indexed texts for an operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from contextd.domain.errors import Invalid
from contextd.domain.query import CODE, EVENT
from contextd.domain.records import Record
from contextd.governance.gate import sentence_digests
from contextd.retrieval.files import Past
from contextd.retrieval.hits import Result, Texted
from contextd.retrieval.search import find
from contextd.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Found:
    """A record and why it was found."""

    record: Record
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Records, best first, and what the search wants to say (such as `words only`)."""

    hits: list[Found]
    notice: str


def find_records(
    runtime: Runtime,
    question: str,
    kinds: tuple[str, ...],
    *,
    limit: int,
    reach: Literal["project", "team", "org", "all"] = "all",
    strict: bool = False,
    **conditions: Any,
) -> Findings:
    """The records that answer `question`, ranked; each use is counted."""
    result = find_documents(
        runtime, question, kinds, limit=limit, reach=reach, strict=strict, **conditions
    )
    hits = [Found(h.record, h.score, h.why) for h in result.hits if h.record is not None]
    mark_served(runtime, (hit.record.text for hit in hits))
    return Findings(hits, result.notice)


def find_documents(
    runtime: Runtime,
    question: str,
    kinds: tuple[str, ...],
    *,
    limit: int,
    reach: Literal["project", "team", "org", "all"] = "all",
    strict: bool = False,
    past: Past | None = None,
    **conditions: Any,
) -> Result:
    """What answers `question` among records, messages (EVENT) and code (CODE), ranked; with `past`,
    code is ranked so that the right files come first.
    """
    if not question.strip():
        raise Invalid("the query is empty", "say in a few words what you look for")
    now = runtime.clock.now()
    query = runtime.query(*kinds, reach=reach, valid_at=now, **conditions)
    result = find(
        runtime.store.index,
        runtime.embedder,
        question,
        query,
        hydrate=lambda ids: contents_of(runtime, ids),
        limit=limit,
        now=now,
        cascade=runtime.scope.cascade,
        strict=strict,
        past=past,
    )
    used = [hit.id for hit in result.hits if hit.kind not in (CODE, EVENT)]
    if used:
        runtime.sinks.used(used)
    return result


def contents_of(runtime: Runtime, ids: Sequence[str]) -> dict[str, Texted]:
    """What stands behind index ids: records, chunks of code, messages. Gone ones are left out."""
    store = runtime.store
    messages = [id for id in ids if "#" in id]
    others = [id for id in ids if "#" not in id]
    found: dict[str, Texted] = {record.id: record for record in store.records.get(others)}
    found |= {c.id: c for c in store.files.chunks([id for id in others if id not in found])}
    for id in messages:
        session_id, _, seq = id.partition("#")
        events = store.sessions.events(session_id, after=int(seq) - 1, limit=1)
        if events and events[0].seq == int(seq):
            found[id] = events[0]
    return found


def mark_served(runtime: Runtime, texts: Iterable[str]) -> None:
    """Remember what was handed out, so that it never comes back as new knowledge."""
    digests = [digest for text in texts for digest in sentence_digests(text)]
    if digests and runtime.project is not None:
        runtime.sinks.served(runtime.scope, digests)


def resolve(runtime: Runtime, id: str, *kinds: str) -> Record:
    """The record with this id or unique prefix that the caller may read, of one of `kinds`.

    Raises `NotFound` or `Conflict`; `Invalid` when it is of another kind.
    """
    scopes = runtime.query(*kinds).scopes
    record = runtime.store.records.resolve(id.strip(), scopes)
    if kinds and record.kind not in kinds:
        raise Invalid(
            f"{id} is a {record.kind}, not a {' or '.join(kinds)}", "give the id of one of those"
        )
    return record
