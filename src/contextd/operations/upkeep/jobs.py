"""The queue of background work, as its owner sees it."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Conflict, NotFound
from contextd.domain.jobs import Job
from contextd.domain.time import age, iso
from contextd.jobs.table import about
from contextd.operations.core import operation
from contextd.runtime import Runtime

_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as `contextd jobs` shows it. `due` is when a waiting one runs; `progress` is what it kept
    of the way so far.
    """

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
    """Jobs, latest first, and how many are in each state."""

    jobs: list[JobView]
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def as_text(self) -> str:
        """A line per job."""
        lines = [
            f"{j.state:8} {j.name} ({j.age}, attempt {j.attempts}) {j.error}".rstrip()
            for j in self.jobs
        ]
        return "\n".join(lines) or "no jobs yet"


@operation("GET /api/jobs", audience="owner")
def jobs(
    runtime: Runtime,
    state: Literal["any", "ready", "running", "failed", "done"] = "any",
    limit: int = 20,
) -> JobViews:
    """Show background work: what waits, runs, is done or failed.

    Args:
        state: Only jobs that stand so.
        limit: The most jobs.
    """
    runtime = _looking(runtime)
    now, listed = runtime.clock.now(), runtime.view.jobs
    found = listed.list(states=() if state == "any" else (state,), limit=max(0, limit))
    return JobViews([_row(job, now) for job in found], listed.count())


def _looking(runtime: Runtime) -> Runtime:
    """The call with the background work of its project in view, or of all outside of any."""
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
        progress=dict(job.checkpoint) if job.state in ("ready", "running") else {},
    )


@operation("POST /api/jobs/{id}/retry", effect="write", audience="owner", idempotent=True)
def retry_job(runtime: Runtime, id: str) -> JobView:
    """Let a job that failed run again, with all its attempts.

    Args:
        id: The job's id, or its first characters.
    """
    runtime = _looking(runtime)
    prefix, listed = id.strip(), runtime.view.jobs
    found = listed.list(prefix=prefix, limit=6) if len(prefix) >= _SHORTEST_PREFIX else []
    if len(found) > 1:
        names = ", ".join(job.id[:12] for job in found[:5])
        raise Conflict(f"{prefix!r} begins {len(found)} jobs", f"say more: {names}")
    if not found:
        raise NotFound(f"no job {prefix!r}", "`contextd jobs` lists them")
    if not listed.retry(found[0].id):
        raise Conflict(f"the job is {found[0].state}, not failed", "only failed jobs run again")
    runtime.sinks.wake()
    [again] = listed.list(prefix=found[0].id, limit=1)
    return _row(again, runtime.clock.now())
