"""Read SQLite files of other programs without writing to them or beside them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from contextd_common.errors import ContextdError, Invalid, NotFound, TooLarge

Row = dict[str, Any]

LARGEST = 8 * 1024 * 1024 * 1024
"""Maximum bytes of a database."""

MAGIC = "SQLite format 3"
LONGEST = 256 * 1024 * 1024
"""Maximum bytes of a value."""

SECONDS, SECONDS_IN_ALL = 60.0, 600.0
"""How long SQLite may work for a row, and for all rows of a file. Rows are read in the order of a key, so each takes
milliseconds, and 8 GB take three minutes from a slow disk.
"""

_BYTES_PER_ROW, _FIXED_ROWS = 4, 1_000
_LARGER, _FIXED_BYTES = 4, 16 * 1024 * 1024
"""What a file of a size can contain: a row takes at least four bytes. Its values are not longer than the file, but text
in UTF-16 is, and computed columns may be. A damaged or crafted file refers to one page many times, and so has more
rows than can be read in a lifetime.
"""

_STEPS = 10_000
"""Instructions of SQLite between two looks at the clock: a millisecond at most."""

_BESIDE = ("-wal", "-shm", "-journal")
_WAIT_MS = 2_000
_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_DAMAGED = (apsw.Error, ValueError, TypeError, LookupError, ArithmeticError)
"""Errors raised for a damaged database or an unknown schema."""


def is_database(head: Sequence[str]) -> bool:
    """Whether a file begins like a SQLite database."""
    return bool(head) and head[0].startswith(MAGIC)


class ForeignDatabase:
    """Another program's database; rows are mappings from column names. `size` are the bytes of its files."""

    def __init__(self, connection: apsw.Connection, name: str, size: int) -> None:
        self._connection, self._name = connection, name
        self._most_rows = size // _BYTES_PER_ROW + _FIXED_ROWS
        self._most_bytes = _LARGER * size + _FIXED_BYTES
        self._left = SECONDS_IN_ALL

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
        """The rows of a query of one table, one at a time. Raises `TooLarge` if SQLite takes too long for a row, and
        for more rows than the file can contain.
        """
        size = 0
        cursor = self._connection.cursor()
        for number, row in enumerate(self._timed(cursor, query, values), 1):
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if number > self._most_rows or size > self._most_bytes:
                raise TooLarge(
                    f"{self._name} has more rows than a file of its size can contain",
                    "it is damaged: let its own program check it",
                )
            names = [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))

    def _timed(
        self, cursor: apsw.Cursor, query: str, values: tuple[Any, ...]
    ) -> Iterator[tuple[Any, ...]]:
        found: Iterator[tuple[Any, ...]] | None = None
        while True:
            # Only SQLite's own work counts, not that of whoever reads the rows.
            began = time.monotonic()
            _interrupt_at(self._connection, began + min(SECONDS, self._left))
            try:
                found = found or cursor.execute(query, values)
                row = next(found, None)
            except apsw.InterruptError:
                raise TooLarge(
                    f"{self._name} was not read in {SECONDS:g} s a row, or {SECONDS_IN_ALL:g} s in all",
                    "export only a part of it",
                ) from None
            self._left -= time.monotonic() - began
            if row is None:
                return
            yield row


def _interrupt_at(connection: apsw.Connection, deadline: float) -> None:
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)


@contextmanager
def reading(path: Path) -> Iterator[ForeignDatabase]:
    """Open another program's database for reading; its views are not read. Raises `NotFound`, `TooLarge` or
    `Invalid`, also for errors while rows are read.
    """
    if not path.is_file():
        raise NotFound(f"no database at {path}", "check the path")
    if path.stat().st_size > LARGEST:
        raise TooLarge(f"{path} is larger than {LARGEST:,} bytes", "export only a part of it")
    try:
        connection = _opened(path)
        _restrict(connection)
        try:
            yield ForeignDatabase(connection, path.name, _size(path))
        finally:
            connection.close()
    except _DAMAGED as error:
        raise Invalid(
            f"{path.name} is not a readable database: {error}", "check that the file is complete"
        ) from error


def _restrict(connection: apsw.Connection) -> None:
    """Let nothing that the file defines run: a view may be endless, and a column may be computed by a function that
    is not safe.
    """
    switches = {
        apsw.SQLITE_DBCONFIG_ENABLE_VIEW: 0,
        apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER: 0,
        apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
        apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    }
    for switch, value in switches.items():
        connection.config(switch, value)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, LONGEST)


def _size(path: Path) -> int:
    """The bytes of a database and its log."""
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size + (log.stat().st_size if log.is_file() else 0)


def _require_files_beside(path: Path) -> None:
    """Raise `Invalid` if SQLite would wait for a pipe beside a database."""
    real = path.resolve()
    for end in _BESIDE:
        beside = real.with_name(real.name + end)
        if beside.exists() and not beside.is_file():
            raise Invalid(f"{beside} is not an ordinary file", "remove it")


def _opened(path: Path) -> apsw.Connection:
    _require_files_beside(path)
    address = path.resolve().as_uri()
    log = path.with_name(path.name + "-wal")
    # SQLite would create files beside a database that no process has open.
    if log.is_file() and log.stat().st_size > 0:
        connection = apsw.Connection(f"{address}?mode=ro", flags=_FLAGS)
        connection.set_busy_timeout(_WAIT_MS)
        _interrupt_at(connection, time.monotonic() + SECONDS)
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
