"""Prefilter many vectors by the signs of their components.

Vectors with a similar direction share most signs, and 384 signs are six 64-bit numbers:
comparing them costs a tenth of multiplying the vectors. Candidates that pass are multiplied.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Vector

MANY = 20_000
"""The number of vectors from which the prefilter is used."""

_ONE_IN, _LEAST, _PER_ASKED = 12, 4_000, 40
"""How many pass: one in twelve, but at least this many in total and per requested result.

Measured with 400 real questions and passages as queries: of the fifty nearest among 16,000, 31,800 and 46,800
MiniLM vectors at least 99.95 % are among 4,000, of the hundred nearest 99.91 %, of the ten nearest all. One
in twelve passes 99.90 % of fifty among 20,000 and 99.97 % among 31,900; of 100,000 real texts at least 99.98
% (docs/howto/measure-searches.md).
"""

_WORD = 64


class Signs:
    """The signs of vectors by position: one row for each 64 dimensions."""

    def __init__(self, dimensions: int) -> None:
        self._codes = np.zeros((-(-dimensions // _WORD), 0), np.uint64)

    def put(self, places: NDArray[np.intp], vectors: Vector, capacity: int) -> None:
        """Store the signs of the vectors at these positions, of `capacity` in total."""
        known = self._codes.shape[1]
        if capacity > known:
            wider = np.zeros((len(self._codes), capacity), np.uint64)
            wider[:, :known] = self._codes
            self._codes = wider
        self._codes[:, places] = _coded(vectors)

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return self._codes.nbytes

    def likely(
        self, vector: Vector, places: NDArray[np.intp], size: int, limit: int
    ) -> NDArray[np.intp]:
        """The positions, among the first `size`, that almost certainly contain the `limit` nearest."""
        passing = max(len(places) // _ONE_IN, _LEAST, _PER_ASKED * limit)
        if len(places) < MANY or passing >= len(places):
            return places
        differing = np.zeros(size, np.uint16)
        for codes, code in zip(self._codes, _coded(vector[np.newaxis]), strict=True):
            differing += np.bitwise_count(codes[:size] ^ code)
        if len(places) < size:
            differing = differing[places]
        # Counting is faster than sorting. Ties with the last one pass too.
        most = np.searchsorted(np.bincount(differing).cumsum(), passing)
        found: NDArray[np.intp] = places[differing <= most]
        return found


def _coded(vectors: Vector) -> NDArray[np.uint64]:
    packed = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    codes: NDArray[np.uint64] = padded.view(np.uint64).T
    return codes
