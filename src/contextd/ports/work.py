"""Storage of work: sessions, usage log and jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from contextd.domain.changes import NewJob
from contextd.domain.context_items import ContextItem
from contextd.domain.jobs import Job, JobState, Lane, Schedule
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Seat, Session
from contextd.domain.usage import Observation, ObservationSummary
from contextd.ports.members import Credentials


class Sessions(Protocol):
    """Sessions and their events."""

    def get(self, session_id: str) -> Session | None:
        """The session with this id."""
        ...

    def by_external(self, client: str, external_id: str) -> Session | None:
        """The latest session with this client id."""
        ...

    def seated(self, scope: Scope, digest: str) -> Session | None:
        """The session on the seat of the connection with this digest."""
        ...

    def seats(self, scopes: frozenset[Scope], digest: str = "") -> list[Seat]:
        """The seats in these scopes, by scope and digest; with `digest`, only those of this connection."""
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
        """Retry a permanently failed job with all attempts and its progress; False if it did not fail or
        does not exist.
        """
        ...


class Replicas(Protocol):
    """What the processes that share one organisation's store know in common."""

    def keep(self, name: str, value: str, *, instead_of: str = "") -> str:
        """Store a value under a name that has none, or `instead_of` the stored one; return the stored value then."""
        ...

    def clocks(self) -> dict[Scope, int]:
        """For each scope with indexed documents a number that grows with every change of them."""
        ...

    def attend(self, place: str) -> None:
        """Record that the machine called `place` is running, at the store's time."""
        ...

    def settle_orphans(self, gone_after: timedelta, movable: Sequence[str]) -> list[Job]:
        """Settle jobs older than `gone_after` that wait for a machine which has not attended for so long: those with a name
        in `movable` may run anywhere, the others fail permanently. Returns the changed jobs.
        """
        ...


SignalKind = Literal["changed", "woken"]
"""Something in a scope changed; work was added."""

Heard = Callable[[SignalKind, Scope | None], None]


class ReplicaSignals(Protocol):
    """Hints between the processes that share a store. A hint may come late, twice or never: a process that must know
    polls.
    """

    def send(self, kind: SignalKind, scope: Scope | None = None) -> None:
        """Tell the other processes soon. Never waits and never fails."""
        ...

    def listen(self, heard: Heard) -> None:
        """From now on call `heard` with each signal of another process; a change without a scope may be in any."""
        ...


class SharedDatabase(Protocol):
    """A database of many organisations, as far as a process looks at all of them at once."""

    @property
    def credentials(self) -> Credentials:
        """Whom tokens sign in."""
        ...

    def check(self) -> None:
        """Raise `Unavailable` or `Busy` unless the database answers."""
        ...

    @property
    def signals_lost(self) -> str:
        """Why no signals arrive now; empty while they do."""
        ...

    def take_due(self, place: str, most: int) -> list[str]:
        """Take up to `most` organisations that may have work due at `place`, due longest first. No other process takes
        them for the same work in the next seconds; after those they are due again, unless `Queue.expect` was called.
        """
        ...

    def clocks(self, organisations: Sequence[str]) -> dict[str, dict[Scope, int]]:
        """`Replicas.clocks` of those of these organisations that this process has open, in one round trip."""
        ...

    def exchange_signals(self) -> float:
        """Send the gathered signals, wait for some of others for up to a few seconds and pass them on. Returns the
        seconds after which to call it again. A connection that broke or fell silent is replaced.
        """
        ...

    def hurry(self) -> None:
        """End the wait of `exchange_signals`."""
        ...

    def close(self) -> None:
        """Close every connection. Stores of this database are of no use afterwards."""
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
        """Take the next due job of these lanes that may run at `place`, or one whose lease expired. `worker` names this
        attempt: with a new name for each claim, nothing of an earlier attempt is accepted. A job whose last attempt
        lost its worker fails permanently instead.
        """
        ...

    def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
        """Renew a lease; False if another worker has the job."""
        ...

    def keep_progress(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
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
        """Release an unfinished job: it is due at once, keeps its progress, and the attempt does not
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

    def expect(self, place: str) -> None:
        """Let `SharedDatabase.take_due` name this organisation when its next work is due, and not before: nothing
        is due now.
        """
        ...
