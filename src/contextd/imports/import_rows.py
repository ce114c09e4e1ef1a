"""Import log: a durable row per import and scope, with its counts."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field

from contextd.domain.changes import Put
from contextd.domain.imported_records import IMPORT
from contextd.domain.records import Record, Source, new_id, short_id
from contextd.knowledge.embedding import with_vectors
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_log = logging.getLogger(__name__)

_MOST = 500
_NOTES = 30


@dataclass(slots=True)
class ImportTally:
    """What an import did in one scope. Each item `read` is new, updated, duplicate or junk;
    `unread` items were unreadable, `archived` ones are gone from their file, `redacted` counts secrets.
    """

    read: int = 0
    new: int = 0
    updated: int = 0
    duplicate: int = 0
    archived: int = 0
    redacted: int = 0
    junk: int = 0
    unread: int = 0
    sessions: int = 0
    events: int = 0
    notes: list[str] = field(default_factory=list[str])

    def note(self, text: str) -> None:
        """Add a notice for the user, without duplicates; the first thirty are kept."""
        if text not in self.notes and len(self.notes) < _NOTES:
            self.notes.append(text)

    def add(self, other: ImportTally) -> None:
        """Add the counts of another import."""
        for name, value in asdict(other).items():
            if name != "notes":
                setattr(self, name, getattr(self, name) + value)
        for text in other.notes:
            self.note(text)

    @property
    def changed(self) -> int:
        """The number of changed records."""
        return self.new + self.updated + self.archived


def interrupted(runtime: Runtime, asked: str) -> Record | None:
    """The row of an interrupted import of the same source: the import continues under its id."""
    rows = import_rows(runtime)
    same = [r for r in rows if r.data.get("state") == "running" and r.data.get("asked") == asked]
    return same[0] if same else None


def import_rows(runtime: Runtime) -> list[Record]:
    """The imports of a project and of what has joined it, latest first."""
    query = runtime.query(IMPORT, level=runtime.scope.level, statuses=("archived",), limit=_MOST)
    found = runtime.view.records.find(query).records
    return [one for one in found if one.scope in runtime.own_scopes]


def begin_row(runtime: Runtime, id: str, asked: str) -> None:
    """Record that an import has started, before any of its records are written."""
    if _row_here(runtime, id) is None:
        _put(runtime, id, {"state": "running", "asked": asked}, f"Import of {asked}, under way")


def end_row(
    runtime: Runtime,
    id: str,
    asked: str,
    tally: ImportTally,
    *,
    formats: Sequence[str] = (),
    files: Sequence[str] = (),
) -> None:
    """Record the result of an import. `files` are the files it follows."""
    counts = asdict(tally)
    summary = f"Import of {asked}: {tally.read} read, {tally.new} new, {tally.updated} updated"
    known = list(dict.fromkeys(formats))
    data = {
        **counts,
        "state": "done",
        "asked": asked,
        "formats": known,
        "files": list(dict.fromkeys(files)),
    }
    _put(runtime, id, data, summary)
    done = ", ".join(f"{n} {name}" for name, n in counts.items() if name != "notes" and n)
    _log.info(
        "import %s into %s: %s (%s)",
        short_id(id),
        runtime.scope,
        done or "nothing",
        ", ".join(known) or "no known format",
    )


def mark_undone(runtime: Runtime, row: Record) -> None:
    """Record that an import was undone here."""
    _put(runtime, row.id, {**row.data, "state": "undone"}, f"{row.content}, taken back")


def new_import_id() -> str:
    """An id for an import, the same in every scope it writes to."""
    return new_id()


def _row_here(runtime: Runtime, id: str) -> Record | None:
    """The row in exactly this scope: a wider one may have a row of the same import."""
    found = runtime.view.records.get([id])
    return found[0] if found and found[0].scope == runtime.scope else None


def _put(runtime: Runtime, id: str, data: Mapping[str, object], content: str) -> None:
    known = _row_here(runtime, id)
    now = runtime.clock.now()
    record = Record(
        id=id,
        kind=IMPORT,
        scope=runtime.scope,
        content=content,
        data=data,
        source=Source(agent=runtime.caller.name, client=runtime.client, operation=IMPORT),
        trust="human",
        status="archived",
        created_at=known.created_at if known else now,
        updated_at=now,
        version=known.version if known else 0,
    )
    put = Put(record, "update" if known else "create")
    runtime.commit(knowledge=with_vectors(runtime, [put]))
