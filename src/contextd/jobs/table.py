"""The jobs: what contextd does behind its callers' backs. Adding one is a row and its function."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, Protocol

from contextd.domain.changes import NewJob
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Invalid, nearest
from contextd.domain.jobs import Lane
from contextd.domain.scope import Scope

Need = Literal["checkout", "upkeep"]
"""What a job cannot do without: with `checkout` it runs on the machine it was queued on, with `upkeep`
it looks after the store of the whole organisation.
"""


class JobHold(Protocol):
    """A worker's hold on the job it runs."""

    @property
    def lost(self) -> bool:
        """Whether another worker may run the job by now."""
        ...

    def keep(self, state: Mapping[str, Any]) -> None:
        """Keep how far the job came, for the attempt after a crash. Raises `Conflict` when the job
        was lost.
        """
        ...

    def check(self) -> None:
        """Raise when nothing more may be written for the job: `Conflict` when it was lost,
        `Unavailable` when contextd stops and the job goes on later.
        """
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """What a job is given: whose it is, its arguments, how far the last attempt came, and its hold on
    the job.
    """

    scope: Scope | None
    arguments: Mapping[str, Any]
    reached: Mapping[str, Any]
    hold: JobHold


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A row of the table; `about` says what it does. Running a job twice must change nothing more than
    running it once.

    `run` is the function, as `module:function` below `contextd.operations`; it is loaded when the job
    runs, so that queueing one costs no import. `every` is how often it comes round for a project that
    is used, and `cron` the setting that says when it does for a project and the scopes around it;
    none of the others come by themselves.
    """

    name: str
    about: str
    run: str
    lane: Lane
    priority: int = 0
    needs: frozenset[Need] = frozenset()
    every: timedelta | None = None
    cron: str = ""


_CHECKOUT: frozenset[Need] = frozenset({"checkout"})
_UPKEEP: frozenset[Need] = frozenset({"upkeep"})
_DAY = timedelta(days=1)

JOBS: dict[str, JobRow] = {
    row.name: row
    for row in (
        JobRow(
            name="learn_session",
            about="Learn from a session that ended: episodes, statements, errors, use, and CONTEXT.md.",
            run="learning.operations.learning:learn_session",
            lane="learning",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="rescan_project",
            about="Bring project.yaml up to date after manifests or top folders changed.",
            run="codebase.operations.scanning:rescan_project",
            lane="index",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="refresh_index",
            about="Bring the code index up to date with a checkout in which many files changed.",
            run="codebase.operations.indexing:refresh_index",
            lane="index",
            # Words before vectors: a search finds the file at once, its meaning may follow.
            priority=1,
            needs=_CHECKOUT,
        ),
        JobRow(
            name="embed_pending",
            about="Give vectors to what is searchable by words only.",
            run="codebase.operations.indexing:embed_pending",
            lane="index",
        ),
        JobRow(
            name="mend_index",
            about="Mend derived data that is not what it should be made from.",
            run="upkeep.operations.mending:mend_index",
            lane="index",
            priority=2,
            needs=_UPKEEP,
        ),
        JobRow(
            name="drop_lost_checkouts",
            about="Drop the code index of a checkout whose folder is gone.",
            run="codebase.operations.indexing:drop_lost_checkouts",
            lane="index",
            needs=_CHECKOUT,
            every=_DAY,
        ),
        JobRow(
            name="check_stability",
            about="Trust knowledge less whose cited code was reverted.",
            run="awareness.operations.stability:check_stability",
            lane="upkeep",
            needs=_CHECKOUT,
            every=_DAY,
        ),
        JobRow(
            name="restore_directives",
            about="Restore rules that older versions demoted or archived because nobody used them.",
            run="upkeep.operations.directives:restore_directives",
            lane="upkeep",
            priority=1,
            every=_DAY,
        ),
        JobRow(
            name="find_contradictions",
            about="Compare all records of a project and keep the pairs that disagree.",
            run="awareness.operations.contradictions:find_contradictions",
            lane="upkeep",
            every=_DAY,
        ),
        JobRow(
            name="adopt_leftovers",
            about="Give entries the type they were saved under, now that it is declared.",
            run="schema.operations.adopting:adopt_leftovers",
            lane="upkeep",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="propose_for_person",
            about="Propose to the person what several of their projects ask for in the same words.",
            run="person.operations.person:propose_for_person",
            lane="upkeep",
            needs=_UPKEEP,
            every=_DAY,
        ),
        JobRow(
            name="consolidate_remediations",
            about="Merge remediations that have the same solution, and archive what nobody believes any more.",
            run="consolidation.operations.consolidation:consolidate_remediations",
            lane="upkeep",
            cron="consolidation.remediations.schedule",
        ),
        JobRow(
            name="consolidate_anti_patterns",
            about="Merge warnings that say the same, and archive what nobody believes any more.",
            run="consolidation.operations.consolidation:consolidate_anti_patterns",
            lane="upkeep",
            cron="consolidation.anti_patterns.schedule",
        ),
        JobRow(
            name="consolidate_memories",
            about="Merge memories that say the same, and archive what nobody believes any more.",
            run="consolidation.operations.consolidation:consolidate_memories",
            lane="upkeep",
            cron="consolidation.memories.schedule",
        ),
        JobRow(
            name="propose_promotions",
            about="Propose to a team what two of its projects know, and to an organisation what two of its teams do.",
            run="consolidation.operations.promotion:propose_promotions",
            lane="upkeep",
            needs=_UPKEEP,
            every=_DAY,
        ),
        JobRow(
            name="reflect",
            about="Bring CONTEXT.md up to date when it is stale, and MEMORY.md where that is wanted.",
            run="briefing.operations.reflecting:reflect",
            lane="upkeep",
            needs=_CHECKOUT,
            every=_DAY,
        ),
        JobRow(
            name="score_windows",
            about="Score anew what open sessions were served.",
            run="briefing.operations.window:score_windows",
            lane="upkeep",
        ),
        JobRow(
            name="end_idle_sessions",
            about="End sessions without activity, and archive completed ones after a week.",
            run="sessions.operations.idle:end_idle_sessions",
            # Where what it queues is done as well, and nothing takes minutes.
            lane="learning",
            priority=1,
            needs=_UPKEEP,
            # Idle sessions are seen at once; those that ended by themselves wait to be archived.
            every=_DAY,
        ),
        JobRow(
            name="import_found",
            about="Bring in what other programs know of a project: transcripts, memory tools, files for agents.",
            run="imports.operations.imports:import_in_background",
            lane="upkeep",
            needs=_CHECKOUT,
        ),
        JobRow(
            name="retire_old_rows",
            about="Drop rows that are older than the settings keep them.",
            run="upkeep.operations.mending:retire_old_rows",
            lane="upkeep",
            needs=_UPKEEP,
            every=_DAY,
        ),
    )
}
"""Every job by name."""


def job_named(name: str) -> JobRow:
    """The job called `name`. Raises `Invalid` with the nearest one."""
    if name not in JOBS:
        raise Invalid(f"no job {name!r}", nearest(name, list(JOBS)))
    return JOBS[name]


def about(name: str) -> str:
    """What a job does; empty for one of another version."""
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
    """A job for a scope. With `once`, no other of that name is added while one waits in the scope.
    `place` is this machine, where a job that needs a checkout must run.
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


def rounds(place: str) -> dict[str, NewJob]:
    """How the jobs that come round are queued on this machine."""
    return {name: new_job(name, None, place) for name in JOBS}
