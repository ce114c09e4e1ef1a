"""Import other programs' data, and undo imports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from contextd.domain.records import Record, short_id
from contextd.domain.scope import PERSON, Scope
from contextd.domain.time import iso
from contextd.imports.bundle import BundleFormat
from contextd.imports.bundle_transfer import bring_bundle
from contextd.imports.detected_sources import (
    FoundSource,
    followed_sources,
    found_sources,
    named_sources,
)
from contextd.imports.entry_import import EntryFile, bring_entries
from contextd.imports.foreign import ForeignFormat
from contextd.imports.given_paths import path_meant
from contextd.imports.import_rows import ImportTally, import_rows
from contextd.imports.import_run import Intake
from contextd.imports.import_sources import ImportSources
from contextd.imports.importers import Importer
from contextd.imports.note_import import archive_gone, bring_file
from contextd.imports.sessions import bring_transcripts
from contextd.imports.undo import TakenOut, take_out
from contextd.jobs.table import Task, new_job
from contextd.runtime.operation import FilePath, in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound
from contextd_common.files.guarded import names_anything

_NAMED = 5
"""Archives that are listed individually."""

_COUNTS = [name for name in ImportTally.__dataclass_fields__ if name != "notes"]

_FOUND = "detected sources"
_FOLLOWED = "files for agents"
_FOUND_EVERYWHERE = "all sources on this machine"


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import. `read` counts entries, notes and sessions; each is new, updated, duplicate
    or junk. `unread` was not understood, `archived` is no longer in its file, `redacted` counts
    secrets. `projects` has the number of new ones in each.
    """

    path: str
    format: str
    version: int
    read: int
    new: int
    updated: int
    duplicate: int
    redacted: int
    junk: int
    bubbles: int
    id: str = ""
    archived: int = 0
    unread: int = 0
    sessions: int = 0
    events: int = 0
    files: int = 0
    dry_run: bool = False
    projects: dict[str, int] = field(default_factory=dict[str, int])
    job: str = ""
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The report in one line, then the notes."""
        if self.job:
            return f"importing {self.path} in the background; `contextd daemon jobs` shows the progress"
        version = f" v{self.version}" if self.version else ""
        line = (
            f"{self.path} ({self.format or 'unknown'}{version}): {self.read} read, {self.new} new, "
            f"{self.updated} updated, {self.duplicate} duplicate, {self.redacted} redacted, {self.junk} "
            f"junk, {self.unread} unreadable"
        )
        lines = [f"would be: {line}" if self.dry_run else line]
        if self.sessions:
            plural = "s" * (self.sessions != 1)
            lines.append(f"{self.sessions} session{plural} with {self.events} events")
        if self.archived:
            lines.append(f"{self.archived} archived: no longer in their files")
        if len(self.projects) > 1:
            lines += [f"{scope}: {count} new" for scope, count in self.projects.items()]
        lines += [f"- {note}" for note in self.notes]
        if self.id and not self.dry_run and (self.new or self.updated):
            lines.append(f"`contextd import --undo {short_id(self.id)}` undoes it")
        return "\n".join(lines)


@operation("POST /api/import", effect="write", audience="owner", idempotent=True, needs="machine")
@in_steps
def import_(
    runtime: Runtime,
    path: FilePath,
    format: str = "",
    dry_run: bool = False,
    here: bool = False,
    mine: bool = False,
) -> Imported:
    """Import another program's data into this project: transcripts, exports, databases of memory tools, files
    for agents. Importing again adds no duplicates.

    Sessions go to the project of their directory.

    Args:
        path: The file, or a folder with files.
        format: The format's name; detected when empty.
        dry_run: Only report what would happen.
        here: Import items of no known project into this one.
        mine: The bundle is your own backup: its rules apply at once, and your words in it count as yours.
    """
    runtime.caller.require("write", runtime.scope, "knowledge")
    source = path_meant(runtime, path)
    intake = Intake(runtime, str(source), dry_run=dry_run, here=here, mine=mine)
    packed: list[Path] = []
    found = named_sources(runtime, source, format, packed)
    done = _brought(intake, found, str(source), alone=source.is_file())
    done.notes.extend(
        f"not opened: {one}; unpack it and import the contents" for one in packed[:_NAMED]
    )
    if len(packed) > _NAMED:
        done.notes.append(f"nor {len(packed) - _NAMED} more archives")
    return done


@operation(
    "POST /api/import/found",
    effect="write",
    audience="owner",
    idempotent=True,
    needs="machine",
    where="person",
)
@in_steps
def import_found(
    runtime: Runtime, everywhere: bool = False, dry_run: bool = False, background: bool = False
) -> Imported:
    """Import the data found for this project: transcripts of its sessions, data of memory tools, its files
    for agents. Importing again adds no duplicates, and archives records removed from their source.

    Args:
        everywhere: For every project of this machine, each into its own.
        dry_run: Only report what would happen.
        background: Run as a job and return at once.
    """
    _require_project(runtime, everywhere)
    asked = _FOUND_EVERYWHERE if everywhere else _FOUND
    if background and not dry_run:
        job = new_job(
            "import_found", runtime.scope, runtime.place, {"everywhere": everywhere}, once=asked
        )
        queued = [*runtime.queue(job), ""][0]
        return Imported(asked, "", 0, 0, 0, 0, 0, 0, 0, 0, job=queued)
    return _bring_found(runtime, everywhere, Intake(runtime, asked, dry_run=dry_run))


def import_in_background(runtime: Runtime, task: Task) -> Mapping[str, object]:
    """Import the found data, as a job that resumes after an interruption."""
    everywhere = bool(task.arguments.get("everywhere"))
    asked = _FOUND_EVERYWHERE if everywhere else _FOUND
    intake = Intake(runtime, asked, check=task.hold.check)
    done = _bring_found(runtime, everywhere, intake)
    return {"read": done.read, "new": done.new, "updated": done.updated, "import": done.id}


def follow_files(runtime: Runtime, task: Task) -> Mapping[str, object]:
    """Import the files for agents that changed since they were read, as a job. Writes nothing if none did."""
    for dry_run in (True, False):
        intake = Intake(
            runtime,
            _FOLLOWED,
            dry_run=dry_run,
            unasked=True,
            only_here=True,
            check=task.hold.check,
        )
        sources = list(followed_sources(runtime))
        _archive_what_left(intake, sources)
        done = _brought(intake, sources, _FOLLOWED)
        if not (done.new or done.updated or done.archived):
            break
    return {"new": done.new, "updated": done.updated, "archived": done.archived}


def _bring_found(runtime: Runtime, everywhere: bool, intake: Intake) -> Imported:
    intake.only_here = not everywhere
    sources = list(found_sources(runtime, everywhere=everywhere))
    _archive_what_left(intake, sources)
    named = [s for s in sources if _waits_for_a_name(s)]
    done = _brought(intake, [s for s in sources if not _waits_for_a_name(s)], intake.asked)
    done.notes.extend(
        f"{s.shown} names no project: `contextd import {s.path}` imports it here" for s in named
    )
    return done


def _waits_for_a_name(source: FoundSource) -> bool:
    return isinstance(source.reader, ForeignFormat) and source.reader.belongs == "asked"


def _require_project(runtime: Runtime, everywhere: bool) -> None:
    if not everywhere and not runtime.scope.project:
        raise NotFound(
            f"this call is not in a project{runtime.nowhere}",
            "go to a repository, or add --all for every project of this machine",
        )


def _brought(
    intake: Intake, sources: Iterable[FoundSource], path: str, *, alone: bool = False
) -> Imported:
    """Import the sources one after the other, and report."""
    runtime, version, bubbles, count = intake.runtime, 0, 0, 0
    listed = list(sources)
    if not intake.dry_run:
        intake.begin(runtime)
    for count, source in enumerate(listed, start=1):
        intake.check()
        if runtime.progress is not None:
            runtime.progress("import", count, len(listed))
        reader = source.reader
        if isinstance(reader, EntryFile):
            try:
                file = bring_entries(intake, reader, source.path)
            except Invalid:
                if alone:
                    raise
                continue
            version, bubbles = file.version, bubbles + len(file.bubbles)
        elif isinstance(reader, BundleFormat):
            bring_bundle(intake, source.path)
        elif isinstance(reader, Importer):
            bring_transcripts(intake, reader, source.path)
        else:
            into = intake.standing_in(Scope.parse(source.scope)) if source.scope else runtime
            bring_file(intake, reader, source.path, source.shown, into)
    intake.end()
    return _report(intake, path, version, bubbles, count)


def _report(intake: Intake, path: str, version: int, bubbles: int, files: int) -> Imported:
    total = intake.total
    new = {str(scope): tally.new for scope, tally in intake.tallies.items() if tally.changed}
    counts: dict[str, Any] = {name: getattr(total, name) for name in _COUNTS}
    return Imported(
        path=path,
        format=", ".join(dict.fromkeys(intake.formats)),
        version=version,
        bubbles=bubbles,
        id="" if intake.dry_run else intake.id,
        files=files,
        dry_run=intake.dry_run,
        projects=new,
        notes=[*total.notes, *intake.left_out()],
        **counts,
    )


def _archive_what_left(intake: Intake, sources: Iterable[FoundSource]) -> None:
    """Archive records of the project or person whose followed file was deleted."""
    runtime = intake.runtime
    there = {source.shown for source in sources}
    if runtime.has_person:
        person = intake.standing_in(PERSON)
        for shown in _followed(person) - there:
            if not names_anything(Path(shown).expanduser()):
                archive_gone(intake, person, shown, set())
    if runtime.project is None or not runtime.scope.project:
        return
    for shown in sorted(_followed(runtime) - there):
        if not any(names_anything(Path(root) / shown) for root in runtime.project.roots):
            archive_gone(intake, runtime, shown, set())


def _followed(runtime: Runtime) -> set[str]:
    return {str(name) for row in import_rows(runtime) for name in row.data.get("files") or ()}


@operation("GET /api/import/sources", audience="owner", needs="machine", where="person")
def import_sources(runtime: Runtime, everywhere: bool = False) -> ImportSources:
    """List what can be imported for this project, without reading it.

    Args:
        everywhere: For every project of this machine.
    """
    _require_project(runtime, everywhere)
    found = list(found_sources(runtime, everywhere=everywhere))
    sources = [one for one in found if not _waits_for_a_name(one)]
    rows: dict[str, dict[str, object]] = {}
    for one in sources:
        row = rows.setdefault(
            one.reader.name,
            {"name": one.reader.name, "title": one.reader.title, "files": 0, "bytes": 0},
        )
        row["files"] = int(str(row["files"])) + 1
        row["bytes"] = int(str(row["bytes"])) + one.size
    projects = Counter(one.scope for one in sources if one.scope)
    unknown = sum(not one.scope for one in sources)
    waiting = [one.shown for one in found if _waits_for_a_name(one)]
    return ImportSources(list(rows.values()), dict(projects), unknown, waiting)


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One import in a project: who, what, when, its counts and its state."""

    id: str
    project: str
    at: str
    by: str
    asked: str
    state: str
    counts: dict[str, int]
    notes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class ImportRows:
    """The imports, latest first."""

    imports: list[ImportRow]

    def as_text(self) -> str:
        """One line per import."""
        lines = [
            f"{short_id(one.id)} {one.at} {one.state}: {one.asked}; {one.counts.get('new', 0)} new, "
            f"{one.counts.get('updated', 0)} updated, {one.counts.get('duplicate', 0)} duplicate, "
            f"{one.counts.get('sessions', 0)} sessions, in {one.project}, by {one.by}"
            for one in self.imports
        ]
        return "\n".join(lines) or "no imports yet"


@operation("GET /api/imports", audience="owner", where="person")
def list_imports(runtime: Runtime, everywhere: bool = False) -> ImportRows:
    """List the imports into this project, latest first.

    Args:
        everywhere: For every project of this machine.
    """
    found = [(there, one) for there in _places(runtime, everywhere) for one in import_rows(there)]
    rows = [_row(record) for _, record in (*found, *_of_the_person(runtime, found))]
    return ImportRows(sorted(rows, key=lambda row: row.at, reverse=True))


def _places(runtime: Runtime, everywhere: bool) -> list[Runtime]:
    if not everywhere:
        return [runtime]
    known = runtime.projects()
    # The imports of a part that has joined are those of its project.
    listed = {*runtime.own_scopes, *(scope for project in known for scope in project.parts)}
    return [runtime, *(runtime.standing_in(one) for one in known if one.scope not in listed)]


def _of_the_person(
    runtime: Runtime, matching: Iterable[tuple[Runtime, Record]]
) -> list[tuple[Runtime, Record]]:
    """What the same import wrote to the person's layer."""
    if not runtime.has_person or PERSON in {there.scope for there, _ in matching}:
        return []
    person, ids = runtime.at_person(), {one.id for _, one in matching}
    same = (one for one in import_rows(person) if one.id in ids)
    # An interrupted one has no counts yet.
    return [(person, one) for one in same if one.data.get("state") == "running" or one.data["new"]]


def _row(record: Record) -> ImportRow:
    data = record.data
    return ImportRow(
        id=record.id,
        project=str(record.scope),
        at=iso(record.created_at),
        by=record.source.agent,
        asked=str(data.get("asked", "")),
        state=str(data.get("state", "")),
        counts={name: int(data.get(name) or 0) for name in _COUNTS},
        notes=[str(note) for note in data.get("notes") or ()],
    )


@dataclass(frozen=True, slots=True)
class ImportUndone:
    """What undoing an import withdrew, and what was kept and why."""

    id: str
    asked: str
    records: int
    sessions: int
    kept: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """One sentence, and a line per kept item."""
        head = (
            f"undid the import of {self.asked}: {self.records} records and {self.sessions} sessions "
            "withdrawn; importing it again restores them"
        )
        return "\n".join([head, *(f"- kept: {one}" for one in self.kept)])


def _stands(row: Record) -> bool:
    """Whether an import wrote something or was interrupted, and was not undone."""
    state = row.data.get("state")
    return state == "running" or (state == "done" and bool(row.data.get("new")))


@operation(
    "POST /api/imports/undo", effect="destroy", audience="owner", idempotent=True, where="person"
)
@in_steps
def undo_import(runtime: Runtime, id: str = "", everywhere: bool = False) -> ImportUndone:
    """Undo an import: withdraw what only it added to this project; changed records stay. Importing
    it again restores it.

    Args:
        id: The import's id, or its first characters; the latest when empty.
        everywhere: In every project it wrote to.
    """
    rows = [(there, one) for there in _places(runtime, everywhere) for one in import_rows(there)]
    wanted = id.strip()
    if wanted:
        matching = [(there, one) for there, one in rows if one.id.startswith(wanted)]
    else:
        with_person = {one.id for _, one in _of_the_person(runtime, rows) if _stands(one)}
        standing = [pair for pair in rows if _stands(pair[1]) or pair[1].id in with_person]
        latest = max(standing, key=lambda pair: pair[1].created_at, default=None)
        matching = [pair for pair in standing if latest and pair[1].id == latest[1].id]
    if not matching:
        raise NotFound(
            f"no import {wanted!r} in this project" if wanted else "no imports in this project",
            "`contextd import --list` lists the imports; add --all for every project",
        )
    if len({one.id for _, one in matching}) > 1:
        raise Invalid(f"{wanted!r} is ambiguous", "give more characters of the id")
    done = TakenOut()
    for there, one in (*matching, *_of_the_person(runtime, matching)):
        there.caller.require("write", there.scope, "knowledge")
        part = take_out(there, one)
        done.records += part.records
        done.sessions += part.sessions
        done.left_alone += part.left_alone
    row = matching[0][1]
    runtime.trace.wrote([row.id], type="import", action="delete")
    return ImportUndone(
        row.id, str(row.data.get("asked", "")), done.records, done.sessions, done.left_alone
    )
