"""Export a project as a bundle, and import a bundle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from contextd.domain.changes import KnowledgeChanges, Put, WorkChanges
from contextd.domain.documents import message_documents
from contextd.domain.imported_records import IMPORT
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from contextd.domain.sessions import LISTED, Event, Session, SessionChange
from contextd.imports.bundle import (
    RecordStates,
    SomeEvents,
    heading,
    read_bundle,
    record_line,
    session_lines,
    unmarked,
)
from contextd.imports.foreign import Unread
from contextd.imports.import_run import Intake
from contextd.imports.sessions import IMPORTED
from contextd.knowledge.machine_neutral import portable_text
from contextd.knowledge.writing import cleaned
from contextd.runtime.runtime import Runtime

_AT_ONCE = 200
_REPLAYED = re.compile(rf"^{IMPORT} [0-9a-f-]{{36}}: ")
"""The reason of a state that was already imported once."""

_SESSIONS = 1_000_000


def bundle_lines(runtime: Runtime) -> Iterator[str]:
    """Everything of the project itself, without wider scopes and the person's layer."""
    portable = portable_text(runtime)
    yield from map(portable, _whole_lines(runtime))


def _whole_lines(runtime: Runtime) -> Iterator[str]:
    name = runtime.project.name if runtime.project is not None else ""
    yield heading(runtime.scope, name, runtime.clock.now())
    for record in records_of_project(runtime):
        if record.kind == IMPORT:
            # How records came here is meaningless elsewhere, and an import must not be undone there.
            continue
        yield record_line(record, runtime.view.records.history(record.id))
    found = runtime.sessions(statuses=LISTED, limit=_SESSIONS)
    for session in reversed(found):
        events = runtime.view.sessions.events(session.id)
        yield from session_lines(_elsewhere(session), events)


_OF_THIS_MACHINE = (
    "ancestors", "agent_transcripts", "disconnected_process", "transcript_offset", "transcript_stamp",
    "transcript_unread", "transcripts_beside",
)  # fmt: skip
"""Session data about files and processes of this machine."""


def _elsewhere(session: Session) -> Session:
    """A session without data that only this machine can use. The name of its transcript stays, as evidence
    that there was one.
    """
    bare = unmarked(session, *_OF_THIS_MACHINE)
    transcript = str(session.data.get("transcript") or "")
    # Windows paths also end in a name.
    name = transcript.replace("\\", "/").rpartition("/")[2]
    return bare.with_(cwd="", data={**bare.data, **({"transcript": name} if name else {})})


def records_of_project(runtime: Runtime, statuses: Sequence[str] = STATUSES) -> Iterator[Record]:
    """The records of the project, newest first, read in batches."""
    query = Query(scopes=frozenset({runtime.scope}), statuses=tuple(statuses), limit=_AT_ONCE)
    return runtime.every(query)


def bring_bundle(intake: Intake, path: Path) -> None:
    """Import a bundle: records with their histories, sessions with their events. Ids and therefore links
    are kept. Raises `NotFound` and `Invalid`.
    """
    runtime, tally = intake.runtime, intake.tally(intake.runtime)
    intake.formats.append("bundle")
    waiting: list[RecordStates] = []
    opened: set[str] = set()
    for item in read_bundle(path, runtime.scope):
        if isinstance(item, Unread):
            tally.unread += 1
            tally.note(f"{path.name}, {item.place}: {item.why}")
        elif isinstance(item, RecordStates):
            waiting.append(item)
            if len(waiting) == _AT_ONCE:
                _replay(intake, waiting)
                waiting = []
        elif isinstance(item, Session):
            intake.check()
            _open(intake, item, opened)
        elif item.session in opened:
            _append(intake, item)
    _replay(intake, waiting)
    if not intake.dry_run:
        for id in opened:
            _index(runtime, id)


def _replay(intake: Intake, some: Sequence[RecordStates]) -> None:
    """Replay the histories of many records, one state of all at a time."""
    intake.check()
    runtime, tally = intake.runtime, intake.tally(intake.runtime)
    there = {r.id: r for r in runtime.view.records.get([one.record.id for one in some])}
    fresh: list[list[Put]] = []
    for one in some:
        tally.read += 1
        known = there.get(one.record.id)
        if known is not None and known.scope == runtime.scope:
            _meet(intake, one.record, known)
            continue
        tally.new += 1
        fresh.append(_states(intake, one))
    if intake.dry_run or not fresh:
        return
    intake.begin(runtime)
    for step in range(max(len(puts) for puts in fresh)):
        runtime.commit(
            knowledge=KnowledgeChanges(records=[puts[step] for puts in fresh if step < len(puts)])
        )


def _states(intake: Intake, one: RecordStates) -> list[Put]:
    *earlier, (action, reason, _) = one.states or [("create", "", one.record)]
    # Counting a use makes no state, so the last state is the record as it is.
    whole = [*earlier, (action, reason, one.record)]
    puts = []
    for version, (called, why, state) in enumerate(whole):
        clean, secrets = cleaned(intake.runtime, state)
        intake.tally(intake.runtime).redacted += secrets
        why = f"{IMPORT} {intake.id}: {_REPLAYED.sub('', why)}"
        puts.append(Put(clean.with_(version=version), called, why))
    return puts


def _meet(intake: Intake, record: Record, known: Record) -> None:
    """Resolve a record that exists here already: the newer one wins."""
    tally = intake.tally(intake.runtime)
    if record.updated_at <= known.updated_at:
        tally.duplicate += 1
        return
    tally.updated += 1
    if not intake.dry_run:
        intake.begin(intake.runtime)
        clean, _ = cleaned(intake.runtime, record)
        put = Put(clean.with_(version=known.version), IMPORT, f"import {intake.id[:8]}")
        intake.runtime.commit(knowledge=KnowledgeChanges(records=[put]))


def _open(intake: Intake, session: Session, opened: set[str]) -> None:
    runtime, tally = intake.runtime, intake.tally(intake.runtime)
    tally.read += 1
    known = runtime.view.sessions.get(session.id)
    if known is not None and known.scope == runtime.scope:
        mine = known.data.get(IMPORTED) == intake.id
        tally.new += mine
        tally.sessions += mine
        tally.duplicate += not mine
        if known.status == "withdrawn":
            tally.note("undo the withdrawal of sessions by importing their source first")
        if mine:
            opened.add(session.id)
        return
    tally.new += 1
    tally.sessions += 1
    opened.add(session.id)
    if intake.dry_run:
        return
    intake.begin(runtime)
    task, _ = intake.clean(session.task)
    runtime.commit(
        work=WorkChanges(
            open=[session.with_(task=task, data={**session.data, IMPORTED: intake.id})]
        )
    )


def _append(intake: Intake, item: SomeEvents) -> None:
    events: list[Event] = []
    tally = intake.tally(intake.runtime)
    for event in item.events:
        text, secrets = intake.clean(event.text)
        tally.redacted += secrets
        events.append(replace(event, text=text))
    tally.events += len(events)
    if not intake.dry_run:
        change = SessionChange(id=item.session, events=tuple(events))
        intake.runtime.commit(work=WorkChanges(sessions=[change]))


def _index(runtime: Runtime, id: str) -> None:
    """Index the messages of a session without a transcript, as learning does."""
    session = runtime.view.sessions.get(id)
    if session is None or session.data.get("transcript"):
        return
    messages = runtime.view.sessions.events(id, types=("message",))
    documents = message_documents(session.scope, session.id, messages)
    if documents:
        runtime.commit(
            knowledge=KnowledgeChanges(documents=documents, model=runtime.embedder.model)
        )
