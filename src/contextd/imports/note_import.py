"""Import other programs' knowledge as records, without duplicates and through the write gate, and archive what its
source dropped.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from contextd.claims.write_gate import Draft, GateLookup, Verdict, admit, junk
from contextd.domain.applies_to import applies_to
from contextd.domain.changes import KnowledgeChanges, Put
from contextd.domain.confidence import START
from contextd.domain.imported_records import IMPORT, TAKEN_BACK
from contextd.domain.kinds import kind_named
from contextd.domain.records import PRESENT, Record, Source, Status, digest
from contextd.domain.scope import Scope
from contextd.imports.foreign import ForeignFormat, Note, Unread
from contextd.imports.import_rows import ImportTally
from contextd.imports.import_run import DEFECTS, Intake, naming, note_unread, write_each
from contextd.imports.importers.importer import ImportBatch
from contextd.imports.sessions import bring_conversation
from contextd.knowledge.writing import clean_tags
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.text.words import unpunctuated

_NAMESPACE = uuid.UUID("7d0a6f4b-7c55-5b0e-9a3c-3d3d1c0f5e21")
_AT_ONCE = 200
"""Notes per commit: other writers wait for some hundredths of a second."""

_MOST = 1_000
GONE = "no longer in its source"


_Numbered = tuple[str, Note]
"""A note, and which item of its file it is, for messages."""


@dataclass(slots=True)
class _Reading:
    """A file being read: notes awaiting a commit, by project, and all their ids."""

    format: ForeignFormat
    shown: str
    into: Runtime
    waiting: dict[Scope, list[_Numbered]] = field(default_factory=lambda: defaultdict(list))
    ids: dict[Scope, set[str]] = field(default_factory=lambda: defaultdict(set))


def bring_file(
    intake: Intake, format: ForeignFormat, path: Path, shown: str, into: Runtime
) -> None:
    """Import one file of another program; `into` is the project of notes that name none. Errors are noted
    and reading continues.
    """
    reading = _Reading(format, shown, into)
    intake.formats.append(format.name)
    whole = True
    try:
        for number, item in enumerate(format.read(path, shown)):
            place = f"{shown}, [{number}]"
            if isinstance(item, ImportBatch):
                with naming(intake.tally(into), place):
                    bring_conversation(intake, into, format.name, item)
            elif isinstance(item, Unread):
                tally = intake.tally(into)
                tally.unread += 1
                tally.note(f"{shown}, {item.place}: {item.why}")
            else:
                _wait(intake, reading, item, place)
    except DEFECTS as error:
        whole = False
        note_unread(intake.tally(into), shown, error)
    for scope in list(reading.waiting):
        _commit(intake, reading, scope)
    if format.followed:
        intake.files.setdefault(into.scope, []).append(shown)
        if whole:
            archive_gone(intake, into, shown, reading.ids[into.scope])


def archive_gone(intake: Intake, runtime: Runtime, shown: str, ids: set[str]) -> None:
    """Archive records whose file no longer contains them. Records that a person changed are kept."""
    query = runtime.query(level=runtime.scope.level, statuses=PRESENT, source=shown, limit=_MOST)
    found = runtime.view.records.find(query).records
    mine = [r for r in found if r.source.operation == IMPORT and r.id not in ids]
    stale_records = [r for r in mine if not edited(runtime, r)]
    intake.tally(runtime).archived += len(stale_records)
    if stale_records and not intake.dry_run:
        intake.begin(runtime)
        now = runtime.clock.now()
        after = [record.with_(status="archived", updated_at=now) for record in stale_records]
        runtime.commit(
            knowledge=KnowledgeChanges(
                records=[Put(one, IMPORT, f"{shown}: {GONE}") for one in after]
            )
        )


def edited(runtime: Runtime, record: Record) -> bool:
    """Whether a record was changed after its import; ratings by programs and its earlier states
    elsewhere do not count.
    """
    later = runtime.view.records.history(record.id)[1:]
    return any(
        change.action not in _BY_PROGRAMS and not change.reason.startswith(f"{IMPORT} ")
        for change in later
    )


_BY_PROGRAMS = frozenset({IMPORT, TAKEN_BACK, "signal", "feedback"})


def _wait(intake: Intake, reading: _Reading, note: Note, place: str) -> None:
    there: Runtime | None = reading.into
    if note.cwd:
        there = intake.place_of(note.cwd)
    elif note.project:
        there = intake.place_named(note.project)
    elif reading.format.belongs == "named":
        there = intake.place_named("no project")
    if there is None:
        return
    waiting = reading.waiting[there.scope]
    waiting.append((place, note))
    if len(waiting) >= _AT_ONCE:
        _commit(intake, reading, there.scope)


def _commit(intake: Intake, reading: _Reading, scope: Scope) -> None:
    intake.check()
    there, tally = intake.standing_in(scope), intake.tally(intake.standing_in(scope))
    notes = reading.waiting.pop(scope, [])
    ids: dict[str, str] = {}
    for place, note in notes:
        with naming(tally, place):
            ids[place] = _id(scope, reading, note)
    reading.ids[scope].update(ids.values())
    stored = {record.id: record for record in there.view.records.get([*ids.values()])}
    puts: dict[str, tuple[str, Put]] = {}
    written = intake.written.setdefault(scope, set())
    for place, note in notes:
        tally.read += 1
        id = ids.get(place)
        if id is None:
            continue
        if id in puts:
            tally.duplicate += 1
            continue
        with naming(tally, place):
            known = stored.get(id)
            put = _decided(intake, there, note, id, known, written)
            if put is not None:
                puts[id] = place, put
            now = put.record if put is not None else known
            if now is not None:
                written.add(_wording(now))
    if puts and not intake.dry_run:
        intake.begin(there)
        _write(there, tally, list(puts.values()))


def _write(there: Runtime, tally: ImportTally, some: Sequence[tuple[str, Put]]) -> None:
    """Write records, and count those again that cannot be written."""
    bad = write_each(there, tally, some)
    changes = [bool(put.record.version) for place, put in some if place in bad]
    tally.updated -= sum(changes)
    tally.new -= len(changes) - sum(changes)


def _id(scope: Scope, reading: _Reading, note: Note) -> str:
    file = reading.shown if reading.format.followed else ""
    return str(uuid.uuid5(_NAMESPACE, f"{scope}:{reading.format.name}:{file}:{note.key}"))


def _decided(
    intake: Intake, there: Runtime, note: Note, id: str, known: Record | None, written: set[str]
) -> Put | None:
    """Decide what to write for a note; None for nothing. Counts it."""
    tally = intake.tally(there)
    draft = Draft(
        kind=note.kind,
        content=note.content.strip(),
        title=note.title.strip(),
        data=kind_named(note.kind).check(note.data),
        tags=note.tags,
        trust=note.trust,
    )
    if why := junk(draft.content, draft.kind, on_purpose=note.trust == "human"):
        tally.junk += 1
        tally.note(f"left out: {why}")
        return None
    look = GateLookup(
        served=lambda digests: there.view.sessions.handed_out(there.scope, "", digests),
        by_hash=lambda same: there.view.records.by_hash(same, there.scope) if not known else None,
        similar=lambda text: [],
        key=there.redaction_key,
    )
    verdict = admit(draft, look)
    tally.redacted += len(verdict.findings)
    if verdict.outcome == "reject":
        tally.junk += 1
        tally.note(f"left out: {verdict.reason}")
        return None
    record = _record(intake, there, note, id, verdict)
    if known is not None:
        return _again(intake, there, known, record, written)
    if verdict.outcome == "duplicate" or _wording(record) in written:
        tally.duplicate += 1
        return None
    tally.new += 1
    return Put(record, IMPORT, f"import {intake.id[:8]}")


def _record(intake: Intake, there: Runtime, note: Note, id: str, verdict: Verdict) -> Record:
    now = there.clock.now()
    created = note.created or now
    said_by = intake.clean(note.said_by)[0]
    status: Status = "active" if note.sure else "candidate"
    if verdict.outcome == "inbox":
        status = "inbox"
    return Record(
        id=id,
        kind=note.kind,
        scope=there.scope,
        title=verdict.draft.title,
        content=verdict.draft.content,
        data=verdict.draft.data,
        tags=clean_tags(verdict.draft.tags),
        source=Source(agent=said_by, client=there.client, operation=IMPORT, ref=intake.id),
        trust=note.trust,
        status=status,
        confidence=START[note.trust],
        valid_from=created,
        created_at=created,
        updated_at=note.updated or created,
        arrived_at=now,
    )


def _again(
    intake: Intake, there: Runtime, known: Record, record: Record, written: set[str]
) -> Put | None:
    """Decide about a record that an earlier import wrote."""
    tally = intake.tally(there)
    if known.status in ("deleted", "archived"):
        last = there.view.records.history(known.id)[-1]
        if last.action == IMPORT or (last.action == TAKEN_BACK and not intake.unasked):
            # The import archived it, not a person.
            tally.new += 1
            return Put(record.with_(version=known.version), IMPORT, f"import {intake.id[:8]}")
        tally.duplicate += 1
        tally.note("what was deleted here stays deleted; undo brings one back")
        return None
    if _said(known) == _said(record):
        mine = known.source.ref == intake.id and _wording(known) not in written
        tally.new += mine
        tally.duplicate += not mine
        return None
    if edited(there, known):
        tally.duplicate += 1
        tally.note("records changed here since are kept")
        return None
    tally.updated += 1
    after = record.with_(
        version=known.version,
        status=known.status,
        created_at=known.created_at,
        source=known.source,
        confidence=known.confidence,
        usage_count=known.usage_count,
    )
    return Put(after, IMPORT, f"import {intake.id[:8]}")


def _wording(record: Record) -> str:
    """Equal for records for the same files that differ only in punctuation, spacing or case."""
    texts = (record.kind, record.title, record.content)
    return digest("\n".join((*map(unpunctuated, texts), *applies_to(record.data))))


def _said(record: Record) -> tuple[object, ...]:
    return record.title, record.content, dict(record.data), record.tags
