"""Skip unreadable rows, which `Upkeep.check` reports."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from contextd.domain.time import from_micros
from contextd.stores.database import Database
from contextd_common.errors import Corrupt, Invalid

_log = logging.getLogger(__name__)

Row = TypeVar("Row")
T = TypeVar("T")

_FAULTS = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError, Invalid,
)  # fmt: skip
"""Errors raised by a row with unexpected contents."""

_SHAPES = {
    "records": ("scope || ' ' || id", "body", "object", ("created_at", "updated_at", "valid_to")),
    "sessions": ("scope || ' ' || id", "body", "object", ()),
    "observations": ("scope || ' ' || seq", "record_ids", "array", ("at",)),
    "contents": ("scope || ' ' || path", "facts", "array", ()),
    "projects": ("scope", "roots", "array", ("created_at",)),
}
"""Per table: the name of a row, the column that must be JSON of which type, and its times."""

_TIMES = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The years 1 to 9999 in microseconds."""

_MOST_NAMED = 5


def readable(decode: Callable[[Row], T], rows: Iterable[Row]) -> list[T]:
    """The parsed rows; unreadable ones are skipped."""
    found: list[T] = []
    faults: list[str] = []
    for row in rows:
        try:
            found.append(decode(row))
        except _FAULTS as error:
            faults.append(type(error).__name__)
    if faults:
        # The contents stay out of the log, since they may be anything.
        _log.warning("%d rows cannot be read and were left out: %s", len(faults), faults[0])
    return found


def only(decode: Callable[[Row], T], row: Row, name: str) -> T:
    """The parsed row, if it is required. Raises `Corrupt`."""
    try:
        return decode(row)
    except _FAULTS as error:
        raise Corrupt(
            f"the stored data of {name} is unreadable",
            "it was kept unchanged: `contextd doctor` lists such rows, `contextd store restore` restores a backup",
        ) from error


def some_instant(micros: int) -> datetime:
    """The instant in a row; one outside the calendar becomes the epoch."""
    try:
        return from_micros(micros)
    except OverflowError:
        return from_micros(0)


def unreadable_rows(database: Database) -> list[str]:
    """The unreadable rows per table, in words."""
    problems: list[str] = []
    for table, (name, column, shape, times) in _SHAPES.items():
        faulty = f"CASE WHEN json_valid({column}) THEN json_type({column}) != '{shape}' ELSE 1 END"
        faulty += "".join(f" OR {time} NOT BETWEEN {_TIMES[0]} AND {_TIMES[1]}" for time in times)
        rows = database.rows(f"SELECT {name} FROM {table} WHERE {faulty} LIMIT {_MOST_NAMED + 1}")
        names = ", ".join(str(row) for (row,) in rows[:_MOST_NAMED])
        if rows:
            more = " and more" if len(rows) > _MOST_NAMED else ""
            problems.append(f"rows of {table} are unreadable and were skipped: {names}{more}")
    return problems
