"""The queue of background work, as its owner sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from contextd.domain.errors import Conflict, NotFound
from contextd.domain.sessions import Job
from contextd.domain.time import age, iso
from contextd.operations.background import JOBS
from contextd.operations.core import operation
from contextd.runtime import Runtime

_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class JobRow:
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
class JobRows:
    """Jobs, latest first, and how many of the latest thousand are in each state."""

    jobs: list[JobRow]
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
) -> JobRows:
    """Show background work: what waits, runs, is done or failed.

    Args:
        state: Only jobs that stand so.
        limit: The most jobs.
    """
    now = runtime.clock.now()
    latest = runtime.view.jobs.list(limit=_LOOKED_AT)
    counts: dict[str, int] = {}
    for job in latest:
        counts[job.state] = counts.get(job.state, 0) + 1
    if state != "any":
        latest = runtime.view.jobs.list(states=(state,), limit=max(0, limit))
    return JobRows([_row(job, now) for job in latest[: max(0, limit)]], counts)


def _row(job: Job, now: Any) -> JobRow:
    kind = JOBS.get(job.name)
    return JobRow(
        id=job.id,
        name=job.name,
        state=job.state,
        attempts=job.attempts,
        age=age(job.created_at, now),
        error=job.error,
        result=dict(job.result),
        about=kind.description if kind else "",
        max_attempts=job.max_attempts,
        created_at=iso(job.created_at),
        due=iso(job.run_at) if job.state == "ready" else "",
        finished_at=iso(job.finished_at) if job.finished_at else "",
        progress=dict(job.checkpoint) if job.state in ("ready", "running") else {},
    )


@operation("POST /api/jobs/{id}/retry", effect="write", audience="owner", idempotent=True)
def retry_job(runtime: Runtime, id: str) -> JobRow:
    """Let a job that failed run again, with all its attempts.

    Args:
        id: The job's id, or its first characters.
    """
    prefix = id.strip()
    found = [
        job
        for job in runtime.view.jobs.list(limit=_LOOKED_AT)
        if len(prefix) >= 4 and job.id.startswith(prefix)
    ]
    if len(found) > 1:
        names = ", ".join(job.id[:12] for job in found[:5])
        raise Conflict(f"{prefix!r} begins {len(found)} jobs", f"say more: {names}")
    if not found:
        raise NotFound(f"no job {prefix!r} among the latest", "`contextd jobs` lists them")
    now = runtime.clock.now()
    if not runtime.view.jobs.retry(found[0].id, now):
        raise Conflict(f"the job is {found[0].state}, not failed", "only failed jobs run again")
    runtime.sinks.wake()
    [again] = [job for job in runtime.view.jobs.list(limit=_LOOKED_AT) if job.id == found[0].id]
    return _row(again, now)
