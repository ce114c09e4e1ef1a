"""Scores, and the order of matches, the same in every store."""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from typing import TYPE_CHECKING, Any, TypeVar

from contextd.domain.query import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
NEAR_WEIGHT = 0.4
"""Weight of a word in `near` text, relative to 1 in the text."""

COMMON_SHARE, COMMON_FROM = 0.2, 8_000
"""Words in more than this share of the selected documents are ignored, from this number of documents on."""

Numbers = TypeVar("Numbers", float, "NDArray[Any]")


def idf(documents: int, having: int) -> float:
    """The idf of a word (Robertson and Zaragoza 2009, with Lucene's +1): always positive, or among three
    notes the words of two would not count.
    """
    return log(1 + (documents - having + 0.5) / (having + 0.5))


def bm25(frequency: Numbers, length: Numbers, mean_length: float, weight: float) -> Numbers:
    """One word's contribution to a document's score (Robertson et al. 1994, with k1 1.2, b 0.75)."""
    norm = K1 * (1 - B + B * length / mean_length)
    return weight * frequency * (K1 + 1) / (frequency + norm)


DECIMALS_OF_COSINE, DECIMALS_OF_BM25 = 6, 12
"""Scores are rounded to these decimals before ordering, so that equal texts are equal despite
floating-point sums.
"""


def best(scored: Iterable[tuple[str, str, float]], limit: int, decimals: int) -> list[Match]:
    """The best (id, kind, score); ties are ordered by id."""
    ordered = sorted((-round(score, decimals), id_, kind) for id_, kind, score in scored)
    return [Match(id_, kind, -negative) for negative, id_, kind in ordered[: max(0, limit)]]
