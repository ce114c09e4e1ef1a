"""Maintenance of a SQLite store: consistency, retention, by-products of calls."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from contextd.domain.query import Pending
from contextd.domain.scope import Scope
from contextd.domain.upkeep import Balance, Repair
from contextd.ports.knowledge import Scrub
from contextd.stores import codec
from contextd.stores.connection import SqliteDatabase
from contextd.stores.database import fetch
from contextd.stores.migrate import copy
from contextd.stores.row_checks import unreadable_rows
from contextd.stores.sql_conditions import placeholders
from contextd.stores.sql_upkeep import SqlUpkeep
from contextd.stores.sqlite_damage import file_problems
from contextd_common.errors import Corrupt

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

_MOST_NAMED = 5
"""Ids listed for each kind of problem in a scope."""


class SqliteUpkeep(SqlUpkeep):
    """`Upkeep` of one file."""

    def __init__(self, database: SqliteDatabase, scrub: Scrub) -> None:
        super().__init__(database, scrub)
        self._database: SqliteDatabase = database

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

    def backup(self, target: Path) -> None:
        """See `Upkeep.backup`. `target` is replaced only once the copy is complete."""
        copy(self._database, target)
