"""Storage of work: sessions, usage log and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from contextd.domain.changes import NewJob
from contextd.domain.context_items import ContextItem
from contextd.domain.jobs import Job, JobState, Lane, Schedule
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.domain.usage import Observation, ObservationSummary


class Sessions(Protocol):
    """Sessions and their events."""

    def get(self, session_id: str) -> Session | None:
        """The session with this id."""
        ...

    def by_external(self, client: str, external_id: str) -> Session | None:
        """The latest session with this client id."""
        ...

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        prefix: str = "",
        limit: int = 50,
    ) -> list[Session]:
        """Matching sessions, latest start first; with `prefix`, those whose id starts with it. Without
        `statuses`, all but withdrawn ones.
        """
        ...

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """Events in order, with `seq` above `after`. `seq` counts from 1 without gaps."""
        ...

    def messages(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, Event]]:
        """(session id, event) for these pairs of session id and `seq`, in this order; skips missing ones."""
        ...

    def items(self, session_id: str) -> list[ContextItem]:
        """The context items of a session, including archived ones; highest score first, then by type and
        source.
        """
        ...

    def handed_out(self, scope: Scope, session: str, digests: Sequence[str]) -> set[str]:
        """Which of these sentences contextd served in this session."""
        ...


class Observations(Protocol):
    """The usage log of each scope: its latest events, at most 1,000, and exact totals."""

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """The latest ones in `scopes`, newest first."""
        ...

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """Totals over everything ever logged in `scopes`. Missed queries are ordered by their last miss,
        at most 500 per scope.
        """
        ...


class Jobs(Protocol):
    """Background jobs of the granted scopes, read-only. `Queue` runs them."""

    def list(
        self, *, states: Sequence[JobState] = (), prefix: str = "", limit: int = 50
    ) -> list[Job]:
        """Jobs, latest first; with `prefix`, those whose id starts with it."""
        ...

    def count(self) -> dict[str, int]:
        """The number of jobs in each state."""
        ...

    def retry(self, job_id: str) -> bool:
        """Retry a permanently failed job with all attempts and its checkpoint; False if it did not fail or
        does not exist.
        """
        ...


class Queue(Protocol):
    """The durable queue. A job runs in one process at a time, and again if that process dies. Times come
    from the store, not from workers' clocks.
    """

    def add(self, jobs: Sequence[NewJob]) -> list[str]:
        """Add jobs outside a unit of work; return their ids."""
        ...

    def claim(
        self, worker: str, lease_seconds: float, *, lanes: Sequence[Lane], place: str
    ) -> Job | None:
        """Take the next due job of these lanes that may run at `place`, or one whose lease expired. A job
        whose last attempt lost its worker fails permanently instead.
        """
        ...

    def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
        """Renew a lease; False if another worker has the job."""
        ...

    def checkpoint(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """Store a job's progress for the next attempt. Raises `Conflict` if the lease was lost."""
        ...

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any]) -> None:
        """Mark a job done. Raises `Conflict` if the lease was lost."""
        ...

    def fail(self, job_id: str, worker: str, error: str, retry_in: float | None) -> None:
        """Record a failure: the job is retried after this many seconds, or fails permanently if None or
        this was its last attempt. Raises `Conflict` if the lease was lost.
        """
        ...

    def release(self, job_id: str, worker: str) -> None:
        """Release an unfinished job: it is due at once, keeps its checkpoint, and the attempt does not
        count. Raises `Conflict` if the lease was lost.
        """
        ...

    def schedule(self, schedule: Schedule) -> None:
        """Schedule a recurring job for a scope. An existing schedule keeps its time; a one-time job takes
        the earlier of both times.
        """
        ...

    def come_round(self, lanes: Mapping[str, NewJob]) -> int:
        """Queue the jobs that are due by schedule, one job each, and set their next times; return the number.
        `lanes` maps a job's name to its lane, priority and place.
        """
        ...

    def next_due(self, lanes: Sequence[Lane], place: str) -> datetime | None:
        """When the next job of these lanes is due, a lease expires, or a schedule fires; None if nothing
        is pending.
        """
        ...
