"""Exact nearest neighbours: one matrix per model and process, kept up with the database.

Every change of the index carries a number. A query first reads what is newer than what it knows,
whichever thread or process wrote it, then multiplies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Match, Query
from contextd.domain.time import to_micros
from contextd.ports import Vector
from contextd.stores import filters, ranking
from contextd.stores.connection import Database
from contextd.stores.vectors import unit, unpack

_ROW = """SELECT d.rowid, d.id, d.kind, d.scope, d.status, d.confidence, d.valid_from, d.valid_to,
    v.vector FROM docs d"""
_ALL = f"{_ROW} JOIN vectors v ON v.digest = d.digest AND v.model = ?"
_NEW_DOCS = f"""{_ROW} LEFT JOIN vectors v ON v.digest = d.digest AND v.model = ?
    WHERE d.seq > ?"""
_NEW_VECTORS = f"""{_ROW} JOIN vectors v ON v.digest = d.digest
    WHERE v.model = ? AND v.seq > ?"""

_ALWAYS = np.iinfo(np.int64)
_MODELS = 2
"""So many models are kept in memory at once: the old one and the new one while it changes."""

_FEW = 4
"""Below a quarter of the rows, picking them out first is cheaper than multiplying all."""


class _Codes:
    """Small numbers for names."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def of(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))

    def known(self, names: Iterable[str]) -> list[int]:
        return [self._codes[name] for name in names if name in self._codes]

    def without(self, names: Iterable[str]) -> list[int]:
        return [code for name, code in self._codes.items() if name not in names]


class _Matrix:
    """The vectors of one model and size, with what queries filter by in parallel arrays."""

    def __init__(self, dimensions: int) -> None:
        self.seq = -1
        self.size = 0
        self.slots: dict[int, int] = {}
        self.names: list[tuple[str, str]] = []
        self.kinds, self.scopes, self.statuses = _Codes(), _Codes(), _Codes()
        self.vectors = np.zeros((256, dimensions), np.float32)
        self.codes = np.zeros((256, 3), np.int32)
        self.alive = np.zeros(256, np.bool_)
        self.confidence = np.zeros(256, np.float64)
        self.validity = np.zeros((256, 2), np.int64)

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Keep these rows; one without a vector of this size is dropped."""
        width = self.vectors.shape[1] * 2
        fitting = [row for row in rows if row[8] is not None and len(row[8]) == width]
        if len(fitting) < len(rows):
            kept = {row[0] for row in fitting}
            self.drop(row[0] for row in rows if row[0] not in kept)
        if not fitting:
            return
        self._grow(len(self.slots) + len(fitting))
        unpacked = unpack([row[8] for row in fitting])
        places = [self._slot(row[0]) for row in fitting]
        self.vectors[places] = unpacked
        self.alive[places] = True
        self.confidence[places] = [row[5] for row in fitting]
        self.codes[places] = [
            (self.kinds.of(row[2]), self.scopes.of(row[3]), self.statuses.of(row[4]))
            for row in fitting
        ]
        self.validity[places] = [
            (
                _ALWAYS.min if row[6] is None else row[6],
                _ALWAYS.max if row[7] is None else row[7],
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

    def allowed(self, query: Query, among: Sequence[int] | None) -> NDArray[np.bool_]:
        """Which slots a query may see."""
        end = self.size
        mask = self.alive[:end].copy()
        if among is not None:
            chosen = np.zeros(end, np.bool_)
            chosen[[self.slots[rowid] for rowid in among if rowid in self.slots]] = True
            mask &= chosen
        kinds = (
            self.kinds.known(query.kinds)
            if query.kinds
            else self.kinds.without(filters.NOT_RECORDS)
        )
        mask &= _is_one_of(self.codes[:end, 0], kinds)
        scopes = self.scopes.known(str(scope) for scope in query.scopes)
        mask &= _is_one_of(self.codes[:end, 1], scopes)
        if query.statuses:
            mask &= _is_one_of(self.codes[:end, 2], self.statuses.known(query.statuses))
        if query.min_confidence > 0:
            mask &= self.confidence[:end] >= query.min_confidence
        if query.valid_at is not None:
            moment = to_micros(query.valid_at)
            mask &= (self.validity[:end, 0] <= moment) & (moment < self.validity[:end, 1])
        return mask

    def nearest(self, vector: Vector, mask: NDArray[np.bool_], limit: int) -> list[Match]:
        """The best of the allowed slots."""
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
        scored = ((*self.names[place], score) for place, score in pairs)
        return ranking.best(scored, limit, ranking.DECIMALS_OF_COSINE)


def _is_one_of(codes: NDArray[np.int32], wanted: list[int]) -> NDArray[np.bool_]:
    if len(wanted) == 1:
        only: NDArray[np.bool_] = codes == wanted[0]
        return only
    return np.isin(codes, wanted)


class DenseIndex:
    """The matrices of this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._matrices: dict[tuple[str, int], _Matrix] = {}

    def nearest(
        self, vector: Vector, model: str, query: Query, among: Sequence[int] | None, limit: int
    ) -> list[Match]:
        """The `limit` documents nearest to the vector, `among` these rowids when given."""
        vector = unit(vector)
        key = (model, len(vector))
        if self._database.index_changed:
            # What this transaction wrote may still be taken back: nobody else may see it.
            matrix = self._caught_up(_Matrix(len(vector)), model)
            return matrix.nearest(vector, matrix.allowed(query, among), limit)
        with self._lock:
            matrix = self._caught_up(self._matrices.get(key) or _Matrix(len(vector)), model)
            self._matrices[key] = matrix
            if len(self._matrices) > _MODELS:
                del self._matrices[next(iter(self._matrices))]
            return matrix.nearest(vector, matrix.allowed(query, among), limit)

    def _caught_up(self, matrix: _Matrix, model: str) -> _Matrix:
        """The matrix as the database is now; another one when it must be read anew."""
        [(now, floor)] = self._database.rows("SELECT value, floor FROM index_clock")
        if matrix.seq == now:
            return matrix
        with self._database.snapshot():
            [(now, floor)] = self._database.rows("SELECT value, floor FROM index_clock")
            if not floor <= matrix.seq <= now:
                matrix = self._read_anew(matrix, model)
            else:
                since = (model, matrix.seq)
                gone = self._database.rows("SELECT doc FROM forgotten WHERE seq > ?", (matrix.seq,))
                matrix.drop(rowid for (rowid,) in gone)
                matrix.take(self._database.rows(_NEW_DOCS, since))
                matrix.take(self._database.rows(_NEW_VECTORS, since))
                if matrix.wasteful:
                    matrix = self._read_anew(matrix, model)
        matrix.seq = now
        return matrix

    def _read_anew(self, matrix: _Matrix, model: str) -> _Matrix:
        fresh = _Matrix(matrix.vectors.shape[1])
        fresh.take(self._database.rows(_ALL, (model,)))
        return fresh
