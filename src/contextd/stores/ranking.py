"""Scores, and the order every store gives its matches."""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from typing import TYPE_CHECKING, Any, TypeVar

from contextd.domain.query import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
NEAR_WEIGHT = 0.4
"""What a word in the neighbouring text counts, against 1 in the text itself."""

COMMON_SHARE, COMMON_FROM = 0.2, 8_000
"""Words in more than this share of the documents asked are left out, from this many documents on."""

Numbers = TypeVar("Numbers", float, "NDArray[Any]")


def idf(documents: int, having: int) -> float:
    """How much a word says (Robertson and Zaragoza 2009, with Lucene's one more): always something,
    or among three notes the words of two of them would not count.
    """
    return log(1 + (documents - having + 0.5) / (having + 0.5))


def bm25(frequency: Numbers, length: Numbers, mean_length: float, weight: float) -> Numbers:
    """One word's part of a document's score (Robertson et al. 1994, with k1 1.2, b 0.75)."""
    norm = K1 * (1 - B + B * length / mean_length)
    return weight * frequency * (K1 + 1) / (frequency + norm)


DECIMALS_OF_COSINE, DECIMALS_OF_BM25 = 6, 12
"""Scores are rounded to these before they are ordered, so that equal texts are equal whatever the
last bit of a sum."""


def best(scored: Iterable[tuple[str, str, float]], limit: int, decimals: int) -> list[Match]:
    """The best (id, kind, score), equal scores by id."""
    ordered = sorted((-round(score, decimals), id_, kind) for id_, kind, score in scored)
    return [Match(id_, kind, -negative) for negative, id_, kind in ordered[: max(0, limit)]]
