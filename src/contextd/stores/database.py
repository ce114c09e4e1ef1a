"""What the shared SQL of a store needs of a database.

Statements are written once, in SQLite's dialect; another database translates them (`postgres_dialect.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

Values = Sequence[Any] | dict[str, Any]


class Cursor(Protocol):
    """The result of a statement."""

    def fetchall(self) -> list[Any]:
        """Every row."""
        ...


class Connection(Protocol):
    """A connection inside a write. A statement may be sent only when rows are needed, at the latest at the end of the write."""

    def execute(self, statement: str, values: Values = (), /) -> Cursor:
        """Run a statement."""
        ...

    def executemany(self, statement: str, values: Iterable[Values], /) -> Any:
        """Run a statement once for each of these values."""
        ...


class Database(Protocol):
    """One organisation's tables. Safe to use from any thread."""

    @property
    def incarnation(self) -> object:
        """Differs once the database may have been restored to an earlier state, which turns clocks back: what was
        read before is read again. As of this process's latest transaction.
        """
        ...

    def rows(self, sql: str, values: Values = ()) -> list[Any]:
        """Every row of a statement, fetched before it returns."""
        ...

    def several(self, asked: Sequence[tuple[str, Values]]) -> list[list[Any]]:
        """Every row of each of these statements: inside a snapshot a remote database answers all in one message."""
        ...

    def value(self, sql: str, values: Values = ()) -> Any:
        """The first column of the first row; None without rows."""
        ...

    def now(self) -> int:
        """The store's own time, in microseconds."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Run several reads on one snapshot; may be nested."""
        ...

    def write(self, *locks: str) -> AbstractContextManager[Connection]:
        """Run statements atomically. No two writes that name the same lock run at the same time. Without a shared
        name, writes of several replicas may interleave: a statement then has to hold by itself, or to lock the
        rows it reads by `/* FOR UPDATE */`, which SQLite reads as a comment.
        """
        ...


def fetch(connection: Connection, sql: str, values: Values = ()) -> list[Any]:
    """Every row of a statement on a given connection."""
    return connection.execute(sql, values).fetchall()


def later(
    connection: Connection, sql: str, values: Values, then: Callable[[list[Any]], None]
) -> None:
    """Run a statement, and call `then` with its rows before the write ends: at once, or where the connection gathers
    statements, once they are sent.
    """
    gathering: Callable[..., None] | None = getattr(connection, "later", None)
    if gathering is None:
        then(fetch(connection, sql, values))
    else:
        gathering(sql, values, then)
