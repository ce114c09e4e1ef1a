"""The history of a record, and undo."""

from __future__ import annotations

from dataclasses import field

from contextd.consolidation.merging import MERGED, UNMERGED
from contextd.consolidation.promotion import links_back
from contextd.consolidation.unmerging import unmerge_of
from contextd.domain.changes import Put
from contextd.domain.kinds import area_of
from contextd.domain.limits import Id
from contextd.domain.records import Change, Record, last_undoable, operation_of, short_id
from contextd.domain.time import iso
from contextd.knowledge.disagreements import note_disagreements
from contextd.knowledge.embedding import with_vectors
from contextd.knowledge.writing import undo_of
from contextd.policies.rule_file_sync import to_its_file
from contextd.projects.project_yaml import withdraw
from contextd.redaction.redact import redact
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, ContextdError, NotFound


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of a record. `operation` is its effect on the store: ADD, UPDATE or INVALIDATE."""

    seq: int
    at: str
    actor: str
    action: str
    reason: str
    fields: list[str]
    operation: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Every change of a record, oldest first."""

    id: str
    changes: list[HistoryEntry]

    def as_text(self) -> str:
        """A line per change."""
        lines = [
            f"{c.at} {c.action} by {c.actor}: {', '.join(c.fields) or 'nothing'}"
            + (f" ({c.reason})" if c.reason else "")
            for c in self.changes
        ]
        return "\n".join([f"history of {self.id}", *lines])


@operation("GET /api/records/{id}/history", audience="owner", where="person")
def history(runtime: Runtime, id: Id) -> History:
    """Show every change of a record.

    Args:
        id: The record's id, or its first characters.
    """
    record, changes = _with_history(runtime, id)
    latest = changes[-1].after or changes[-1].before
    known = record.id if record else latest.id if latest else id
    runtime.trace.read([known], type=record.kind if record else "")
    return History(known, [_entry(change) for change in changes])


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo restored. `project_yaml` are the lines it changed there, `archived` is the record that had replaced it."""

    id: str
    undone: str
    status: str
    project_yaml: list[str] = field(default_factory=list[str])
    archived: str = ""

    def as_text(self) -> str:
        """In a sentence, and a line per change of project.yaml."""
        head = f"undid the {self.undone} of {short_id(self.id)}; it is {self.status}"
        if self.archived:
            head += f", and {short_id(self.archived)}, which replaced it, is archived"
        return "\n".join([head, *(f"project.yaml: {line}" for line in self.project_yaml)])


@operation("POST /api/records/{id}/undo", effect="write", audience="owner", where="person")
@in_steps
def undo(runtime: Runtime, id: Id) -> Undone:
    """Undo the latest change of a record; repeat to go further back. A learned record is also
    removed from project.yaml; a merge is undone as a whole, and so is a replacement without a later change.

    Args:
        id: The record's id, or its first characters.
    """
    record, changes = _with_history(runtime, id)
    undone = last_undoable(changes)
    if undone is None:
        raise NotFound(f"nothing left to undo for {id!r}", "its history shows what was done")
    if record is not None and undone.action == MERGED:
        return _unmerged(runtime, record)
    if undone.action == UNMERGED:
        raise Conflict(
            f"{short_id(id)} was parted from what was merged into it",
            "consolidation_trigger merges records that say the same",
        )
    put = undo_of(record, undone)
    runtime.caller.require("write", put.record.scope, area_of(put.record.kind))
    after = undone.before
    if record is not None and after is not None:
        to_its_file(runtime, record, after)
    links = links_back(runtime, put.record) if after is None else []
    restored = () if after is None else (after,)
    by = _replacement(runtime, undone)
    beside = [Put(by.with_(status="archived"), "undo", put.reason)] if by is not None else []
    runtime.commit(knowledge=with_vectors(runtime, [put, *links, *beside], restored))
    if after is not None:
        runtime.later("contradictions", lambda: note_disagreements(runtime, after.id))
    runtime.trace.wrote([put.record.id], type=put.record.kind, action="update")
    taken_out = _unlearn(runtime, put.record) if after is None else []
    status = after.status if after else "gone"
    return Undone(put.record.id, undone.action, status, taken_out, by.id if by is not None else "")


def _replacement(runtime: Runtime, undone: Change) -> Record | None:
    """The record that was made to replace another one, in the change that is undone, if nothing became of it since."""
    if undone.after is None or undone.after.status != "superseded" or not undone.after.canonical_id:
        return None
    found = runtime.view.records.get([undone.after.canonical_id])
    if not found or found[0].status != "active":
        return None
    history = runtime.view.records.history(found[0].id)
    untouched = all(one.action in ("create", "signal") for one in history)
    return found[0] if untouched and history[0].at == undone.at else None


def _unmerged(runtime: Runtime, record: Record) -> Undone:
    done = unmerge_of(runtime, record)
    ids = [done.keeper.id, *(one.id for one in done.restored)]
    runtime.trace.wrote(ids, type=record.kind, action="update")
    state = next(one for one in (done.keeper, *done.restored) if one.id == record.id)
    return Undone(record.id, MERGED, state.status)


def _unlearn(runtime: Runtime, record: Record) -> list[str]:
    """Remove a learning whose record is gone from project.yaml; return the changes, or why there are none."""
    if record.kind != "discovery" or runtime.checkout is None:
        return []
    path = runtime.checkout.project_yaml
    if record.scope != runtime.scope or not path.exists():
        return []

    def scrub(text: str) -> str:
        return redact(text, runtime.redaction_key).text

    try:
        return withdraw(path, record.content, now=runtime.clock.now(), scrub=scrub)
    except ContextdError as error:
        # The record is taken back already, and that must be told.
        return [f"not changed: {error.message}; {error.hint}"]


def _with_history(runtime: Runtime, id: str) -> tuple[Record | None, list[Change]]:
    """Return a record, None when it is gone, and its history. Raises `NotFound` for an unknown id."""
    try:
        record = resolve(runtime, id)
    except NotFound:
        changes = runtime.view.records.history(id.strip())
        if not changes:
            raise
        return None, changes
    return record, runtime.view.records.history(record.id)


def _entry(change: Change) -> HistoryEntry:
    return HistoryEntry(
        change.seq,
        iso(change.at),
        change.actor,
        change.action,
        change.reason,
        _differing(change.before, change.after),
        operation_of(change),
    )


def _differing(before: Record | None, after: Record | None) -> list[str]:
    if before is None or after is None:
        return ["created"] if before is None else ["removed"]
    names = ("title", "content", "data", "tags", "status", "confidence", "valid_to", "canonical_id")
    return [name for name in names if getattr(before, name) != getattr(after, name)]
