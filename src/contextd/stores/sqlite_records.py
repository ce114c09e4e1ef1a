"""Records and their history in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import apsw

from contextd.domain.query import Page, Query
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec, filters
from contextd.stores.connection import Database, fetch, placeholders
from contextd.stores.sql_conditions import sql_of

_COLUMNS = (
    "id", "kind", "scope", "status", "session", "confidence", "usage_count", "last_used_at",
    "valid_from", "valid_to", "created_at", "updated_at",
)  # fmt: skip
"""Fields with a column of their own; all others are in the body."""

_LISTED = ", ".join((*_COLUMNS, "body"))
_STORED = ("content_hash", *_COLUMNS, "body")
_PUT = (
    f"INSERT INTO records ({', '.join(_STORED)}) VALUES ({placeholders(_STORED)})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in _STORED)}"
)
_CHANGE = """INSERT INTO changes (record_id, at, actor, action, reason, before, after, undoes)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"""
_UNDOABLE = """SELECT seq, action, before FROM changes c
    WHERE record_id = ? AND undoes IS NULL
    AND NOT EXISTS (SELECT 1 FROM changes WHERE undoes = c.seq)
    ORDER BY seq DESC LIMIT 1"""


_MOST_PARTS = 24
_INDEXED = {
    "contextType": "json_extract(body, '$.data.contextType') = ?",
    "bubbleId": "json_extract(body, '$.data.bubbleId') = ?",
}
"""Spelled as in the indexes `records_typed` and `records_in_bubble`. Context entries have text there
or nothing."""


def _from_row(row: Sequence[Any]) -> Record:
    body = codec.loads(row[-1])
    body.update(zip(_COLUMNS, row, strict=False))
    return codec.record_from_json(body)


def _to_row(record: Record, snapshot: codec.Json) -> list[Any]:
    body = {name: value for name, value in snapshot.items() if name not in _COLUMNS}
    columns = [snapshot[name] for name in _COLUMNS]
    return [record.content_hash, *columns, codec.dumps(body)]


def _from_snapshot(text: str | None) -> Record | None:
    return None if text is None else codec.record_from_json(codec.loads(text))


class SqliteRecords:
    """`Records` in the tables `records` and `changes`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, record: Record, *, actor: str, action: str, reason: str = "") -> Change:
        """See `Records.put`."""
        after = codec.dumps(codec.record_to_json(record))
        with self._database.write() as connection:
            return self._change(connection, record.id, (actor, action, reason), after, None)

    def _change(
        self,
        connection: apsw.Connection,
        record_id: str,
        why: tuple[str, str, str],
        after: str | None,
        undoes: int | None,
    ) -> Change:
        old = fetch(connection, f"SELECT {_LISTED} FROM records WHERE id = ?", (record_id,))
        before = _from_row(old[0]) if old else None
        became = _from_snapshot(after)
        if became is None or after is None:
            connection.execute("DELETE FROM records WHERE id = ?", (record_id,))
        else:
            connection.execute(_PUT, _to_row(became, codec.loads(after)))
        at = to_micros(self._database.clock.now())
        snapshot = codec.dumps(codec.record_to_json(before)) if before else None
        values = (record_id, at, *why, snapshot, after, undoes)
        [(seq,)] = fetch(connection, _CHANGE, values)
        return Change(seq, record_id, from_micros(at), *why, before, became)

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """See `Records.get`."""
        rows = self._database.rows(
            f"SELECT {_LISTED} FROM records WHERE id IN (SELECT value FROM json_each(?))",
            (codec.dumps(list(record_ids)),),
        )
        found = {row[0]: _from_row(row) for row in rows}
        return [found[id_] for id_ in record_ids if id_ in found]

    def resolve(self, prefix: str, scopes: frozenset[Scope]) -> Record:
        """See `Records.resolve`."""
        filters.check_prefix(prefix)
        places = [str(scope) for scope in scopes]
        found = [
            _from_row(row)
            for row in self._database.rows(
                f"SELECT {_LISTED} FROM records WHERE id >= ? AND id < ? || char(1114111)"
                f" AND scope IN ({placeholders(places)}) ORDER BY id LIMIT 11",
                (prefix, prefix, *places),
            )
        ]
        exact = [record for record in found if record.id == prefix]
        return filters.only_one(prefix, exact or found)

    def find(self, query: Query) -> Page:
        """See `Records.find`."""
        condition, values = _condition(query)
        after = filters.read_cursor(query.cursor)
        if after:
            condition += " AND (created_at, id) < (?, ?)"
            values += after
        # Ids first, from the index alone: sorting whole rows of 10,000 records took 30 times as long.
        newest = "ORDER BY created_at DESC, id DESC"
        rows = self._database.rows(
            f"SELECT {_LISTED} FROM records WHERE id IN"
            f" (SELECT id FROM records WHERE {condition} {newest} LIMIT ?) {newest}",
            (*values, max(0, query.limit) + 1),
        )
        return filters.page([_from_row(row) for row in rows], query.limit)

    def count(self, query: Query) -> dict[str, int]:
        """See `Records.count`."""
        condition, values = _condition(query)
        return dict(
            self._database.rows(
                f"SELECT kind, count(*) FROM records WHERE {condition} GROUP BY kind", values
            )
        )

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """See `Records.by_hash`."""
        rows = self._database.rows(
            f"SELECT {_LISTED} FROM records WHERE content_hash = ? AND scope = ?"
            " AND status IN ('active', 'inbox') ORDER BY created_at, id LIMIT 1",
            (content_hash, str(scope)),
        )
        return _from_row(rows[0]) if rows else None

    def touch(self, record_ids: Sequence[str], at: datetime) -> None:
        """See `Records.touch`."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE records SET usage_count = usage_count + 1, last_used_at = ?"
                " WHERE id IN (SELECT value FROM json_each(?))",
                (to_micros(at), codec.dumps(list(record_ids))),
            )

    def history(self, record_id: str) -> list[Change]:
        """See `Records.history`."""
        rows = self._database.rows(
            "SELECT seq, record_id, at, actor, action, reason, before, after"
            " FROM changes WHERE record_id = ? ORDER BY seq",
            (record_id,),
        )
        return [
            Change(
                seq,
                id_,
                from_micros(at),
                actor,
                action,
                reason,
                _from_snapshot(before),
                _from_snapshot(after),
            )
            for seq, id_, at, actor, action, reason, before, after in rows
        ]

    def undo(self, record_id: str, *, actor: str) -> Change:
        """See `Records.undo`."""
        with self._database.write() as connection:
            rows = fetch(connection, _UNDOABLE, (record_id,))
            if not rows:
                raise filters.nothing_to_undo(record_id)
            [(seq, action, before)] = rows
            why = (actor, "undo", f"undo of {action}")
            return self._change(connection, record_id, why, before, seq)


def _ordered_parts(query: Query) -> list[Query]:
    """Queries that together ask the same, each of which an index answers in order: then a page
    costs its own length, not that of the list.
    """
    count = len(query.scopes) * len(query.kinds) * len(query.statuses)
    if not 1 < count <= _MOST_PARTS:
        return [query]
    return [
        replace(query, scopes=frozenset({scope}), kinds=(kind,), statuses=(status,))
        for scope in query.scopes
        for kind in dict.fromkeys(query.kinds)
        for status in dict.fromkeys(query.statuses)
    ]


def _condition(query: Query) -> tuple[str, list[Any]]:
    """What a query asks as SQL with bound values; names of fields are bound too, in JSON paths."""
    filters.check_where(query.where)
    filters.check_condition(query.filter)
    clauses: list[str] = []
    values: list[Any] = []

    def ask(clause: str, *bound: Any) -> None:
        clauses.append(clause)
        values.extend(bound)

    places = [str(scope) for scope in query.scopes]
    ask(f"scope IN ({placeholders(places)})", *places)
    for column, allowed in (("kind", query.kinds), ("status", query.statuses)):
        if allowed:
            ask(f"{column} IN ({placeholders(allowed)})", *allowed)
    for column in ("session", "trust", "source"):
        if getattr(query, column):
            ask(f"{column} = ?", getattr(query, column))
    if query.min_confidence > 0:
        ask("confidence >= ?", query.min_confidence)
    if query.valid_at is not None:
        moment = to_micros(query.valid_at)
        ask("(valid_from IS NULL OR valid_from <= ?)", moment)
        ask("(valid_to IS NULL OR ? < valid_to)", moment)
    for tag in query.tags:
        ask("id IN (SELECT id FROM record_tags WHERE tag = ?)", tag)
    for name, value in query.where.items():
        ask(*_equals(name, value))
    if query.filter is not None:
        clause, bound = sql_of(query.filter)
        ask(f"({clause})", *bound)
    return " AND ".join(clauses), values


def _equals(name: str, value: Any) -> tuple[Any, ...]:
    """A typed field compared, as SQL and its bound values."""
    path = f'$.data."{name}"'
    if name in _INDEXED and isinstance(value, str):
        return _INDEXED[name], value
    if value is None:
        return "ifnull(json_type(body, ?), 'null') = 'null'", path
    among = "EXISTS (SELECT 1 FROM json_each(body, ?) WHERE atom = ?)"
    return f"json_type(body, ?) <> 'object' AND {among}", path, path, value
