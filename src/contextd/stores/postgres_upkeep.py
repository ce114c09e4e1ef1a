"""Maintenance of an organisation's rows in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contextd.domain.query import Pending
from contextd.domain.scope import Scope
from contextd.domain.upkeep import Ages, Balance, Repair
from contextd.stores import codec
from contextd.stores.database import fetch
from contextd.stores.postgres_words import LOOSE, pack
from contextd.stores.sql_conditions import placeholders
from contextd.stores.sql_upkeep import SqlUpkeep
from contextd_common.errors import Unavailable

_OF_PARTS = "SELECT scope, count(*) FROM parts JOIN docs ON docs.part = parts.no"
_WITH_WORDS = "(docs.packed OR docs.length = 0 OR docs.words <> '')"
_COUNTS = {
    "records": "SELECT scope, count(*) FROM records WHERE {mine} GROUP BY scope",
    "record_documents": _OF_PARTS + " WHERE {mine} AND family = 'records' GROUP BY scope",
    "documents": _OF_PARTS + " WHERE {mine} GROUP BY scope",
    "words": _OF_PARTS + " WHERE {mine} AND " + _WITH_WORDS + " GROUP BY scope",
    "events": "SELECT scope, sum(events)::bigint FROM sessions WHERE {mine} GROUP BY scope",
    "logged": "SELECT scope, sum(dropped + (SELECT count(*) FROM events WHERE session = no))::bigint"
    " FROM sessions WHERE {mine} GROUP BY scope",
}
"""The counts on each side of the balance."""

_PART = "(SELECT no FROM parts WHERE scope = ?1 AND family = 'records')"
_MISSING = f"""SELECT kind, id FROM records WHERE scope = ?1 AND NOT EXISTS
    (SELECT 1 FROM docs WHERE docs.id = records.id AND part = {_PART}) LIMIT ?2"""
_SURPLUS = f"""SELECT kind, id FROM docs WHERE part = {_PART}
    AND NOT EXISTS (SELECT 1 FROM records WHERE scope = ?1 AND records.id = docs.id) LIMIT ?2"""
_UNLEXED = f"""SELECT docs.kind, docs.id FROM parts JOIN docs ON docs.part = parts.no
    WHERE scope = ?1 AND NOT {_WITH_WORDS} LIMIT ?2"""
_MISCOUNTED = """SELECT id FROM sessions WHERE scope = ?1
    AND events <> dropped + (SELECT count(*) FROM events WHERE session = no) LIMIT ?2"""

_MOST_NAMED = 5
"""Ids listed for each kind of problem in a scope."""


class PostgresUpkeep(SqlUpkeep):
    """`Upkeep` of one organisation. The server itself is backed up by its own tools."""

    def check(self) -> list[str]:
        """See `Upkeep.check`."""
        problems: list[str] = []
        with self._database.snapshot():
            for one in self.balance():
                problems += one.problems
                repair = self.unbalanced(one.scope, _MOST_NAMED)
                for found, state in (
                    (repair.missing, "not indexed, or without words"),
                    (repair.surplus, "indexed but deleted"),
                ):
                    ids = ", ".join(dict.fromkeys(pending.id for pending in found))
                    problems += [f"{one.scope}: {state}: {ids}"] if ids else []
        return problems

    def balance(self, scopes: Sequence[Scope] = ()) -> list[Balance]:
        """See `Upkeep.balance`."""
        counts: dict[str, dict[str, int]] = {}
        asked = [str(scope) for scope in scopes]
        mine = f"scope IN ({placeholders(asked)})" if asked else "TRUE"
        with self._database.snapshot():
            for name, sql in _COUNTS.items():
                for scope, count in self._database.rows(sql.format(mine=mine), asked):
                    counts.setdefault(scope, {})[name] = count
        return [
            Balance(scope=codec.parse_scope(scope), **counts[scope])
            for scope in sorted(counts)
            if any(counts[scope].values()) and codec.is_scope(scope)
        ]

    def unbalanced(self, scope: Scope, limit: int) -> Repair:
        """See `Upkeep.unbalanced`."""
        asked = (str(scope), limit)

        def found(*queries: str) -> tuple[Pending, ...]:
            rows = [row for sql in queries for row in self._database.rows(sql, asked)]
            return tuple(Pending(kind, id_, scope) for kind, id_ in rows)

        with self._database.snapshot():
            return Repair(
                missing=found(_MISSING, _UNLEXED),
                surplus=found(_SURPLUS),
                sessions=tuple(id_ for (id_,) in self._database.rows(_MISCOUNTED, asked)),
            )

    def rebuild(self, scope: Scope) -> None:
        """See `Upkeep.rebuild`."""
        with self._database.write(str(scope)) as connection:
            numbers = fetch(connection, "SELECT no FROM parts WHERE scope = ?", (str(scope),))
            for (part,) in numbers:
                for table in ("docs", "forgotten", "packed_postings"):
                    connection.execute(f"DELETE FROM {table} WHERE part = ?", (part,))
                connection.execute(
                    "UPDATE parts SET clock = clock + 1, floor = clock + 1 WHERE no = ?", (part,)
                )

    def retire(self, ages: Ages) -> dict[str, int]:
        """See `Upkeep.retire`. Also packs the words of parts with many new documents."""
        retired = super().retire(ages)
        for part, scope in self._database.rows(
            "SELECT parts.no, scope FROM parts JOIN docs ON docs.part = parts.no"
            " WHERE NOT docs.packed GROUP BY parts.no, scope HAVING count(*) >= ?",
            (LOOSE,),
        ):
            with self._database.write(scope) as connection:
                pack(connection, part)
        return retired

    def backup(self, target: Path) -> None:
        """A team's database is not copied by a replica. Raises `Unavailable`."""
        raise Unavailable(
            "a replica does not back up its database", "use pg_basebackup or pg_dump on the server"
        )
