"""Sessions, their events and context items in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.domain.context_items import ContextItem, first_served, together
from contextd.domain.scope import Scope
from contextd.domain.sessions import LISTED, Event, Seat, Session, SessionChange, changed
from contextd.domain.time import from_micros, to_micros
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.packing import pack, unpack
from contextd.stores.row_checks import only, readable
from contextd.stores.sql_conditions import BEGINS, placeholders
from contextd_common.dataclass import dataclass

_OPEN = """INSERT INTO sessions
    (scope, id, client, external_id, status, ended, started_at, last_seen_at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, id) DO NOTHING RETURNING no"""
_BEGUN = """SELECT 1 FROM sessions WHERE scope = ? AND client = ? AND external_id = ?
    AND status = 'active' AND ended = 0 LIMIT 1"""
_CHANGE = """UPDATE sessions SET client = ?, external_id = ?, status = ?, ended = ?, started_at = ?,
    last_seen_at = ?, body = ?, events = events + ? WHERE no = ?"""
_EVENT = """INSERT INTO events (session, seq, key, type, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session, key) DO NOTHING RETURNING seq"""
_ITEM = """INSERT INTO context_items (session, type, source, tokens, count, first_at, last_at, score,
    status, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, type, source)
    DO UPDATE SET tokens = excluded.tokens, count = excluded.count, first_at = excluded.first_at,
    last_at = excluded.last_at, score = excluded.score, status = excluded.status, reason = excluded.reason"""
_ITEMS = """SELECT type, source, tokens, count, first_at, last_at, score, status, reason
    FROM context_items WHERE session = ?"""

_LATEST_FIRST = "ORDER BY started_at DESC, id DESC, scope DESC LIMIT"
_EVENT_ROW = "events.type, events.key, events.body, events.seq"
_APART = ("type", "key")
"""Fields of an event with columns of their own."""


class SqlSessions:
    """`Sessions` in the tables `sessions`, `events` and `context_items`, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows, scrub: Scrub) -> None:
        self._database, self._granted, self._scrub = database, granted, scrub
        self._scopes = granted.everywhere()
        self._mine = f"scope IN ({placeholders(self._scopes)})"

    def get(self, session_id: str) -> Session | None:
        """See `Sessions.get`."""
        return self._first("id = ?", (session_id,))

    def by_external(self, client: str, external_id: str) -> Session | None:
        """See `Sessions.by_external`."""
        return self._first(
            "client = ? AND external_id = ?", (self._scrub(client), self._scrub(external_id))
        )

    def seated(self, scope: Scope, digest: str) -> Session | None:
        """See `Sessions.seated`."""
        rows = self._database.rows(
            "SELECT body FROM seats JOIN sessions ON sessions.scope = seats.scope"
            " AND sessions.id = seats.session WHERE seats.scope = ? AND digest = ?"
            f" AND seats.{self._mine}",
            (str(scope), digest, *self._scopes),
        )
        return next(iter(readable(session_of, rows)), None)

    def seats(self, scopes: frozenset[Scope], digest: str = "") -> list[Seat]:
        """See `Sessions.seats`."""
        among = self._granted.among(scopes)
        condition, values = (" AND digest = ?", [digest]) if digest else ("", [])
        rows = self._database.rows(
            f"SELECT scope, digest, session FROM seats WHERE scope IN ({placeholders(among)})"
            f"{condition} ORDER BY scope, digest",
            (*among, *values),
        )
        return [Seat(codec.parse_scope(row[0]), row[1], row[2]) for row in rows]

    def _first(self, condition: str, values: Sequence[Any]) -> Session | None:
        rows = self._database.rows(
            f"SELECT body FROM sessions WHERE {condition} AND {self._mine} {_LATEST_FIRST} 1",
            (*values, *self._scopes),
        )
        return next(iter(readable(session_of, rows)), None)

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        prefix: str = "",
        limit: int = 50,
    ) -> list[Session]:
        """See `Sessions.find`."""
        values: list[Any] = self._granted.among(scopes)
        condition = f"scope IN ({placeholders(values)})"
        # The plus keeps SQLite from the index by status, which would need sorting, for almost all sessions.
        column = "status" if statuses else "+status"
        condition += f" AND {column} IN ({placeholders(statuses or LISTED)})"
        values += statuses or LISTED
        if prefix:
            condition += f" AND {BEGINS}"
            values += (prefix, prefix)
        rows = self._database.rows(
            f"SELECT body FROM sessions WHERE {condition} {_LATEST_FIRST} ?",
            (*values, max(0, limit)),
        )
        return readable(session_of, rows)

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """See `Sessions.events`."""
        kind = f" AND type IN ({placeholders(types)})" if types else ""
        rows = self._database.rows(
            f"SELECT {_EVENT_ROW} FROM events WHERE session = ({self._number()}) AND seq > ?{kind}"
            " ORDER BY seq LIMIT ?",
            (session_id, *self._scopes, after, *types, max(0, limit)),
        )
        return readable(lambda row: _event(*row), rows)

    def messages(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, Event]]:
        """See `Sessions.messages`."""
        rows = self._database.rows(
            f"SELECT asked.value, {_EVENT_ROW} FROM json_each(?) asked"
            " JOIN json_each(?) place ON place.key = asked.key"
            f" JOIN sessions ON sessions.id = asked.value AND sessions.{self._mine}"
            " JOIN events ON events.session = sessions.no"
            " AND events.seq = CAST(place.value AS BIGINT) ORDER BY asked.key",
            (*(codec.dumps([place[at] for place in places]) for at in (0, 1)), *self._scopes),
        )
        return readable(lambda row: (row[0], _event(*row[1:])), rows)

    def items(self, session_id: str) -> list[ContextItem]:
        """See `Sessions.items`."""
        rows = self._database.rows(
            _ITEMS.replace("?", f"({self._number()})") + " ORDER BY score DESC, type, source",
            (session_id, *self._scopes),
        )
        return readable(codec.item_from_row, rows)

    def _number(self) -> str:
        return f"SELECT no FROM sessions WHERE id = ? AND {self._mine} {_LATEST_FIRST} 1"

    def handed_out(self, scope: Scope, session: str, digests: Sequence[str]) -> set[str]:
        """See `Sessions.handed_out`."""
        rows = self._database.rows(
            "SELECT digest FROM handed_out WHERE scope = ? AND session = ?"
            f" AND digest IN (SELECT value FROM json_each(?)) AND {self._mine}",
            (str(scope), session, codec.dumps(list(digests)), *self._scopes),
        )
        return {digest for (digest,) in rows}


_SIT = """INSERT INTO seats (scope, digest, session, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (scope, digest) DO UPDATE SET session = excluded.session, at = excluded.at"""


def seat_rows(seats: Sequence[Seat], now: int) -> list[tuple[Any, ...]]:
    """Seats in stored form, in one order, so that two writers never wait for each other."""
    codec.check_text(*(text for one in seats for text in (one.digest, one.session)))
    return sorted((str(one.scope), one.digest, one.session, now) for one in seats)


def write_seats(
    connection: Connection,
    rows: Sequence[tuple[Any, ...]],
    left: Sequence[str],
    scopes: Sequence[str],
) -> None:
    """Write the seats that connections take, and delete those of connections that leave, within `scopes`."""
    connection.executemany(_SIT, rows)
    for digest in left:
        connection.execute(
            f"DELETE FROM seats WHERE digest = ? AND scope IN ({placeholders(scopes)})",
            (digest, *scopes),
        )


def session_of(row: Sequence[str]) -> Session:
    """The session in a row with its body."""
    return codec.session_from_json(codec.loads(row[0]))


def _event(type_: str, key: str, body: str | bytes, seq: int) -> Event:
    return codec.event_from_json({**codec.loads(unpack(body)), "type": type_, "key": key}, seq)


def open_session(connection: Connection, session: Session) -> None:
    """Insert a session. Raises `Conflict` if its id exists in its scope, `Stale` if its client has an open session
    under the same id of its own.
    """
    if session.is_open and session.external_id:
        named = str(session.scope), session.client, session.external_id
        if fetch(connection, _BEGUN, named):
            raise rules.session_begun(session)
    row = (
        str(session.scope),
        session.id,
        *_columns(session),
        codec.dumps(codec.session_to_json(session)),
    )
    if not fetch(connection, _OPEN, row):
        raise rules.session_there(session.id)


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event in stored form."""

    key: str
    type: str
    body: bytes


def event_row(event: Event) -> EventRow:
    """The row of an event. Raises `Invalid` for data that is not plain JSON."""
    body = codec.event_to_json(event)
    fields = {n: value for n, value in body.items() if n not in _APART and value not in ("", {})}
    codec.check_text(event.key)
    return EventRow(event.key, event.type, pack(codec.dumps(fields)))


def change_session(
    connection: Connection,
    scopes: Sequence[str],
    change: SessionChange,
    rows_of_events: Sequence[EventRow],
    now: int,
) -> tuple[Session, list[Event]]:
    """Apply a change to the session's current state; return the session and its new events, which
    `rows_of_events` contains.

    Raises `NotFound` for a session outside `scopes`.
    """
    rows = fetch(
        connection,
        f"SELECT no, body, events FROM sessions WHERE id = ? AND scope IN ({placeholders(scopes)})"
        f" {_LATEST_FIRST} 1",
        (change.id, *scopes),
    )
    if not rows:
        raise rules.no_session(change.id)
    [(number, body, last)] = rows
    added: list[Event] = []
    for row in rows_of_events:
        if fetch(connection, _EVENT, (number, last + 1, row.key, row.type, row.body)):
            last += 1
            added.append(_event(row.type, row.key, row.body, last))
    session = changed(only(session_of, (body,), f"session {change.id}"), change)
    stored = codec.dumps(codec.session_to_json(session))
    connection.execute(_CHANGE, (*_columns(session), stored, len(added), number))
    if change.servings or change.rescored:
        _serve(connection, number, change, now)
    return session, added


def _serve(connection: Connection, number: int, change: SessionChange, now: int) -> None:
    known = [codec.item_from_row(row) for row in fetch(connection, _ITEMS, (number,))]
    items = {(item.type, item.source): item for item in known}
    at = from_micros(now)
    touched: dict[tuple[str, str], ContextItem] = {}
    for serving in together(change.servings):
        key = serving.type, serving.source
        before = items.get(key)
        after = before.served_again(serving.tokens, at) if before else first_served(serving, at)
        touched[key] = items[key] = after
    for item in change.rescored:
        before = items.get((item.type, item.source))
        # Served again since it was scored, so it stays.
        if before is not None and before.last_at <= item.last_at:
            touched[item.type, item.source] = item
    connection.executemany(_ITEM, [(number, *codec.item_to_row(item)) for item in touched.values()])


def _columns(session: Session) -> tuple[Any, ...]:
    return (
        session.client,
        session.external_id,
        session.status,
        int(session.ended_at is not None),
        to_micros(session.started_at),
        to_micros(session.last_seen_at),
    )
