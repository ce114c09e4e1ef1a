"""Read SQLite files of other programs without writing to them or beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from contextd_code.errors import ContextdError, Invalid, NotFound, TooLarge

Row = dict[str, Any]

LARGEST = 8 * 1024 * 1024 * 1024
"""Maximum bytes of a database."""

MAGIC = "SQLite format 3"
_WAIT_MS = 2_000
_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_DAMAGED = (apsw.Error, ValueError, TypeError, LookupError, ArithmeticError)
"""Errors raised for a damaged database or an unknown schema."""


def is_database(head: Sequence[str]) -> bool:
    """Whether a file begins like a SQLite database."""
    return bool(head) and head[0].startswith(MAGIC)


class ForeignDatabase:
    """Another program's database; rows are mappings from column names."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        found = self.of("SELECT name FROM sqlite_master WHERE type = 'table'")
        return frozenset(str(row["name"]) for row in found)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table; empty if there is no such table."""
        found = self.of("SELECT name FROM pragma_table_info(?)", table)
        return frozenset(str(row["name"]) for row in found)

    def rows(self, table: str, wanted: tuple[str, ...], order: str = "rowid") -> Iterator[Row]:
        """The rows of a table with the wanted columns; None for missing ones."""
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
    """Open another program's database for reading. Raises `NotFound`, `TooLarge` or `Invalid`, also for
    errors while rows are read.
    """
    if not path.is_file():
        raise NotFound(f"no database at {path}", "check the path")
    if path.stat().st_size > LARGEST:
        raise TooLarge(f"{path} is larger than {LARGEST:,} bytes", "export only a part of it")
    try:
        connection = _opened(path)
        try:
            yield ForeignDatabase(connection)
        finally:
            connection.close()
    except _DAMAGED as error:
        raise Invalid(
            f"{path.name} is not a readable database: {error}", "check that the file is complete"
        ) from error


def _opened(path: Path) -> apsw.Connection:
    address = path.resolve().as_uri()
    log = path.with_name(path.name + "-wal")
    # SQLite would create files beside a database that no process has open.
    if log.is_file() and log.stat().st_size > 0:
        connection = apsw.Connection(f"{address}?mode=ro", flags=_FLAGS)
        connection.set_busy_timeout(_WAIT_MS)
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # In a read-only folder the log cannot be opened; the database is then read as last closed.
            connection.close()
        else:
            return connection
    return apsw.Connection(f"{address}?immutable=1", flags=_FLAGS)


def has_columns(path: Path, head: bytes, wanted: Mapping[str, frozenset[str]]) -> bool:
    """Whether a file is a SQLite database whose tables have all these columns."""
    if not head.startswith(MAGIC.encode()):
        return False
    try:
        with reading(path) as database:
            return all(columns <= database.columns(table) for table, columns in wanted.items())
    except ContextdError:
        return False
