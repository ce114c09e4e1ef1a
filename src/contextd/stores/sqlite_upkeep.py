"""Maintenance of a SQLite store: consistency, retention, by-products of calls."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from contextd.domain.jobs import Job
from contextd.domain.query import Pending
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.domain.time import from_micros, to_micros
from contextd.domain.upkeep import Ages, Balance, Repair
from contextd.domain.usage import ByProducts
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch, placeholders
from contextd.stores.migrate import copy
from contextd.stores.row_checks import readable, unreadable_rows
from contextd.stores.scrub import scrubbed
from contextd.stores.sqlite_damage import file_problems
from contextd.stores.sqlite_jobs import failed_jobs
from contextd.stores.sqlite_sessions import session_of
from contextd.stores.sqlite_usage import log, observation_row
from contextd_code.errors import Corrupt

_OF_PARTS = "SELECT scope, count(*) FROM parts JOIN docs ON docs.part = parts.no"
_COUNTS = {
    "records": "SELECT scope, count(*) FROM records WHERE {mine} GROUP BY scope",
    "record_documents": _OF_PARTS + " WHERE {mine} AND family = 'records' GROUP BY scope",
    "files": "SELECT scope, count(*) FROM contents WHERE {mine} GROUP BY scope",
    "stamped": "SELECT scope, count(*) FROM contents WHERE {mine}"
    " AND pieces = (SELECT count(*) FROM chunks WHERE content = contents.no) GROUP BY scope",
    # Two contents of one path share identical chunks.
    "chunks": "SELECT scope, count(DISTINCT id) FROM contents"
    " JOIN chunks ON chunks.content = contents.no WHERE {mine} GROUP BY scope",
    "code_documents": _OF_PARTS + " WHERE {mine} AND family = 'code' GROUP BY scope",
    "documents": _OF_PARTS + " WHERE {mine} GROUP BY scope",
    "events": "SELECT scope, sum(events) FROM sessions WHERE {mine} GROUP BY scope",
    "logged": "SELECT scope, sum(dropped + (SELECT count(*) FROM events WHERE session = no))"
    " FROM sessions WHERE {mine} GROUP BY scope",
}
"""The counts on each side of the balance, each in index order."""

_TO_INDEX = """SELECT scope, count(*) FROM docs INDEXED BY docs_to_index
    JOIN parts ON docs.part = parts.no WHERE {mine} AND terms = '' GROUP BY scope"""
"""Documents of records that an upgrade marked: their words are not all indexed yet."""

_MISSING_RECORDS = """SELECT kind, id FROM records WHERE scope = ?1 AND NOT EXISTS
    (SELECT 1 FROM docs WHERE docs.id = records.id AND terms <> ''
    AND part = (SELECT no FROM parts WHERE scope = ?1 AND family = 'records')) LIMIT ?2"""
_MISSING_CODE = """SELECT 'code', chunks.id FROM contents JOIN chunks ON chunks.content = contents.no
    WHERE scope = ?1 AND NOT EXISTS (SELECT 1 FROM docs WHERE docs.id = chunks.id
    AND part = (SELECT no FROM parts WHERE scope = ?1 AND family = 'code')) LIMIT ?2"""
_SURPLUS_RECORDS = """SELECT kind, id FROM docs
    WHERE part = (SELECT no FROM parts WHERE scope = ?1 AND family = 'records')
    AND NOT EXISTS (SELECT 1 FROM records WHERE scope = ?1 AND records.id = docs.id) LIMIT ?2"""
_SURPLUS_CODE = """SELECT kind, id FROM docs
    WHERE part = (SELECT no FROM parts WHERE scope = ?1 AND family = 'code')
    AND NOT EXISTS (SELECT 1 FROM chunks JOIN contents ON contents.no = chunks.content
    WHERE chunks.id = docs.id AND scope = ?1) LIMIT ?2"""
_HALF_FILES = """SELECT DISTINCT path FROM contents WHERE scope = ?1
    AND pieces <> (SELECT count(*) FROM chunks WHERE content = contents.no) LIMIT ?2"""
_MISCOUNTED = """SELECT id FROM sessions WHERE scope = ?1
    AND events <> dropped + (SELECT count(*) FROM events WHERE session = no) LIMIT ?2"""

_OLD_CHANGES = """DELETE FROM changes WHERE at < ?1 AND seq <= (SELECT max(seq) FROM changes latest
    WHERE latest.scope = changes.scope AND latest.record_id = changes.record_id) - ?2"""
_OLD_EVENTS = """SELECT no FROM sessions WHERE status = 'archived' AND last_seen_at < ?
    AND events > dropped LIMIT 1000"""


_MOST_NAMED = 5
"""Ids listed for each kind of problem in a scope."""


class SqliteUpkeep:
    """`Upkeep` of one file."""

    def __init__(self, database: Database, scrub: Scrub) -> None:
        self._database, self._scrub = database, scrub

    def check(self) -> list[str]:
        """See `Upkeep.check`. Reads the whole file."""
        database = self._database
        try:
            with database.snapshot():
                # A search makes FTS5 load the present index: its integrity check alone uses this connection's
                # old state, and reports other connections' writes as corruption.
                with suppress(Corrupt):
                    for (part,) in database.rows("SELECT no FROM parts"):
                        database.rows(f"SELECT rowid FROM lexicon_{part}('\"x\"') LIMIT 1")
                problems = file_problems(database)
                if problems:
                    # With damaged pages, cross-checks between tables mean nothing.
                    return problems
                dangling = database.value("SELECT count(*) FROM pragma_foreign_key_check")
                if dangling:
                    problems.append(f"{dangling} rows refer to missing rows")
                problems += unreadable_rows(database)
                for one in self.balance():
                    problems += [*one.problems, *self._misplaced(one.scope)]
        except Corrupt as problem:
            return [f"{problem.message}; {problem.hint}"]
        return problems

    def _misplaced(self, scope: Scope) -> list[str]:
        """Some missing and some obsolete index rows of a scope: if both are equally many, counts do not
        show it.
        """
        repair = self.unbalanced(scope, _MOST_NAMED)
        missing, surplus = (
            ", ".join(dict.fromkeys(one.id for one in found))
            for found in (repair.missing, repair.surplus)
        )
        problems = [f"{scope}: not indexed, or without words: {missing}"] if missing else []
        return problems + ([f"{scope}: indexed but deleted: {surplus}"] if surplus else [])

    def balance(self, scopes: Sequence[Scope] = ()) -> list[Balance]:
        """See `Upkeep.balance`."""
        database = self._database
        counts: dict[str, dict[str, int]] = {}
        asked = [str(scope) for scope in scopes]
        mine = f"scope IN ({placeholders(asked)})" if asked else "TRUE"
        with database.snapshot():
            for name, sql in _COUNTS.items():
                for scope, count in database.rows(sql.format(mine=mine), asked):
                    counts.setdefault(scope, {})[name] = count
            for scope, count in database.rows(_TO_INDEX.format(mine=mine), asked):
                counts[scope]["record_documents"] -= count
            parts = database.rows(f"SELECT scope, no FROM parts WHERE {mine}", asked)
            for scope, part in parts:
                found = counts.setdefault(scope, {})
                lexed = database.value(f"SELECT count(*) FROM lexicon_{part}_docsize")
                found["words"] = found.get("words", 0) + lexed
        return [
            Balance(scope=codec.parse_scope(scope), **counts[scope])
            for scope in sorted(counts)
            if any(counts[scope].values()) and codec.is_scope(scope)
        ]

    def unbalanced(self, scope: Scope, limit: int) -> Repair:
        """See `Upkeep.unbalanced`."""
        database, asked = self._database, (str(scope), limit)

        def found(*queries: str) -> tuple[Pending, ...]:
            rows = [row for sql in queries for row in database.rows(sql, asked)]
            return tuple(Pending(kind, id_, scope) for kind, id_ in rows)

        with database.snapshot():
            return Repair(
                missing=(*found(_MISSING_RECORDS, _MISSING_CODE), *self._unlexed(scope, limit)),
                surplus=found(_SURPLUS_RECORDS, _SURPLUS_CODE),
                files=tuple(path for (path,) in database.rows(_HALF_FILES, asked)),
                sessions=tuple(id_ for (id_,) in database.rows(_MISCOUNTED, asked)),
            )

    def _unlexed(self, scope: Scope, limit: int) -> list[Pending]:
        """Documents whose words are not in the lexicon."""
        database = self._database
        found: list[Pending] = []
        for (part,) in database.rows("SELECT no FROM parts WHERE scope = ?", (str(scope),)):
            rows = database.rows(
                "SELECT kind, id FROM docs WHERE part = ? AND NOT EXISTS"
                f" (SELECT 1 FROM lexicon_{part}_docsize WHERE id = docs.no) LIMIT ?",
                (part, limit),
            )
            found += [Pending(kind, id_, scope) for kind, id_ in rows]
        return found

    def recount_sessions(self, scope: Scope, ids: Sequence[str]) -> None:
        """See `Upkeep.recount_sessions`."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE sessions SET dropped = max(0, (SELECT ifnull(max(seq), 0) FROM events"
                " WHERE session = no) - (SELECT count(*) FROM events WHERE session = no)),"
                " events = (SELECT ifnull(max(seq), 0) FROM events WHERE session = no)"
                " WHERE scope = ? AND id IN (SELECT value FROM json_each(?))",
                (str(scope), codec.dumps(list(ids))),
            )

    def rebuild(self, scope: Scope) -> None:
        """See `Upkeep.rebuild`."""
        with self._database.write() as connection:
            numbers = fetch(connection, "SELECT no FROM parts WHERE scope = ?", (str(scope),))
            for (part,) in numbers:
                connection.execute(
                    f"INSERT INTO lexicon_{part} (lexicon_{part}) VALUES ('delete-all')"
                )
                for table in ("docs", "forgotten"):
                    connection.execute(f"DELETE FROM {table} WHERE part = ?", (part,))
                connection.execute(
                    "UPDATE parts SET clock = clock + 1, floor = clock + 1 WHERE no = ?", (part,)
                )
            # Rows without a content: left behind by damage, in no scope.
            for table in ("chunks", "files"):
                connection.execute(
                    f"DELETE FROM {table} WHERE content NOT IN (SELECT no FROM contents)"
                )

    def drop_vectors(self, model: str, dimensions: int) -> None:
        """See `Upkeep.drop_vectors`."""
        misfits = "FROM vectors WHERE model = ? AND length(vector) <> ?"
        values = (model, 2 * dimensions)
        with self._database.write() as connection:
            connection.execute(
                "UPDATE parts SET clock = clock + 1, floor = clock + 1"
                f" WHERE no IN (SELECT part {misfits})",
                values,
            )
            connection.execute(f"DELETE {misfits}", values)

    def retire(self, ages: Ages) -> dict[str, int]:
        """See `Upkeep.retire`."""
        counts: dict[str, int] = {}
        simple = {
            "jobs": ("DELETE FROM jobs WHERE finished_at < ?", ages.jobs),
            "handed_out": ("DELETE FROM handed_out WHERE at < ?", ages.handed_out),
            "calls": ("DELETE FROM calls WHERE at < ?", ages.calls),
            "originals": ("DELETE FROM originals WHERE at < ?", ages.originals),
        }
        with self._database.write() as connection:
            for name, (sql, before) in simple.items():
                counts[name] = _deleted(connection, sql, before)
            counts["changes"] = _deleted(connection, _OLD_CHANGES, ages.changes, rules.CHANGES_KEPT)
            counts["events"] = _drop_events(connection, ages.events) if ages.events else 0
            counts["vectors"] = _drop_vectors(connection)
        return {name: count for name, count in counts.items() if count}

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
        by_products = scrubbed(by_products, self._scrub)
        observed = [observation_row(one) for one in by_products.observations]
        handed_out = by_products.handed_out
        codec.check_text(*(one.digest for one in handed_out))
        if not (observed or handed_out or by_products.uses):
            return
        now = self._database.now()
        with self._database.write() as connection:
            if observed:
                log(connection, by_products.observations, observed)
            connection.executemany(
                "INSERT INTO handed_out (scope, session, digest, at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (scope, session, digest) DO UPDATE SET at = excluded.at",
                [(str(one.scope), one.session, one.digest, now) for one in handed_out],
            )
            connection.executemany(
                "UPDATE records SET usage_count = usage_count + 1, last_used_at = ?"
                " WHERE scope = ? AND id = ?",
                [(now, str(one.scope), one.record_id) for one in by_products.uses],
            )

    def backup(self, target: Path) -> None:
        """See `Upkeep.backup`. `target` is replaced only once the copy is complete."""
        copy(self._database, target)


def _deleted(connection: apsw.Connection, sql: str, before: datetime | None, *values: Any) -> int:
    if before is None:
        return 0
    connection.execute(sql, (to_micros(before), *values))
    return connection.changes()


def _drop_events(connection: apsw.Connection, before: datetime) -> int:
    """Delete non-message events of archived sessions; the sessions keep their number."""
    count = 0
    for (number,) in fetch(connection, _OLD_EVENTS, (to_micros(before),)):
        connection.execute("DELETE FROM events WHERE session = ? AND type <> 'message'", (number,))
        dropped = connection.changes()
        if dropped:
            connection.execute(
                "UPDATE sessions SET dropped = dropped + ? WHERE no = ?", (dropped, number)
            )
        count += dropped
    return count


def _drop_vectors(connection: apsw.Connection) -> int:
    """Delete vectors without a document."""
    connection.execute(
        "DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM docs"
        " WHERE docs.part = vectors.part AND docs.digest = vectors.digest)"
    )
    return connection.changes()
