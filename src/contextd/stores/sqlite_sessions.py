"""Sessions, their events and context items in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from contextd.domain.context_items import ContextItem, first_served, together
from contextd.domain.scope import Scope
from contextd.domain.sessions import LISTED, Event, Session, SessionChange, changed
from contextd.domain.time import from_micros, to_micros
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch, placeholders
from contextd.stores.granted_rows import Reach
from contextd.stores.packing import pack, unpack
from contextd.stores.row_checks import only, readable
from contextd_code.dataclass import dataclass

_OPEN = """INSERT INTO sessions
    (scope, id, client, external_id, status, ended, started_at, last_seen_at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, id) DO NOTHING RETURNING no"""
_CHANGE = """UPDATE sessions SET client = ?, external_id = ?, status = ?, ended = ?, started_at = ?,
    last_seen_at = ?, body = ?, events = events + ? WHERE no = ?"""
_EVENT = """INSERT INTO events (session, seq, key, type, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session, key) DO NOTHING RETURNING seq"""
_ITEM = "INSERT OR REPLACE INTO context_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ITEMS = """SELECT type, source, tokens, count, first_at, last_at, score, status, reason
    FROM context_items WHERE session = ?"""


_EVENT_ROW = "events.type, events.key, events.body, events.seq"
_APART = ("type", "key")
"""Fields of an event with columns of their own."""


class SqliteSessions:
    """`Sessions` in the tables `sessions`, `events` and `context_items`, limited to a grant."""

    def __init__(self, database: Database, reach: Reach, scrub: Scrub) -> None:
        self._database, self._reach, self._scrub = database, reach, scrub
        self._scopes = reach.everywhere()
        self._mine = f"scope IN ({placeholders(self._scopes)})"

    def get(self, session_id: str) -> Session | None:
        """See `Sessions.get`."""
        return self._first("id = ?", (session_id,))

    def by_external(self, client: str, external_id: str) -> Session | None:
        """See `Sessions.by_external`."""
        return self._first(
            "client = ? AND external_id = ?", (self._scrub(client), self._scrub(external_id))
        )

    def _first(self, condition: str, values: Sequence[Any]) -> Session | None:
        rows = self._database.rows(
            f"SELECT body FROM sessions WHERE {condition} AND {self._mine}"
            " ORDER BY started_at DESC, id DESC, scope DESC LIMIT 1",
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
        values: list[Any] = self._reach.among(scopes)
        condition = f"scope IN ({placeholders(values)})"
        # The plus keeps SQLite from the index by status, which would need sorting, for almost all sessions.
        column = "status" if statuses else "+status"
        condition += f" AND {column} IN ({placeholders(statuses or LISTED)})"
        values += statuses or LISTED
        if prefix:
            condition += " AND id >= ? AND id < ? || char(1114111)"
            values += (prefix, prefix)
        rows = self._database.rows(
            f"SELECT body FROM sessions WHERE {condition}"
            " ORDER BY started_at DESC, id DESC, scope DESC LIMIT ?",
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
        return readable(_event_of, rows)

    def messages(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, Event]]:
        """See `Sessions.messages`."""
        rows = self._database.rows(
            f"SELECT asked.session, {_EVENT_ROW} FROM (SELECT asking.key AS place,"
            " value ->> 0 AS session, value ->> 1 AS seq FROM json_each(?) asking) asked"
            f" JOIN sessions ON sessions.id = asked.session AND sessions.{self._mine}"
            " JOIN events ON events.session = sessions.no AND events.seq = asked.seq"
            " ORDER BY asked.place",
            (codec.dumps([list(place) for place in places]), *self._scopes),
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
        return (
            f"SELECT no FROM sessions WHERE id = ? AND {self._mine}"
            " ORDER BY started_at DESC, id DESC, scope DESC LIMIT 1"
        )

    def handed_out(self, scope: Scope, session: str, digests: Sequence[str]) -> set[str]:
        """See `Sessions.handed_out`."""
        rows = self._database.rows(
            "SELECT digest FROM handed_out WHERE scope = ? AND session = ?"
            f" AND digest IN (SELECT value FROM json_each(?)) AND {self._mine}",
            (str(scope), session, codec.dumps(list(digests)), *self._scopes),
        )
        return {digest for (digest,) in rows}


def session_of(row: Sequence[str]) -> Session:
    """The session in a row with its body."""
    return codec.session_from_json(codec.loads(row[0]))


def _event_of(row: Sequence[Any]) -> Event:
    return _event(*row)


def _event(type_: str, key: str, body: str | bytes, seq: int) -> Event:
    return codec.event_from_json({**codec.loads(unpack(body)), "type": type_, "key": key}, seq)


def open_session(connection: apsw.Connection, session: Session) -> None:
    """Insert a session. Raises `Conflict` if its id exists in its scope."""
    row = (str(session.scope), session.id, *_columns(session), codec.dumps(_body(session)))
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
    connection: apsw.Connection,
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
        " ORDER BY started_at DESC, id DESC, scope DESC LIMIT 1",
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
    stored = codec.dumps(_body(session))
    connection.execute(_CHANGE, (*_columns(session), stored, len(added), number))
    if change.servings or change.rescored:
        _serve(connection, number, change, now)
    return session, added


def _serve(connection: apsw.Connection, number: int, change: SessionChange, now: int) -> None:
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


def _body(session: Session) -> codec.Json:
    return codec.session_to_json(session)
