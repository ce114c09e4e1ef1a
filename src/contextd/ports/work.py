"""What contextd keeps of work: sessions, what was observed, and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from contextd.domain.changes import NewJob
from contextd.domain.jobs import Job, JobState, Lane, Schedule
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.domain.usage import Observation, ObservationSummary
from contextd.domain.window import ContextItem


class Sessions(Protocol):
    """Working periods and what happened in them."""

    def get(self, session_id: str) -> Session | None:
        """The session with this id."""
        ...

    def by_external(self, client: str, external_id: str) -> Session | None:
        """The session a client knows under its own id, the latest one."""
        ...

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        prefix: str = "",
        limit: int = 50,
    ) -> list[Session]:
        """Matching sessions, latest start first; with `prefix`, those whose id starts so. Without
        `statuses`, all but the withdrawn ones.
        """
        ...

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """Events in order, from the first with `seq` above `after`. `seq` grows by one from 1."""
        ...

    def messages(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, Event]]:
        """(session id, event) for these pairs of session id and `seq`, in this order; those that are
        not there are left out.
        """
        ...

    def items(self, session_id: str) -> list[ContextItem]:
        """What was served in a session, archived items included; highest score first, then by type
        and source.
        """
        ...

    def handed_out(self, scope: Scope, session: str, digests: Sequence[str]) -> set[str]:
        """Which of these sentences contextd said in this session."""
        ...


class Observations(Protocol):
    """The usage log of each scope: its latest events, at most 1,000, and exact totals."""

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """The latest ones in `scopes`, newest first."""
        ...

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """Totals over everything ever logged in `scopes`. The missed queries are in the order they
        were missed last; of each scope 500 are counted.
        """
        ...


class Jobs(Protocol):
    """The background work of the granted scopes, to look at. Running it is the `Queue`'s."""

    def list(
        self, *, states: Sequence[JobState] = (), prefix: str = "", limit: int = 50
    ) -> list[Job]:
        """Jobs, latest first; with `prefix`, those whose id starts so."""
        ...

    def count(self) -> dict[str, int]:
        """How many jobs stand in each state."""
        ...

    def retry(self, job_id: str) -> bool:
        """Let a job that failed for good run again, with all its attempts and what it kept; False
        when it did not fail, or is not there.
        """
        ...


class Queue(Protocol):
    """The durable queue. A job runs in one process at a time, and again if that one dies. The time is
    the store's own, so that no worker's clock decides.
    """

    def add(self, jobs: Sequence[NewJob]) -> list[str]:
        """Add jobs outside of any unit of work; returns their ids."""
        ...

    def claim(
        self, worker: str, lease_seconds: float, *, lanes: Sequence[Lane], place: str
    ) -> Job | None:
        """Take the next due job of these lanes that may run at `place`, or one whose worker's lease
        ran out. One that lost its worker in its last attempt is failed for good instead.
        """
        ...

    def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
        """Keep a lease; False when the job was lost to another worker."""
        ...

    def checkpoint(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """Keep how far a job came, for the next attempt. Raises `Conflict` when it was lost."""
        ...

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any]) -> None:
        """Mark a job done. Raises `Conflict` when it was lost."""
        ...

    def fail(self, job_id: str, worker: str, error: str, retry_in: float | None) -> None:
        """Note a failure: the job runs again in so many seconds, or is failed for good when that is
        None or this was its last attempt. Raises `Conflict` when it was lost.
        """
        ...

    def release(self, job_id: str, worker: str) -> None:
        """Give a job back unfinished: it is due at once, with what it kept, and the attempt does not
        count. Raises `Conflict` when it was lost.
        """
        ...

    def schedule(self, schedule: Schedule) -> None:
        """See to it that a job comes round for a scope. One that comes round already keeps its time;
        one that is due once is due at the earlier of two times.
        """
        ...

    def come_round(self, lanes: Mapping[str, NewJob]) -> int:
        """Queue the jobs whose time has come, each once, and set the next time; how many it were.
        `lanes` says for each job's name with which lane, priority and place it is queued.
        """
        ...

    def next_due(self, lanes: Sequence[Lane], place: str) -> datetime | None:
        """When the next job of these lanes is due, a lease of one runs out, or a schedule comes round;
        None when nothing waits.
        """
        ...
