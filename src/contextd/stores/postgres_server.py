"""One PostgreSQL database as a process sees it: connections, signals and due work of all its organisations."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.postgres_errors import raising
from contextd.stores.postgres_members import PostgresCredentials
from contextd.stores.postgres_pool import WAIT_SECONDS, DatabaseConnections
from contextd.stores.postgres_signals import SignalExchange

_TAKEN_SECONDS = 12
"""How long no other process takes an organisation with due work: as long as the lease of a job."""

_TAKE = """SELECT name FROM contextd.take_due(%(place)s, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + %(taken)s, %(most)s)"""
_CLOCKS = "SELECT {org}, scope, sum(clock) FROM contextd.parts WHERE org = {org} GROUP BY scope"


class PostgresServer:
    """`SharedDatabase`. Stores of its organisations use its connections."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pool = DatabaseConnections(url)
        self.signals = SignalExchange(url)
        self.credentials = PostgresCredentials(self.pool)
        self._numbers: dict[str, int] = {}

    def opened(self, organisation: str, number: int) -> None:
        """Note the number of an organisation that this process opened."""
        self._numbers[organisation] = number

    @property
    def signals_lost(self) -> str:
        """See `SharedDatabase.signals_lost`."""
        return self.signals.lost

    def take_due(self, place: str, most: int) -> list[str]:
        """See `SharedDatabase.take_due`."""
        asked = {"place": place, "most": most, "taken": _TAKEN_SECONDS * 1_000_000}
        with raising(), self.pool.connection() as connection:
            connection.silence = WAIT_SECONDS
            return [name for (name,) in connection.execute(_TAKE, asked).fetchall()]

    def clocks(self, organisations: Sequence[str]) -> dict[str, dict[Scope, int]]:
        """See `SharedDatabase.clocks`. Row-level security shows one organisation at a time, so each has its statement."""
        known = {self._numbers[name]: name for name in organisations if name in self._numbers}
        found: dict[str, dict[Scope, int]] = {name: {} for name in known.values()}
        if not known:
            return found
        asked: list[sql.Composable] = [sql.SQL("SET LOCAL ROLE contextd_app")]
        for org in known:
            asked.append(sql.SQL(f"SELECT set_config('app.org', '{int(org)}', true)"))
            asked.append(sql.SQL(_CLOCKS).format(org=sql.Literal(org)))
        with raising(), self.pool.connection() as connection:
            connection.silence = WAIT_SECONDS
            cursor = connection.execute(sql.SQL("; ").join(asked))
            while cursor.nextset():
                if cursor.description is not None and len(cursor.description) == 3:
                    for org, scope, clock in cursor.fetchall():
                        found[known[org]][codec.parse_scope(scope)] = int(clock)
        return found

    def check(self) -> None:
        """See `SharedDatabase.check`."""
        with raising(), self.pool.connection() as connection:
            connection.silence = WAIT_SECONDS
            connection.execute("SELECT 1")

    def exchange_signals(self) -> float:
        """See `SharedDatabase.exchange_signals`."""
        return self.signals.step()

    def hurry(self) -> None:
        """See `SharedDatabase.hurry`."""
        self.signals.hurry()

    def close(self) -> None:
        """See `SharedDatabase.close`."""
        self.signals.close()
        self.pool.close(timeout=WAIT_SECONDS)
