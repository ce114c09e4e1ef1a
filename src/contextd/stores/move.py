"""Move an organisation's rows from one database to another, whichever kinds they are.

Canonical rows are copied as they are, in one transaction, and compared before it ends. The index of words is made
again from them, as each database has its own; vectors are copied. Code indexes stay behind: a scan makes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from contextd.domain.access import Cell, Grant
from contextd.domain.documents import message_documents, record_document
from contextd.domain.kind import AREAS
from contextd.domain.query import Document
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.database import Database, Values, fetch
from contextd.stores.packing import pack
from contextd.stores.record_rows import COLUMNS, LISTED, record_of
from contextd.stores.row_checks import readable
from contextd.stores.sql_conditions import placeholders
from contextd.stores.sql_index_writing import row_of
from contextd.stores.sql_view import SqlView
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict

_AT_ONCE = 2_000
"""Rows read or written at a time."""

_MOST_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class MovedTable:
    """A table, the columns that are copied, and the columns that order its rows. A row of a session names it by
    scope and id, since its number differs in each database.
    """

    name: str
    columns: str
    order: str
    of_session: bool = False

    @property
    def select(self) -> str:
        """The statement that reads a page of rows."""
        if not self.of_session:
            return f"SELECT {self.columns} FROM {self.name} ORDER BY {self.order} LIMIT ? OFFSET ?"
        own = ", ".join(f"{self.name}.{column.strip()}" for column in self.columns.split(","))
        return (
            f"SELECT sessions.scope, sessions.id, {own} FROM {self.name}"
            f" JOIN sessions ON sessions.no = {self.name}.session"
            f" ORDER BY sessions.scope, sessions.id, {self.order} LIMIT ? OFFSET ?"
        )

    @property
    def insert(self) -> str:
        """The statement that writes a row of `select`."""
        values = placeholders(self.columns.split(","))
        if not self.of_session:
            return f"INSERT INTO {self.name} ({self.columns}) VALUES ({values})"
        number = "(SELECT no FROM sessions WHERE scope = ? AND id = ?)"
        return f"INSERT INTO {self.name} (session, {self.columns}) VALUES ({number}, {values})"


MOVED = (
    MovedTable(
        "projects",
        "identity, scope, name, roots, aliases, sightings, parts, part_of, news, created_at",
        "identity",
    ),
    MovedTable("records", ", ".join(("content_hash", *COLUMNS, "version", "body")), "no"),
    MovedTable(
        "changes",
        "scope, record_id, seq, kind, at, actor, action, reason, before, after, undoes",
        "scope, record_id, seq",
    ),
    MovedTable(
        "sessions",
        "scope, id, client, external_id, status, ended, started_at, last_seen_at, events, dropped, body",
        "no",
    ),
    MovedTable("events", "seq, key, type, body", "seq", of_session=True),
    MovedTable(
        "context_items",
        "type, source, tokens, count, first_at, last_at, score, status, reason",
        "type, source",
        of_session=True,
    ),
    MovedTable("seats", "scope, digest, session, at", "scope, digest"),
    MovedTable("handed_out", "scope, session, digest, at", "scope, session, digest"),
    MovedTable(
        "contradictions",
        "a_scope, a, b_scope, b, kind, reason, found_at, dismissed, note",
        "a_scope, a, b_scope, b",
    ),
    MovedTable(
        "jobs",
        "id, scope, name, arguments, state, lane, priority, place, unique_key, attempts, max_attempts, run_at,"
        " checkpoint, error, result, created_at, finished_at, worker, lease_until",
        "seq",
    ),
    MovedTable("schedules", "scope, job, due_at, every", "scope, job"),
    MovedTable("calls", "owner, key, at, answer", "owner, key"),
    MovedTable(
        "observations", "at, action, operation, type, record_ids, query, agent, scope", "seq"
    ),
    MovedTable(
        "observation_scopes", "scope, reads, writes, misses, last_activity, logged", "scope"
    ),
    MovedTable("observation_types", "scope, counted, type, count", "scope, counted, type"),
    MovedTable("missed_queries", "scope, query, count, latest", "scope, query"),
    MovedTable("shared_values", "name, value", "name"),
    MovedTable("originals", "scope, id, about, tokens, at, body", "no"),
)
"""Every canonical table; a test compares it with both schemas."""

_VECTORS = """SELECT v.digest, v.vector FROM vectors v JOIN parts ON parts.no = v.part
    WHERE scope = ? AND family = ? AND v.model = ? ORDER BY v.digest LIMIT ? OFFSET ?"""
_MODELS = """SELECT DISTINCT scope, family, v.model FROM vectors v JOIN parts ON parts.no = v.part
    WHERE family <> 'code'"""


class MovableStore(Protocol):
    """What moving needs of a store."""

    database: Database

    def view(self, grant: Grant) -> SqlView:
        """See `Store.view`."""
        ...


def move(source: MovableStore, target: MovableStore) -> dict[str, int]:
    """Copy all rows and their index into an empty store; return the number of rows by table.

    The source stays as it is, and must not be written meanwhile. Raises `Conflict` for a target with rows, and for
    a source that changed; the target is then empty.
    """
    _require_empty(target.database)
    counts: dict[str, int] = {}
    with target.database.write("move") as connection:
        connection.execute("DELETE FROM shared_values WHERE name IS NOT NULL")
        with source.database.snapshot():
            for table in MOVED:
                counts[table.name] = 0
                for rows in _pages(source.database.rows, table):
                    connection.executemany(table.insert, rows)
                    counts[table.name] += len(rows)
        for table in MOVED:
            before, after = (
                _digest(_pages(read, table))
                for read in (source.database.rows, partial(fetch, connection))
            )
            if before != after:
                raise Conflict(
                    f"the source changed while it was moved: {table.name}",
                    "stop every contextd that uses it, and move again",
                )
    _index(target)
    _move_vectors(source.database, target)
    return counts


def _require_empty(database: Database) -> None:
    for table in MOVED:
        # Opening a home gives a new store values of its own; those of the source take their place.
        if table.name != "shared_values" and database.rows(f"SELECT 1 FROM {table.name} LIMIT 1"):
            raise Conflict(
                f"the store to move to is not empty: it has rows in {table.name}",
                "move to a new file, or to an organisation without records",
            )


Rows = list[tuple[Any, ...]]


def _pages(read: Callable[[str, Values], Rows], table: MovedTable) -> Iterator[Rows]:
    """The rows of a table, as `read` returns those of a statement."""
    start = 0
    while rows := read(table.select, (_AT_ONCE, start)):
        yield [_plain(table, row) for row in rows]
        start += len(rows)


def _plain(table: MovedTable, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row with packed bodies: SQLite may hold text from before they were."""
    if table.name == "changes":
        return (
            *row[:8],
            *(pack(one) if isinstance(one, str) else one for one in row[8:10]),
            row[10],
        )
    if table.name == "events" and isinstance(row[-1], str):
        return (*row[:-1], pack(row[-1]))
    return tuple(row)


def _digest(pages: Iterator[Rows]) -> bytes:
    hashed = hashlib.sha256()
    for rows in pages:
        for row in rows:
            hashed.update(repr(row).encode("utf-8", "surrogatepass"))
    return hashed.digest()


def _index(target: MovableStore) -> None:
    """Index the records and messages of a store."""
    database, start = target.database, 0
    page = f"SELECT {LISTED} FROM records ORDER BY no LIMIT ? OFFSET ?"
    while rows := database.rows(page, (_AT_ONCE, start)):
        start += len(rows)
        _put(target, [record_document(record) for record in readable(record_of, rows)])
    places = database.rows("SELECT DISTINCT scope FROM sessions")
    scopes = [codec.parse_scope(scope) for (scope,) in places if codec.is_scope(scope)]
    readable_cells = frozenset(Cell(scope, area) for scope in scopes for area in AREAS)
    sessions = target.view(Grant(read=readable_cells)).sessions
    for scope in scopes:
        # The oldest first, since the newest documents are embedded first.
        for session in reversed(sessions.find(frozenset({scope}), limit=_MOST_SESSIONS)):
            events = sessions.events(session.id, types=("message",))
            _put(target, message_documents(session.scope, session.id, events))


def _put(target: MovableStore, documents: list[Document]) -> None:
    by_scope: dict[Scope, list[Document]] = {}
    for document in documents:
        by_scope.setdefault(document.scope, []).append(document)
    for scope, mine in by_scope.items():
        rows = [row_of(document) for document in mine]
        with target.database.write(str(scope)) as connection:
            target.view(Grant()).index_writer(connection).put(rows)


def _move_vectors(source: Database, target: MovableStore) -> None:
    for scope, family, model in source.rows(_MODELS):
        start, asked = 0, (scope, family, model)
        while rows := source.rows(_VECTORS, (*asked, _AT_ONCE, start)):
            start += len(rows)
            with target.database.write(scope) as connection:
                writer = target.view(Grant()).index_writer(connection)
                writer.keep_vectors(codec.parse_scope(scope), dict(rows), model)
