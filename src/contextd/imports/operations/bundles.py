"""Export a project's knowledge for other programs, contextd, people and agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from contextd.briefing.memory_file import durable_memories, write_block
from contextd.domain.details import RAW
from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.records import PRESENT
from contextd.files.disk import replace_file, target_inside
from contextd.imports.bundle_transfer import bundle_lines, records_of_project
from contextd.imports.exporters import Exporter, exporter_named
from contextd.imports.exporters.pages import INDEX, pages_of
from contextd.imports.given_paths import path_meant
from contextd.imports.importers.opencontext import rest_id
from contextd.knowledge.machine_neutral import portable_record, portable_text
from contextd.runtime.operation import FilePath, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, Invalid
from contextd_common.files.guarded import read_file

_BATCH = 500
_LISTED = ".contextd-export"
"""Lists the pages of the last export to a folder, so that the next one can remove obsolete ones."""


@dataclass(frozen=True, slots=True)
class Exported:
    """An export. `text` is the content if no file was written."""

    format: str
    entries: int
    bubbles: int
    out: str = ""
    text: Annotated[str, RAW] = ""

    def as_text(self) -> str:
        """The content, or its path."""
        bubbles = f" and {self.bubbles} bubbles" if self.bubbles else ""
        counts = f"{self.entries} entries{bubbles} as {self.format}"
        return self.text.rstrip("\n") if not self.out else f"wrote {counts} to {self.out}"


@operation("POST /api/export", audience="owner", needs="machine")
def export(
    runtime: Runtime,
    format: str = "opencontext-v2",
    path: FilePath = "",
    force: bool = False,
    into: FilePath = "",
) -> Exported:
    """Export this project: its entries for another program, a bundle to import again, Markdown pages for
    people, or a block in a file for agents.

    Args:
        format: The format's name: opencontext-v2, bundle, markdown or agents-md.
        path: The file to write, or the folder for markdown; printed when empty.
        force: Replace an existing file.
        into: The file of the repository for the block, with agents-md.
    """
    exporter = exporter_named(format)
    if into and exporter.shape != "block":
        raise Invalid(f"{format} cannot be written into another file", "give the file with path")
    match exporter.shape:
        case "bundle":
            return _bundle(runtime, exporter, path, force=force)
        case "pages":
            return _pages(runtime, exporter, path, force=force)
        case "block":
            return _block(runtime, exporter, into)
    return _entries(runtime, exporter, path, force=force)


def _entries(runtime: Runtime, exporter: Exporter, out: str, *, force: bool) -> Exported:
    query = runtime.query(*exporter.kinds, level="project", statuses=PRESENT, limit=_BATCH)
    records = list(runtime.every(query))[::-1]
    rest_records = runtime.view.records.get([rest_id(runtime.scope)])
    rest = (
        rest_records[0].data.get(FILE_DIFFERENCES, {})
        if rest_records and rest_records[0].scope == runtime.scope
        else {}
    )
    text = portable_text(runtime)(exporter.write(records, rest))
    bubbles = sum(record.kind == "bubble" for record in records)
    counts = (exporter.name, len(records) - bubbles, bubbles)
    runtime.trace.read([record.id for record in records[:100]], type="context")
    if not out:
        return Exported(*counts, text=text)
    target = _free(path_meant(runtime, out), force=force)
    replace_file(target, text.encode())
    return Exported(*counts, out=str(target))


def _bundle(runtime: Runtime, exporter: Exporter, out: str, *, force: bool) -> Exported:
    lines = list(bundle_lines(runtime))
    count = sum(line.startswith('{"record"') for line in lines)
    if not out:
        return Exported(exporter.name, count, 0, text="".join(lines))
    target = _free(path_meant(runtime, out), force=force)
    replace_file(target, "".join(lines).encode())
    return Exported(exporter.name, count, 0, out=str(target))


def _pages(runtime: Runtime, exporter: Exporter, out: str, *, force: bool) -> Exported:
    if not out:
        raise Invalid("markdown needs a folder", "give it with path")
    folder = path_meant(runtime, out)
    listed = folder / _LISTED
    if folder.exists() and any(folder.iterdir()) and not listed.is_file() and not force:
        raise Conflict(
            f"{folder} is not empty", "choose another folder, or overwrite it with force"
        )
    # Checked before writing: pages are named after titles, and their text is escaped.
    portable = portable_text(runtime)
    found = (one for one in records_of_project(runtime, PRESENT) if one.status in PRESENT)
    records = [portable_record(one, portable) for one in found]
    name = runtime.project.name if runtime.project is not None else str(runtime.scope)
    written = []
    for path, text in pages_of(name, records):
        replace_file(folder / path, text.encode())
        written.append(path)
    for path in set(_before(listed)) - set(written):
        target_inside(folder, folder / path).unlink(missing_ok=True)
    replace_file(listed, "\n".join(sorted(written)).encode())
    return Exported(exporter.name, len(records), 0, out=str(folder / INDEX))


def _before(listed: Path) -> Iterator[str]:
    if listed.is_file():
        lines = read_file(listed).decode("utf-8", "replace").splitlines()
        yield from (line for line in lines if line.endswith(".md"))


def _block(runtime: Runtime, exporter: Exporter, into: str) -> Exported:
    if not into:
        raise Invalid("agents-md needs a file", "give it with into, such as AGENTS.md")
    path = path_meant(runtime, into)
    write_block(runtime, path)
    return Exported(exporter.name, len(durable_memories(runtime)), 0, out=str(path))


def _free(target: Path, *, force: bool) -> Path:
    if target.exists() and not force:
        raise Conflict(f"{target} exists", "choose another name, or replace it with force")
    return target
