"""Undo a merge: restore the originals."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.consolidation.merging import MERGED, UNMERGED, parted
from contextd.domain.changes import KnowledgeChanges, Put
from contextd.domain.kinds import area_of
from contextd.domain.records import Change, Record, short_id
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound


@dataclass(frozen=True, slots=True)
class Unmerged:
    """The result of undoing a merge: the kept record, the restored originals, and notes."""

    keeper: Record
    restored: tuple[Record, ...]
    edited: bool
    notes: tuple[str, ...]


def unmerge_of(runtime: Runtime, record: Record) -> Unmerged:
    """Undo the latest merge into a record, or the one that a merged record went into, in one commit. Raises
    `NotFound` if there is none.

    If the kept record was edited since, its edits stay and only what the merge added is removed.
    """
    keeper = _keeper(runtime, record)
    change, members = _unit(runtime, keeper, record)
    runtime.caller.require("write", keeper.scope, area_of(keeper.kind))
    before, after = change.before, change.after
    assert before is not None
    assert after is not None
    now, edited = parted(keeper, before, after)
    reason = f"undone: {len(members)} merged into {short_id(keeper.id)}"
    puts = [
        Put(
            now.with_(version=keeper.version),
            UNMERGED,
            reason,
            undoes=None if edited else change.seq,
        )
    ]
    notes: list[str] = []
    if edited:
        notes.append(
            f"{short_id(keeper.id)} was edited since: its edits stay, what the merge added is removed"
        )
    for member in members:
        put, note = _restored(runtime, keeper, member, reason)
        puts.append(put)
        notes += [note] if note else []
    known = {member.id for member in members}
    missing_ids = [id for id in _joined(before, after) if id not in known]
    if missing_ids:
        notes.append(f"no longer among them: {', '.join(map(short_id, missing_ids))}")
    runtime.commit(knowledge=KnowledgeChanges(records=puts))
    return Unmerged(puts[0].record, tuple(put.record for put in puts[1:]), edited, tuple(notes))


def _keeper(runtime: Runtime, record: Record) -> Record:
    if not record.canonical_id:
        return record
    found = runtime.view.records.get([record.canonical_id])
    if not found or found[0].scope != record.scope:
        raise NotFound(
            f"the record that {short_id(record.id)} was merged into is gone",
            "undo restores the record",
        )
    return found[0]


def _unit(runtime: Runtime, keeper: Record, record: Record) -> tuple[Change, Sequence[Record]]:
    """The latest merge into `keeper` still in force (the merge of `record` if given), and the records it
    merged.
    """
    for change in reversed(runtime.view.records.history(keeper.id)):
        if change.action != MERGED or change.before is None or change.after is None:
            continue
        joined = _joined(change.before, change.after)
        members = [one for one in runtime.view.records.get(joined) if one.canonical_id == keeper.id]
        if members and (record.id == keeper.id or record.id in joined):
            return change, members
    raise NotFound(
        f"nothing is merged into {short_id(keeper.id)}", "its history shows what was done"
    )


def _joined(before: Record, after: Record) -> list[str]:
    known = set(before.data.get("merged_from") or ())
    return [id for id in after.data.get("merged_from") or () if id not in known]


def _restored(runtime: Runtime, keeper: Record, member: Record, reason: str) -> tuple[Put, str]:
    """A merged record restored, and a note if it was edited while merged."""
    change = next(
        one
        for one in reversed(runtime.view.records.history(member.id))
        if one.action == MERGED and one.after is not None and one.after.canonical_id == keeper.id
    )
    assert change.before is not None
    assert change.after is not None
    back, edited = parted(member, change.before, change.after)
    if not edited:
        return Put(back.with_(version=member.version), UNMERGED, reason, undoes=change.seq), ""
    was = change.before
    status = was.status if member.status == "merged" else member.status
    back = back.with_(status=status, canonical_id=was.canonical_id, version=member.version)
    return Put(back, UNMERGED, reason), f"{short_id(member.id)} was edited since: its edits stay"
