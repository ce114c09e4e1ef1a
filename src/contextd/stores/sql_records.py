"""Records and their history in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contextd.domain.changes import Put, Removal
from contextd.domain.kinds import area_of
from contextd.domain.query import Page, Query
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec, filters, rules
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.granted_rows import GrantedRows, nearest
from contextd.stores.packing import pack, unpack
from contextd.stores.record_rows import COLUMNS, LISTED, RecordRows, record_of
from contextd.stores.row_checks import only, readable
from contextd.stores.sql_conditions import BEGINS, PRESENT_NOW, equals, placeholders, sql_of
from contextd_common.errors import Conflict

_STORED = ("content_hash", *COLUMNS, "version", "body")
_PUT = (
    f"INSERT INTO records ({', '.join(_STORED)}) VALUES ({placeholders(_STORED)})"
    f" ON CONFLICT (scope, id) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in _STORED)}"
)
_NEW = (
    f"INSERT INTO records ({', '.join(_STORED)}) VALUES ({placeholders(_STORED)})"
    " ON CONFLICT DO NOTHING RETURNING id"
)
_HERE = f"SELECT {LISTED} FROM records WHERE scope = ? AND id = ?"
_CHANGE = """INSERT INTO changes
    (scope, record_id, seq, kind, at, actor, action, reason, before, after, undoes)
    VALUES (?1, ?2, (SELECT ifnull(max(seq), 0) + 1 FROM changes
        WHERE scope = ?1 AND record_id = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    RETURNING seq"""
_UNDONE = "SELECT 1 FROM changes WHERE scope = ? AND record_id = ? AND undoes = ?"
_SAME = f"""SELECT id FROM records WHERE scope = ? AND content_hash = ? AND id <> ?
    AND {PRESENT_NOW} LIMIT 1"""


def to_row(record: Record, snapshot: codec.Json, version: int) -> list[Any]:
    """The stored columns of a record with the JSON `snapshot`."""
    body = {name: value for name, value in snapshot.items() if name not in COLUMNS}
    columns = [snapshot[name] for name in COLUMNS]
    return [record.content_hash, *columns, version, codec.dumps(body)]


def _from_snapshot(text: str | bytes | None) -> Record | None:
    return None if text is None else codec.record_from_json(codec.loads(unpack(text)))


class SqlRecords:
    """`Records` in the tables `records` and `changes`, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows, rows: RecordRows) -> None:
        self._database, self._granted, self._rows = database, granted, rows

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """See `Records.get`."""
        clause, values = self._granted.condition()
        rows = self._database.rows(
            f"SELECT {LISTED} FROM records"
            f" WHERE id IN (SELECT value FROM json_each(?)) AND {clause}",
            (codec.dumps(list(record_ids)), *values),
        )
        found = nearest(readable(self._rows.record, rows))
        return [found[id_] for id_ in record_ids if id_ in found]

    def resolve(self, prefix: str) -> Record:
        """See `Records.resolve`."""
        filters.check_prefix(prefix)
        clause, values = self._granted.condition()
        rows = self._database.rows(
            f"SELECT {LISTED} FROM records WHERE {BEGINS} AND {clause} ORDER BY id LIMIT 31",
            (prefix, prefix, *values),
        )
        found = [record for _, record in sorted(nearest(readable(record_of, rows)).items())]
        exact = [record for record in found if record.id == prefix]
        return filters.only_one(prefix, exact or found)

    def beginning(self, prefixes: Sequence[str]) -> list[str]:
        """See `Records.beginning`."""
        clause, values = self._granted.condition()
        rows = self._database.rows(
            "SELECT DISTINCT records.id FROM json_each(?) asked JOIN records"
            " ON records.id >= asked.value AND records.id < asked.value || char(1114111)"
            f" AND {clause} ORDER BY records.id",
            (codec.dumps(list(prefixes)), *values),
        )
        return [id_ for (id_,) in rows]

    def find(self, query: Query) -> Page:
        """See `Records.find`."""
        condition, values = self._condition(query)
        after = filters.read_cursor(query.cursor)
        if after:
            condition += " AND (created_at, id) < (?, ?)"
            values += after
        # Ids first, from the index alone: sorting whole rows of 10,000 records took 30 times as long.
        newest = "ORDER BY created_at DESC, id DESC, scope DESC"
        rows = self._database.rows(
            f"SELECT {LISTED} FROM records WHERE no IN"
            f" (SELECT no FROM records WHERE {condition} {newest} LIMIT ?) {newest}",
            (*values, max(0, query.limit) + 1),
        )
        return _page(rows, query.limit)

    def count(self, query: Query) -> dict[str, int]:
        """See `Records.count`."""
        condition, values = self._condition(query)
        return dict(
            self._database.rows(
                f"SELECT kind, count(*) FROM records WHERE {condition} GROUP BY kind", values
            )
        )

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """See `Records.by_hash`."""
        clause, values = self._granted.condition()
        # With the plus SQLite sorts the few rows of one hash; without it, it reads all rows of the scope in
        # this order: 7 ms at 10,000.
        rows = self._database.rows(
            f"SELECT {LISTED} FROM records WHERE scope = ? AND content_hash = ?"
            f" AND {PRESENT_NOW} AND {clause} ORDER BY +created_at, id LIMIT 1",
            (str(scope), content_hash, *values),
        )
        return next(iter(readable(record_of, rows)), None)

    def history(self, record_id: str) -> list[Change]:
        """See `Records.history`."""
        clause, values = self._granted.condition()
        rows = self._database.rows(
            "SELECT scope, seq, record_id, at, actor, action, reason, before, after, undoes"
            f" FROM changes WHERE record_id = ? AND {clause} ORDER BY seq",
            (record_id, *values),
        )
        return rules.nearest_history(readable(_scoped_change, rows))

    def _condition(self, query: Query) -> tuple[str, list[Any]]:
        """A query as SQL with bound values; field names are bound too, in JSON paths."""
        filters.check_where(query.where)
        filters.check_condition(query.filter)
        clause, values = self._granted.condition(query)
        clauses = [clause]

        def ask(clause: str, *bound: Any) -> None:
            clauses.append(clause)
            values.extend(bound)

        if query.statuses:
            ask(f"status IN ({placeholders(query.statuses)})", *query.statuses)
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
            ask("no IN (SELECT record FROM record_tags WHERE tag = ?)", tag)
        asked = [equals(name, value) for name, value in query.where.items()]
        asked += [sql_of(query.filter)] if query.filter is not None else []
        for condition, bound in asked:
            ask(f"({condition})", *bound)
        return " AND ".join(clauses), values


def _page(rows: Sequence[Sequence[Any]], limit: int) -> Page:
    """Like `filters.page`; one extra row shows that there are more, readable or not."""
    found = filters.page(readable(record_of, rows[: max(0, limit)]), limit)
    more = len(rows) > max(0, limit) and bool(found.records)
    return replace(found, cursor=filters.cursor_after(found.records[-1])) if more else found


def _scoped_change(row: Sequence[Any]) -> tuple[Scope, Change]:
    scope, *entry = row
    return codec.parse_scope(scope), change_of(entry)


def change_of(row: Sequence[Any]) -> Change:
    """The change of a row of `changes`."""
    seq, record_id, at, actor, action, reason, before, after, undoes = row
    return Change(
        seq,
        record_id,
        from_micros(at),
        actor,
        action,
        reason,
        _from_snapshot(before),
        _from_snapshot(after),
        undoes,
    )


def write_record(
    connection: Connection, change: Put | Removal, snapshot: codec.Json, actor: str, now: int
) -> Change:
    """Apply one change of a record. Raises `Conflict` if the stored version is not the one it was made from."""
    record = change.record
    scope, id_ = str(record.scope), record.id
    is_new = isinstance(change, Put) and not record.version
    if is_new and not fetch(connection, _NEW, to_row(record, snapshot, 1)):
        raise rules.changed_meanwhile(record)
    rows = [] if is_new else fetch(connection, _HERE, (scope, id_))
    before = only(record_of, rows[0], f"record {id_}") if rows else None
    version = before.version if before is not None else 0
    if version != record.version:
        raise rules.changed_meanwhile(record)
    if before is not None and area_of(before.kind) != area_of(record.kind):
        raise Conflict(
            f"{id_!r} is a {before.kind}, which cannot change", "save a new record instead"
        )
    if change.undoes is not None and fetch(connection, _UNDONE, (scope, id_, change.undoes)):
        raise rules.undone_already(id_)
    after: str | None = None
    if isinstance(change, Removal):
        connection.execute("DELETE FROM records WHERE scope = ? AND id = ?", (scope, id_))
    else:
        same = fetch(connection, _SAME, (scope, record.content_hash, id_)) if change.alone else []
        if same:
            raise rules.already_there(same[0][0])
        after = codec.dumps(snapshot)
        if not is_new:
            connection.execute(_PUT, to_row(record, snapshot, version + 1))
    was = codec.dumps(codec.record_to_json(before)) if before else None
    why = (actor, change.action, change.reason)
    states = (pack(text) if text is not None else None for text in (was, after))
    values = (scope, id_, record.kind, now, *why, *states, change.undoes)
    [(seq,)] = fetch(connection, _CHANGE, values)
    return change_of((seq, id_, now, *why, was, after, change.undoes))
