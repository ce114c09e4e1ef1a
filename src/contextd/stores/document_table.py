"""The documents of a part in memory: the columns that queries filter by, as parallel arrays.

Every change of a part has a number. A copy first reads what is newer than its own number, whichever thread or
process wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Query
from contextd.domain.time import to_micros
from contextd.stores.database import Database
from contextd.stores.granted_rows import Slice
from contextd.stores.index_parts import IndexPart
from contextd_common.dataclass import dataclass

Places = NDArray[np.intp]

_ALWAYS = np.iinfo(np.int64)


class _Codes:
    """Small integers for names."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def known(self, names: Iterable[str]) -> list[int]:
        return [self.numbers[name] for name in dict.fromkeys(names) if name in self.numbers]


class Roster:
    """The documents of a part. A document keeps its position after removal."""

    def __init__(self) -> None:
        self.size = 0
        self.kinds, self.statuses = _Codes(), _Codes()
        self.numbers = np.zeros(64, np.int64)
        self.codes = np.zeros((64, 2), np.int32)
        self.alive = np.zeros(64, np.bool_)
        self.confidence = np.zeros(64, np.float64)
        self.validity = np.zeros((64, 2), np.int64)
        self._order: Places | None = None
        self._gapless = False
        self._bounded = False

    @property
    def capacity(self) -> int:
        """The required length of arrays parallel to this one."""
        return len(self.alive)

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        columns = (self.numbers, self.codes, self.alive, self.confidence, self.validity)
        order = 0 if self._order is None else self._order.nbytes
        return order + sum(column.nbytes for column in columns)

    def take(self, rows: Sequence[Sequence[Any]]) -> Places:
        """Store documents, from (number, kind, status, confidence, valid from, valid to, …); return their
        positions.
        """
        numbers = np.array([row[0] for row in rows], np.int64)
        places = self.places(numbers)
        new = places < 0
        if new.any():
            places[new] = self._added(numbers[new])
        self.alive[places] = True
        self.confidence[places] = [row[3] for row in rows]
        self.codes[places] = [(self.kinds.of(row[1]), self.statuses.of(row[2])) for row in rows]
        self._bounded |= any(row[4] is not None or row[5] is not None for row in rows)
        self.validity[places] = [
            (
                _ALWAYS.min if row[4] is None else row[4],
                _ALWAYS.max if row[5] is None else row[5],
            )
            for row in rows
        ]
        return places

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove these documents; their positions are reused if they return."""
        places = self.places(np.array(list(numbers), np.int64))
        self.alive[places[places >= 0]] = False

    def places(self, numbers: NDArray[np.int64]) -> Places:
        """The position of each document, −1 if unknown."""
        if not self.size:
            return np.full(len(numbers), -1, np.intp)
        here = self.numbers[: self.size]
        if self._gapless:
            steps = numbers - here[0]
            return np.where((steps >= 0) & (steps < self.size), steps, -1)
        at = np.minimum(np.searchsorted(here, numbers, sorter=self._order), self.size - 1)
        if self._order is not None:
            at = self._order[at]
        found: Places = np.where(here[at] == numbers, at, -1)
        return found

    @property
    def wasteful(self) -> bool:
        """Whether most positions belong to removed documents."""
        return self.size > 1_024 and 2 * int(self.alive.sum()) < self.size

    def _added(self, numbers: NDArray[np.int64]) -> Places:
        start, self.size = self.size, self.size + len(numbers)
        capacity = self.capacity
        while capacity < self.size:
            capacity *= 2
        if capacity > self.capacity:
            for name in ("numbers", "codes", "alive", "confidence", "validity"):
                setattr(self, name, widened(getattr(self, name), capacity))
        self.numbers[start : self.size] = numbers
        here = self.numbers[: self.size]
        # New documents nearly always have higher numbers than all before.
        self._order = None if (here[1:] > here[:-1]).all() else np.argsort(here)
        self._gapless = self._order is None and int(here[-1] - here[0]) == self.size - 1
        return np.arange(start, self.size)

    def allowed(
        self,
        query: Query,
        asked: Slice,
        among: NDArray[np.int64] | None = None,
        hidden: NDArray[np.int64] | None = None,
    ) -> NDArray[np.bool_]:
        """The positions a query may see; only documents in `among` if given, and none of `hidden`."""
        end = self.size
        looked: Places | slice = slice(end)
        if among is not None:
            places = self.places(among)
            looked = places[places >= 0]
        seen = self.alive[looked].copy()
        kinds = [code for kind, code in self.kinds.numbers.items() if asked.has(kind)]
        if len(kinds) < len(self.kinds.numbers):
            seen &= _is_one_of(self.codes[looked, 0], kinds)
        statuses = self.statuses.known(query.statuses)
        if query.statuses and len(statuses) < len(self.statuses.numbers):
            seen &= _is_one_of(self.codes[looked, 1], statuses)
        if query.min_confidence > 0:
            seen &= self.confidence[looked] >= query.min_confidence
        if query.valid_at is not None and self._bounded:
            moment = to_micros(query.valid_at)
            seen &= (self.validity[looked, 0] <= moment) & (moment < self.validity[looked, 1])
        mask = seen
        if among is not None:
            mask = np.zeros(end, np.bool_)
            mask[looked] = seen
        if hidden is not None:
            places = self.places(hidden)
            mask[places[places >= 0]] = False
        return mask


def widened(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    """The array with this many rows, old rows first."""
    wider = np.zeros((capacity, *array.shape[1:]), array.dtype)
    wider[: len(array)] = array
    return wider


def _is_one_of(codes: NDArray[np.int32], wanted: list[int]) -> NDArray[np.bool_]:
    if len(wanted) == 1:
        only: NDArray[np.bool_] = codes == wanted[0]
        return only
    # np.isin takes eight times as long for these few small numbers.
    listed = np.zeros(max(wanted, default=0) + 1, np.bool_)
    listed[wanted] = True
    found: NDArray[np.bool_] = listed.take(codes, mode="clip") & (codes < len(listed))
    return found


class PartCopy(Protocol):
    """The in-memory copy of a part, as of `seq` in this incarnation of the database."""

    seq: int
    incarnation: object
    roster: Roster

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Store the current state of these documents."""
        ...

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove these documents."""
        ...


@dataclass(frozen=True, slots=True)
class PartSource:
    """The source of a copy: one statement for everything, others for rows newer than `:since`."""

    whole: str
    newer: tuple[str, ...]
    values: dict[str, Any]


_FORGOTTEN = "SELECT doc FROM forgotten WHERE part = ? AND seq > ?"

Copy = TypeVar("Copy", bound=PartCopy)


def caught_up(
    database: Database, part: IndexPart, copy: Copy, source: PartSource, new: Callable[[], Copy]
) -> Copy:
    """The updated copy; a new one if it must be read again. Call it in the snapshot that the part was read in."""
    values = {"part": part.number, **source.values}
    incarnation = database.incarnation
    if copy.seq == part.clock and copy.incarnation == incarnation:
        return copy
    known = part.floor <= copy.seq <= part.clock and copy.incarnation == incarnation
    if known:
        changes = {**values, "since": copy.seq}
        forgotten_rows, *newer = database.several(
            [(_FORGOTTEN, (part.number, copy.seq)), *((sql, changes) for sql in source.newer)]
        )
        copy.drop(number for (number,) in forgotten_rows)
        for rows in newer:
            copy.take(rows)
    if not known or copy.roster.wasteful:
        copy = new()
        # In the order of their numbers, a document is found by halving.
        copy.take(sorted(database.rows(source.whole, values), key=itemgetter(0)))
    copy.seq, copy.incarnation = part.clock, incarnation
    return copy
