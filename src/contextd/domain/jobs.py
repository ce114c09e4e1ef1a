"""Durable background work and its schedules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass

Lane = Literal["learning", "index", "upkeep"]
"""Jobs in different lanes never wait for each other: learning from a session does not queue behind an
index of 60,000 files.
"""

LANES: tuple[Lane, ...] = ("learning", "index", "upkeep")

JobState = Literal["ready", "running", "done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A durable piece of background work. `scope` is the scope it works on, None for the organisation.

    `place` names the machine whose checkouts it needs, empty for any. Within a lane, jobs with the highest
    `priority` run first, then those due first. `progress` is for the next attempt. `unreadable` says why a row could not be read as a job; such a
    job is listed and never run.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    state: JobState
    scope: Scope | None = None
    lane: Lane = "upkeep"
    priority: int = 0
    place: str = ""
    unique_key: str = ""
    attempts: int = 0
    max_attempts: int = 5
    run_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    progress: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None
    unreadable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Recurring work: when `due_at` has passed, `job` is queued for `scope` and the next run is due after
    `every`. Without `every` it runs once.
    """

    job: str
    scope: Scope | None
    due_at: datetime
    every: timedelta | None = None
