"""Show the queue of background work to its owner."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

from contextd.domain.jobs import Job
from contextd.domain.limits import Id, Range
from contextd.domain.scope import PERSON
from contextd.domain.time import age, iso
from contextd.jobs.table import about
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.handles import SHORTEST, is_job, job_named
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, NotFound
from contextd_common.text.remainder import cut_note

_MOST_FAILED = 500
"""Failed jobs that are searched for those without a known project."""


@dataclass(frozen=True, slots=True)
class JobView:
    """A job in a list. `due` is when a waiting one runs; `progress` is what its next attempt would begin with."""

    id: str
    name: str
    state: str
    attempts: int
    age: str
    error: str
    result: dict[str, Any]
    about: str = ""
    max_attempts: int = 0
    created_at: str = ""
    due: str = ""
    finished_at: str = ""
    progress: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class JobViews:
    """Jobs, latest first, and counts by state. `notice` says how many were left out."""

    jobs: list[JobView]
    counts: dict[str, int] = field(default_factory=dict[str, int])
    notice: str = ""

    def as_text(self) -> str:
        """One line per job."""
        lines = [
            f"{j.state:8} {j.name} ({j.age}, attempt {j.attempts}) {j.error}".rstrip()
            for j in self.jobs
        ]
        lines += [f"({self.notice})"] if self.notice else []
        return "\n".join(lines) or "no jobs yet"


@operation("GET /api/jobs", audience="owner", needs="upkeep")
def jobs(
    runtime: Runtime,
    status: Literal["any", "ready", "running", "failed", "done"] = "any",
    limit: Annotated[int, Range(0, 1_000)] = 20,
) -> JobViews:
    """Show background jobs: waiting, running, done and failed ones.

    Args:
        status: Only jobs in this status.
        limit: The most jobs.
    """
    runtime = _looking(runtime)
    now, listed = runtime.clock.now(), runtime.view.jobs
    found = listed.list(states=() if status == "any" else (status,), limit=limit)
    counts, strays = listed.count(), _strays(runtime)
    if strays:
        counts["failed"] = counts.get("failed", 0) + len(strays)
    if status in ("any", "failed"):
        found = sorted([*found, *strays], key=lambda job: job.created_at, reverse=True)[:limit]
    total = sum(counts.values()) if status == "any" else counts.get(status, 0)
    notice = cut_note(len(found), total, "jobs", "raise the limit")
    return JobViews([_row(job, now) for job in found], counts, notice)


def _strays(runtime: Runtime) -> list[Job]:
    """Failed jobs outside every view: their scope is unreadable, or belongs to no known project."""
    assert runtime.upkeep is not None
    known = {scope for project in runtime.projects() for scope in project.scope.cascade}
    return [
        job
        for job in runtime.upkeep.failed_jobs(_MOST_FAILED)
        if job.scope not in known
        and (job.scope != PERSON or runtime.has_person)
        and not is_job(runtime, job.id)
    ]


def _looking(runtime: Runtime) -> Runtime:
    """The call with a view of its project's jobs, or outside any project of all jobs."""
    return runtime if runtime.project is not None else runtime.everywhere()


def _row(job: Job, now: Any) -> JobView:
    return JobView(
        id=job.id,
        name=job.name,
        state=job.state,
        attempts=job.attempts,
        age=age(job.created_at, now),
        error=job.error or job.unreadable,
        result=dict(job.result),
        about=about(job.name),
        max_attempts=job.max_attempts,
        created_at=iso(job.created_at),
        due=iso(job.run_at) if job.state == "ready" else "",
        finished_at=iso(job.finished_at) if job.finished_at else "",
        progress=dict(job.progress) if job.state in ("ready", "running") else {},
    )


@operation(
    "POST /api/jobs/{id}/retry", effect="write", audience="owner", needs="upkeep", idempotent=True
)
def retry_job(runtime: Runtime, id: Id) -> JobView:
    """Run a failed job again, with all its attempts.

    Args:
        id: The job's id, or its first characters.
    """
    runtime = _looking(runtime)
    try:
        job = job_named(runtime, id)
    except NotFound:
        for stray in _strays(runtime):
            if len(id.strip()) >= SHORTEST and stray.id.startswith(id.strip()):
                why = stray.unreadable or f"project {stray.scope} does not exist"
                hint = "the job is deleted `retention.jobs_days` after it failed"
                raise Conflict(f"the job cannot be run: {why}", hint) from None
        raise
    if not runtime.view.jobs.retry(job.id):
        raise Conflict(f"the job is {job.state}, not failed", "only failed jobs can be retried")
    runtime.sinks.wake()
    return _row(job_named(runtime, job.id), runtime.clock.now())
