"""Scores, and the order every store gives its matches."""

from __future__ import annotations

from collections.abc import Iterable
from math import log

from contextd.domain.query import Match

K1, B = 1.2, 0.75
NEAR_WEIGHT = 0.4
"""What a word in the neighbouring text counts, against 1 in the text itself."""

COMMON_SHARE, COMMON_FROM = 0.2, 8_000
"""Words in more than this share of documents are not asked for, from this many documents on."""


def idf(documents: int, having: int) -> float:
    """How much a word says, as FTS5's bm25() computes it: never below one millionth."""
    return max(log((documents - having + 0.5) / (having + 0.5)), 1e-6)


def bm25(frequency: float, length: int, mean_length: float, weight: float) -> float:
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
