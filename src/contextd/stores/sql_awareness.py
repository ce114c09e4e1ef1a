"""Aggregates over records, and contradictions, in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from contextd.domain.awareness import STANDING, Contradiction, Order, State, Tally, ordered
from contextd.domain.changes import Decision
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.time import to_micros
from contextd.ports.knowledge import Records
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.granted_rows import GrantedRows, Slice
from contextd.stores.row_checks import some_instant
from contextd.stores.sql_conditions import placeholders

INDEXED_BY: dict[Order, tuple[str, str, str]] = {
    "stalest": ("records_stalest", "TRUE", "updated_at, id"),
    "most_used": ("records_used", "usage_count >= 5", "usage_count DESC, id"),
    "most_rated": ("records_rated", "reports > 0", "reports DESC, id"),
}
"""Order → its index, the index's condition, and the SQL order. Named explicitly: without statistics the
planner prefers to sort everything.
"""

_TALLY = """SELECT kind, context_type, count(*), min(created_at), max(updated_at),
    count(*) FILTER (WHERE updated_at >= ?), count(*) FILTER (WHERE updated_at < ?) FROM records INDEXED BY records_tallied
    WHERE {condition} GROUP BY scope, status, kind, context_type"""
_KEEP = """INSERT INTO contradictions (a_scope, a, b_scope, b, kind, reason, found_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (a_scope, a, b_scope, b)
    DO UPDATE SET kind = excluded.kind, reason = excluded.reason"""
_STANDS = ", ".join(f"'{status}'" for status in STANDING)
_PAIRS = f"""SELECT a, b, kind, reason, found_at, note, state, x_scope, x_kind, y_scope, y_kind
    FROM (SELECT a, b, c.kind, reason, found_at, note,
    CASE WHEN dismissed <> 0 THEN 'dismissed'
        WHEN x.status IN ({_STANDS}) AND y.status IN ({_STANDS}) THEN 'open'
        ELSE 'resolved' END AS state,
    x.scope AS x_scope, x.kind AS x_kind, y.scope AS y_scope, y.kind AS y_kind
    FROM contradictions c CROSS JOIN records x ON x.scope = a_scope AND x.id = a
    CROSS JOIN records y ON y.scope = b_scope AND y.id = b) pairs"""
_ANY = "SELECT 1 FROM contradictions WHERE a_scope"
# CROSS JOIN keeps SQLite from starting with the records: pairs are few, records are many.


class SqlSurvey:
    """`Survey` over the table `records`, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows, records: Records) -> None:
        self._database, self._granted, self._records = database, granted, records

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """See `Survey.tally`."""
        merged: dict[tuple[str, str], Tally] = {}
        for part in self._granted.slices(query):
            condition, values = _asked(query, part)
            rows = self._database.rows(
                _TALLY.format(condition=condition), (to_micros(recent), to_micros(stale), *values)
            )
            for kind, type_, count, oldest, newest, fresh, old in rows:
                one = Tally(
                    kind=kind,
                    type=type_,
                    count=count,
                    oldest=some_instant(oldest),
                    newest=some_instant(newest),
                    recent=fresh,
                    stale=old,
                )
                known = merged.get((kind, type_))
                merged[kind, type_] = one if known is None else known.and_(one)
        return [merged[name] for name in sorted(merged)]

    def first(self, query: Query, by: Order, limit: int) -> list[Record]:
        """See `Survey.first`."""
        index, condition, order = INDEXED_BY[by]
        found: list[tuple[int, str]] = []
        # One scope and status after the other: each is an index scan that stops early.
        for part in self._granted.slices(query):
            for scope in part.scopes:
                asked, values = _asked(query, replace(part, scopes=(scope,)))
                found += self._database.rows(
                    f"SELECT {order.split()[0].rstrip(',')}, id FROM records INDEXED BY {index}"
                    f" WHERE {condition} AND {asked} ORDER BY {order} LIMIT ?",
                    (*values, max(0, limit)),
                )
        sign = 1 if by == "stalest" else -1
        found.sort(key=lambda row: (sign * row[0], row[1]))
        ids = list(dict.fromkeys(id_ for _, id_ in found))
        return self._records.get(ids[: max(0, limit)])


def _asked(query: Query, part: Slice) -> tuple[str, list[Any]]:
    condition, values = part.condition
    if query.statuses:
        condition += f" AND status IN ({placeholders(query.statuses)})"
        values += query.statuses
    return condition, values


PAIRS = "contradictions"
"""The lock of commits that change contradictions."""


class SqlContradictions:
    """`Contradictions` in a table, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows) -> None:
        self._database, self._granted = database, granted

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """See `Contradictions.find`."""
        places = sorted(str(scope) for scope in scopes)
        inside = f"IN ({placeholders(places)})"
        # Every search asks. Most projects have none, and planning the joins costs PostgreSQL more than the rest of a search.
        if not self._database.rows(f"{_ANY} {inside} LIMIT 1", places):
            return []
        condition = f"WHERE x_scope {inside} AND y_scope {inside}"
        if states:
            condition += f" AND state IN ({placeholders(states)})"
        values = (*places, *places, *states)
        return self._read(condition, values)[: max(0, limit)]

    def of(self, record_id: str) -> list[Contradiction]:
        """See `Contradictions.of`."""
        return self._read("WHERE a = ?1 OR b = ?1", (record_id,))

    def _read(self, condition: str, values: Sequence[Any]) -> list[Contradiction]:
        rows = self._database.rows(
            f"{_PAIRS} {condition} ORDER BY found_at DESC, a, b", tuple(values)
        )
        return [
            Contradiction(
                a=a,
                b=b,
                kind=kind,
                reason=reason,
                found_at=some_instant(found_at),
                state=state,
                note=note,
            )
            for a, b, kind, reason, found_at, note, state, *sides in rows
            if self._sees(*sides)
        ]

    def _sees(self, x_scope: str, x_kind: str, y_scope: str, y_kind: str) -> bool:
        reads = self._granted.reads
        return reads(Scope.parse(x_scope), x_kind) and reads(Scope.parse(y_scope), y_kind)


Places = dict[str, str]
"""The scope of each record in a commit, by id."""


def disagree(connection: Connection, found: Sequence[Contradiction], scopes: Places) -> None:
    """Store these pairs; skips pairs with an unknown record or with itself."""
    rows = []
    for one in found:
        a, b = ordered(one.a, one.b)
        if a != b and a in scopes and b in scopes:
            rows.append((scopes[a], a, scopes[b], b, one.kind, one.reason, to_micros(one.found_at)))
    connection.executemany(_KEEP, rows)


def agree(connection: Connection, pairs: Sequence[tuple[str, str]], scopes: Places) -> None:
    """Delete these pairs; unknown ones are ignored."""
    connection.executemany(
        "DELETE FROM contradictions WHERE a_scope = ? AND a = ? AND b_scope = ? AND b = ?",
        [_key(*pair, scopes) for pair in pairs],
    )


def decide(connection: Connection, decision: Decision, scopes: Places) -> int:
    """Store the decision about a pair; return how many pairs it concerned, 0 or 1."""
    dismissed = decision.state == "dismissed"
    rows = fetch(
        connection,
        "UPDATE contradictions SET dismissed = ?, note = ?"
        " WHERE a_scope = ? AND a = ? AND b_scope = ? AND b = ? RETURNING 1",
        (int(dismissed), decision.note if dismissed else "", *_key(decision.a, decision.b, scopes)),
    )
    return len(rows)


def _key(one: str, other: str, scopes: Places) -> tuple[str, str, str, str]:
    a, b = ordered(one, other)
    return scopes.get(a, ""), a, scopes.get(b, ""), b
