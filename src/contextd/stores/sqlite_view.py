"""A view of a SQLite store for one grant, and the single write path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import apsw

from contextd.domain.access import Grant
from contextd.domain.changes import Changes, Committed, KnowledgeChanges, Put
from contextd.domain.code_places import CodePlace
from contextd.domain.documents import code_documents, record_document
from contextd.domain.records import Change
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.ports.knowledge import Scrub
from contextd.stores import codec, rules
from contextd.stores.authorise import authorise, writable
from contextd.stores.checkouts import Checkouts
from contextd.stores.combined_reads import LocalReads
from contextd.stores.connection import Database, fetch
from contextd.stores.granted_rows import Reach
from contextd.stores.scrub import scrubbed
from contextd.stores.sqlite_awareness import (
    SqliteContradictions,
    SqliteSurvey,
    agree,
    decide,
    disagree,
)
from contextd.stores.sqlite_code_writing import CodeRows, code_rows, write_code
from contextd.stores.sqlite_files import SqliteFiles
from contextd.stores.sqlite_index import IndexMemory, SqliteIndex
from contextd.stores.sqlite_index_writing import (
    DocumentRow,
    IndexWriter,
    packed,
    row_of,
)
from contextd.stores.sqlite_jobs import JobRow, SqliteJobs, job_row, write_job
from contextd.stores.sqlite_originals import Row as OriginalRow
from contextd.stores.sqlite_originals import SqliteOriginals, keep_original, original_row
from contextd.stores.sqlite_records import SqliteRecords, write_record
from contextd.stores.sqlite_sessions import (
    EventRow,
    SqliteSessions,
    change_session,
    event_row,
    open_session,
)
from contextd.stores.sqlite_usage import SqliteObservations
from contextd_code.dataclass import dataclass


@dataclass(slots=True)
class Prepared:
    """A unit of work with everything computed in advance; only writing is left."""

    changes: Changes
    snapshots: list[codec.Json] = field(default_factory=list)
    code: list[CodeRows] = field(default_factory=list)
    documents: list[DocumentRow] = field(default_factory=list)
    vectors: dict[Scope, dict[str, bytes]] = field(default_factory=dict)
    events: list[list[EventRow]] = field(default_factory=list)
    jobs: list[JobRow] = field(default_factory=list)
    originals: list[OriginalRow] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)


class SqliteView(LocalReads):
    """A `View` of a SQLite store."""

    def __init__(
        self,
        database: Database,
        grant: Grant,
        memory: IndexMemory,
        scrub: Scrub,
        code: CodePlace | None = None,
    ) -> None:
        self.grant = grant
        self._database, self._scrub, self._code = database, scrub, code
        checkouts = Checkouts(database, code)
        self._reach = reach = Reach(grant)
        self.records = SqliteRecords(database, reach, memory.records)
        self.survey = SqliteSurvey(database, reach, self.records)
        self.contradictions = SqliteContradictions(database, reach)
        self.index = SqliteIndex(database, reach, memory, checkouts)
        self.files = SqliteFiles(database, reach, checkouts)
        self.sessions = SqliteSessions(database, reach, scrub)
        self.originals = SqliteOriginals(database, reach)
        self.observations = SqliteObservations(database, reach)
        self.jobs = SqliteJobs(database, reach)

    def commit(self, changes: Changes, *, call: str = "") -> Committed:
        """See `View.commit`. Raises `Busy` if other writers hold the store too long."""
        now = self._database.now()
        ready = self._prepared(changes, now)
        with self._database.write() as connection:
            if call and not fetch(connection, _CALL, (self._reach.owner, call, now)):
                raise rules.committed_already()
            done = _write(connection, ready, writable(self.grant), self._code, now)
            if not changes.naming:
                return done
            alike = self.records.beginning(changes.knowledge.beginnings)
            return replace(done, namesakes=alike)

    def _prepared(self, changes: Changes, now: int) -> Prepared:
        authorise(self._reach, changes)
        changes = scrubbed(changes, self._scrub)
        knowledge, work = changes.knowledge, changes.work
        codec.dumps([changes.actor, *(c.action + c.reason for c in knowledge.records)])
        ready = Prepared(changes)
        for change in knowledge.records:
            ready.snapshots.append(codec.record_to_json(change.record))
            if isinstance(change, Put):
                ready.documents.append(row_of(record_document(change.record)))
        for code in changes.code:
            ready.code.append(code_rows(code))
            for file in code.put:
                if file.path not in code.same_text:
                    ready.documents += map(
                        row_of, code_documents(code.scope, file, code.same_chunks)
                    )
        ready.documents += map(row_of, knowledge.documents)
        ready.vectors = {
            scope: packed(vectors, knowledge.model) for scope, vectors in knowledge.vectors.items()
        }
        ready.events = [[event_row(event) for event in one.events] for one in work.sessions]
        ready.jobs = [job_row(job, now) for job in work.jobs]
        ready.originals = [original_row(original) for original in knowledge.originals]
        ready.places = self._places(knowledge)
        return ready

    def _places(self, changes: KnowledgeChanges) -> dict[str, str]:
        """The scopes of the records in this commit's contradictions."""
        ids = changes.disagreeing
        return {record.id: str(record.scope) for record in self.records.get(ids)} if ids else {}

    def answered(self, call: str) -> str | None:
        """See `View.answered`."""
        found: str | None = self._database.value(
            "SELECT answer FROM calls WHERE owner = ? AND key = ?", (self._reach.owner, call)
        )
        return found

    def keep_answer(self, call: str, answer: str) -> None:
        """See `View.keep_answer`."""
        answer = self._scrub(answer)
        codec.dumps(answer)
        with self._database.write() as connection:
            connection.execute(_ANSWER, (answer, self._reach.owner, call))


_CALL = """
INSERT INTO calls (owner, key, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING key
"""
_ANSWER = "UPDATE calls SET answer = ? WHERE owner = ? AND key = ?"


def _write(
    connection: apsw.Connection,
    ready: Prepared,
    scopes: Sequence[str],
    place: CodePlace | None,
    now: int,
) -> Committed:
    changes, knowledge, work = ready.changes, ready.changes.knowledge, ready.changes.work
    changed: list[Change] = []
    sessions: dict[str, Session] = {}
    events: dict[str, list[Event]] = {}
    index = IndexWriter(connection)
    for change, snapshot in zip(knowledge.records, ready.snapshots, strict=True):
        changed.append(write_record(connection, change, snapshot, changes.actor, now))
        if not isinstance(change, Put):
            index.forget(change.record.scope, [change.record.id])
    for code in ready.code:
        # A chunk that moved to another file is removed first, then added.
        removed_ids = write_code(connection, code, place, now)
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
        session, added = change_session(connection, scopes, step, rows, now)
        sessions[session.id] = session
        events.setdefault(session.id, []).extend(added)
    disagree(connection, knowledge.disagree, ready.places)
    agree(connection, knowledge.agree, ready.places)
    decided = sum(decide(connection, one, ready.places) for one in knowledge.decide)
    for original in ready.originals:
        keep_original(connection, original)
    jobs = [write_job(connection, row) for row in ready.jobs]
    return Committed(changed, sessions, events, jobs, decided)
