"""Shares with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from contextd_bench.data import RESAMPLES, SEED

_Z = 1.96


@dataclass(frozen=True, slots=True)
class MeasuredShare:
    """A share of `n`, with its 95 % interval."""

    hits: int
    n: int
    low: float
    high: float

    def __str__(self) -> str:
        if not self.n:
            return "– (n=0)"
        percent = 100 * self.hits / self.n
        return f"{percent:.0f} % ({100 * self.low:.0f}–{100 * self.high:.0f}), n={self.n}"

    def as_dict(self) -> dict[str, float]:
        """The four numbers."""
        return {"hits": self.hits, "n": self.n, "low": self.low, "high": self.high}


def wilson(hits: int, n: int) -> MeasuredShare:
    """A share of things that are independent of each other, with Wilson's interval."""
    if not n:
        return MeasuredShare(0, 0, 0.0, 1.0)
    share = hits / n
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n)) / (1 + _Z**2 / n)
    return MeasuredShare(hits, n, max(0.0, middle - half), min(1.0, middle + half))


def by_session(counts: Iterable[tuple[int, int]]) -> MeasuredShare:
    """A share of things that come in sessions, given as (hits, n) of each: sessions are drawn again.
    Where every session says the same, Wilson's interval over all of them.
    """
    rows = np.asarray([row for row in counts if row[1]], dtype=np.float64)
    if not len(rows):
        return MeasuredShare(0, 0, 0.0, 1.0)
    hits, n = int(rows[:, 0].sum()), int(rows[:, 1].sum())
    if len(rows) < 3 or hits in (0, n):
        return wilson(hits, n)
    picks = np.random.default_rng(SEED).integers(0, len(rows), (RESAMPLES, len(rows)))
    sums = rows[picks].sum(axis=1)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    return MeasuredShare(hits, n, float(low), float(high))


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Cohen's kappa of two judgements of the same things; 0 when nothing was judged."""
    if not pairs:
        return 0.0
    same = sum(one == other for one, other in pairs) / len(pairs)
    first = sum(one for one, _ in pairs) / len(pairs)
    second = sum(other for _, other in pairs) / len(pairs)
    chance = first * second + (1 - first) * (1 - second)
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed; 0 without any."""
    return float(np.percentile(np.asarray(values), 100 * share)) if values else 0.0
