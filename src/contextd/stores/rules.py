"""Numbers and refusals every store shares."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from contextd.domain.errors import Conflict, NotFound
from contextd.domain.sessions import Job

OBSERVATIONS, OBSERVATIONS_DROPPED = 1_000, 500
"""The observation log holds this many; past it, this many of the oldest are dropped."""

MISSED_QUERIES = 500
"""So many different missed queries are counted per scope. A new one then takes the place of the one missed
least often, among those the one longest ago."""

COUNTED_AS: dict[str, Literal["reads", "writes", "misses"]] = {
    "read": "reads",
    "write": "writes",
    "update": "writes",
    "delete": "writes",
    "miss": "misses",
}
"""What each action adds to in the summary."""

CRON = "cron:"
"""Unique keys that start so are slots: one job for ever."""

LOST_WORKER = "its worker died in the last attempt"


def blocks(job: Job) -> bool:
    """Whether this job is returned instead of adding another one with its unique key."""
    return job.state == "ready" or job.unique_key.startswith(CRON)


def lease_end(now: datetime, lease_seconds: float) -> datetime:
    """When a lease taken now runs out."""
    return now + timedelta(seconds=lease_seconds)


def no_session(session_id: str) -> NotFound:
    """The error of an event without a session."""
    return NotFound(f"no session {session_id!r}", "save the session before its events")


def lost_job(job_id: str, worker: str) -> Conflict:
    """The error of a worker whose lease went to another one, or ended."""
    return Conflict(f"{worker!r} does not hold job {job_id!r}", "stop: another worker may run it")
