"""Transcripts that a client keeps in a SQLite database, read without a trace: nothing is written to it
or beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from contextd.domain.errors import Invalid, NotFound

Row = dict[str, Any]
_WAIT_MS = 1_000
_DAMAGED = (apsw.Error, ValueError, TypeError, LookupError, ArithmeticError)
"""What comes of a database that is damaged, or of another make than its reader knows."""

MAGIC = "SQLite format 3"


def is_database(head: Sequence[str]) -> bool:
    """Whether the first lines of a file are those of a SQLite database."""
    return bool(head) and head[0].startswith(MAGIC)


class OpenedDatabase:
    """What a database holds, as rows by the names of their columns."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        found = self.of("SELECT name FROM sqlite_master WHERE type = 'table'")
        return frozenset(str(row["name"]) for row in found)

    def of(self, query: str, *values: Any) -> Iterator[Row]:
        """The rows of a query, one at a time."""
        cursor = self._connection.cursor()
        for row in cursor.execute(query, values):
            names = [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))


@contextmanager
def reading(path: Path) -> Iterator[OpenedDatabase]:
    """A client's database, open for reading. Raises `NotFound` or `Invalid`."""
    if not path.is_file():
        raise NotFound(f"there is no database {path}", "check the path")
    log = path.with_name(path.name + "-wal")
    # Beside a database that nobody writes to at the moment, SQLite would put files of its own.
    live = log.is_file() and log.stat().st_size > 0
    address = f"{path.resolve().as_uri()}?{'mode=ro' if live else 'immutable=1'}"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(address, flags=flags)
        connection.set_busy_timeout(_WAIT_MS)
        try:
            yield OpenedDatabase(connection)
        finally:
            connection.close()
    except _DAMAGED as error:
        raise Invalid(
            f"{path.name} cannot be read as a database: {error}", "is it whole?"
        ) from error
