"""PostgreSQL through psycopg: a pool, and one transaction per call."""

from __future__ import annotations

import copy
import re
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self

import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from contextd.domain.time import to_micros
from contextd.ports.upkeep import Clock
from contextd.runtime.runtime import SystemClock
from contextd.stores.database import Cursor, Values
from contextd.stores.postgres_dialect import bound, restored, translated
from contextd.stores.postgres_errors import checked_url, raising
from contextd_common.dataclass import dataclass

WAIT_SECONDS = 4.5
"""How long a call waits for a connection, and a connection for a byte of the server. libpq itself waits for ever if
a proxy in between accepts what it never forwards.
"""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds. The server ends a statement before the client stops waiting for its answer."""

    statement: float
    silence: float


CALL = TimeLimits(statement=4.0, silence=WAIT_SECONDS)
UPKEEP = TimeLimits(statement=60.0, silence=62.0)
"""Retention and checks read whole tables in one statement."""

_LOCK_SECONDS = 3.0
_LOCK_PATIENCE = 30.0
"""How long a write waits for its locks, as in SQLite: it asks again each time the server stops waiting."""

_MOST = 24
"""Connections of one process to one database, for the calls and the background work of all organisations."""

_LONGEST_LIFE = 600.0
"""Seconds. A backend remembers each partition it ever read, so it ends before those of all organisations add up."""

_INSERTED = re.compile(r"^(?!.*\bON CONFLICT\b)\s*INSERT\b.*?\bVALUES\s*(\(.*\))\s*$", re.DOTALL)
"""An insert of one row. One with a conflict may name a row twice, which one statement must not."""

_ROWS_AT_ONCE = 200

_OFFSET_SECONDS = 60.0
"""How long the difference between the clocks of database and process is cached."""

_SETTINGS = """SELECT set_config('app.org', '{org}', true), set_config('search_path', 'contextd, pg_catalog', true),
    set_config('statement_timeout', '{statement}s', true), set_config('lock_timeout', '{lock}s', true),
    set_config('idle_in_transaction_session_timeout', '60s', true), set_config('role', 'contextd_app', true),
    pg_postmaster_start_time(), to_regclass('contextd.organisations')::oid,
    (SELECT oid FROM pg_database WHERE datname = current_database())"""
"""Sent in one message with what follows: a message is a transaction if it begins none, and a round trip costs as much
as a small statement.
"""

_INCARNATION = slice(-3, None)
"""Each way of restoring a database restarts its server, or makes a new database or new tables."""

_LOCK = """SELECT count(pg_advisory_xact_lock(%s, lock)) FROM
    (SELECT DISTINCT hashtext(name) AS lock FROM unnest(%s::text[]) name ORDER BY 1) locks"""
"""Every write takes its locks in one order, so that none waits for another that waits for it."""


class _Sum(Loader):
    """A sum of integers, which PostgreSQL makes a `numeric`."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


class ServerSilent(psycopg.OperationalError):
    """No byte came from the server in time."""


class WatchedConnection(psycopg.Connection[Any]):
    """A connection that is closed once its server is silent for `silence` seconds."""

    silence = WAIT_SECONDS

    @classmethod
    def connect(  # type: ignore[override]
        cls,
        conninfo: str = "",
        *,
        ended: Callable[[psycopg.Error | None], None] = lambda failure: None,
        **options: Any,
    ) -> Self:
        """See `psycopg.Connection.connect`. `ended` is called with what failed, or with None."""
        try:
            made = super().connect(checked_url(conninfo), **options)
        except psycopg.Error as problem:
            ended(problem)
            raise
        ended(None)
        return made

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.adapters.register_loader("numeric", _Sum)

    def wait(self, gen: Generator[Any, Any, Any], *args: Any, **options: Any) -> Any:
        """See `psycopg.Connection.wait`."""
        try:
            return super().wait(_watched(gen, self.silence), *args, **options)
        except ServerSilent:
            self.close()
            raise


def _watched(gen: Generator[Any, Any, Any], silence: float) -> Generator[Any, Any, Any]:
    """The steps of a driver's call. psycopg wakes it every 0.1 s with an empty `ready`."""
    until = time.monotonic() + silence
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if ready:
                until = time.monotonic() + silence
            elif time.monotonic() > until:
                raise ServerSilent(f"no answer in {silence:g} s")
            wanted = gen.send(ready)
    except StopIteration as end:
        return end.value


class _Result:
    """The rows of a statement."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        self._cursor = cursor

    def fetchall(self) -> list[Any]:
        """See `Cursor.fetchall`."""
        return restored(self._cursor.fetchall())


class _Writing:
    """A connection inside a write: translates each statement."""

    def __init__(self, connection: psycopg.Connection[Any], org: int) -> None:
        self._connection, self._org = connection, org

    def execute(self, statement: str, values: Values = (), /) -> Cursor:
        """See `Connection.execute`."""
        ready = translated(statement, self._org)
        return _Result(self._connection.execute(ready.sql, bound(ready, values)))

    def executemany(self, statement: str, values: Iterable[Values], /) -> None:
        """See `Connection.executemany`."""
        ready = translated(statement, self._org)
        rows = [bound(ready, row) for row in values]
        row = _INSERTED.search(ready.sql)
        if row is None or ready.numbered:
            with self._connection.cursor() as cursor:
                cursor.executemany(ready.sql, rows)
            return
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            sql = ready.sql[: row.start(1)] + ", ".join([row[1]] * len(some))
            self._connection.execute(sql.encode(), [value for one in some for value in one])


class DatabaseConnections(ConnectionPool[WatchedConnection]):
    """The connections of this process to a database. Connecting happens when one is needed, and a caller who gets none
    in time hears why.
    """

    def __init__(self, url: str) -> None:
        self._failure = ""
        super().__init__(
            checked_url(url),
            connection_class=WatchedConnection,
            min_size=0,
            max_size=_MOST,
            max_lifetime=_LONGEST_LIFE,
            timeout=CALL.statement,
            # Later the pauses between attempts double, so a server that is back would not be noticed for minutes.
            reconnect_timeout=CALL.statement,
            # A transaction begins with its first message.
            kwargs={**connection_options(), "autocommit": True, "ended": self._note},
            open=True,
        )

    def _note(self, failure: psycopg.Error | None) -> None:
        # The error itself would keep the frames of each caller that it is raised for.
        self._failure = str(failure or "")

    def getconn(self, timeout: float | None = None) -> WatchedConnection:
        """See `ConnectionPool.getconn`. Raises the error of the last attempt to connect, if it failed."""
        try:
            return super().getconn(timeout)
        except PoolTimeout:
            if not self._failure:
                raise
            raise psycopg.OperationalError(self._failure) from None


class _Local(threading.local):
    connection: psycopg.Connection[Any] | None = None
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
    def _transaction(self, begin: str, locks: Sequence[str] = ()) -> Iterator[WatchedConnection]:
        with raising():
            connection, _ = self._first(f"{begin}; {self._settings()}", (), locks)
            try:
                with connection:
                    self._local.connection = connection
                    yield connection
            finally:
                self._local.connection = None
                self._pool.putconn(connection)

    def _first(
        self, message: str, values: Any, locks: Sequence[str] = ()
    ) -> tuple[WatchedConnection, list[Any]]:
        """Send the first message of a transaction, which contains the settings; return the connection and the rows of
        its last statement. After a restart of the server all connections of the pool are dead, and nothing has
        happened yet: they are dropped, and it is tried once more.
        """
        connection = self._pool.getconn()
        try:
            return connection, self._sent(connection, message, values, locks)
        except psycopg.OperationalError as problem:
            lost = connection.closed and not isinstance(problem, ServerSilent)
            self._put_back(connection)
            if not lost:
                raise
            self._pool.check()
            connection = self._pool.getconn()
            try:
                return connection, self._sent(connection, message, values, locks)
            except BaseException:
                self._put_back(connection)
                raise
        except BaseException:
            self._put_back(connection)
            raise

    def _put_back(self, connection: WatchedConnection) -> None:
        """Return a connection after an error. The pool would end its transaction as well, with a warning."""
        if connection.info.transaction_status == TransactionStatus.INERROR:
            with suppress(psycopg.Error):
                connection.rollback()
        self._pool.putconn(connection)

    def _sent(
        self, connection: WatchedConnection, message: str, values: Any, locks: Sequence[str]
    ) -> list[Any]:
        """Send a message that contains the settings; wait for the locks."""
        connection.silence = self.limits.silence
        if locks:
            message, values = f"{message}; {_LOCK}", (self.org, sorted(set(locks)))
        until = time.monotonic() + _LOCK_PATIENCE
        while True:
            try:
                cursor = connection.execute(message.encode(), values)
            except errors.LockNotAvailable:
                if not locks or time.monotonic() > until:
                    raise
                connection.rollback()
                continue
            found: list[list[Any]] = []
            while True:
                if cursor.description is not None:
                    found.append(cursor.fetchall())
                if not cursor.nextset():
                    self._state.incarnation = found[0][0][_INCARNATION]
                    return found[-1]

    def _settings(self) -> str:
        limits = {"statement": self.limits.statement, "lock": _LOCK_SECONDS}
        return _SETTINGS.format(org=self.org, **limits)

    def rows(self, sql: str, values: Values = ()) -> list[Any]:
        """See `Database.rows`."""
        ready = translated(sql, self.org)
        known = self._local.connection
        if known is not None:
            return restored(known.execute(ready.sql, bound(ready, values)).fetchall())
        with raising():
            message = f"{self._settings()}; {ready.sql}"
            connection, rows = self._first(message, bound(ready, values))
            self._pool.putconn(connection)
            return restored(rows)

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
        if self._local.connection is not None:
            yield
            return
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"):
            yield

    @contextmanager
    def write(self, *locks: str) -> Iterator[_Writing]:
        """See `Database.write`. The locks are of the transaction, which a pooler keeps on one connection."""
        with self._transaction("BEGIN", locks) as connection:
            self._local.writing = True
            try:
                yield _Writing(connection, self.org)
            finally:
                self._local.writing = False


def connection_options() -> dict[str, Any]:
    """How every connection is made. Prepared statements and session settings do not survive a pooler in
    transaction mode.
    """
    return dict(
        # Values become literals: the planner sees them, and one value may stand where two types are expected.
        cursor_factory=psycopg.ClientCursor,
        prepare_threshold=None,
        connect_timeout=int(WAIT_SECONDS),
        tcp_user_timeout=int(1_000 * WAIT_SECONDS),
        keepalives_idle=2,
        keepalives_interval=1,
        keepalives_count=2,
        application_name="contextd",
    )
