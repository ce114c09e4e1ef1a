"""Import OpenContext's entries and bubbles as lossless records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from contextd.domain.changes import Put
from contextd.domain.imported_records import FILE_DIFFERENCES, IMPORT, TAKEN_BACK
from contextd.domain.records import Record
from contextd.imports.exporters.opencontext import bubble_of, entry_of, same_json
from contextd.imports.foreign.safe_reading import text_of
from contextd.imports.import_rows import ImportTally
from contextd.imports.import_run import Intake, write_each
from contextd.imports.importers import opencontext
from contextd.imports.importers.importer import RedactItem
from contextd.imports.importers.opencontext import ContextsFile, records_of, rest_record
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound
from contextd_common.files.guarded import read_file

_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class EntryFile:
    """One format: aliases, a test of a file's first lines, and the parser of its text."""

    name: str
    title: str
    aliases: tuple[str, ...]
    detects: Callable[[Path, Sequence[str]], bool]
    read: Callable[[str, RedactItem], opencontext.ContextsFile]


ENTRY_FILES: dict[str, EntryFile] = {
    row.name: row
    for row in (
        EntryFile(
            "opencontext",
            "OpenContext contexts.json, versions 1 and 2",
            ("opencontext-v1", "opencontext-v2"),
            opencontext.detects,
            opencontext.read,
        ),
    )
}
"""Every supported entry format, by name."""


def entry_file_for(path: Path, name: str = "") -> EntryFile | None:
    """The format called `name`, or the one detected from the file; None if none matches.

    Raises `NotFound` for a file that cannot be read.
    """
    if name:
        names = {n: row for row in ENTRY_FILES.values() for n in (row.name, *row.aliases)}
        return names.get(name)
    try:
        head = read_file(path, _HEAD, cut=True).decode("utf-8", "replace")
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    lines = head.splitlines()[:50]
    return next((row for row in ENTRY_FILES.values() if row.detects(path, lines)), None)


_AT_ONCE = 500
_TOLD = 20


def bring_entries(intake: Intake, format: EntryFile, path: Path) -> ContextsFile:
    """Import a file of entries into the project of the call. Raises `NotFound`, `TooLarge` or `Invalid`."""
    runtime, tally = intake.runtime, intake.tally(intake.runtime)
    intake.formats.append(format.name)
    file = format.read(text_of(path), intake.clean_item)
    now = runtime.clock.now()
    read = records_of(file, runtime.scope, now, lambda id, kind: _taken(runtime, id, kind))
    records = [one.with_(source=replace(one.source, ref=intake.id)) for one in read]
    new, updated, same = _sorted_out(intake, records)
    rest = rest_record(file, runtime.scope, now)
    if not intake.dry_run:
        fresh = _fresh_rest(runtime, rest) if rest is not None else []
        if new or updated or fresh:
            intake.begin(runtime)
        bad = _write(runtime, tally, path.name, [*new, *updated, *fresh])
        new = [one for one in new if one.id not in bad]
        updated = [one for one in updated if one.id not in bad]
        runtime.trace.wrote([r.id for r in new[:100]], type="context")
    tally.read += file.read
    tally.new += len(new)
    tally.updated += len(updated)
    tally.duplicate += same
    tally.redacted += file.redacted
    tally.junk += len(file.junk)
    for why in file.junk[:_TOLD]:
        tally.note(f"left out {why}")
    return file


def _taken(runtime: Runtime, id: str, kind: str) -> bool:
    there = runtime.view.records.get([id])
    return bool(there) and (there[0].scope != runtime.scope or there[0].kind != kind)


def _sorted_out(
    intake: Intake, records: Sequence[Record]
) -> tuple[list[Record], list[Record], int]:
    """Split entries into (new, newer than stored, number already stored)."""
    runtime = intake.runtime
    new: dict[str, Record] = {}
    updated: dict[str, Record] = {}
    same = local_edits = local_deletions = 0
    for start in range(0, len(records), _AT_ONCE):
        batch = records[start : start + _AT_ONCE]
        stored = {r.id: r for r in runtime.view.records.get([r.id for r in batch])}
        for record in batch:
            there = stored.get(record.id) or new.get(record.id)
            if there is None:
                new[record.id] = record
            elif there.status == "deleted":
                if runtime.view.records.history(there.id)[-1].action == TAKEN_BACK:
                    new[record.id] = record.with_(version=there.version)
                else:
                    same, local_deletions = same + 1, local_deletions + 1
            elif same_json(_outside(there), _outside(record)) or there is new.get(record.id):
                same += 1
            elif record.updated_at > there.updated_at:
                updated[record.id] = record.with_(
                    created_at=there.created_at,
                    status=there.status,
                    version=there.version,
                    source=there.source,
                )
            else:
                same, local_edits = same + 1, local_edits + 1
    tally = intake.tally(runtime)
    if local_edits:
        tally.note(f"{local_edits} were changed here since and are kept")
    if local_deletions:
        tally.note(f"{local_deletions} were deleted here and stay deleted; undo brings one back")
    return list(new.values()), list(updated.values()), same


def _outside(record: Record) -> dict[str, Any]:
    return bubble_of(record) if record.kind == "bubble" else entry_of(record)


def _fresh_rest(runtime: Runtime, rest: Record) -> list[Record]:
    there = runtime.view.records.get([rest.id])
    if not there:
        return [rest]
    merged = {**there[0].data.get(FILE_DIFFERENCES, {}), **rest.data[FILE_DIFFERENCES]}
    if same_json(merged, there[0].data.get(FILE_DIFFERENCES)):
        return []
    return [there[0].with_(data={FILE_DIFFERENCES: merged}, updated_at=rest.updated_at)]


def _write(
    runtime: Runtime, tally: ImportTally, shown: str, records: Sequence[Record]
) -> frozenset[str]:
    """Write records in batches, or one by one if that fails; return the ids of those that cannot be written,
    which are named.
    """
    bad: set[str] = set()
    for start in range(0, len(records), _AT_ONCE):
        batch = records[start : start + _AT_ONCE]
        places = [f"{shown}, entry {record.id}" for record in batch]
        puts = [(place, Put(record, IMPORT)) for place, record in zip(places, batch, strict=True)]
        unwritten = write_each(runtime, tally, puts)
        bad |= {one.id for place, one in zip(places, batch, strict=True) if place in unwritten}
    return frozenset(bad)
