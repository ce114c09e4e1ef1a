"""Writing what is known out, as files of other programs and for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contextd.disk import replace_file
from contextd.domain.errors import Conflict
from contextd.domain.records import PRESENT, Record
from contextd.interop.exporters import exporter_named
from contextd.interop.importers.opencontext import rest_id
from contextd.interop.kept import KEPT
from contextd.operations.core import FilePath, operation
from contextd.runtime import Runtime
from contextd.steps.given_paths import path_meant

_BATCH = 500
_TOLD = 20


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
    target = path_meant(runtime, out)
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
