"""Two ways to make one ranking of several. Both give scores between 0 and 1.

Which one is used for what was measured; `search.RECIPES` tells. Plain numbers are fused, and only the
best of them become candidates: at a few hundred documents that costs less than arrays would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Protocol

from contextd.domain.query import Match
from contextd.search.hits import Candidate, ScorePart

RANK_CONSTANT = 10
"""The k of rank fusion. On every set measured 10 beats the customary 60."""

_DECIMALS, _ROUNDING = 9, 2e-9
"""Scores are rounded to so many digits before they are ordered; two that become equal are nearer."""

Lists = Mapping[str, Sequence[Match]]
Weights = Mapping[str, float]


class Fuse(Protocol):
    """(lists best first, weight of each, how long a list may be) → candidates, best first, and at most
    `limit` where it is given.
    """

    def __call__(
        self, lists: Lists, weights: Weights, depth: int, limit: int | None = None
    ) -> list[Candidate]:
        """See the class."""
        ...


def fuse_ranks(
    lists: Lists, weights: Weights, depth: int, limit: int | None = None
) -> list[Candidate]:
    """Reciprocal rank fusion: Σ w/(k + rank), scaled so that first everywhere is 1.

    Cormack, Clarke and Büttcher 2009, with k = 10 and a weight per list. `depth` is not used.
    """
    del depth
    scale = (RANK_CONSTANT + 1) / (sum(weights[name] for name in lists) or 1.0)
    amounts = {
        name: [scale * weights[name] / (RANK_CONSTANT + rank) for rank, _ in enumerate(found, 1)]
        for name, found in lists.items()
    }
    return _best(lists, amounts, dict.fromkeys(lists, 0.0), limit)


def fuse_scores(
    lists: Lists, weights: Weights, depth: int, limit: int | None = None
) -> list[Candidate]:
    """The weighted mean of scores, each list divided by its best score.

    A document missing from a list that is `depth` long may be the very next one, and is taken to
    score like the last; from a shorter list it is missing for good, and scores 0.
    """
    total = sum(weights[name] for name in lists) or 1.0
    amounts: dict[str, list[float]] = {}
    missing: dict[str, float] = {}
    for name, found in lists.items():
        scores = [match.score for match in found]
        weight, best = weights[name] / total, max(scores, default=0.0)
        full = bool(found) and len(found) >= depth
        if best <= 0:
            amounts[name], missing[name] = [0.0] * len(found), 0.0
            continue
        amounts[name] = [weight * (score if score > 0.0 else 0.0) / best for score in scores]
        missing[name] = weight * max(0.0, scores[-1]) / best if full else 0.0
    return _best(lists, amounts, missing, limit)


def _best(
    lists: Lists,
    amounts: Mapping[str, Sequence[float]],
    missing: Mapping[str, float],
    limit: int | None,
) -> list[Candidate]:
    """The documents by the sum of what each list adds: `amounts` place by place, `missing` for one that
    is not in it.
    """
    ids = {name: [match.id for match in found] for name, found in lists.items()}
    sums = dict.fromkeys(chain.from_iterable(ids.values()), 0.0)
    for name, own in ids.items():
        added, otherwise = dict(zip(own, amounts[name], strict=True)).get, missing[name]
        sums = {id_: score + added(id_, otherwise) for id_, score in sums.items()}
    if limit is not None and 0 < limit < len(sums):
        # Rounding costs more than ordering: only what may be among the best is rounded.
        least = sorted(sums.values(), reverse=True)[limit - 1] - _ROUNDING
        sums = {id_: score for id_, score in sums.items() if score >= least}
    ordered = sorted([(-round(score, _DECIMALS), id_) for id_, score in sums.items()])

    places = [(n, dict(zip(own, range(len(own)), strict=True))) for n, own in ids.items()]
    candidates: list[Candidate] = []
    for _, id_ in ordered[:limit]:
        kind, parts = "", list[ScorePart]()
        for name, place in places:
            at = place.get(id_)
            if at is None:
                parts.append(ScorePart(name, missing[name]))
            else:
                match = lists[name][at]
                kind = match.kind
                parts.append(ScorePart(name, amounts[name][at], at + 1, match.score))
        candidates.append(Candidate(id_, kind, tuple(parts)))
    return candidates
