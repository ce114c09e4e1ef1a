"""Nearest neighbours: one matrix per part of the index, synchronised with the database. Large parts are
prefiltered by the vectors' signs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Query, Vector
from contextd.runtime.kept_memory import Kept, release_unused
from contextd.stores.database import Database
from contextd.stores.document_table import PartSource, Places, Roster, caught_up, widened
from contextd.stores.index_parts import IndexPart
from contextd.stores.sign_prefilter import Signs
from contextd.stores.vectors import unit, unpack

_ROW = """SELECT d.no, d.kind, d.status, d.confidence, d.valid_from, d.valid_to, d.id, v.vector
    FROM docs d"""
_WITH = "vectors v ON v.part = d.part AND v.digest = d.digest AND v.model = :model"
_ALL = f"{_ROW} JOIN {_WITH} WHERE d.part = :part"
_NEW_DOCS = f"{_ROW} LEFT JOIN {_WITH} WHERE d.part = :part AND d.seq > :since"
_NEW_VECTORS = f"{_ROW} JOIN {_WITH} WHERE d.part = :part AND v.seq > :since"

MOST_BYTES = 768 << 20
"""Memory for vectors: half a million with 384 dimensions. Beyond it, the least recently used matrices are
evicted and read again when needed.
"""

_FEW = 4
"""Below a quarter of the rows, selecting them first is cheaper than multiplying all."""

_AT_ONCE = 256
"""Rows selected at a time, 0.4 MB: twice as fast as all at once, which needs new memory."""

_PER_NAME = 170
"""Bytes of a document's id and kind: a tuple of 56, a text of 36 characters, and their place in the list."""


class _Matrix:
    """The vectors of one part, model and size, with the columns that queries filter by."""

    def __init__(self, dimensions: int) -> None:
        self.seq, self.incarnation = -1, object()
        self.used_at = 0.0
        self.roster = Roster()
        self.names: list[tuple[str, str]] = []
        self.vectors = np.zeros((self.roster.capacity, dimensions), np.float32)
        self.signs = Signs(dimensions)
        self.misfits: set[int] = set()

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Store these rows; one without a vector of this size is dropped, and counted if it has another size."""
        width = self.vectors.shape[1] * 2
        fitting = [row for row in rows if row[7] is not None and len(row[7]) == width]
        self.misfits.difference_update(row[0] for row in fitting)
        if len(fitting) < len(rows):
            numbers = {row[0] for row in fitting}
            self.drop(row[0] for row in rows if row[0] not in numbers)
            self.misfits.update(
                row[0] for row in rows if row[7] is not None and row[0] not in numbers
            )
        if not fitting:
            return
        unpacked = unpack([row[7] for row in fitting])
        places = self.roster.take(fitting)
        if self.roster.capacity > len(self.vectors):
            self.vectors = widened(self.vectors, self.roster.capacity)
        self.vectors[places] = unpacked
        self.signs.put(places, unpacked, self.roster.capacity)
        self.names += [("", "")] * (self.roster.size - len(self.names))
        for place, row in zip(places.tolist(), fitting, strict=True):
            self.names[place] = (row[6], row[1])

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove these documents."""
        dropped = list(numbers)
        self.roster.drop(dropped)
        self.misfits.difference_update(dropped)

    @property
    def bytes(self) -> int:
        """The memory the vectors take."""
        return self.vectors.nbytes + self.signs.bytes

    @property
    def weight(self) -> int:
        """The memory of everything here, estimated where it is no array."""
        return self.bytes + self.roster.bytes + _PER_NAME * len(self.names)

    def nearest(
        self, vector: Vector, mask: NDArray[np.bool_], limit: int
    ) -> list[tuple[str, str, float]]:
        """(id, kind, cosine) of the best allowed rows, including all ties."""
        places, size = np.flatnonzero(mask), self.roster.size
        if not len(places) or limit < 1:
            return []
        places = self.signs.likely(vector, places, size, limit)
        scores = self._cosines(vector, places)
        if len(places) > limit:
            # Keeps everything within rounding of the last one, so that ties are ordered by id.
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            near = scores >= least - 2e-6
            places, scores = places[near], scores[near]
        pairs = zip(places.tolist(), scores.tolist(), strict=True)
        return [(*self.names[place], score) for place, score in pairs]

    def _cosines(self, vector: Vector, places: Places) -> Vector:
        # Not `@`: BLAS would distribute this over all cores, and on a busy machine wait 8 ms for one.
        size = self.roster.size
        if len(places) * _FEW >= size:
            everything: Vector = np.vecdot(self.vectors[:size], vector)
            return everything[places]
        starts = range(0, len(places), _AT_ONCE)
        picked = (self.vectors[places[at : at + _AT_ONCE]] for at in starts)
        return np.concatenate([np.vecdot(rows, vector) for rows in picked])


class DenseIndex:
    """The matrices of this process, most recently used last."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database, self._clock = database, clock
        self._lock = Lock()
        self._matrices: dict[tuple[int, str, int], _Matrix] = {}

    def nearest(
        self,
        part: IndexPart,
        vector: Vector,
        model: str,
        query: Query,
        among: NDArray[np.int64] | None,
        limit: int,
        hidden: NDArray[np.int64] | None = None,
    ) -> list[tuple[str, str, float]]:
        """(id, kind, cosine) of the `limit` nearest documents of a part, including ties; only rowids in
        `among` if given, and none of `hidden`.
        """
        vector = unit(vector)
        key = (part.number, model, len(vector))
        source = PartSource(_ALL, (_NEW_DOCS, _NEW_VECTORS), {"model": model})
        with self._lock:
            known = self._matrices.pop(key) if key in self._matrices else _Matrix(len(vector))
            matrix = self._matrices[key] = caught_up(
                self._database, part, known, source, lambda: _Matrix(len(vector))
            )
            matrix.used_at = self._clock()
            self._make_room()
            allowed = matrix.roster.allowed(query, part.asked, among, hidden)
            return matrix.nearest(vector, allowed, limit)

    def misfits(self, model: str, dimensions: int) -> dict[int, int]:
        """How many documents have vectors of another length, by part, for parts that were searched with
        this length.
        """
        with self._lock:
            return {
                part: len(matrix.misfits)
                for (part, maker, length), matrix in self._matrices.items()
                if (maker, length) == (model, dimensions) and matrix.misfits
            }

    def kept(self) -> Iterable[Kept]:
        """See `Keeper.kept`: each matrix."""
        # A copy, without the lock: a search holds that for as long as it reads a matrix.
        return [
            Kept(
                "vectors",
                matrix.weight,
                matrix.used_at,
                partial(release_unused, self._lock, self._matrices, key, matrix.used_at),
            )
            for key, matrix in list(self._matrices.items())
        ]

    def _make_room(self) -> None:
        spent = sum(matrix.bytes for matrix in self._matrices.values())
        while spent > MOST_BYTES and len(self._matrices) > 1:
            oldest = next(iter(self._matrices))
            spent -= self._matrices.pop(oldest).bytes
