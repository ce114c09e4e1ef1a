"""Consolidation: merge duplicates, on a schedule or on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd.consolidation.clusters import Cluster
from contextd.consolidation.collections import (
    COLLECTIONS,
    CollectionRow,
    Consolidating,
    collection_named,
    consolidating,
)
from contextd.consolidation.last_runs import NO_RUN, last_run, note_run
from contextd.consolidation.merge_run import Consolidated, Pacing, consolidate, kept_because
from contextd.consolidation.unmerging import unmerge_of
from contextd.domain.limits import Id
from contextd.domain.query import Query
from contextd.domain.records import Record, short_id
from contextd.domain.scope import Scope
from contextd.domain.time import iso
from contextd.jobs.table import Task, new_job
from contextd.knowledge.record_views import shortened
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd.sessions.session_binding import expect_next
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound, TooLarge

Collection = Literal["remediations", "anti_patterns", "memories"]
Level = Literal["project", "team", "org"]

_SHOWN = 50
_AT_ONCE = 5_000
"""More records are consolidated in the background, because it takes minutes."""


@dataclass(frozen=True, slots=True)
class MergeSide:
    """One record of a merge. `compared` is the compared text, if not its content."""

    id: str
    title: str
    content: str
    trust: str
    confidence: float
    cosine: float
    why: str
    compared: str = ""

    def as_text(self) -> str:
        """One line."""
        head = f"{self.title}: {self.content}" if self.title else self.content
        note = f" [{self.why}, cosine {self.cosine:.2f}]" if self.why else ""
        return f"{short_id(self.id)} {shortened(head)}{note}"


@dataclass(frozen=True, slots=True)
class MergeProposal:
    """A proposed merge: the record to keep, and those merged into it."""

    stays: MergeSide
    merged: list[MergeSide]
    why: str

    def as_text(self) -> str:
        """All records, side by side."""
        lines = [f"stays  {self.stays.as_text()} ({self.why})"]
        return "\n".join([*lines, *(f"merged {one.as_text()}" for one in self.merged)])


@dataclass(frozen=True, slots=True)
class ConsolidationStatus:
    """When a collection was last consolidated, and the schedule."""

    collection: str
    scope: str
    last_run: str
    items_before: int
    items_after: int
    clusters_merged: int
    archived: int
    enabled: bool
    schedule: str

    def as_text(self) -> str:
        """Two sentences."""
        when = f"by schedule ({self.schedule})" if self.enabled else "by hand only"
        if not self.last_run:
            return f"{self.collection} of {self.scope} were never consolidated; runs {when}"
        return (
            f"{self.collection} of {self.scope}: {self.items_before} → {self.items_after} records at "
            f"{self.last_run}, {self.clusters_merged} merge{'s' * (self.clusters_merged != 1)}, "
            f"{self.archived} archived; runs {when}"
        )


@operation("GET /api/consolidation/{collection}", profile="full")
def consolidation_status(
    runtime: Runtime, collection: Collection, scope: Level = "project"
) -> ConsolidationStatus:
    """Show when a collection was last consolidated, and the result.

    Args:
        collection: Which records.
        scope: Those of the project, or of its team or organisation.
    """
    row, where = collection_named(collection), _scope(runtime, scope)
    run = last_run(runtime, row, where)
    runtime.trace.read([], type="consolidation")
    return ConsolidationStatus(
        collection=collection,
        scope=str(where),
        last_run=iso(run.at) if run else "",
        **(run.counts if run else NO_RUN),
        enabled=runtime.settings.flag(row.setting("enabled")),
        schedule=runtime.settings.text(row.setting("schedule")),
    )


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What was merged, or would be. `proposed_merges` are the first fifty of `clusters`."""

    proposed_merges: list[MergeProposal]
    dry_run: bool
    clusters: int
    items_before: int
    items_after: int
    archived: int = 0
    job_id: str = ""
    note: str = ""

    def as_text(self) -> str:
        """The merges side by side, and their totals."""
        if self.job_id:
            return f"running in the background as job {short_id(self.job_id)}"
        if self.clusters:
            did = "would be merged" if self.dry_run else "merged"
            groups = f"{self.clusters} group{'s' * (self.clusters != 1)} {did}"
            summary = f"{groups}: {self.items_before} → {self.items_after} records"
        else:
            summary = (
                f"no duplicates among {self.items_before} record{'s' * (self.items_before != 1)}"
            )
        summary += f", {self.archived} archived" if self.archived else ""
        back = "" if self.dry_run or not self.clusters else "; `unmerge ID` undoes a merge"
        note = f"; {self.note}" if self.note else ""
        return "\n\n".join(
            [*(one.as_text() for one in self.proposed_merges), summary + back + note]
        )


@operation("POST /api/consolidation/{collection}", effect="write", profile="full")
@in_steps
def consolidation_trigger(
    runtime: Runtime,
    collection: Collection,
    dry_run: bool = False,
    scope: Level = "project",
    ids: list[str] | None = None,
) -> Consolidation:
    """Merge duplicate records after checking for contradictions. Every merge can be undone with `unmerge`.

    Args:
        collection: Which records.
        dry_run: Only show what would be merged, and why.
        scope: Those of the project, or of its team or organisation.
        ids: Only merges within these proposed records.
    """
    row, where = collection_named(collection), _scope(runtime, scope)
    if not dry_run:
        runtime.caller.require("write", where)
    known = {record.id for record in runtime.view.records.get(ids or ()) if record.scope == where}
    if unknown := [id for id in ids or () if id not in known]:
        raise NotFound(f"no record {unknown[0]!r} in {where}", "a dry run lists possible merges")
    many = Query(scopes=frozenset({where}), kinds=(row.kind,))
    if sum(runtime.view.records.count(many).values()) > _AT_ONCE:
        if dry_run or ids:
            asked = "dry_run" if dry_run else "ids"
            raise TooLarge(
                f"{where} has more than {_AT_ONCE:,} {collection}", f"run it without {asked}"
            )
        return _in_background(runtime, row, where)
    # Recent writes may contradict something; those checks must finish first.
    runtime.sinks.settle()
    how = consolidating(row, runtime.settings)
    done = consolidate(
        runtime, where, how, Pacing(shown=_SHOWN, only=frozenset(ids or ())), dry_run=dry_run
    )
    if not dry_run:
        note_run(runtime, row, where, done)
    merges = [_proposal(cluster, how) for cluster in done.clusters]
    ids = [one.stays.id for one in merges]
    if dry_run:
        runtime.trace.read(ids, type=row.kind)
    else:
        runtime.trace.wrote(ids, type=row.kind, action="update")
    return Consolidation(
        merges, dry_run, done.merged, done.before, done.after, done.archived, note=_note(done)
    )


def _in_background(runtime: Runtime, row: CollectionRow, scope: Scope) -> Consolidation:
    job = new_job(row.job, scope, runtime.place, once="")
    return Consolidation([], False, 0, 0, 0, job_id=runtime.queue(job)[0])


def _note(done: Consolidated) -> str:
    changed = f"{done.missed} changed meanwhile and were skipped" if done.missed else ""
    return "; ".join(filter(None, (done.note, changed)))


def _proposal(cluster: Cluster, how: Consolidating) -> MergeProposal:
    merged = [_side(join.record, how, join.cosine, join.why) for join in cluster.joins]
    return MergeProposal(_side(cluster.keeper, how, 1.0, ""), merged, kept_because(cluster))


def _side(record: Record, how: Consolidating, cosine: float, why: str) -> MergeSide:
    compared = how.compared(record)
    return MergeSide(
        record.id,
        record.title,
        record.content,
        record.trust,
        record.confidence,
        round(cosine, 4),
        why,
        compared if compared != record.content else "",
    )


@dataclass(frozen=True, slots=True)
class Parting:
    """An undone merge."""

    id: str
    restored: list[str]
    edited: bool
    notes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """One sentence, and notes."""
        back = ", ".join(map(short_id, self.restored))
        return "\n".join([f"{back} separated from {short_id(self.id)} and restored", *self.notes])


@operation("POST /api/records/{id}/unmerge", effect="write", profile="full")
def unmerge(runtime: Runtime, id: Id) -> Parting:
    """Undo a merge: restore the originals, which are not merged again automatically.

    Args:
        id: The kept record or one merged into it; its first characters suffice.
    """
    done = unmerge_of(runtime, resolve(runtime, id))
    restored = [record.id for record in done.restored]
    runtime.trace.wrote([done.keeper.id, *restored], type=done.keeper.kind, action="update")
    return Parting(done.keeper.id, restored, done.edited, list(done.notes))


def consolidate_remediations(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Merge remediations that have the same solution."""
    return _by_schedule(runtime, task, COLLECTIONS["remediations"])


def consolidate_anti_patterns(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Merge duplicate warnings."""
    return _by_schedule(runtime, task, COLLECTIONS["anti_patterns"])


def consolidate_memories(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Merge duplicate memories."""
    return _by_schedule(runtime, task, COLLECTIONS["memories"])


def _by_schedule(runtime: Runtime, task: Task, row: CollectionRow) -> Mapping[str, Any]:
    scope = task.scope or runtime.scope
    runtime.caller.require("write", scope)
    expect_next(runtime, row.job, scope)
    if not runtime.settings.flag(row.setting("enabled")):
        return {"skipped": f"{row.setting('enabled')} is off"}
    how = consolidating(row, runtime.settings)
    pacing = Pacing(task.hold.check, task.hold.keep, task.reached)
    done = consolidate(runtime, scope, how, pacing)
    task.hold.check()
    if done.merged or done.archived:
        note_run(runtime, row, scope, done)
    return done.counts | ({"note": _note(done)} if _note(done) else {})


def _scope(runtime: Runtime, level: Level) -> Scope:
    """The scope of a level around the project. Raises `Denied` when the caller may not read there."""
    scope = next(one for one in runtime.cascade if one.level == level)
    runtime.caller.require("read", scope)
    return scope
