"""What the replicas of an organisation share: values by name, and the machines that are running."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from contextd.domain.jobs import Job
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.database import Database, fetch
from contextd.stores.sql_jobs import settle_orphans

_KEEP = "INSERT INTO shared_values (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
_REPLACE = "UPDATE shared_values SET value = ? WHERE name = ? AND value = ?"
_ATTEND = """INSERT INTO places (place, seen_at) VALUES (?, ?)
    ON CONFLICT (place) DO UPDATE SET seen_at = excluded.seen_at"""


class SqlReplicas:
    """`Replicas` in the tables `shared_values` and `places`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, name: str, value: str, *, instead_of: str = "") -> str:
        """See `Replicas.keep`."""
        with self._database.write("shared values") as connection:
            if instead_of:
                connection.execute(_REPLACE, (value, name, instead_of))
            else:
                connection.execute(_KEEP, (name, value))
            rows = fetch(connection, "SELECT value FROM shared_values WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    def clocks(self) -> dict[Scope, int]:
        """See `Replicas.clocks`."""
        rows = self._database.rows("SELECT scope, sum(clock) FROM parts GROUP BY scope")
        return {codec.parse_scope(scope): int(clock) for scope, clock in rows}

    def attend(self, place: str) -> None:
        """See `Replicas.attend`."""
        with self._database.write("places") as connection:
            connection.execute(_ATTEND, (place, self._database.now()))

    def settle_orphans(self, gone_after: timedelta, movable: Sequence[str]) -> list[Job]:
        """See `Replicas.settle_orphans`."""
        return settle_orphans(self._database, gone_after, movable)
