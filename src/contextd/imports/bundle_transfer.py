"""Export a project as a bundle, and import a bundle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from pathlib import Path

from contextd.domain.changes import KnowledgeChanges, Put, WorkChanges
from contextd.domain.documents import message_documents
from contextd.domain.imported_records import FROM_OTHERS, IMPORT
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Record
from contextd.domain.sessions import LISTED, Event, Session, SessionChange
from contextd.imports.authority import session_of_others, without_authority
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
from contextd.imports.import_rows import ImportTally
from contextd.imports.import_run import Intake, naming, write_each
from contextd.imports.note_import import edited
from contextd.imports.sessions import IMPORTED
from contextd.imports.transcripts import HEADLESS
from contextd.knowledge.machine_neutral import portable_text
from contextd.knowledge.writing import cleaned
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

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
    found = runtime.view.sessions.find(runtime.own_scopes, statuses=LISTED, limit=_SESSIONS)
    for session in reversed(found):
        events = runtime.view.sessions.events(session.id)
        yield from session_lines(elsewhere(session), events)


_OF_THIS_MACHINE = (
    "ancestors", "agent_transcripts", "disconnected_process", "transcript_offset", "transcript_stamp",
    "transcript_unread", "transcripts_beside",
)  # fmt: skip
"""Session data about files and processes of this machine."""


def elsewhere(session: Session) -> Session:
    """A session without data that only this machine can use. The name of its transcript stays, as evidence
    that there was one.
    """
    bare = unmarked(session, *_OF_THIS_MACHINE)
    transcript = str(session.data.get("transcript") or "")
    # Windows paths also end in a name.
    name = transcript.replace("\\", "/").rpartition("/")[2]
    return bare.with_(cwd="", data={**bare.data, **({"transcript": name} if name else {})})


def records_of_project(runtime: Runtime, statuses: Sequence[str] = STATUSES) -> Iterator[Record]:
    """The records of the project and of what has joined it, newest first, read in batches."""
    query = Query(scopes=runtime.own_scopes, statuses=tuple(statuses), limit=_AT_ONCE)
    return runtime.every(query)


def bring_bundle(intake: Intake, path: Path) -> None:
    """Import a bundle: records with their histories, sessions with their events. Ids and therefore links
    are kept. Without the importer's word that it is their own backup, its records decide nothing here. A bad
    line is named and the rest is imported. Raises `NotFound` and `Invalid` for another file.
    """
    bringing = _Bringing(intake, path)
    intake.formats.append("bundle")
    for place, item in read_bundle(path, intake.runtime.scope):
        if isinstance(item, Unread):
            bringing.unread(place, item.why)
        elif isinstance(item, RecordStates):
            bringing.waiting.append((place, item))
            if len(bringing.waiting) == _AT_ONCE:
                _replay(bringing)
        else:
            intake.check()
            with bringing.naming(place):
                if isinstance(item, Session):
                    _open(bringing, item)
                elif item.session in bringing.opened:
                    _append(intake, item)
    _replay(bringing)
    if not intake.dry_run:
        for id in bringing.opened:
            _index(intake.runtime, id)
    if bringing.held:
        intake.tally(intake.runtime).note(
            f"{bringing.held} rules, policies and skills await your review: `contextd inbox list`. If the bundle is "
            "your own backup, `contextd import --mine` with it has them apply at once"
        )


@dataclass(slots=True)
class _Bringing:
    """A bundle being imported: records that wait for a commit with their lines, sessions opened, and how many
    records wait for the importer's review.
    """

    intake: Intake
    path: Path
    waiting: list[tuple[str, RecordStates]] = field(default_factory=list[tuple[str, RecordStates]])
    opened: set[str] = field(default_factory=set[str])
    held: int = 0

    @property
    def tally(self) -> ImportTally:
        """The counts of the project."""
        return self.intake.tally(self.intake.runtime)

    def unread(self, place: str, why: str) -> None:
        """Count a line that cannot be imported, and say why."""
        self.tally.unread += 1
        self.tally.note(f"{self.shown(place)}: {why}")

    def naming(self, place: str) -> AbstractContextManager[None]:
        """Name a line that fails."""
        return naming(self.tally, self.shown(place))

    def shown(self, place: str) -> str:
        """A line as messages call it."""
        return f"{self.path.name}, {place}"

    def weighed(self, record: Record) -> Record:
        """A record with the authority that its importer gives it."""
        if self.intake.mine:
            return record
        return without_authority(record, self.intake.id, self.intake.runtime.clock.now())


def _replay(bringing: _Bringing) -> None:
    """Replay the histories of the waiting records, one state of all at a time."""
    intake, some, bringing.waiting = bringing.intake, bringing.waiting, []
    intake.check()
    runtime = intake.runtime
    there = {r.id: r for r in runtime.view.records.get([one.record.id for _, one in some])}
    fresh: dict[str, tuple[str, list[Put]]] = {}
    for place, one in some:
        with bringing.naming(place):
            known = there.get(one.record.id)
            if known is not None and known.scope == runtime.scope:
                _meet(bringing, one.record, known)
            elif one.record.id in fresh:
                bringing.tally.read += 1
                bringing.tally.duplicate += 1
            else:
                fresh[one.record.id] = place, _states(bringing, one)
    written = _write(bringing, list(fresh.values()))
    bringing.tally.read += written
    bringing.tally.new += written


def _write(bringing: _Bringing, fresh: Sequence[tuple[str, list[Put]]]) -> int:
    """Write new records with their states, one state of all at a time; return how many were written whole."""
    if not fresh or bringing.intake.dry_run:
        return len(fresh)
    bringing.intake.begin(bringing.intake.runtime)
    good = list(fresh)
    for step in range(max(len(puts) for _, puts in fresh)):
        puts = [(bringing.shown(place), one[step]) for place, one in good if step < len(one)]
        bad = write_each(bringing.intake.runtime, bringing.tally, puts)
        good = [one for one in good if bringing.shown(one[0]) not in bad]
    return len(good)


def _states(bringing: _Bringing, one: RecordStates) -> list[Put]:
    intake = bringing.intake
    *earlier, (action, reason, _) = one.states or [("create", "", one.record)]
    # Counting a use makes no state, so the last state is the record as it is.
    whole = [*earlier, (action, reason, one.record)]
    puts = []
    redacted = 0
    for version, (called, why, state) in enumerate(whole):
        clean, secrets = cleaned(intake.runtime, bringing.weighed(state))
        redacted += secrets
        # An action such as a confirmation, and its reason, are somebody's decision elsewhere.
        called, why = (called, why) if intake.mine else (IMPORT, FROM_OTHERS)
        why = f"{IMPORT} {intake.id}: {_REPLAYED.sub('', why)}"
        puts.append(Put(clean.with_(version=version), called, why))
    bringing.tally.redacted += redacted
    bringing.held += puts[-1].record.status == "inbox" and one.record.status != "inbox"
    return puts


def _meet(bringing: _Bringing, record: Record, known: Record) -> None:
    """Resolve a record that exists here already: the newer one wins, and one that others wrote never wins over
    one of this home. The word that a bundle is the importer's own also raises what came from it before.
    """
    intake, tally = bringing.intake, bringing.tally
    tally.read += 1
    clean, _ = cleaned(intake.runtime, bringing.weighed(record))
    brought = known.source.operation == IMPORT and not edited(intake.runtime, known)
    newer = record.updated_at > known.updated_at and (intake.mine or brought)
    raised = intake.mine and brought and _authority(clean) != _authority(known)
    if not newer and not raised:
        tally.duplicate += 1
        return
    tally.updated += 1
    bringing.held += clean.status == "inbox" and record.status != "inbox"
    if not intake.dry_run:
        intake.begin(intake.runtime)
        put = Put(clean.with_(version=known.version), IMPORT, f"import {intake.id[:8]}")
        intake.runtime.commit(knowledge=KnowledgeChanges(records=[put]))


def _authority(record: Record) -> tuple[object, ...]:
    return record.trust, record.status, record.tags, dict(record.data)


def _open(bringing: _Bringing, session: Session) -> None:
    intake, tally = bringing.intake, bringing.tally
    runtime = intake.runtime
    known = runtime.view.sessions.get(session.id)
    if known is not None and known.scope == runtime.scope:
        mine = known.data.get(IMPORTED) == intake.id
        tally.read += 1
        tally.new += mine
        tally.sessions += mine
        tally.duplicate += not mine
        if known.status == "withdrawn":
            tally.note("undo the withdrawal of sessions by importing their source first")
        if mine:
            bringing.opened.add(session.id)
        elif intake.mine and known.data.get(HEADLESS) and not session.data.get(HEADLESS):
            _acknowledge(intake, known, session)
        return
    if not intake.dry_run:
        intake.begin(runtime)
        task, _ = intake.clean(session.task)
        # A line may name files and processes of this machine.
        bare = elsewhere(session).with_(task=task)
        here = bare.with_(data={**bare.data, IMPORTED: intake.id})
        runtime.commit(
            work=WorkChanges(open=[here if intake.mine else session_of_others(bare, intake.id)])
        )
    tally.read += 1
    tally.new += 1
    tally.sessions += 1
    bringing.opened.add(session.id)


def _acknowledge(intake: Intake, known: Session, session: Session) -> None:
    """Make a session the importer's own that was imported as one of others."""
    if IMPORTED not in known.data:
        return
    tally = intake.tally(intake.runtime)
    tally.duplicate -= 1
    tally.updated += 1
    if not intake.dry_run:
        data = {**elsewhere(session).data, HEADLESS: False}
        change = SessionChange(id=known.id, data=data)
        intake.runtime.commit(work=WorkChanges(sessions=[change]))


def _append(intake: Intake, item: SomeEvents) -> None:
    events: list[Event] = []
    tally = intake.tally(intake.runtime)
    redacted = 0
    for event in item.events:
        text, secrets = intake.clean(event.text)
        redacted += secrets
        events.append(replace(event, text=text))
    if not intake.dry_run:
        change = SessionChange(id=item.session, events=tuple(events))
        intake.runtime.commit(work=WorkChanges(sessions=[change]))
    tally.redacted += redacted
    tally.events += len(events)


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
