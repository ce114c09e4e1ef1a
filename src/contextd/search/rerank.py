"""The second stage: reorder the first hits with a cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.ports.knowledge import Reranker
from contextd.search.boosts import in_order
from contextd.search.hits import Hit, ScorePart
from contextd_common.errors import Unavailable

RERANKER = "reranker"
"""The name of the part that it adds to a score."""

RERANKED = 30
"""Hits that are reranked. Each costs a model run, and most of the possible gain within the first 50 is in
these.
"""

WEIGHT = 1.0
"""Maximum the reranker adds: as much as words and meaning together. Not tuned with a model, since none is
shipped.
"""


def reranked(
    hits: Sequence[Hit], question: str, reranker: Reranker | None
) -> tuple[list[Hit], str]:
    """The hits, best first, with the reranker's scores for the first ones; and the reason if there are
    none. Scores only increase, so that reranked hits stay before the others.
    """
    first, others = list(hits[:RERANKED]), list(hits[RERANKED:])
    if reranker is None or len(first) < 2:
        return [*first, *others], ""
    try:
        judged = reranker.judge(question, [hit.text for hit in first])
    except Unavailable as error:
        return [*first, *others], f"not reranked: {error.message}"
    slow = f"only the first {len(judged)} were reranked: {reranker.model} is slow"
    problem = slow if len(judged) < len(first) else ""
    first, others = first[: len(judged)], [*first[len(judged) :], *others]
    order = sorted(range(len(first)), key=lambda at: (-judged[at], at))
    ranks = {at: rank for rank, at in enumerate(order, 1)}
    parts = [ScorePart(RERANKER, WEIGHT * one, ranks[at], one) for at, one in enumerate(judged)]
    lifted = [hit.plus([part]) for hit, part in zip(first, parts, strict=True)]
    return [*in_order(lifted), *others], problem
