"""Undo an import: withdraw what only it brought, keep what was changed since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from contextd.domain.changes import KnowledgeChanges, Put, WorkChanges
from contextd.domain.documents import event_id
from contextd.domain.imported_records import IMPORT, TAKEN_BACK
from contextd.domain.kinds import EPISODE
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record, short_id
from contextd.domain.sessions import LISTED, Session, SessionChange
from contextd.imports.import_rows import mark_undone
from contextd.imports.note_import import edited
from contextd.imports.sessions import IMPORTED, learned_in
from contextd.redaction.cutting import beginning
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_AT_ONCE = 200
_SESSIONS = 1_000_000
_TOLD = 20
_IN_USE = ("active", "candidate", "inbox")


@dataclass(slots=True)
class TakenOut:
    """How many records and sessions were withdrawn, and what was kept and why."""

    records: int = 0
    sessions: int = 0
    left_alone: list[str] = field(default_factory=list[str])


def take_out(runtime: Runtime, row: Record) -> TakenOut:
    """Undo an import in the project of the call. Records are deleted as by hand, so each can be restored;
    sessions are withdrawn. Idempotent.
    """
    done = TakenOut()
    replayed = "bundle" in (row.data.get("formats") or ())
    brought = list(_brought(runtime, row.id, replayed=replayed))
    for start in range(0, len(brought), _AT_ONCE):
        _out_of_use(runtime, brought[start : start + _AT_ONCE], row, done)
    sessions = runtime.view.sessions.find(runtime.own_scopes, statuses=LISTED, limit=_SESSIONS)
    for session in sessions:
        if session.data.get(IMPORTED) == row.id:
            _withdrawn(runtime, session, row, done)
    mark_undone(runtime, row)
    return done


def _brought(runtime: Runtime, id: str, *, replayed: bool) -> Iterator[Record]:
    """The records of the project that an import wrote. Records from a bundle keep their source, so their
    history is checked.
    """
    query = Query(scopes=runtime.own_scopes, statuses=STATUSES, limit=500)
    for record in runtime.every(query):
        mine = record.source.operation == IMPORT and record.source.ref == id
        if mine or (replayed and _began_with(runtime, record, id)):
            yield record


def _began_with(runtime: Runtime, record: Record, id: str) -> bool:
    return runtime.view.records.history(record.id)[0].reason.startswith(f"{IMPORT} {id}:")


def _out_of_use(runtime: Runtime, records: Sequence[Record], row: Record, done: TakenOut) -> None:
    puts = []
    for record in records:
        if record.status not in (*_IN_USE, "archived"):
            continue
        if record.kind != EPISODE and edited(runtime, record):
            _keep(
                done,
                f"{short_id(record.id)} was changed here since: {record.title or record.content}",
            )
            continue
        after = record.with_(status="deleted", updated_at=runtime.clock.now())
        puts.append(Put(after, TAKEN_BACK, f"import {row.id[:8]} was undone"))
    if puts:
        runtime.commit(knowledge=KnowledgeChanges(records=puts))
        done.records += len(puts)


def _withdrawn(runtime: Runtime, session: Session, row: Record, done: TakenOut) -> None:
    if session.data.get("hooked"):
        _keep(done, f"session {short_id(session.id)} was resumed here since")
        return
    learned = [one for one in learned_in(runtime, session) if one.status in _IN_USE]
    _out_of_use(runtime, learned, row, done)
    events = runtime.view.sessions.events(session.id, types=("message",))
    messages = [event_id(session.id, event.seq) for event in events]
    runtime.commit(
        knowledge=KnowledgeChanges(forget={session.scope: messages}),
        work=WorkChanges(sessions=[SessionChange(id=session.id, withdrawn=True)]),
    )
    done.sessions += 1


def _keep(done: TakenOut, why: str) -> None:
    if len(done.left_alone) < _TOLD:
        done.left_alone.append(beginning(why, 200))
