"""Two methods to fuse several rankings into one. Scores are between 0 and 1.

`search.RECIPES` says which one is used, by measurement. Fusion works on plain numbers and only the best
become candidates: for a few hundred documents this is faster than arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Protocol

from contextd.domain.query import Match
from contextd.search.hits import Candidate, ScorePart

RANK_CONSTANT = 10
"""The k of rank fusion. On every set measured, 10 is better than the usual 60."""

_DECIMALS, _ROUNDING = 9, 2e-9
"""Scores are rounded to this many digits before ordering; scores closer than the second value become equal.
"""

Lists = Mapping[str, Sequence[Match]]
Weights = Mapping[str, float]


class Fuse(Protocol):
    """(lists best first, weight of each, maximum length of a list) → candidates, best first, at most
    `limit` if given.
    """

    def __call__(
        self, lists: Lists, weights: Weights, depth: int, limit: int | None = None
    ) -> list[Candidate]:
        """Fuse the lists; see the class for the arguments."""
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

    A document missing from a full list (`depth` long) may be just below its end and counts as its last;
    missing from a shorter list it scores 0.
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
    """The best documents by the sum of the lists' amounts by rank; `missing` is the amount for a document
    not in the list.
    """
    ids = {name: [match.id for match in found] for name, found in lists.items()}
    sums = dict.fromkeys(chain.from_iterable(ids.values()), 0.0)
    for name, own in ids.items():
        added, otherwise = dict(zip(own, amounts[name], strict=True)).get, missing[name]
        sums = {id_: score + added(id_, otherwise) for id_, score in sums.items()}
    if limit is not None and 0 < limit < len(sums):
        # Rounding costs more than ordering: only possible winners are rounded.
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
