"""Explain how a search ranks its results."""

from __future__ import annotations

from typing import Annotated

from contextd.domain.kinds import KINDS, kind_named
from contextd.domain.limits import Range, Text
from contextd.domain.records import AskedStatus, AskedTrust, short_id
from contextd.knowledge.record_lists import RecordRow, row_of, statuses_of, typed_as
from contextd.knowledge.writing import clean_tags
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.boosts import Standpoint
from contextd.search.find_records import contents_of
from contextd.search.hits import LeftOut, ScorePart
from contextd.search.search import SearchSource, find
from contextd.search.validity import in_force
from contextd_common.dataclass import dataclass

_DEEPEST = 100
_OTHERWISE = "ask in other words, for any status or for all kinds; context_search also looks through sessions and code"
_NEAREST = "what came nearest is below; ask in the words it would be written in"


@dataclass(frozen=True, slots=True)
class Explained:
    """A hit with the score of each component and boost."""

    record: RecordRow
    score: float
    why: str
    parts: list[ScorePart]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Hits, best first, those left out, and notes on the search."""

    hits: list[Explained]
    left_out: list[LeftOut]
    notice: str = ""

    def as_text(self) -> str:
        """A line per hit, then those left out."""
        lines = [
            f"{h.score:.3f} {h.record.title or h.record.content[:80]} ({_why(h)})"
            for h in self.hits
        ]
        if not lines:
            lines.append(f"no results: {_NEAREST if self.left_out else _OTHERWISE}")
        lost = [f"left out: {short_id(x.id)} {x.score:.3f} {x.reason}" for x in self.left_out]
        return "\n".join([*lines, *lost, *([self.notice] if self.notice else [])])


def _why(hit: Explained) -> str:
    return " · ".join(filter(None, (hit.why, hit.record.validity)))


@operation("GET /api/search/explain", audience="owner", where="person")
def explain_search(
    runtime: Runtime,
    query: Text,
    kind: str = "",
    status: AskedStatus = "active",
    tags: list[str] | None = None,
    type: str = "",
    source: str = "",
    trust: AskedTrust = "",
    limit: Annotated[int, Range(1, _DEEPEST)] = 20,
) -> Explanation:
    """Search records and show how every hit got its rank. Counts no use and no miss.

    Args:
        query: What to look for.
        kind: Only this kind.
        status: Only this status; `any` for all of them.
        tags: Only records with all of these tags.
        type: Only this context type, or this type of discovery.
        source: Only records from this source, among the first 100 hits.
        trust: Only records with this trust, among the first 100 hits.
        limit: The most hits.
    """
    now = runtime.clock.now()
    kinds = (kind_named(kind).name,) if kind else tuple(KINDS)
    wanted = runtime.query(
        *kinds,
        statuses=statuses_of(status),
        tags=clean_tags(tags or ()),
        where=typed_as(kind, type),
    )
    result = find(
        SearchSource(
            runtime.view.index,
            runtime.embedder,
            lambda ids: contents_of(runtime, ids),
            reranker=runtime.reranker,
        ),
        query,
        wanted,
        limit=_DEEPEST if source.strip() or trust else limit,
        standing=Standpoint(runtime.cascade, now=now),
    )
    result = in_force(runtime, result)
    # The index has neither source nor trust, so hits are filtered by their records.
    hits = [
        Explained(
            row_of(hit.record, now, hit.validity), round(hit.score, 4), hit.why, list(hit.parts)
        )
        for hit in result.hits
        if hit.record is not None
        and source.strip() in ("", str(hit.record.source))
        and trust in ("", hit.record.trust)
    ]
    return Explanation(hits[:limit], list(result.left_out), result.notice)
