"""Limits and errors shared by all stores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from contextd.domain.changes import NewJob
from contextd.domain.records import Change, Record, short_id
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd_common.errors import Conflict, NotFound, Stale

OBSERVATIONS, OBSERVATIONS_DROPPED = 1_000, 500
"""The usage log of a scope has at most this many entries; when exceeded, this many of the oldest are dropped.
"""

MISSED_QUERIES = 500
"""Distinct missed queries counted per scope. A new one replaces the least frequent one, of those the oldest.
"""

ORIGINALS_KEPT = 200
"""The latest originals of a scope, kept regardless of age: some ten megabytes on disk."""

CHANGES_KEPT = 20
"""The latest changes of a record, kept regardless of age."""

COUNTED_AS: dict[str, Literal["reads", "writes", "misses"]] = {
    "read": "reads",
    "write": "writes",
    "update": "writes",
    "delete": "writes",
    "miss": "misses",
}
"""The summary count that each action adds to."""

LOST_WORKER = "its worker died in the last attempt"
SUPERSEDED = {"superseded": "the same work was queued again meanwhile"}

_NEARER = {"project": 0, "team": 1, "org": 2}


def lease_end(now: datetime, lease_seconds: float) -> datetime:
    """When a lease taken now expires."""
    return now + timedelta(seconds=lease_seconds)


def next_round(due: datetime, every: timedelta, now: datetime) -> datetime:
    """The first time after now of a schedule that is due at `due` and then every interval: missed runs are
    not made up for.
    """
    missed = max(0, (now - due) // every)
    return due + (missed + 1) * every


def round_of(row: NewJob, scope: Scope | None) -> NewJob:
    """The job that a schedule queues for a scope, once while it waits."""
    return replace(row, scope=scope, unique_key=f"round:{row.name}")


def nearness(scope: Scope) -> tuple[int, str]:
    """The order of scopes that have the same id: the nearer one first."""
    return _NEARER[scope.level], str(scope)


def nearest_history(found: Sequence[tuple[Scope, Change]]) -> list[Change]:
    """The history of one record, from the nearer scope if several have its id."""
    nearest = min((scope for scope, _ in found), key=nearness, default=None)
    return [change for scope, change in found if scope == nearest]


def no_session(session_id: str) -> NotFound:
    """The error of a change to an unknown session."""
    return NotFound(f"no session {session_id!r}", "session_start returns a session id")


def session_there(session_id: str) -> Conflict:
    """The error of opening a session twice."""
    return Conflict(
        f"session {session_id!r} already exists", "continue in it, or choose another id"
    )


def session_begun(session: Session) -> Stale:
    """The error of opening a second session under the client's id of an open one."""
    return Stale(
        f"{session.client or 'this client'} has an open session {session.external_id!r} already",
        "continue in it",
    )


def changed_meanwhile(record: Record) -> Stale:
    """The error of writing a record that changed since it was read."""
    state = "already exists" if record.version == 0 else "changed since it was read"
    return Stale(f"record {short_id(record.id)} {state}", "read it again and repeat the change")


def already_there(record_id: str) -> Conflict:
    """The error of recording the same thing twice concurrently."""
    return Conflict(f"{short_id(record_id)} says the same", "no new record is needed")


def undone_already(record_id: str) -> Conflict:
    """The error of undoing a change that was undone meanwhile."""
    return Conflict(f"that change of {short_id(record_id)} was already undone", "see its history")


def committed_already() -> Conflict:
    """The error of committing twice for one call."""
    return Conflict("this call was already carried out", "its answer was lost; do not repeat it")


def lost_job(job_id: str, worker: str) -> Conflict:
    """The error of a worker whose lease was lost or ended."""
    return Conflict(f"{worker!r} does not hold job {job_id!r}", "stop: another worker may run it")


def place_gone(gone_after: timedelta) -> tuple[str, str]:
    """The error of a job whose machine is gone, before and after the name of its place."""
    days = gone_after / timedelta(days=1)
    return "it needs the checkout of the machine ", f", which was not running for {days:g} days"


def distinct(values: Iterable[str]) -> list[str]:
    """Each value once, in order."""
    return list(dict.fromkeys(values))
