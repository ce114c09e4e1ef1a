"""Aggregates over records and the pairs that disagree, in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from contextd.domain.awareness import STANDING, Contradiction, Order, State, Tally, ordered
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.ports import Records
from contextd.stores import codec
from contextd.stores.connection import Database, fetch, placeholders

INDEXED_BY: dict[Order, tuple[str, str, str]] = {
    "stalest": ("records_stalest", "1", "updated_at, id"),
    "most_used": ("records_used", "usage_count >= 5", "usage_count DESC, id"),
    "most_rated": ("records_rated", "reports > 0", "reports DESC, id"),
}
"""Order → its index, the condition of that index, and the order in SQL. Named outright: without
statistics the planner prefers to sort everything."""

_TALLY = """SELECT kind, context_type, count(*), min(created_at), max(updated_at),
    sum(updated_at >= ?), sum(updated_at < ?) FROM records INDEXED BY records_tallied
    WHERE {condition} GROUP BY scope, status, kind, context_type"""
_KEEP = """INSERT INTO contradictions (a, b, kind, reason, found_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (a, b) DO UPDATE SET kind = excluded.kind, reason = excluded.reason"""
_STANDS = ", ".join(f"'{status}'" for status in STANDING)
_PAIRS = f"""SELECT a, b, c.kind, reason, found_at, note,
    CASE WHEN dismissed THEN 'dismissed'
        WHEN x.status IN ({_STANDS}) AND y.status IN ({_STANDS}) THEN 'open'
        ELSE 'resolved' END AS state
    FROM contradictions c CROSS JOIN records x ON x.id = a CROSS JOIN records y ON y.id = b"""
# CROSS JOIN keeps SQLite from starting with the records: pairs are few, records are many.


class SqliteSurvey:
    """`Survey` over the table `records`."""

    def __init__(self, database: Database, records: Records) -> None:
        self._database, self._records = database, records

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """See `Survey.tally`."""
        condition, values = _asked(query, query.scopes)
        rows = self._database.rows(
            _TALLY.format(condition=condition), (to_micros(recent), to_micros(stale), *values)
        )
        merged: dict[tuple[str, str], Tally] = {}
        for kind, type_, count, oldest, newest, fresh, old in rows:
            one = Tally(
                kind=kind,
                type=type_,
                count=count,
                oldest=from_micros(oldest),
                newest=from_micros(newest),
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
        # One scope and status after the other: each is a walk along the index that stops early.
        for scope in query.scopes:
            asked, values = _asked(query, frozenset({scope}))
            found += self._database.rows(
                f"SELECT {order.split()[0].rstrip(',')}, id FROM records INDEXED BY {index}"
                f" WHERE {condition} AND {asked} ORDER BY {order} LIMIT ?",
                (*values, max(0, limit)),
            )
        sign = 1 if by == "stalest" else -1
        found.sort(key=lambda row: (sign * row[0], row[1]))
        return self._records.get([id_ for _, id_ in found[: max(0, limit)]])


def _asked(query: Query, scopes: frozenset[Scope]) -> tuple[str, list[Any]]:
    places = [str(scope) for scope in scopes]
    clauses = [f"scope IN ({placeholders(places)})"]
    values: list[Any] = [*places]
    for column, chosen in (("status", query.statuses), ("kind", query.kinds)):
        if chosen:
            clauses.append(f"{column} IN ({placeholders(chosen)})")
            values += chosen
    return " AND ".join(clauses), values


class SqliteContradictions:
    """`Contradictions` in a table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, found: Sequence[Contradiction]) -> None:
        """See `Contradictions.put`."""
        rows = [
            (*ordered(one.a, one.b), one.kind, one.reason, to_micros(one.found_at))
            for one in found
            if one.a != one.b
        ]
        if rows:
            with self._database.write() as connection:
                connection.executemany(_KEEP, rows)

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """See `Contradictions.find`."""
        places = [str(scope) for scope in scopes]
        inside = f"IN ({placeholders(places)})"
        condition = f"WHERE x.scope {inside} AND y.scope {inside}"
        if states:
            condition += f" AND state IN ({placeholders(states)})"
        condition += " ORDER BY found_at DESC, a, b LIMIT ?"
        return self._read(f"{_PAIRS} {condition}", (*places, *places, *states, max(0, limit)))

    def of(self, record_id: str) -> list[Contradiction]:
        """See `Contradictions.of`."""
        return self._read(
            f"{_PAIRS} WHERE a = ?1 UNION ALL {_PAIRS} WHERE b = ?1 ORDER BY found_at DESC, a, b",
            (record_id,),
        )

    def dismiss(self, one: str, other: str, note: str) -> bool:
        """See `Contradictions.dismiss`."""
        codec.dumps(note)
        return self._decide(one, other, 1, note)

    def reopen(self, one: str, other: str) -> bool:
        """See `Contradictions.reopen`."""
        return self._decide(one, other, 0, "")

    def remove(self, pairs: Sequence[tuple[str, str]]) -> None:
        """See `Contradictions.remove`."""
        if pairs:
            with self._database.write() as connection:
                connection.executemany(
                    "DELETE FROM contradictions WHERE a = ? AND b = ?",
                    [ordered(*pair) for pair in pairs],
                )

    def _decide(self, one: str, other: str, dismissed: int, note: str) -> bool:
        with self._database.write() as connection:
            done = fetch(
                connection,
                "UPDATE contradictions SET dismissed = ?, note = ? WHERE a = ? AND b = ?"
                " RETURNING 1",
                (dismissed, note, *ordered(one, other)),
            )
        return bool(done)

    def _read(self, sql: str, values: Sequence[Any]) -> list[Contradiction]:
        return [
            Contradiction(
                a=a,
                b=b,
                kind=kind,
                reason=reason,
                found_at=from_micros(found_at),
                state=state,
                note=note,
            )
            for a, b, kind, reason, found_at, note, state in self._database.rows(sql, values)
        ]
