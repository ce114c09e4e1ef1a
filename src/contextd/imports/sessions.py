"""Import old conversations as sessions of their projects, with their original times."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from contextd.domain.changes import KnowledgeChanges, Put, WorkChanges
from contextd.domain.imported_records import TAKEN_BACK
from contextd.domain.records import Record, Status
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.imports.import_run import Intake, naming
from contextd.imports.importers import ImportBatch, Importer, Listed
from contextd.imports.importers.read_position import mark_at
from contextd.imports.transcripts import HEADLESS, catch_up, unread
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import open_session, task_of
from contextd.sessions.session_end import close_session
from contextd_common.files.guarded import read_file

IMPORTED = "imported"
"""Session data: the import that created it."""

_NAMESPACE = uuid.UUID("0f7c9d2e-3b1a-5e64-8f0d-6b1d6f1f2a44")
_HEAD = 262_144
_CWD = re.compile(rb'"cwd"\s*:\s*"((?:[^"\\]|\\.)*)"')
_MOST = 1_000


def bring_transcripts(intake: Intake, importer: Importer, path: Path) -> None:
    """Import the sessions of one file, each into its own project. An error in one is noted and the rest is
    read.
    """
    intake.formats.append(importer.name)
    tally = intake.tally(intake.runtime)
    with naming(tally, path.name):
        for listed in importer.sessions(path):
            intake.check()
            with naming(tally, f"{path.name}, session {listed.id}" if listed.id else path.name):
                _bring(intake, importer, path, listed)


def _bring(intake: Intake, importer: Importer, path: Path, listed: Listed) -> None:
    batch: ImportBatch | None = None
    cwd = listed.cwd or cwd_told(path)
    if not cwd:
        batch = importer.read(path, 0, redact=intake.clean, session=listed.id)
        cwd = batch.cwd
    there = intake.place_of(cwd)
    if there is None:
        return
    tally = intake.tally(there)
    tally.read += 1
    client = importer.client or importer.name
    known = there.view.sessions.by_external(client, listed.id or path.stem)
    if known is not None and known.scope == there.scope and _is_read(known, path):
        # Redacting events that are stored already would be most of the work.
        _same(intake, there, known)
        return
    batch = batch or importer.read(path, 0, redact=intake.clean, session=listed.id)
    if not any(not event.data.get("sidechain") for event in batch.events):
        tally.junk += 1
        tally.note("skipped: empty files and separate sub-agent transcripts")
        return
    known = there.view.sessions.by_external(client, batch.external_id)
    if known is not None and known.scope == there.scope:
        _again(intake, there, known, importer, path, batch)
        return
    if intake.dry_run:
        _try(intake, there, client, batch)
        while not batch.done:
            batch = importer.read(path, batch.next_offset, redact=intake.clean, session=listed.id)
            _count(intake, there, batch)
        return
    tally.new += 1
    tally.sessions += 1
    _count(intake, there, batch)
    read = {
        "transcript": str(path),
        "transcript_offset": batch.next_offset,
        "transcript_stamp": mark_at(path, importer, batch.next_offset).stamp,
    }
    session = _opened(intake, there, client, batch, read)
    if not batch.done:
        more = catch_up(there, session, check=intake.check)
        tally.events += more.get("new", 0)
        tally.redacted += more.get("redacted", 0)
    _close(there, session, batch.ended)


def _try(intake: Intake, there: Runtime, client: str, batch: ImportBatch) -> None:
    """Count what a session would become: of two files with the same session, the second only adds what is
    new.
    """
    tally = intake.tally(there)
    keys = {event.key for event in batch.events}
    named = f"{there.scope}:{client}:{batch.external_id}"
    before = set(intake.tried[named]) if named in intake.tried else None
    intake.tried.setdefault(named, set()).update(keys)
    if before is None:
        tally.new += 1
        tally.sessions += 1
        _count(intake, there, batch)
    elif fresh := keys - before:
        tally.updated += 1
        tally.events += len(fresh)
    else:
        tally.duplicate += 1


def bring_conversation(intake: Intake, there: Runtime, client: str, batch: ImportBatch) -> None:
    """Import a conversation without a directory as one of this project."""
    intake.check()
    tally = intake.tally(there)
    cleaned: list[Event] = []
    for event in batch.events:
        text, secrets = intake.clean(event.text)
        tally.redacted += secrets
        cleaned.append(replace(event, text=text))
    batch = replace(batch, events=tuple(cleaned), title=intake.clean(batch.title)[0])
    tally.read += 1
    known = there.view.sessions.by_external(client, batch.external_id)
    if known is not None and known.scope == there.scope:
        _append(intake, there, known, batch)
        return
    tally.new += 1
    tally.sessions += 1
    tally.events += len(batch.events)
    tally.note("its conversations name no directory: imported as sessions of this project")
    if not intake.dry_run:
        _close(there, _opened(intake, there, client, batch, {}), batch.ended)


def cwd_told(path: Path) -> str:
    """The directory named at the beginning of a JSON-lines transcript; empty if none."""
    try:
        found = _CWD.search(read_file(path, _HEAD, cut=True))
        return "" if found is None else found[1].decode("utf-8").encode().decode("unicode_escape")
    except (OSError, UnicodeDecodeError):
        return ""


def _opened(
    intake: Intake, there: Runtime, client: str, batch: ImportBatch, read: dict[str, object]
) -> Session:
    """A new session with its first events, in one commit."""
    now = there.clock.now()
    began = batch.started or now
    named = f"{there.scope}:{client}:{batch.external_id}"
    marks = {HEADLESS: True} if batch.headless else {}
    session = Session(
        id=str(uuid.uuid5(_NAMESPACE, named)),
        scope=there.scope,
        client=client,
        external_id=batch.external_id,
        cwd=batch.cwd,
        task=task_of(there, batch.title),
        started_at=began,
        last_seen_at=batch.ended or began,
        branch=batch.branch,
        data={IMPORTED: intake.id, **read, **marks},
    )
    intake.begin(there)
    intake.tried.setdefault(session.id, set())
    open_session(there, session, SessionChange(id=session.id, events=batch.events))
    return session


def _close(there: Runtime, session: Session, ended: datetime | None) -> None:
    """End a session at its own end time, and queue the learning."""
    last = there.view.sessions.get(session.id) or session
    close_session(there, last, at=ended or last.last_seen_at)


def _again(
    intake: Intake,
    there: Runtime,
    known: Session,
    importer: Importer,
    path: Path,
    batch: ImportBatch,
) -> None:
    """Update a known session from its transcript."""
    if known.status == "withdrawn":
        _readmit(intake, there, known)
        return
    if _was_broken_off(known):
        _same(intake, there, known)
        if not intake.dry_run:
            catch_up(there, known, check=intake.check)
            _close(there, known, batch.ended)
        return
    elsewhere = known.data.get("transcript") not in (None, "", str(path))
    if elsewhere:
        _append(intake, there, known, batch)
        return
    if known.ended_at is None or not unread(known, str(path)):
        _same(intake, there, known)
        return
    added = 1 if intake.dry_run else catch_up(there, known, transcript=str(path)).get("new", 0)
    _grown(intake, there, known, added, batch.ended)


def _was_broken_off(known: Session) -> bool:
    """Whether an import was interrupted inside a session; false if its client resumed it since."""
    imported, resumed = known.data.get(IMPORTED), known.data.get("hooked")
    return bool(known.ended_at is None and imported and not resumed)


def _append(intake: Intake, there: Runtime, known: Session, batch: ImportBatch) -> None:
    """Add what another copy of a session's transcript has in addition."""
    if known.status == "withdrawn":
        _readmit(intake, there, known)
        return
    there_already = {event.key for event in there.view.sessions.events(known.id)}
    fresh = tuple(event for event in batch.events if event.key not in there_already)
    if fresh and not intake.dry_run:
        there.commit(work=WorkChanges(sessions=[SessionChange(id=known.id, events=fresh)]))
    if _was_broken_off(known) and not intake.dry_run:
        _close(there, known, batch.ended)
    _grown(intake, there, known, len(fresh), batch.ended)


def _grown(
    intake: Intake, there: Runtime, known: Session, added: int, ended: datetime | None
) -> None:
    if not added:
        _same(intake, there, known)
        return
    tally = intake.tally(there)
    tally.updated += 1
    tally.events += added
    if not intake.dry_run:
        intake.begin(there)
        _close(there, known, ended)


def _is_read(known: Session, path: Path) -> bool:
    """Whether a session is over and its transcript completely read."""
    over = known.ended_at is not None and known.status != "withdrawn"
    return over and known.data.get("transcript") == str(path) and not unread(known)


def _same(intake: Intake, there: Runtime, known: Session) -> None:
    tally = intake.tally(there)
    # A session from before the interruption counts as new once.
    mine = known.data.get(IMPORTED) == intake.id and known.id not in intake.tried
    intake.tried.setdefault(known.id, set())
    tally.new += mine
    tally.sessions += mine
    tally.duplicate += not mine


def _count(intake: Intake, there: Runtime, batch: ImportBatch) -> None:
    tally = intake.tally(there)
    tally.events += len(batch.events)
    tally.redacted += batch.counts.get("redacted", 0)
    broken = batch.counts.get("bad", 0) + batch.counts.get("oversize", 0)
    tally.unread += broken
    if broken:
        tally.note(
            f"{broken} lines of {batch.external_id[:8] or 'a transcript'} are not valid JSON"
        )


def _readmit(intake: Intake, there: Runtime, known: Session) -> None:
    """Reverse the withdrawal of a session and of what was learned from it."""
    tally = intake.tally(there)
    tally.new += 1
    tally.sessions += 1
    if intake.dry_run:
        return
    intake.begin(there)
    back = [
        Put(record.with_(status=before), "import", f"import {intake.id[:8]}")
        for record in learned_in(there, known)
        if (before := _before_withdrawal(there, record))
    ]
    change = SessionChange(id=known.id, readmitted=True, data={IMPORTED: intake.id})
    there.commit(knowledge=KnowledgeChanges(records=back), work=WorkChanges(sessions=[change]))
    # If withdrawn before learning, nothing was learned from it.
    _close(there, known, known.ended_at)


def learned_in(there: Runtime, session: Session) -> list[Record]:
    """The records learned in a session, withdrawn and live."""
    statuses: tuple[Status, ...] = ("active", "candidate", "inbox", "deleted")
    query = there.query(level=there.scope.level, statuses=statuses, session=session.id, limit=_MOST)
    return there.view.records.find(query).records


def _before_withdrawal(there: Runtime, record: Record) -> Status | None:
    last = there.view.records.history(record.id)[-1]
    return last.before.status if last.action == TAKEN_BACK and last.before is not None else None
