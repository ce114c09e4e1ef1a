"""PostgreSQL through psycopg: one transaction per call, whose statements share messages."""

from __future__ import annotations

import copy
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from contextd.domain.time import to_micros
from contextd.ports.upkeep import Clock
from contextd.runtime.runtime import SystemClock
from contextd.stores.database import Cursor, Values
from contextd.stores.postgres_dialect import TranslatedStatement, bound, restored, translated
from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_pool import (
    PATIENCE,
    WAIT_SECONDS,
    DatabaseConnections,
    ServerSilent,
    WatchedConnection,
)
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds. The server ends a statement before the client stops waiting for its answer."""

    statement: float
    silence: float


CALL = TimeLimits(statement=PATIENCE, silence=WAIT_SECONDS)
UPKEEP = TimeLimits(statement=60.0, silence=62.0)
"""Retention and checks read whole tables in one statement."""

_LOCK_SECONDS = 3.0
_LOCK_PATIENCE = 30.0
"""How long a write waits for its locks, as in SQLite: it asks again each time the server stops waiting."""

_INSERTED = re.compile(r"^(?!.*\bON CONFLICT\b)\s*INSERT\b.*?\bVALUES\s*(\(.*\))\s*$", re.DOTALL)
"""An insert of one row. One with a conflict may name a row twice, which one statement must not."""

_ROWS_AT_ONCE = 200
_STATEMENTS_AT_ONCE = 100

_OFFSET_SECONDS = 60.0
"""How long the difference between the clocks of database and process is cached."""

_BEGIN_CALL = "SELECT contextd.begin_call(%s, %s, %s)"
"""Sets organisation, role, search path and time limits for the transaction, and returns the incarnation. Sent in one message
with what follows: a message is a transaction if it begins none, and a round trip costs as much as a small statement.
"""

_LOCK = "SELECT contextd.take_locks(%s, %s)"
"""Every write takes its locks in one order, so that none waits for another that waits for it."""

_Statement = tuple[str, Any]
"""A statement in PostgreSQL's words, and its values."""

_Rows = list[Any]


class _Result:
    """The rows of a statement, which is sent when they are needed."""

    def __init__(
        self, transaction: _Transaction, then: Callable[[_Rows], None] | None = None
    ) -> None:
        self._transaction, self.then = transaction, then
        self.rows: _Rows | None = None

    def fetchall(self) -> _Rows:
        """See `Cursor.fetchall`."""
        if self.rows is None:
            self._transaction.flush()
        assert self.rows is not None
        return self.rows


class _Transaction:
    """A transaction of one organisation. Its statements wait until the rows of one are needed, and are sent in one message.
    It begins with the first message.
    """

    def __init__(
        self, database: PostgresDatabase, begin: str, locks: Sequence[str], ended: ExitStack
    ) -> None:
        self._database, self._begin, self._locks, self._ended = database, begin, locks, ended
        self._connection: WatchedConnection | None = None
        self._waiting: list[tuple[_Statement, _Result]] = []

    def execute(self, statement: str, values: Values = (), /) -> Cursor:
        """See `Connection.execute`."""
        ready = translated(statement, self._database.org)
        return self._queued(ready.sql, bound(ready, values))

    def later(self, statement: str, values: Values, then: Callable[[_Rows], None]) -> None:
        """See `database.later`."""
        ready = translated(statement, self._database.org)
        self._queued(ready.sql, bound(ready, values), then)

    def executemany(self, statement: str, values: Iterable[Values], /) -> None:
        """See `Connection.executemany`."""
        ready = translated(statement, self._database.org)
        rows = [bound(ready, row) for row in values]
        row = _INSERTED.search(ready.sql)
        if row is None or ready.numbered:
            for one in rows:
                self._queued(ready.sql, one)
            return
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            sql = ready.sql[: row.start(1)] + ", ".join([row[1]] * len(some))
            self._queued(sql, [value for one in some for value in one])

    def _queued(
        self, sql: str, values: Any, then: Callable[[_Rows], None] | None = None
    ) -> _Result:
        result = _Result(self, then)
        self._waiting.append(((sql, values), result))
        if len(self._waiting) >= _STATEMENTS_AT_ONCE:
            self.flush()
        return result

    def flush(self) -> None:
        """Send what waits, until nothing does: what follows a result may add to it."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            statements = [statement for statement, _ in waiting]
            if self._connection is None:
                found = self._begun(statements)
            else:
                found = _sent(self._connection, statements)
            for (_, result), rows in zip(waiting, found, strict=True):
                result.rows = restored(rows)
            for _, result in waiting:
                if result.then is not None:
                    result.then(result.fetchall())

    def _begun(self, statements: Sequence[_Statement]) -> list[_Rows]:
        connection, found = self._database.first(self._begin, statements, self._locks)
        self._ended.callback(self._database.give_back, connection)
        self._ended.enter_context(connection)
        self._connection = connection
        return found


class _Local(threading.local):
    transaction: _Transaction | None = None
    writing: bool = False


class _State:
    incarnation: object = None


class PostgresDatabase:
    """The tables of one organisation. Every read or write is a transaction of its own, with the organisation and
    the role set for that transaction only: a pooler between may give the connection to another client after it.
    """

    def __init__(self, pool: DatabaseConnections, org: int, clock: Clock) -> None:
        self.org, self.clock = org, clock
        self.limits = CALL
        self._local, self._state = _Local(), _State()
        self._offset = (-_OFFSET_SECONDS, 0)
        self._pool = pool

    def unhurried(self) -> PostgresDatabase:
        """The same tables and connections, with the time limits of upkeep."""
        other = copy.copy(self)
        other.limits = UPKEEP
        return other

    @contextmanager
    def _transaction(self, begin: str, locks: Sequence[str] = ()) -> Iterator[_Transaction]:
        with raising(), ExitStack() as ended:
            transaction = _Transaction(self, begin, locks, ended)
            self._local.transaction = transaction
            ended.callback(self._forget_transaction)
            yield transaction
            transaction.flush()

    def _forget_transaction(self) -> None:
        self._local.transaction = None

    def first(
        self, begin: str, statements: Sequence[_Statement], locks: Sequence[str] = ()
    ) -> tuple[WatchedConnection, list[_Rows]]:
        """Send the first message of a transaction, with settings and locks; return the connection and the rows of each of
        these statements. After a restart of the server all connections of the pool are dead, and nothing has
        happened yet: they are dropped, and it is tried once more.
        """
        connection = self._pool.getconn()
        try:
            return connection, self._opened(connection, begin, statements, locks)
        except psycopg.OperationalError as problem:
            lost = connection.closed and not isinstance(problem, ServerSilent)
            self._put_back(connection)
            if not lost:
                raise
            self._pool.check()
            connection = self._pool.getconn()
            try:
                return connection, self._opened(connection, begin, statements, locks)
            except BaseException:
                self._put_back(connection)
                raise
        except BaseException:
            self._put_back(connection)
            raise

    def give_back(self, connection: WatchedConnection) -> None:
        """Return a connection whose transaction has ended."""
        self._pool.putconn(connection)

    def _put_back(self, connection: WatchedConnection) -> None:
        """Return a connection after an error. The pool would end its transaction as well, with a warning."""
        if connection.info.transaction_status == TransactionStatus.INERROR:
            with suppress(psycopg.Error):
                connection.rollback()
        self._pool.putconn(connection)

    def _opened(
        self,
        connection: WatchedConnection,
        begin: str,
        statements: Sequence[_Statement],
        locks: Sequence[str],
    ) -> list[_Rows]:
        """Send a first message; wait for the locks."""
        connection.silence = self.limits.silence
        before: list[_Statement] = [(begin, None)] if begin else []
        settings = len(before)
        before.append((_BEGIN_CALL, (self.org, self.limits.statement, _LOCK_SECONDS)))
        if locks:
            before.append((_LOCK, (self.org, sorted(set(locks)))))
        until = time.monotonic() + _LOCK_PATIENCE
        while True:
            try:
                found = _sent(connection, [*before, *statements])
            except errors.LockNotAvailable:
                if not locks or time.monotonic() > until:
                    raise
                connection.rollback()
                continue
            self._state.incarnation = found[settings][0][0]
            return found[len(before) :]

    def rows(self, sql: str, values: Values = ()) -> _Rows:
        """See `Database.rows`."""
        return self.several([(sql, values)])[0]

    def several(self, asked: Sequence[tuple[str, Values]]) -> list[_Rows]:
        """See `Database.several`."""
        known = self._local.transaction
        if known is not None:
            results = [known.execute(sql, values) for sql, values in asked]
            return [result.fetchall() for result in results]
        with raising():
            ready = [translated(sql, self.org) for sql, _ in asked]
            statements = [
                _bound_to(one, values) for one, (_, values) in zip(ready, asked, strict=True)
            ]
            begin = "" if len(asked) == 1 else _READING
            connection, found = self.first(begin, statements)
            if begin:
                connection.rollback()
            self._pool.putconn(connection)
            return [restored(rows) for rows in found]

    def value(self, sql: str, values: Values = ()) -> Any:
        """See `Database.value`."""
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def now(self) -> int:
        """The database's time, in microseconds: replicas' clocks differ. Asked once a minute."""
        if not isinstance(self.clock, SystemClock):
            return to_micros(self.clock.now())
        asked, offset = self._offset
        if time.monotonic() - asked > _OFFSET_SECONDS:
            there = self.value("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
            offset = int(there) - to_micros(self.clock.now())
            self._offset = (time.monotonic(), offset)
        return to_micros(self.clock.now()) + offset

    @property
    def incarnation(self) -> object:
        """See `Database.incarnation`."""
        return self._state.incarnation

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a write."""
        return self._local.writing

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See `Database.snapshot`."""
        if self._local.transaction is not None:
            yield
            return
        with self._transaction(_READING):
            yield

    @contextmanager
    def write(self, *locks: str) -> Iterator[_Transaction]:
        """See `Database.write`. The locks are of the transaction, which a pooler keeps on one connection."""
        with self._transaction("BEGIN", locks) as transaction:
            self._local.writing = True
            try:
                yield transaction
                transaction.flush()
            finally:
                self._local.writing = False


_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


def _bound_to(ready: TranslatedStatement, values: Values) -> _Statement:
    return ready.sql, bound(ready, values)


def _sent(connection: WatchedConnection, statements: Sequence[_Statement]) -> list[_Rows]:
    """Send statements in one message; return the rows of each."""
    cursor = connection.cursor()
    assert isinstance(cursor, psycopg.ClientCursor)
    texts = [
        sql if values is None else cursor.mogrify(sql.encode(), values)
        for sql, values in statements
    ]
    cursor.execute("; ".join(texts).encode())
    found: list[_Rows] = []
    while True:
        found.append(cursor.fetchall() if cursor.description is not None else [])
        if not cursor.nextset():
            return found
