"""Bringing entries in from other programs' files, and writing them out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contextd.disk import replace_file
from contextd.domain.changes import Put
from contextd.domain.errors import Conflict, Invalid
from contextd.domain.records import PRESENT, Record
from contextd.governance.redact import redact
from contextd.interop.entry_files import format_of, text_of_file
from contextd.interop.exporters import exporter_named
from contextd.interop.exporters.opencontext import bubble_of, entry_of, same_json
from contextd.interop.importers.opencontext import records_of, rest_id, rest_record
from contextd.interop.kept import KEPT
from contextd.operations.core import FilePath, operation
from contextd.runtime import Runtime
from contextd.steps.scanning import queue_embedding

_BATCH = 500
_TOLD = 20


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. `read` counts entries and bubbles; each of them is new, updated,
    duplicate or junk. `redacted` counts secrets taken out.
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
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The report in a line, then the notes."""
        line = (
            f"{self.path} ({self.format} v{self.version}): {self.read} read, {self.new} new, "
            f"{self.updated} updated, {self.duplicate} duplicate, {self.redacted} redacted, "
            f"{self.junk} junk"
        )
        return "\n".join([line, *(f"- {note}" for note in self.notes)])


@operation("POST /api/import", effect="write", audience="owner", idempotent=True)
def import_(runtime: Runtime, path: FilePath, format: str = "", dry_run: bool = False) -> Imported:
    """Bring the entries of another program's file into this project: OpenContext's contexts.json.
    Importing again adds nothing.

    Args:
        path: The file.
        format: The format's name; found from the file when empty.
        dry_run: Only report what would happen.
    """
    scope = runtime.scope
    runtime.caller.require("write", scope, "knowledge")
    source = _absolute(runtime, path)
    text = text_of_file(source)
    kind = format_of(source, text, format)
    file = kind.read(text, lambda value: _clean(runtime, value))
    records = records_of(file, scope, runtime.clock.now(), lambda id, k: _taken(runtime, id, k))
    rest = rest_record(file, scope, runtime.clock.now())
    new, updated, same, notes = _sorted_out(runtime, records)
    if not dry_run:
        fresh = _fresh_rest(runtime, rest) if rest is not None else []
        _write(runtime, [*new, *updated, *fresh])
        queue_embedding(runtime)
        runtime.trace.wrote([r.id for r in new[:100]], type="context")
    notes += [f"left out {why}" for why in file.junk[:_TOLD]]
    return Imported(
        path=str(source),
        format=kind.name,
        version=file.version,
        read=file.read,
        new=len(new),
        updated=len(updated),
        duplicate=same,
        redacted=file.redacted,
        junk=len(file.junk),
        bubbles=len(file.bubbles),
        notes=notes,
    )


def _clean(runtime: Runtime, text: str) -> tuple[str, int]:
    found = redact(text, runtime.redaction_key)
    return found.text, len(found.findings)


def _absolute(runtime: Runtime, path: str) -> Path:
    """A path as the caller means it. The command line has made it absolute already."""
    given = Path(path).expanduser()
    if given.is_absolute():
        return given
    if runtime.checkout is None:
        raise Invalid(f"{path} is not an absolute path", "give the whole path")
    return runtime.root / given


def _taken(runtime: Runtime, id: str, kind: str) -> bool:
    there = runtime.view.records.get([id])
    return bool(there) and (there[0].scope != runtime.scope or there[0].kind != kind)


def _sorted_out(
    runtime: Runtime, records: Sequence[Record]
) -> tuple[list[Record], list[Record], int, list[str]]:
    """(new, newer than what is stored, how many are stored already, notes)."""
    new: dict[str, Record] = {}
    updated: dict[str, Record] = {}
    same = kept = gone = 0
    for start in range(0, len(records), _BATCH):
        batch = records[start : start + _BATCH]
        stored = {r.id: r for r in runtime.view.records.get([r.id for r in batch])}
        for record in batch:
            there = stored.get(record.id) or new.get(record.id)
            if there is None:
                new[record.id] = record
            elif there.status == "deleted":
                same, gone = same + 1, gone + 1
            elif same_json(_outside(there), _outside(record)) or there is new.get(record.id):
                same += 1
            elif record.updated_at > there.updated_at:
                updated[record.id] = record.with_(
                    created_at=there.created_at, status=there.status, version=there.version
                )
            else:
                same, kept = same + 1, kept + 1
    notes = []
    if kept:
        notes.append(f"{kept} were changed here since and stay as they are")
    if gone:
        notes.append(f"{gone} were deleted here and stay deleted; undo brings one back")
    return list(new.values()), list(updated.values()), same, notes


def _outside(record: Record) -> dict[str, Any]:
    return bubble_of(record) if record.kind == "bubble" else entry_of(record)


def _fresh_rest(runtime: Runtime, rest: Record) -> list[Record]:
    there = runtime.view.records.get([rest.id])
    if not there:
        return [rest]
    merged = {**there[0].data.get(KEPT, {}), **rest.data[KEPT]}
    if same_json(merged, there[0].data.get(KEPT)):
        return []
    return [there[0].with_(data={KEPT: merged}, updated_at=rest.updated_at)]


def _write(runtime: Runtime, records: Sequence[Record]) -> None:
    for start in range(0, len(records), _BATCH):
        batch = records[start : start + _BATCH]
        runtime.commit(records=[Put(record, "import") for record in batch])


@dataclass(frozen=True, slots=True)
class Exported:
    """An export. `text` is the file's content when no file was written."""

    format: str
    entries: int
    bubbles: int
    out: str = ""
    text: str = ""

    def as_text(self) -> str:
        """The content, or where it was written."""
        counts = f"{self.entries} entries and {self.bubbles} bubbles as {self.format}"
        return self.text.rstrip("\n") if not self.out else f"wrote {counts} to {self.out}"


@operation("POST /api/export", audience="owner")
def export(
    runtime: Runtime, format: str = "opencontext-v2", out: FilePath = "", force: bool = False
) -> Exported:
    """Write this project's context entries and bubbles in another program's format.

    Args:
        format: The format's name.
        out: The file to write; the content is printed when empty.
        force: Replace the file when it is there.
    """
    exporter = exporter_named(format)
    records = list(_all(runtime, exporter.kinds))
    kept = runtime.view.records.get([rest_id(runtime.scope)])
    rest = kept[0].data.get(KEPT, {}) if kept and kept[0].scope == runtime.scope else {}
    text = exporter.write(records, rest)
    bubbles = sum(record.kind == "bubble" for record in records)
    counts = (exporter.name, len(records) - bubbles, bubbles)
    runtime.trace.read([record.id for record in records[:100]], type="context")
    if not out:
        return Exported(*counts, text=text)
    target = _absolute(runtime, out)
    if target.exists() and not force:
        raise Conflict(f"{target} exists", "choose another name, or replace it with force")
    replace_file(target, text.encode())
    return Exported(*counts, out=str(target))


def _all(runtime: Runtime, kinds: Sequence[str]) -> Iterable[Record]:
    """Every live record of the project, oldest first."""
    found: list[Record] = []
    cursor = ""
    while True:
        query = runtime.query(
            *kinds, reach="project", statuses=PRESENT, limit=_BATCH, cursor=cursor
        )
        page = runtime.view.records.find(query)
        found += page.records
        cursor = page.cursor
        if not cursor:
            return reversed(found)
