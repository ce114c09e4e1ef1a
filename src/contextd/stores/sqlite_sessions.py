"""Sessions, their events, and what was served, in SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.domain.time import to_micros
from contextd.domain.window import ContextItem
from contextd.stores import codec, rules
from contextd.stores.connection import Database, fetch, placeholders

_SAVE = """INSERT INTO sessions
    (id, scope, client, external_id, status, started_at, last_seen_at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET scope = excluded.scope, client = excluded.client,
    external_id = excluded.external_id, status = excluded.status,
    started_at = excluded.started_at, last_seen_at = excluded.last_seen_at, body = excluded.body"""
_EVENT = """INSERT INTO events (session_id, seq, key, type, body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session_id, key) DO NOTHING RETURNING seq"""

_ITEM = "INSERT OR REPLACE INTO context_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class SqliteSessions:
    """`Sessions` in the tables `sessions`, `events` and `served`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, session: Session) -> None:
        """See `Sessions.save`."""
        body = codec.session_to_json(session)
        columns = ("id", "scope", "client", "external_id", "status", "started_at", "last_seen_at")
        row = [*(body[name] for name in columns), codec.dumps(body)]
        with self._database.write() as connection:
            connection.execute(_SAVE, row)

    def get(self, session_id: str) -> Session | None:
        """See `Sessions.get`."""
        return self._first("WHERE id = ?", (session_id,))

    def by_external(self, client: str, external_id: str) -> Session | None:
        """See `Sessions.by_external`; the latest one where several scopes have it."""
        return self._first(
            "WHERE client = ? AND external_id = ? ORDER BY started_at DESC, id DESC LIMIT 1",
            (client, external_id),
        )

    def _first(self, condition: str, values: Sequence[Any]) -> Session | None:
        body = self._database.value(f"SELECT body FROM sessions {condition}", values)
        return None if body is None else codec.session_from_json(codec.loads(body))

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        seen_before: datetime | None = None,
        limit: int = 50,
    ) -> list[Session]:
        """See `Sessions.find`."""
        values: list[Any] = [str(scope) for scope in scopes]
        condition = f"scope IN ({placeholders(values)})"
        if statuses:
            condition += f" AND status IN ({placeholders(statuses)})"
            values += statuses
        if seen_before is not None:
            condition += " AND last_seen_at < ?"
            values.append(to_micros(seen_before))
        rows = self._database.rows(
            f"SELECT body FROM sessions WHERE {condition}"
            " ORDER BY started_at DESC, id DESC LIMIT ?",
            (*values, max(0, limit)),
        )
        return [codec.session_from_json(codec.loads(body)) for (body,) in rows]

    def append(self, session_id: str, events: Sequence[Event]) -> list[Event]:
        """See `Sessions.append`. Raises `NotFound` for a session that was never saved."""
        bodies = [codec.dumps(codec.event_to_json(event)) for event in events]
        new: list[Event] = []
        with self._database.write() as connection:
            [(known, last)] = fetch(
                connection,
                "SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1),"
                " (SELECT ifnull(max(seq), 0) FROM events WHERE session_id = ?1)",
                (session_id,),
            )
            if not known:
                raise rules.no_session(session_id)
            for event, body in zip(events, bodies, strict=True):
                row = (session_id, last + 1, event.key, event.type, body)
                if fetch(connection, _EVENT, row):
                    last += 1
                    new.append(codec.event_from_json(codec.loads(body), last))
        return new

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """See `Sessions.events`."""
        kind = f" AND type IN ({placeholders(types)})" if types else ""
        rows = self._database.rows(
            f"SELECT body, seq FROM events WHERE session_id = ? AND seq > ?{kind}"
            " ORDER BY seq LIMIT ?",
            (session_id, after, *types, max(0, limit)),
        )
        return [codec.event_from_json(codec.loads(body), seq) for body, seq in rows]

    def keep_items(self, session_id: str, items: Sequence[ContextItem]) -> None:
        """See `Sessions.keep_items`. Raises `NotFound` for a session that was never saved."""
        rows = [(session_id, *codec.item_to_row(item)) for item in items]
        with self._database.write() as connection:
            if not fetch(connection, "SELECT 1 FROM sessions WHERE id = ?", (session_id,)):
                raise rules.no_session(session_id)
            connection.executemany(_ITEM, rows)

    def items(self, session_id: str) -> list[ContextItem]:
        """See `Sessions.items`."""
        rows = self._database.rows(
            "SELECT type, source, tokens, count, first_at, last_at, score, status, reason"
            " FROM context_items WHERE session_id = ? ORDER BY score DESC, type, source",
            (session_id,),
        )
        return [codec.item_from_row(row) for row in rows]

    def mark_served(self, scope: Scope, digests: Iterable[str]) -> None:
        """See `Sessions.mark_served`."""
        rows = [(str(scope), digest) for digest in digests]
        if rows:
            with self._database.write() as connection:
                connection.executemany(
                    "INSERT INTO served (scope, digest) VALUES (?, ?) ON CONFLICT DO NOTHING", rows
                )

    def served(self, scope: Scope, digests: Sequence[str]) -> set[str]:
        """See `Sessions.served`."""
        rows = self._database.rows(
            "SELECT digest FROM served"
            " WHERE scope = ? AND digest IN (SELECT value FROM json_each(?))",
            (str(scope), codec.dumps(list(digests))),
        )
        return {digest for (digest,) in rows}
