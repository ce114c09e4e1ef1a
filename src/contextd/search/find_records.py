"""Search for an operation: records and other indexed texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from contextd.domain.confidence import confidence_at
from contextd.domain.context_items import ItemType, Serving
from contextd.domain.documents import message_place
from contextd.domain.kinds import SEARCHED_AS, kinds_searched_as, kinds_that
from contextd.domain.query import CODE, EVENT
from contextd.domain.records import FOUND, Record
from contextd.domain.validity import CURRENT, Validity
from contextd.runtime.runtime import Runtime
from contextd.search.boosts import Standpoint
from contextd.search.embedding_progress import embedding_progress
from contextd.search.file_ranking import Past
from contextd.search.hits import Result, Texted
from contextd.search.search import SearchSource, WordReaders, find
from contextd.search.validity import in_force
from contextd.search.word_counts import (
    MOST_READ,
    read_once,
    read_said_once,
    weight_of,
    weight_of_said,
)
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens

SEARCHED: dict[str, tuple[str, ...]] = {
    **{name: kinds_searched_as(name) for name in SEARCHED_AS},
    "code": (CODE,),
    "session": (EVENT, *kinds_searched_as("session")),
}
"""What each `type` of a search includes: kinds of record by their rows, and other documents."""


KNOWN: tuple[str, ...] = tuple(kind for kind in kinds_that("entry") if kind != "skill")
"""Notes, lessons, fixes, rules and standards: a record saved with any tool is found by every search tool."""


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record, its relevance between 0 and 1, and the reason for the match."""

    record: Record
    score: float
    why: str
    validity: Validity = CURRENT


@dataclass(frozen=True, slots=True)
class Findings:
    """Records, best first, and a notice of the search (such as `words only`)."""

    hits: list[FoundRecord]
    notice: str


def find_records(
    runtime: Runtime,
    question: str,
    kinds: tuple[str, ...],
    *,
    limit: int,
    handed_out: bool = True,
    **conditions: Any,
) -> Findings:
    """The records that match `question`, ranked. With `handed_out`, their uses are counted and their
    sentences remembered. Further conditions are those of `find_documents`.
    """
    result = find_documents(
        runtime, question, kinds, limit=limit, handed_out=handed_out, **conditions
    )
    least, now = conditions.get("min_confidence", 0.0), runtime.clock.now()
    found = {hit.record.id for hit in result.hits if hit.record is not None}
    hits = [
        FoundRecord(hit.record, hit.relevance, hit.why, hit.validity)
        for hit in result.hits
        # The index has the stored confidence, which may have decayed since. A copy is skipped beside its
        # original.
        if hit.record is not None
        and (not least or confidence_at(hit.record, now) >= least)
        and found.isdisjoint(hit.record.data.get("promoted_from") or ())
    ]
    if handed_out:
        runtime.trace.own_texts += [hit.record.text for hit in hits]
    return Findings(hits, result.notice)


def find_documents(
    runtime: Runtime,
    question: str,
    kinds: tuple[str, ...],
    *,
    limit: int,
    strict: bool = False,
    past: Past | None = None,
    handed_out: bool = True,
    without: frozenset[str] = frozenset(),
    **conditions: Any,
) -> Result:
    """The records, messages (EVENT) and code (CODE) that match `question`, ranked; with `past`, code is
    ranked by its files. Skips the files in `without`. Invalid texts come last (`in_force`).
    `handed_out` as for `find_records`, `conditions` as for `Runtime.query`.
    """
    if not question.strip():
        raise Invalid("the query is empty", "describe what you are looking for in a few words")
    now = runtime.clock.now()
    conditions.setdefault("statuses", FOUND)
    query = runtime.query(*kinds, valid_at=now, **conditions)
    caches = runtime.organisation.caches
    texts = caches.of("words of texts", MOST_READ, weigh=weight_of)
    records = caches.of("words of records", MOST_READ, weigh=weight_of_said)
    progress = embedding_progress(runtime, query)
    result = find(
        SearchSource(
            runtime.view.index,
            runtime.embedder,
            lambda ids: contents_of(runtime, ids, without),
            reranker=runtime.reranker,
            embedded=progress.share if runtime.embedder.model else 1.0,
        ),
        question,
        query,
        limit=limit,
        standing=Standpoint(runtime.cascade, now=now),
        strict=strict,
        past=past,
        word_readers=WordReaders(
            partial(read_once, texts), partial(read_said_once, records, texts)
        ),
    )
    result = in_force(runtime, result)
    result = replace(result, notice="; ".join(filter(None, (result.notice, progress.note))))
    if progress.note or not result.by_meaning:
        runtime.trace.by_words = result.notice
    if handed_out:
        runtime.trace.used += [hit.record for hit in result.hits if hit.record is not None]
    return result


def give(runtime: Runtime, texts: Iterable[tuple[ItemType, str, str]]) -> None:
    """Track what a call serves to its agent: type, source and text. Outside a session there is no window,
    and nothing is counted.
    """
    if runtime.session:
        runtime.trace.gave += [
            Serving(type, source, count_tokens(text)) for type, source, text in texts
        ]


def hand_out_whole(runtime: Runtime, records: Sequence[Record]) -> None:
    """Track records that a call serves in full."""
    runtime.trace.gave += [Serving("discovery", one.id, count_tokens(one.text)) for one in records]


def contents_of(
    runtime: Runtime, ids: Sequence[str], without: frozenset[str] = frozenset()
) -> dict[str, Texted]:
    """The contents of index ids: records, chunks of code, messages. Skips deleted ones, and chunks of the
    files in `without`.
    """
    view = runtime.view
    places = {id: place for id in ids if (place := message_place(id)) is not None}
    others = [id for id in ids if id not in places]
    found: dict[str, Texted] = {record.id: record for record in view.records.get(others)}
    rest = [id for id in others if id not in found]
    if rest and view.files is not None:
        chunks = view.files.chunks(rest)
        found |= {chunk.id: chunk for chunk in chunks if chunk.path not in without}
    if places:
        by_place = {place: id for id, place in places.items()}
        for session_id, event in view.sessions.messages(list(by_place)):
            found[by_place[session_id, event.seq]] = event
    return found


def resolve(runtime: Runtime, id: str, *kinds: str) -> Record:
    """The readable record with this id or unique prefix, of one of `kinds`.

    Raises `NotFound`, also for a record of another kind, or `Conflict`.
    """
    record = runtime.view.records.resolve(id.strip())
    if kinds and record.kind not in kinds:
        raise NotFound(
            f"{id} is a {record.kind}, not a {' or '.join(kinds)}", "give the id of one of those"
        )
    return record
