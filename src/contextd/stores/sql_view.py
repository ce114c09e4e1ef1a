"""A view of a store for one grant, and the single write path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from contextd.domain.access import Grant
from contextd.domain.changes import (
    Changes,
    CodeChange,
    Committed,
    KnowledgeChanges,
    Put,
    Removal,
    no_code_index,
)
from contextd.domain.documents import record_document
from contextd.domain.query import Document
from contextd.domain.records import Change
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.ports.code import Files
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.authorise import authorise, writable
from contextd.stores.checkouts import Checkouts
from contextd.stores.combined_reads import LocalReads
from contextd.stores.database import Connection, Database, later
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.scrub import scrubbed
from contextd.stores.sql_awareness import (
    PAIRS,
    SqlContradictions,
    SqlSurvey,
    agree,
    decide,
    disagree,
)
from contextd.stores.sql_index import IndexCaches, SqlIndex
from contextd.stores.sql_index_writing import DocumentRow, IndexWriter, packed, row_of
from contextd.stores.sql_jobs import JobRow, SqlJobs, job_row, key_locks, write_job
from contextd.stores.sql_originals import Row as OriginalRow
from contextd.stores.sql_originals import SqlOriginals, keep_original, original_row
from contextd.stores.sql_records import SqlRecords, write_record
from contextd.stores.sql_sessions import (
    EventRow,
    SqlSessions,
    change_session,
    event_row,
    open_session,
    seat_rows,
    write_seats,
)
from contextd.stores.sql_usage import NoteRows, SqlObservations, note_rows, write_notes
from contextd_common.dataclass import dataclass


@dataclass(slots=True)
class Prepared:
    """A unit of work with everything computed in advance; only writing is left."""

    changes: Changes
    snapshots: list[codec.Json] = field(default_factory=list)
    code: list[Any] = field(default_factory=list)
    documents: list[DocumentRow] = field(default_factory=list)
    vectors: dict[Scope, dict[str, bytes]] = field(default_factory=dict)
    events: list[list[EventRow]] = field(default_factory=list)
    jobs: list[JobRow] = field(default_factory=list)
    originals: list[OriginalRow] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    seats: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    beside: NoteRows | None = None


class SqlView(LocalReads, ABC):
    """A `View` of an SQL database; without code indexes unless a database adds them."""

    files: Files | None = None

    def __init__(
        self,
        database: Database,
        grant: Grant,
        caches: IndexCaches,
        scrub: Scrub,
        checkouts: Checkouts | None = None,
    ) -> None:
        self.grant = grant
        self._database, self._scrub = database, scrub
        self._granted = granted = GrantedRows(grant)
        self.records = SqlRecords(database, granted, caches.records)
        self.survey = SqlSurvey(database, granted, self.records)
        self.contradictions = SqlContradictions(database, granted)
        self.index = SqlIndex(database, granted, caches, checkouts)
        self.sessions = SqlSessions(database, granted, scrub)
        self.originals = SqlOriginals(database, granted)
        self.observations = SqlObservations(database, granted)
        self.jobs = SqlJobs(database, granted)

    @abstractmethod
    def index_writer(self, connection: Connection) -> IndexWriter:
        """The writer of this database's index."""

    def _code_rows(self, code: CodeChange) -> tuple[Any, list[Document]]:
        """A change of code in stored form, and its documents."""
        raise no_code_index()

    def _write_code(self, connection: Connection, code: Any, now: int) -> Sequence[str]:
        """Write a change of code; return the ids of the chunks that are gone."""
        raise no_code_index()

    def commit(self, changes: Changes, *, call: str = "", answer: str = "") -> Committed:
        """See `View.commit`. Raises `Busy` if other writers hold the store too long."""
        now = self._database.now()
        ready = self._prepared(changes, now)
        known = (self._granted.owner, call, now, self._kept(answer))
        with self._database.write(*_locks(changes, call)) as connection:
            if call:
                later(connection, _CALL, known, _require_first)
            return self._write(connection, ready, now)

    def _prepared(self, changes: Changes, now: int) -> Prepared:
        authorise(self._granted, changes)
        changes = scrubbed(changes, self._scrub)
        knowledge, work = changes.knowledge, changes.work
        codec.dumps([changes.actor, *(c.action + c.reason for c in knowledge.records)])
        ready = Prepared(changes)
        for change in knowledge.records:
            ready.snapshots.append(codec.record_to_json(change.record))
            if isinstance(change, Put):
                ready.documents.append(row_of(record_document(change.record)))
        for code in changes.code:
            rows, documents = self._code_rows(code)
            ready.code.append(rows)
            ready.documents += map(row_of, documents)
        ready.documents += map(row_of, knowledge.documents)
        ready.vectors = {
            scope: packed(vectors, knowledge.model) for scope, vectors in knowledge.vectors.items()
        }
        ready.events = [[event_row(event) for event in one.events] for one in work.sessions]
        ready.jobs = [job_row(job, now) for job in work.jobs]
        ready.originals = [original_row(original) for original in knowledge.originals]
        ready.places = self._places(knowledge)
        ready.seats = seat_rows(work.seats, now)
        ready.beside = note_rows(changes.beside, now)
        return ready

    def _write(self, connection: Connection, ready: Prepared, now: int) -> Committed:
        knowledge, work = ready.changes.knowledge, ready.changes.work
        changed: list[Change] = []
        sessions: dict[str, Session] = {}
        events: dict[str, list[Event]] = {}
        index = self.index_writer(connection)
        for change, snapshot in zip(knowledge.records, ready.snapshots, strict=True):
            self._write_record(connection, ready, change, snapshot, now, changed)
            if not isinstance(change, Put):
                index.forget(change.record.scope, [change.record.id])
        for code in ready.code:
            # A chunk that moved to another file is removed first, then added.
            removed_ids = self._write_code(connection, code, now)
            if removed_ids:
                index.forget(code.change.scope, removed_ids)
        index.put(ready.documents)
        for scope, ids in knowledge.forget.items():
            index.forget(scope, ids)
        for scope, vectors in ready.vectors.items():
            index.keep_vectors(scope, vectors, knowledge.model)
        for session in work.open:
            open_session(connection, session)
        for step, rows in zip(work.sessions, ready.events, strict=True):
            session, added = change_session(connection, writable(self.grant), step, rows, now)
            sessions[session.id] = session
            events.setdefault(session.id, []).extend(added)
        disagree(connection, knowledge.disagree, ready.places)
        agree(connection, knowledge.agree, ready.places)
        decided = sum(decide(connection, one, ready.places) for one in knowledge.decide)
        for original in ready.originals:
            keep_original(connection, original)
        jobs = [write_job(connection, row) for row in ready.jobs]
        write_seats(connection, ready.seats, work.left, writable(self.grant))
        if ready.beside is not None:
            write_notes(connection, ready.beside)
        return Committed(changed, sessions, events, jobs, decided)

    def _write_record(
        self,
        connection: Connection,
        ready: Prepared,
        change: Put | Removal,
        snapshot: codec.Json,
        now: int,
        changed: list[Change],
    ) -> None:
        """Apply a change of a record, and add it to `changed` before the write ends."""
        changed.append(write_record(connection, change, snapshot, ready.changes.actor, now))

    def _places(self, changes: KnowledgeChanges) -> dict[str, str]:
        """The scopes of the records in this commit's contradictions."""
        ids = changes.disagreeing
        if not ids:
            return {}
        written = [one.record for one in changes.records if isinstance(one, Put)]
        return {one.id: str(one.scope) for one in (*self.records.get(ids), *written)}

    def answered(self, call: str) -> str | None:
        """See `View.answered`."""
        found: str | None = self._database.value(
            "SELECT answer FROM calls WHERE owner = ? AND key = ?", (self._granted.owner, call)
        )
        return found

    def keep_answer(self, call: str, answer: str) -> None:
        """See `View.keep_answer`."""
        answer = self._kept(answer)
        with self._database.write() as connection:
            connection.execute(_ANSWER, (answer, self._granted.owner, call))

    def _kept(self, answer: str) -> str:
        """An answer in stored form."""
        answer = self._scrub(answer) if answer else ""
        codec.dumps(answer)
        return answer


_CALL = """
INSERT INTO calls (owner, key, at, answer) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key
"""
_ANSWER = "UPDATE calls SET answer = ? WHERE owner = ? AND key = ?"


def _require_first(added: Sequence[Any]) -> None:
    if not added:
        raise rules.committed_already()


def _locks(changes: Changes, call: str) -> set[str]:
    """What no other commit may change meanwhile: the scopes and sessions of the unit of work, its call, the keys
    of its jobs and the pairs of contradictions.
    """
    knowledge, work = changes.knowledge, changes.work
    scopes = {change.record.scope for change in knowledge.records}
    scopes |= {*knowledge.vectors, *knowledge.forget, *(one.scope for one in changes.code)}
    scopes |= {one.scope for one in knowledge.documents}
    scopes |= {one.scope for one in knowledge.originals}
    # A use changes a record, as a commit does; other by-products are only added.
    scopes |= {*(one.scope for one in work.open), *(one.scope for one in changes.beside.uses)}
    locks = {*map(str, scopes), *(one.id for one in work.sessions), *key_locks(work.jobs)}
    return locks | ({call} if call else set()) | ({PAIRS} if knowledge.disagreeing else set())
