"""Maintenance that is the same in every database: retention, open sessions, by-products of calls."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from contextd.domain.jobs import Job
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.domain.time import from_micros, to_micros
from contextd.domain.upkeep import Ages
from contextd.domain.usage import ByProducts
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.row_checks import readable
from contextd.stores.scrub import scrubbed
from contextd.stores.sql_jobs import failed_jobs
from contextd.stores.sql_sessions import session_of
from contextd.stores.sql_usage import note_rows, write_notes

_OLD_CHANGES = """DELETE FROM changes WHERE at < ?1 AND seq <= (SELECT max(seq) FROM changes latest
    WHERE latest.scope = changes.scope AND latest.record_id = changes.record_id) - ?2"""
_OLD_EVENTS = """SELECT no, id FROM sessions WHERE status = 'archived' AND last_seen_at < ?
    AND events > dropped LIMIT 1000"""


_OLD_SEATS = """DELETE FROM seats WHERE at < ? AND NOT EXISTS (SELECT 1 FROM sessions
    WHERE sessions.scope = seats.scope AND sessions.id = seats.session AND sessions.status = 'active')"""

_UNUSED = """NOT EXISTS (SELECT 1 FROM docs
    WHERE docs.part = vectors.part AND docs.digest = vectors.digest)"""
"""Vectors without a document."""


class SqlUpkeep:
    """The shared part of `Upkeep`."""

    def __init__(self, database: Database, scrub: Scrub) -> None:
        self._database, self._scrub = database, scrub

    def recount_sessions(self, scope: Scope, ids: Sequence[str]) -> None:
        """See `Upkeep.recount_sessions`."""
        with self._database.write(*ids) as connection:
            connection.execute(
                "UPDATE sessions SET dropped = (SELECT ifnull(max(seq), 0) FROM events"
                " WHERE session = no) - (SELECT count(*) FROM events WHERE session = no),"
                " events = (SELECT ifnull(max(seq), 0) FROM events WHERE session = no)"
                " WHERE scope = ? AND id IN (SELECT value FROM json_each(?))",
                (str(scope), codec.dumps(list(ids))),
            )

    def drop_vectors(self, model: str, dimensions: int) -> None:
        """See `Upkeep.drop_vectors`."""
        misfits = "model = ? AND length(vector) <> ?"
        values = (model, 2 * dimensions)
        for part, scope in self._parts_with(misfits, values):
            with self._database.write(scope) as connection:
                connection.execute(
                    "UPDATE parts SET clock = clock + 1, floor = clock + 1 WHERE no = ?", (part,)
                )
                connection.execute(
                    f"DELETE FROM vectors WHERE {misfits} AND part = ?", (*values, part)
                )

    def _parts_with(self, condition: str, values: Sequence[Any] = ()) -> list[tuple[int, str]]:
        """The parts of the index that have such vectors, with their scopes."""
        return self._database.rows(
            "SELECT parts.no, scope FROM parts WHERE EXISTS"
            f" (SELECT 1 FROM vectors WHERE part = parts.no AND {condition})",
            values,
        )

    def retire(self, ages: Ages) -> dict[str, int]:
        """See `Upkeep.retire`."""
        counts: dict[str, int] = {}
        simple = {
            "jobs": ("DELETE FROM jobs WHERE finished_at < ?", ages.jobs),
            "handed_out": ("DELETE FROM handed_out WHERE at < ?", ages.handed_out),
            "calls": ("DELETE FROM calls WHERE at < ?", ages.calls),
            "seats": (_OLD_SEATS, ages.calls),
            "originals": ("DELETE FROM originals WHERE at < ?", ages.originals),
        }
        with self._database.write() as connection:
            for name, (sql, before) in simple.items():
                counts[name] = _deleted(connection, sql, before)
            counts["changes"] = _deleted(connection, _OLD_CHANGES, ages.changes, rules.CHANGES_KEPT)
        counts["events"] = self._drop_events(ages.events) if ages.events else 0
        counts["vectors"] = 0
        for part, scope in self._parts_with(_UNUSED):
            with self._database.write(scope) as connection:
                drop = f"DELETE FROM vectors WHERE part = ? AND {_UNUSED} RETURNING 1"
                counts["vectors"] += len(fetch(connection, drop, (part,)))
        return {name: count for name, count in counts.items() if count}

    def _drop_events(self, before: datetime) -> int:
        """Delete non-message events of archived sessions; the sessions keep their number."""
        count = 0
        for number, id_ in self._database.rows(_OLD_EVENTS, (to_micros(before),)):
            with self._database.write(id_) as connection:
                old = "DELETE FROM events WHERE session = ? AND type <> 'message' RETURNING 1"
                dropped = len(fetch(connection, old, (number,)))
                if dropped:
                    sql = "UPDATE sessions SET dropped = dropped + ? WHERE no = ?"
                    connection.execute(sql, (dropped, number))
                count += dropped
        return count

    def waiting(self, model: str) -> dict[Scope, int]:
        """See `Upkeep.waiting`."""
        rows = self._database.rows(
            "SELECT scope, count(*) FROM parts JOIN docs ON docs.part = parts.no WHERE NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.part = docs.part AND v.digest = docs.digest"
            " AND v.model = ?) GROUP BY scope",
            (model,),
        )
        return {codec.parse_scope(scope): n for scope, n in rows if codec.is_scope(scope)}

    def failed_jobs(self, limit: int) -> list[Job]:
        """See `Upkeep.failed_jobs`."""
        return failed_jobs(self._database, limit)

    def idle_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """See `Upkeep.idle_sessions`."""
        return self._sessions("status = 'active' AND ended = 0", seen_before, limit)

    def rested_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """See `Upkeep.rested_sessions`."""
        return self._sessions("status = 'completed'", seen_before, limit)

    def _sessions(self, condition: str, seen_before: datetime, limit: int) -> list[Session]:
        rows = self._database.rows(
            f"SELECT body FROM sessions WHERE {condition} AND last_seen_at < ?"
            " ORDER BY last_seen_at, id LIMIT ?",
            (to_micros(seen_before), max(0, limit)),
        )
        return readable(session_of, rows)

    def next_idle(self) -> datetime | None:
        """See `Upkeep.next_idle`."""
        seen = self._database.value(
            "SELECT min(last_seen_at) FROM sessions WHERE status = 'active' AND ended = 0"
        )
        return None if seen is None else from_micros(seen)

    def note(self, by_products: ByProducts) -> None:
        """See `Upkeep.note`."""
        rows = note_rows(scrubbed(by_products, self._scrub), self._database.now())
        if rows is None:
            return
        # A use changes a record, as a commit does; an observation is only added.
        used = {str(one.scope) for one in by_products.uses}
        with self._database.write(*used) as connection:
            write_notes(connection, rows)


def _deleted(connection: Connection, sql: str, before: datetime | None, *values: Any) -> int:
    if before is None:
        return 0
    return len(fetch(connection, f"{sql} RETURNING 1", (to_micros(before), *values)))
