"""What one grant reaches of a SQLite store, and the one way to write into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import apsw

from contextd.domain.access import Grant
from contextd.domain.changes import Changes, Committed, Put
from contextd.domain.dataclass import dataclass
from contextd.domain.documents import code_documents, record_document
from contextd.domain.records import Change
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.ports import Scrub
from contextd.stores import codec, rules
from contextd.stores.authorise import authorise, writable
from contextd.stores.connection import Database, fetch
from contextd.stores.reach import Reach
from contextd.stores.scrub import scrubbed
from contextd.stores.sqlite_awareness import (
    SqliteContradictions,
    SqliteSurvey,
    agree,
    decide,
    disagree,
)
from contextd.stores.sqlite_files import (
    FileRow,
    SqliteFiles,
    calls_row,
    file_row,
    next_version,
    reading_row,
    remove_files,
    weight_row,
    write_calls,
    write_file,
    write_readings,
    write_weights,
)
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
from contextd.stores.together import LocalReads


@dataclass(slots=True)
class Prepared:
    """A unit of work with everything computed that can be: what is left is writing."""

    changes: Changes
    snapshots: list[codec.Json] = field(default_factory=list)
    files: list[tuple[Scope, list[FileRow]]] = field(default_factory=list)
    calls: list[list[tuple[object, ...]]] = field(default_factory=list)
    readings: list[list[tuple[object, ...]]] = field(default_factory=list)
    weights: list[list[tuple[object, ...]]] = field(default_factory=list)
    documents: list[DocumentRow] = field(default_factory=list)
    vectors: dict[Scope, dict[str, bytes]] = field(default_factory=dict)
    events: list[list[EventRow]] = field(default_factory=list)
    jobs: list[JobRow] = field(default_factory=list)
    originals: list[OriginalRow] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)


class SqliteView(LocalReads):
    """A `View` of a SQLite store."""

    def __init__(self, database: Database, grant: Grant, memory: IndexMemory, scrub: Scrub) -> None:
        self.grant = grant
        self._database, self._scrub = database, scrub
        self._reach = reach = Reach(grant)
        self.records = SqliteRecords(database, reach, memory.records)
        self.survey = SqliteSurvey(database, reach, self.records)
        self.contradictions = SqliteContradictions(database, reach)
        self.index = SqliteIndex(database, reach, memory)
        self.files = SqliteFiles(database, reach)
        self.sessions = SqliteSessions(database, reach, scrub)
        self.originals = SqliteOriginals(database, reach)
        self.observations = SqliteObservations(database, reach)
        self.jobs = SqliteJobs(database, reach)

    def commit(self, changes: Changes, *, call: str = "") -> Committed:
        """See `View.commit`. Raises `Busy` when other writers hold the store too long."""
        now = self._database.now()
        ready = self._prepared(changes, now)
        with self._database.write() as connection:
            if call and not fetch(connection, _CALL, (self._reach.owner, call, now)):
                raise rules.committed_already()
            done = _write(connection, ready, writable(self.grant), now)
            if not changes.naming:
                return done
            return replace(done, namesakes=self.records.beginning(changes.beginnings))

    def _prepared(self, changes: Changes, now: int) -> Prepared:
        authorise(self._reach, changes)
        changes = scrubbed(changes, self._scrub)
        codec.dumps([changes.actor, *(c.action + c.reason for c in changes.records)])
        ready = Prepared(changes)
        for change in changes.records:
            ready.snapshots.append(codec.record_to_json(change.record))
            if isinstance(change, Put):
                ready.documents.append(row_of(record_document(change.record)))
        for code in changes.code:
            ready.files.append((code.scope, [file_row(code.scope, file) for file in code.put]))
            ready.calls.append([calls_row(code.scope, one) for one in code.calls])
            ready.readings.append([reading_row(code.scope, one) for one in code.readings])
            ready.weights.append([weight_row(code.scope, one) for one in code.weights])
            for file in code.put:
                if file.path not in code.same_text:
                    ready.documents += map(
                        row_of, code_documents(code.scope, file, code.same_chunks)
                    )
        ready.documents += map(row_of, changes.documents)
        ready.vectors = {
            scope: packed(vectors, changes.model) for scope, vectors in changes.vectors.items()
        }
        ready.events = [[event_row(event) for event in one.events] for one in changes.sessions]
        ready.jobs = [job_row(job, now) for job in changes.jobs]
        ready.originals = [original_row(original) for original in changes.originals]
        ready.places = self._places(changes)
        return ready

    def _places(self, changes: Changes) -> dict[str, str]:
        """The scopes of the records whose disagreements are spoken of."""
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
    connection: apsw.Connection, ready: Prepared, scopes: Sequence[str], now: int
) -> Committed:
    changes = ready.changes
    changed: list[Change] = []
    sessions: dict[str, Session] = {}
    events: dict[str, list[Event]] = {}
    index = IndexWriter(connection)
    for change, snapshot in zip(changes.records, ready.snapshots, strict=True):
        changed.append(write_record(connection, change, snapshot, changes.actor, now))
        if not isinstance(change, Put):
            index.forget(change.record.scope, [change.record.id])
    _write_code(connection, index, ready)
    index.put(ready.documents)
    if ready.documents and _has_vectors_before(connection):
        index.use_vectors_before(ready.documents)
    for scope, ids in changes.forget.items():
        index.forget(scope, ids)
    for scope, vectors in ready.vectors.items():
        index.keep_vectors(scope, vectors, changes.model)
    for session in changes.open:
        open_session(connection, session)
    for step, rows in zip(changes.sessions, ready.events, strict=True):
        session, added = change_session(connection, scopes, step, rows, now)
        sessions[session.id] = session
        events.setdefault(session.id, []).extend(added)
    disagree(connection, changes.disagree, ready.places)
    agree(connection, changes.agree, ready.places)
    decided = sum(decide(connection, one, ready.places) for one in changes.decide)
    for original in ready.originals:
        keep_original(connection, original)
    jobs = [write_job(connection, row) for row in ready.jobs]
    return Committed(changed, sessions, events, jobs, decided)


def _write_code(connection: apsw.Connection, index: IndexWriter, ready: Prepared) -> None:
    for change, (scope, rows) in zip(ready.changes.code, ready.files, strict=True):
        # A chunk that moved to another file is among what is put: first out, then in.
        if not (rows or change.remove):
            continue
        version = next_version(connection, scope, removing=bool(change.remove))
        removed_ids = remove_files(connection, scope, change.remove) if change.remove else []
        for row in rows:
            removed_ids += write_file(connection, row, version)
        if removed_ids:
            index.forget(scope, removed_ids)
    derived = zip(ready.changes.code, ready.calls, ready.readings, ready.weights, strict=True)
    for change, calls, readings, weights in derived:
        write_calls(connection, calls)
        write_readings(connection, readings)
        if change.weighed:
            write_weights(connection, change.scope, weights, change.weighed)


def _has_vectors_before(connection: apsw.Connection) -> bool:
    return bool(fetch(connection, "SELECT 1 FROM vectors_before LIMIT 1"))
