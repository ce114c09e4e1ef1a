"""Keeping track of records that disagree: at each write with its neighbours, daily with all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from contextd.awareness.contradictions import compare_all, identity_keys, other_value
from contextd.domain.awareness import STANDING, Contradiction, ordered
from contextd.domain.errors import Unavailable
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.words import query_words
from contextd.governance.contradict import Outline, contradiction, outline
from contextd.operations.background import Task, job
from contextd.runtime import Runtime

COMPARED = ("context", "memory", "discovery", "policy", "coding_standard", "repo_standard")
"""Kinds whose records say what holds."""

_NEIGHBOURS = 10
_MOST_WORDS = 64
_PAGE = 2_000
_MOST_PAIRS = 10_000


def disagreement(one: Record, other: Record) -> tuple[str, str] | None:
    """(kind, reason) when two records contradict each other; the smaller id is told first."""
    one, other = sorted((one, other), key=lambda record: record.id)
    field = other_value(_fields(one), _fields(other))
    if field:
        return "field", field
    return contradiction(one.content, other.content)


def _outlined(record: Record) -> Outline:
    told = outline(record.content)
    return replace(told, keys=told.keys | identity_keys(_fields(record)))


def note_disagreements(runtime: Runtime, record: Record) -> None:
    """Compare a record with its nearest neighbours and keep the pairs that disagree.

    Pairs it was in before stay only as long as the comparison still finds them.
    """
    store = runtime.store
    if record.kind not in COMPARED or record.status not in STANDING:
        return
    query = runtime.query(*COMPARED, statuses=STANDING)
    known = store.contradictions.of(record.id)
    paired = {pair.b if pair.a == record.id else pair.a for pair in known}
    others = store.records.get(list(dict.fromkeys([*paired, *_nearest(runtime, record, query)])))
    found: list[Contradiction] = []
    for other in others:
        told = disagreement(record, other) if other.id != record.id else None
        if told is not None:
            found.append(_pair(runtime, record.id, other.id, *told))
    still = {(pair.a, pair.b) for pair in found}
    gone = [(p.a, p.b) for p in known if p.state == "open" and (p.a, p.b) not in still]
    if found or gone:
        with store.transaction():
            store.contradictions.put(found)
            store.contradictions.remove(gone)


def _nearest(runtime: Runtime, record: Record, query: Query) -> list[str]:
    index = runtime.store.index
    near = index.lexical(query_words(record.text)[:_MOST_WORDS], query, _NEIGHBOURS)
    try:
        [vector] = runtime.embedder.embed([record.text])
    except Unavailable:
        return [match.id for match in near]
    near += index.dense(vector, runtime.embedder.model, query, _NEIGHBOURS)
    return [match.id for match in near]


def queue_comparison(runtime: Runtime, *, slot: str = "") -> str:
    """Have all records of the project compared in the background; once per `slot` if one is given.

    Returns the job's id.
    """
    key = f"contradictions:{runtime.scope}"
    queued = runtime.store.jobs.enqueue(
        "find_contradictions",
        {"project": str(runtime.scope)},
        unique_key=f"cron:{key}:{slot}" if slot else key,
    )
    runtime.sinks.wake()
    return queued


@job
def find_contradictions(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Compare all records of a project and its wider scopes, and keep the pairs that disagree."""
    store = runtime.store
    query = runtime.query(*COMPARED, statuses=STANDING, limit=_PAGE)
    records = _all(runtime, query)
    found = [
        _pair(runtime, one, other, kind, reason)
        for one, other, kind, reason in islice(
            compare_all(records, _outlined, disagreement), _MOST_PAIRS
        )
    ]
    by_id = {record.id: record for record in records}
    pairs = {(pair.a, pair.b) for pair in found}
    known = store.contradictions.find(query.scopes, limit=_MOST_PAIRS)
    gone = [
        (pair.a, pair.b)
        for pair in known
        if (pair.a, pair.b) not in pairs
        and pair.a in by_id
        and pair.b in by_id
        and disagreement(by_id[pair.a], by_id[pair.b]) is None
    ]
    with store.transaction():
        store.contradictions.put(found)
        store.contradictions.remove(gone)
    return {"records": len(records), "contradictions": len(found), "gone": len(gone)}


def _all(runtime: Runtime, query: Query) -> Sequence[Record]:
    records: list[Record] = []
    cursor = ""
    while True:
        page = runtime.store.records.find(
            Query(
                scopes=query.scopes,
                kinds=query.kinds,
                statuses=query.statuses,
                limit=_PAGE,
                cursor=cursor,
            )
        )
        records += page.records
        cursor = page.cursor
        if not cursor:
            return records


def _pair(runtime: Runtime, one: str, other: str, kind: str, reason: str) -> Contradiction:
    a, b = ordered(one, other)
    return Contradiction(a=a, b=b, kind=kind, reason=reason, found_at=runtime.clock.now())


def _fields(record: Record) -> Mapping[str, object]:
    """The typed fields of an entry with its type, whether they are kept apart or not."""
    inner = record.data.get("structuredData")
    return {**record.data, **(inner if isinstance(inner, Mapping) else {})}
