"""Two ways to make one ranking of several. Both give scores between 0 and 1.

Which one is used for what was measured; `search.RECIPES` tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from contextd.domain.query import Match
from contextd.retrieval.hits import Candidate, ScorePart

RANK_CONSTANT = 10
"""The k of rank fusion. On every set measured 10 beats the customary 60."""

Lists = Mapping[str, Sequence[Match]]
Weights = Mapping[str, float]
Fuse = Callable[[Lists, Weights, int], list[Candidate]]
"""(lists best first, weight of each, how long a list may be) → candidates, best first."""


def fuse_ranks(lists: Lists, weights: Weights, depth: int) -> list[Candidate]:
    """Reciprocal rank fusion: Σ w/(k + rank), scaled so that first everywhere is 1.

    Cormack, Clarke and Büttcher 2009, with k = 10 and a weight per list. `depth` is not used.
    """
    del depth
    scale = (RANK_CONSTANT + 1) / (sum(weights[name] for name in lists) or 1.0)

    def amount(name: str, rank: int, score: float) -> float:
        del score
        return scale * weights[name] / (RANK_CONSTANT + rank) if rank else 0.0

    return _candidates(lists, amount)


def fuse_scores(lists: Lists, weights: Weights, depth: int) -> list[Candidate]:
    """The weighted mean of scores, each list divided by its best score.

    A document missing from a list that is `depth` long may be the very next one, and is taken to
    score like the last; from a shorter list it is missing for good, and scores 0.
    """
    total = sum(weights[name] for name in lists) or 1.0
    best = {name: max((m.score for m in found), default=0.0) for name, found in lists.items()}
    missing = {
        name: found[-1].score if found and len(found) >= depth else 0.0
        for name, found in lists.items()
    }

    def amount(name: str, rank: int, score: float) -> float:
        if best[name] <= 0:
            return 0.0
        return weights[name] / total * max(0.0, score if rank else missing[name]) / best[name]

    return _candidates(lists, amount)


def _candidates(lists: Lists, amount: Callable[[str, int, float], float]) -> list[Candidate]:
    places: dict[str, dict[str, tuple[int, float]]] = {}
    kinds: dict[str, str] = {}
    for name, found in lists.items():
        for rank, match in enumerate(found, 1):
            places.setdefault(match.id, {}).setdefault(name, (rank, match.score))
            kinds[match.id] = match.kind
    candidates = [
        Candidate(
            id_,
            kinds[id_],
            tuple(
                ScorePart(name, amount(name, rank, raw), rank, raw)
                for name in lists
                for rank, raw in (at.get(name, (0, 0.0)),)
            ),
        )
        for id_, at in places.items()
    ]
    return sorted(candidates, key=lambda c: (-round(c.score, 9), c.id))
