"""The table of background jobs. Adding one is a row and its function."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, Protocol

from contextd.domain.changes import NewJob
from contextd.domain.jobs import Lane
from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, nearest

Need = Literal["checkout", "upkeep"]
"""What a job requires: with `checkout` it runs on the machine that queued it, with `upkeep` it may access
the whole organisation's store.
"""


class JobHold(Protocol):
    """A worker's lease on its job."""

    @property
    def lost(self) -> bool:
        """Whether another worker may be running the job."""
        ...

    def keep(self, state: Mapping[str, Any]) -> None:
        """Store progress for the attempt after a crash. Raises `Conflict` if the lease was lost."""
        ...

    def check(self) -> None:
        """Raise if the job must write nothing more: `Conflict` if the lease was lost, `Unavailable` if
        contextd stops and the job continues later.
        """
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """The input of a job: its caller, its arguments, the last attempt's progress, and its lease."""

    scope: Scope | None
    arguments: Mapping[str, Any]
    reached: Mapping[str, Any]
    hold: JobHold


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A row of the table; `about` is its description. Jobs must be idempotent.

    `run` is the function as `module:function`; it is imported when the job runs, so that queueing costs no
    import. `every` is the interval for projects in use, `cron` the setting with the schedule for a project
    and its wider scopes; other jobs do not recur. A `movable` job may run without its checkout once that machine is gone.
    """

    name: str
    about: str
    run: str
    lane: Lane = "upkeep"
    priority: int = 0
    needs: frozenset[Need] = frozenset()
    every: timedelta | None = None
    cron: str = ""
    movable: bool = False


_CHECKOUT: frozenset[Need] = frozenset({"checkout"})
_UPKEEP: frozenset[Need] = frozenset({"upkeep"})
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)

JOBS: dict[str, JobRow] = {
    row.name: row
    for row in (
        JobRow(
            name="learn_session",
            about="Learn from a session that ended: episodes, statements, errors, use, and CONTEXT.md.",
            run="learning.operations.learning:learn_session",
            lane="learning",
            needs=_CHECKOUT,
            # The events are in the store; only CONTEXT.md and the rest of a transcript are on the machine.
            movable=True,
        ),
        JobRow(
            name="rescan_project",
            about="Update project.yaml after manifests or top folders changed.",
            run="codebase.operations.scanning:rescan_project",
            lane="index",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="refresh_index",
            about="Update the code index after many files of a checkout changed.",
            run="codebase.operations.indexing:refresh_index",
            lane="index",
            # Words before vectors: the file is searchable at once, and by meaning later.
            priority=1,
            needs=_CHECKOUT,
        ),
        JobRow(
            name="embed_pending",
            about="Compute missing vectors.",
            run="codebase.operations.indexing:embed_pending",
            lane="index",
        ),
        JobRow(
            name="mend_index",
            about="Repair derived data that is inconsistent with its source.",
            run="upkeep.operations.mending:mend_index",
            lane="index",
            priority=2,
            needs=_UPKEEP,
        ),
        JobRow(
            name="drop_lost_checkouts",
            about="Delete the code index of a checkout whose folder was deleted.",
            run="codebase.operations.indexing:drop_lost_checkouts",
            lane="index",
            needs=_CHECKOUT,
            every=_DAY,
        ),
        JobRow(
            name="check_stability",
            about="Lower the confidence of records whose cited code was reverted.",
            run="awareness.operations.stability:check_stability",
            needs=_CHECKOUT,
            every=_DAY,
        ),
        JobRow(
            name="restore_directives",
            about="Restore rules that older versions demoted for lack of use, and judge again what they took for one.",
            run="upkeep.operations.directives:restore_directives",
            priority=1,
            every=_DAY,
        ),
        JobRow(
            name="find_contradictions",
            about="Find contradictions between all records of a project.",
            run="awareness.operations.contradictions:find_contradictions",
            every=_DAY,
        ),
        JobRow(
            name="adopt_leftovers",
            about="Assign entries to the type they were saved under, now that it is declared.",
            run="schema.operations.adopting:adopt_leftovers",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="propose_for_person",
            about="Propose to the person what several of their projects share in the same words.",
            run="person.operations.person:propose_for_person",
            needs=_UPKEEP,
            every=_DAY,
        ),
        JobRow(
            name="consolidate_remediations",
            about="Merge remediations with the same solution, and archive those with too little confidence.",
            run="consolidation.operations.consolidation:consolidate_remediations",
            cron="consolidation.remediations.schedule",
        ),
        JobRow(
            name="consolidate_anti_patterns",
            about="Merge duplicate warnings, and archive those with too little confidence.",
            run="consolidation.operations.consolidation:consolidate_anti_patterns",
            cron="consolidation.anti_patterns.schedule",
        ),
        JobRow(
            name="consolidate_memories",
            about="Merge duplicate memories, and archive those with too little confidence.",
            run="consolidation.operations.consolidation:consolidate_memories",
            cron="consolidation.memories.schedule",
        ),
        JobRow(
            name="propose_promotions",
            about="Propose knowledge shared by two projects to their team, and by two teams to the organisation.",
            run="consolidation.operations.promotion:propose_promotions",
            needs=_UPKEEP,
            every=_DAY,
        ),
        JobRow(
            name="reflect",
            about="Update a stale CONTEXT.md, and MEMORY.md if enabled.",
            run="briefing.operations.reflecting:reflect",
            needs=_CHECKOUT,
            every=_DAY,
        ),
        JobRow(
            name="score_windows",
            about="Update the window scores of open sessions.",
            run="briefing.operations.window:score_windows",
        ),
        JobRow(
            name="end_idle_sessions",
            about="End idle sessions, and archive completed ones after a week.",
            run="sessions.operations.idle:end_idle_sessions",
            # In the lane of what it queues, where nothing takes minutes.
            lane="learning",
            priority=1,
            needs=_UPKEEP,
            # Idle sessions end promptly; completed ones wait to be archived.
            every=_DAY,
        ),
        JobRow(
            name="import_found",
            about="Import a project's data from other programs: transcripts, memory tools, files for "
            "agents.",
            run="imports.operations.imports:import_in_background",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="follow_files",
            about="Update the records of instruction and memory files that changed, and archive those of deleted ones.",
            run="imports.operations.imports:follow_files",
            lane="upkeep",
            needs=_CHECKOUT,
            every=_HOUR,
        ),
        JobRow(
            name="retire_old_rows",
            about="Delete rows older than the retention settings allow.",
            run="upkeep.operations.mending:retire_old_rows",
            needs=_UPKEEP,
            every=_DAY,
        ),
    )
}
"""Every job by name."""


MOVABLE = tuple(row.name for row in JOBS.values() if row.movable)
"""The jobs that may run without their checkout."""


def job_named(name: str) -> JobRow:
    """The job called `name`. Raises `Invalid` with the nearest name."""
    if name not in JOBS:
        raise Invalid(f"no job {name!r}", nearest(name, list(JOBS)))
    return JOBS[name]


def about(name: str) -> str:
    """The description of a job; empty for one of another version."""
    return JOBS[name].about if name in JOBS else ""


def new_job(
    name: str,
    scope: Scope | None,
    place: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    once: str | None = None,
    **fields: Any,
) -> NewJob:
    """A job for a scope. With `once`, none is added while another of that name waits in the scope. `place`
    is this machine, where jobs that need a checkout must run.
    """
    row = job_named(name)
    return NewJob(
        name=name,
        scope=scope,
        arguments=dict(arguments or {}),
        unique_key="" if once is None else f"{name}:{once}",
        lane=row.lane,
        priority=row.priority,
        place=place if "checkout" in row.needs else "",
        **fields,
    )


def runs_at(row: JobRow, place: str) -> bool:
    """Whether a job can run at a place: where there is none, on a server, only without a checkout."""
    return bool(place) or row.movable or "checkout" not in row.needs


def rounds(place: str) -> dict[str, NewJob]:
    """How recurring jobs are queued at a place."""
    return {name: new_job(name, None, place) for name, row in JOBS.items() if runs_at(row, place)}
