"""Rows that no contextd wrote: none of them stands in the way of the others, and `Upkeep.check` names them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from contextd.domain.errors import Corrupt, Invalid
from contextd.domain.time import from_micros
from contextd.stores.connection import Database

_log = logging.getLogger(__name__)

Row = TypeVar("Row")
T = TypeVar("T")

_FAULTS = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError, Invalid,
)  # fmt: skip
"""What reading a row raises that holds something else than its table should."""

_SHAPES = {
    "records": ("scope || ' ' || id", "body", "object", ("created_at", "updated_at", "valid_to")),
    "sessions": ("scope || ' ' || id", "body", "object", ()),
    "observations": ("scope || ' ' || seq", "record_ids", "array", ("at",)),
    "contents": ("scope || ' ' || path", "facts", "array", ()),
    "projects": ("scope", "roots", "array", ("created_at",)),
}
"""Of a table: how a row is named, what must be JSON, of what type, and its times."""

_TIMES = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The years 1 to 9999 in microseconds."""

_MOST_NAMED = 5


def readable(decode: Callable[[Row], T], rows: Iterable[Row]) -> list[T]:
    """What the rows say. One that cannot be read is left out."""
    found: list[T] = []
    faults: list[str] = []
    for row in rows:
        try:
            found.append(decode(row))
        except _FAULTS as error:
            faults.append(type(error).__name__)
    if faults:
        # What it says stays out of the log: it may be anything.
        _log.warning("%d rows cannot be read and were left out: %s", len(faults), faults[0])
    return found


def only(decode: Callable[[Row], T], row: Row, name: str) -> T:
    """What a row says that cannot be done without. Raises `Corrupt`."""
    try:
        return decode(row)
    except _FAULTS as error:
        raise Corrupt(
            f"what is stored of {name} cannot be read",
            "it was kept as it is: `contextd doctor` names such rows, `contextd store restore` brings a backup",
        ) from error


def some_instant(micros: int) -> datetime:
    """The instant in a row that anybody may have written: one beyond all calendars is the epoch."""
    try:
        return from_micros(micros)
    except OverflowError:
        return from_micros(0)


def unreadable_rows(database: Database) -> list[str]:
    """Per table, what cannot be read of it, in words."""
    problems: list[str] = []
    for table, (name, column, shape, times) in _SHAPES.items():
        faulty = f"CASE WHEN json_valid({column}) THEN json_type({column}) != '{shape}' ELSE 1 END"
        faulty += "".join(f" OR {time} NOT BETWEEN {_TIMES[0]} AND {_TIMES[1]}" for time in times)
        rows = database.rows(f"SELECT {name} FROM {table} WHERE {faulty} LIMIT {_MOST_NAMED + 1}")
        names = ", ".join(str(row) for (row,) in rows[:_MOST_NAMED])
        if rows:
            more = " and more" if len(rows) > _MOST_NAMED else ""
            problems.append(f"rows of {table} cannot be read and are left out: {names}{more}")
    return problems
