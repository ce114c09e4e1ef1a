"""Exact nearest neighbours: one matrix per part of the index, kept up with the database.

Every change of a part carries a number. A query first reads what is newer than what it knows,
whichever thread or process wrote it, then multiplies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Query, Vector
from contextd.domain.time import to_micros
from contextd.stores.connection import Database
from contextd.stores.reach import Slice
from contextd.stores.vectors import unit, unpack

_ROW = """SELECT d.no, d.id, d.kind, d.status, d.confidence, d.valid_from, d.valid_to, v.vector
    FROM docs d"""
_WITH = "vectors v ON v.part = d.part AND v.digest = d.digest AND v.model = ?"
_ALL = f"{_ROW} JOIN {_WITH} WHERE d.part = ?"
_NEW_DOCS = f"{_ROW} LEFT JOIN {_WITH} WHERE d.part = ? AND d.seq > ?"
_NEW_VECTORS = f"{_ROW} JOIN {_WITH} WHERE d.part = ? AND v.seq > ?"

_ALWAYS = np.iinfo(np.int64)

MOST_BYTES = 768 << 20
"""Memory for vectors: half a million of them with 384 dimensions. Past it the matrices that were not
asked for longest are given up and read again when they are."""

_FEW = 4
"""Below a quarter of the rows, picking them out first is cheaper than multiplying all."""


class _Codes:
    """Small numbers for names."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def known(self, names: Iterable[str]) -> list[int]:
        return [self.numbers[name] for name in names if name in self.numbers]


class _Matrix:
    """The vectors of one part, model and size, with what queries filter by in parallel arrays."""

    def __init__(self, dimensions: int) -> None:
        self.seq = -1
        self.size = 0
        self.slots: dict[int, int] = {}
        self.names: list[tuple[str, str]] = []
        self.kinds, self.statuses = _Codes(), _Codes()
        self.vectors = np.zeros((64, dimensions), np.float32)
        self.codes = np.zeros((64, 2), np.int32)
        self.alive = np.zeros(64, np.bool_)
        self.confidence = np.zeros(64, np.float64)
        self.validity = np.zeros((64, 2), np.int64)

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Keep these rows; one without a vector of this size is dropped."""
        width = self.vectors.shape[1] * 2
        fitting = [row for row in rows if row[7] is not None and len(row[7]) == width]
        if len(fitting) < len(rows):
            kept = {row[0] for row in fitting}
            self.drop(row[0] for row in rows if row[0] not in kept)
        if not fitting:
            return
        self._grow(len(self.slots) + len(fitting))
        unpacked = unpack([row[7] for row in fitting])
        places = [self._slot(row[0]) for row in fitting]
        self.vectors[places] = unpacked
        self.alive[places] = True
        self.confidence[places] = [row[4] for row in fitting]
        self.codes[places] = [(self.kinds.of(row[2]), self.statuses.of(row[3])) for row in fitting]
        self.validity[places] = [
            (
                _ALWAYS.min if row[5] is None else row[5],
                _ALWAYS.max if row[6] is None else row[6],
            )
            for row in fitting
        ]
        for place, row in zip(places, fitting, strict=True):
            self.names[place] = (row[1], row[2])

    def drop(self, rowids: Iterable[int]) -> None:
        """Forget these documents; their slots are used again when they come back."""
        places = [self.slots[rowid] for rowid in rowids if rowid in self.slots]
        self.alive[places] = False

    @property
    def wasteful(self) -> bool:
        """Whether most slots are of forgotten documents."""
        return self.size > 1_024 and 2 * int(self.alive.sum()) < self.size

    @property
    def bytes(self) -> int:
        """The memory the vectors take."""
        return self.vectors.nbytes

    def _slot(self, rowid: int) -> int:
        slot = self.slots.get(rowid)
        if slot is None:
            slot = self.slots[rowid] = self.size
            self.size += 1
            self.names.append(("", ""))
        return slot

    def _grow(self, needed: int) -> None:
        capacity = len(self.alive)
        if needed <= capacity:
            return
        while capacity < needed:
            capacity *= 2
        for name in ("vectors", "codes", "alive", "confidence", "validity"):
            old: NDArray[Any] = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]), old.dtype)
            new[: self.size] = old[: self.size]
            setattr(self, name, new)

    def allowed(self, query: Query, asked: Slice, among: Sequence[int] | None) -> NDArray[np.bool_]:
        """Which slots a query may see."""
        end = self.size
        mask = self.alive[:end].copy()
        if among is not None:
            chosen = np.zeros(end, np.bool_)
            chosen[[self.slots[rowid] for rowid in among if rowid in self.slots]] = True
            mask &= chosen
        kinds = [code for kind, code in self.kinds.numbers.items() if asked.has(kind)]
        if len(kinds) < len(self.kinds.numbers):
            mask &= _is_one_of(self.codes[:end, 0], kinds)
        if query.statuses:
            mask &= _is_one_of(self.codes[:end, 1], self.statuses.known(query.statuses))
        if query.min_confidence > 0:
            mask &= self.confidence[:end] >= query.min_confidence
        if query.valid_at is not None:
            moment = to_micros(query.valid_at)
            mask &= (self.validity[:end, 0] <= moment) & (moment < self.validity[:end, 1])
        return mask

    def nearest(
        self, vector: Vector, mask: NDArray[np.bool_], limit: int
    ) -> list[tuple[str, str, float]]:
        """(id, kind, cosine) of the best of the allowed slots, and of all that score the same."""
        places = np.flatnonzero(mask)
        if not len(places) or limit < 1:
            return []
        # Not `@`: BLAS would share this between all cores, and on a busy machine wait 8 ms for one.
        if len(places) * _FEW < self.size:
            scores = np.vecdot(self.vectors[places], vector)
        else:
            scores = np.vecdot(self.vectors[: self.size], vector)[places]
        if len(places) > limit:
            # Everything within rounding of the last one stays, so that ties go by id.
            least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
            near = scores >= least - 2e-6
            places, scores = places[near], scores[near]
        pairs = zip(places.tolist(), scores.tolist(), strict=True)
        return [(*self.names[place], score) for place, score in pairs]


def _is_one_of(codes: NDArray[np.int32], wanted: list[int]) -> NDArray[np.bool_]:
    if len(wanted) == 1:
        only: NDArray[np.bool_] = codes == wanted[0]
        return only
    return np.isin(codes, wanted)


class DenseIndex:
    """The matrices of this process, those asked for last at the end."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._matrices: dict[tuple[int, str, int], _Matrix] = {}

    def nearest(
        self,
        part: int,
        vector: Vector,
        model: str,
        query: Query,
        asked: Slice,
        among: Sequence[int] | None,
        limit: int,
    ) -> list[tuple[str, str, float]]:
        """(id, kind, cosine) of the `limit` documents of a part nearest to the vector, and of those
        that score as the last of them; `among` these rowids when given.
        """
        vector = unit(vector)
        key = (part, model, len(vector))
        with self._lock:
            known = self._matrices.pop(key) if key in self._matrices else _Matrix(len(vector))
            matrix = self._matrices[key] = self._caught_up(known, key)
            self._make_room()
            return matrix.nearest(vector, matrix.allowed(query, asked, among), limit)

    def _make_room(self) -> None:
        spent = sum(matrix.bytes for matrix in self._matrices.values())
        while spent > MOST_BYTES and len(self._matrices) > 1:
            oldest = next(iter(self._matrices))
            spent -= self._matrices.pop(oldest).bytes

    def _caught_up(self, matrix: _Matrix, key: tuple[int, str, int]) -> _Matrix:
        """The matrix as the database is now; another one when it must be read anew."""
        part, model, _ = key
        ask = "SELECT clock, floor FROM parts WHERE no = ?"
        [(now, floor)] = self._database.rows(ask, (part,))
        if matrix.seq == now:
            return matrix
        with self._database.snapshot():
            [(now, floor)] = self._database.rows(ask, (part,))
            if not floor <= matrix.seq <= now:
                matrix = self._read_anew(matrix, part, model)
            else:
                gone = self._database.rows(
                    "SELECT doc FROM forgotten WHERE part = ? AND seq > ?", (part, matrix.seq)
                )
                matrix.drop(rowid for (rowid,) in gone)
                since = (model, part, matrix.seq)
                matrix.take(self._database.rows(_NEW_DOCS, since))
                matrix.take(self._database.rows(_NEW_VECTORS, since))
                if matrix.wasteful:
                    matrix = self._read_anew(matrix, part, model)
        matrix.seq = now
        return matrix

    def _read_anew(self, matrix: _Matrix, part: int, model: str) -> _Matrix:
        fresh = _Matrix(matrix.vectors.shape[1])
        fresh.take(self._database.rows(_ALL, (model, part)))
        return fresh
