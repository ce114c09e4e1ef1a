"""The second stage: the first hits in the order of a model that reads question and text together."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.errors import Unavailable
from contextd.ports.knowledge import Reranker
from contextd.search.hits import Hit, ScorePart
from contextd.search.rank import in_order

RERANKER = "reranker"
"""The name of the part it adds to a score."""

RERANKED = 30
"""How many hits are judged. Each costs a run of the model, and of what an ideal order of the first 50
would gain most lies in these.
"""

WEIGHT = 1.0
"""What the judgement adds at most: as much as words and meaning together. It was measured with no model,
since none is shipped.
"""


def reranked(
    hits: Sequence[Hit], question: str, reranker: Reranker | None
) -> tuple[list[Hit], str]:
    """The hits, best first, with what the reranker says of the first ones; and why it says nothing. Nothing
    is ever taken away, so that those stay before the others.
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
