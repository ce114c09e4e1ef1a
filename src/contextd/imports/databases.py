"""SQLite files of other programs, read without a trace: nothing is written to them or beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from contextd.domain.errors import ContextdError, Invalid, NotFound, TooLarge

Row = dict[str, Any]

LARGEST = 8 * 1024 * 1024 * 1024
"""Bytes of a database that is read."""

MAGIC = "SQLite format 3"
_WAIT_MS = 2_000
_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_DAMAGED = (apsw.Error, ValueError, TypeError, LookupError, ArithmeticError)
"""What comes of a database that is damaged, or of another make than its reader knows."""


def is_database(head: Sequence[str]) -> bool:
    """Whether the first lines of a file are those of a SQLite database."""
    return bool(head) and head[0].startswith(MAGIC)


class ForeignDatabase:
    """What another program's database holds, as rows by the names of their columns."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        found = self.of("SELECT name FROM sqlite_master WHERE type = 'table'")
        return frozenset(str(row["name"]) for row in found)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; none where it is not there."""
        found = self.of("SELECT name FROM pragma_table_info(?)", table)
        return frozenset(str(row["name"]) for row in found)

    def rows(self, table: str, wanted: tuple[str, ...], order: str = "rowid") -> Iterator[Row]:
        """The rows of a table with the columns that are wanted; None for those it has not."""
        there = self.columns(table)
        chosen = [f'"{name}"' if name in there else f'NULL AS "{name}"' for name in wanted]
        if there:
            yield from self.of(f'SELECT {", ".join(chosen)} FROM "{table}" ORDER BY {order}')

    def of(self, query: str, *values: Any) -> Iterator[Row]:
        """The rows of a query, one at a time."""
        cursor = self._connection.cursor()
        for row in cursor.execute(query, values):
            names = [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))


@contextmanager
def reading(path: Path) -> Iterator[ForeignDatabase]:
    """Another program's database, open for reading. Raises `NotFound`, `TooLarge` or `Invalid`, also
    for what goes wrong while its rows are read.
    """
    if not path.is_file():
        raise NotFound(f"there is no database {path}", "check the path")
    if path.stat().st_size > LARGEST:
        raise TooLarge(f"{path} is larger than {LARGEST:,} bytes", "export a part of it")
    try:
        connection = _opened(path)
        try:
            yield ForeignDatabase(connection)
        finally:
            connection.close()
    except _DAMAGED as error:
        raise Invalid(
            f"{path.name} cannot be read as a database: {error}", "is it whole?"
        ) from error


def _opened(path: Path) -> apsw.Connection:
    address = path.resolve().as_uri()
    log = path.with_name(path.name + "-wal")
    # Beside a database that nobody writes to at the moment, SQLite would put files of its own.
    if log.is_file() and log.stat().st_size > 0:
        connection = apsw.Connection(f"{address}?mode=ro", flags=_FLAGS)
        connection.set_busy_timeout(_WAIT_MS)
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # In a folder that must not be written its log cannot be opened: it is as it was closed last.
            connection.close()
        else:
            return connection
    return apsw.Connection(f"{address}?immutable=1", flags=_FLAGS)


def has_columns(path: Path, head: bytes, wanted: Mapping[str, frozenset[str]]) -> bool:
    """Whether a file is a SQLite database whose tables have all of these columns."""
    if not head.startswith(MAGIC.encode()):
        return False
    try:
        with reading(path) as database:
            return all(columns <= database.columns(table) for table, columns in wanted.items())
    except ContextdError:
        return False
