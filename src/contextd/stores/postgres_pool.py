"""Connections to PostgreSQL: each gives up a silent server, and a pool shares them between organisations."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, Self

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg_pool import ConnectionPool, PoolTimeout

from contextd.stores.postgres_errors import checked_url

WAIT_SECONDS = 4.5
"""How long a call waits for a connection, and a connection for a byte of the server. libpq itself waits for ever if
a proxy in between accepts what it never forwards.
"""


PATIENCE = 4.0
"""Seconds until a caller without a connection hears why."""

_MOST = 24
"""Connections of one process to one database, for the calls and the background work of all organisations."""

_LONGEST_LIFE = 600.0
"""Seconds. A backend remembers each partition it ever read, so it ends before those of all organisations add up."""


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
            timeout=PATIENCE,
            # Later the pauses between attempts double, so a server that is back would not be noticed for minutes.
            reconnect_timeout=PATIENCE,
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
