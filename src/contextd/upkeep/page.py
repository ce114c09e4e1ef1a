"""The page and form of background jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from contextd.domain.time import iso
from contextd.pages.page import Answer, Banner, Handler, PageRequest, go, show
from contextd_common.errors import NotFound

_JOBS = 50
_STATES = ("ready", "running", "failed", "done")


async def jobs(request: PageRequest) -> Answer:
    """Background work."""
    state = request.query("state")
    found = await request.ask("jobs", status=state or "any", limit=_JOBS)
    return show(
        "upkeep/page.html",
        jobs=found["jobs"],
        counts=found["counts"],
        state=state,
        states=_STATES,
        total=sum(found["counts"].values()),
        full=len(found["jobs"]) == _JOBS,
        moving=any(_moves(job) for job in found["jobs"]),
    )


def _moves(job: dict[str, Any]) -> bool:
    """Whether a job is running or about to."""
    due = job["state"] == "ready" and job["due"] <= iso(datetime.now(UTC))
    return bool(due or job["state"] == "running")


async def retry(request: PageRequest) -> Answer:
    """Retry one failed job, or all of them."""
    wanted = request.field("id")
    if wanted:
        ids = [wanted]
    else:
        failed = (await request.ask("jobs", status="failed", limit=_JOBS))["jobs"]
        ids = [job["id"] for job in failed]
    if not ids:
        raise NotFound("no failed jobs", "there is nothing to retry")
    for id in ids:
        await request.ask("retry_job", id=id)
    message = "Retrying the job." if len(ids) == 1 else f"Retrying {len(ids)} jobs."
    return go("/jobs", Banner(message))


LOOKS: list[tuple[str, Handler]] = [("/jobs", jobs)]
FORMS: list[tuple[str, Handler]] = [("/jobs/retry", retry)]
