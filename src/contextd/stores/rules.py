"""Numbers and refusals every store shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from contextd.domain.changes import NewJob
from contextd.domain.errors import Conflict, NotFound, Stale
from contextd.domain.records import Change, Record, short_id
from contextd.domain.scope import Scope

OBSERVATIONS, OBSERVATIONS_DROPPED = 1_000, 500
"""The usage log of a scope holds this many; past it, this many of the oldest are dropped."""

MISSED_QUERIES = 500
"""So many different missed queries are counted per scope. A new one then takes the place of the one
missed least often, among those the one longest ago."""

ORIGINALS_KEPT = 200
"""The latest originals of a scope that stay, whatever their age: some ten megabytes on disk."""

CHANGES_KEPT = 20
"""The latest changes of a record are never retired, however old they are."""

COUNTED_AS: dict[str, Literal["reads", "writes", "misses"]] = {
    "read": "reads",
    "write": "writes",
    "update": "writes",
    "delete": "writes",
    "miss": "misses",
}
"""What each action adds to in the summary."""

LOST_WORKER = "its worker died in the last attempt"
SUPERSEDED = {"superseded": "the same work was queued again meanwhile"}

_NEARER = {"project": 0, "team": 1, "org": 2}


def lease_end(now: datetime, lease_seconds: float) -> datetime:
    """When a lease taken now runs out."""
    return now + timedelta(seconds=lease_seconds)


def next_round(due: datetime, every: timedelta, now: datetime) -> datetime:
    """The first time after now of something due at `due` and every so long after: rounds that were
    slept through are not made up for.
    """
    missed = max(0, (now - due) // every)
    return due + (missed + 1) * every


def round_of(row: NewJob, scope: Scope | None) -> NewJob:
    """The job that a schedule queues for a scope: once, while it waits."""
    return replace(row, scope=scope, unique_key=f"round:{row.name}")


def nearest_history(found: Sequence[tuple[Scope, Change]]) -> list[Change]:
    """The history of one record; where several scopes have its id, that of the nearer one."""
    scopes = sorted({scope for scope, _ in found}, key=lambda s: (_NEARER[s.level], str(s)))
    return [change for scope, change in found if scope == scopes[0]]


def no_session(session_id: str) -> NotFound:
    """The error of a change to a session that is not there."""
    return NotFound(f"no session {session_id!r}", "session_start gives a session id")


def session_there(session_id: str) -> Conflict:
    """The error of opening a session twice."""
    return Conflict(f"session {session_id!r} is there already", "go on in it, or choose another id")


def changed_meanwhile(record: Record) -> Stale:
    """The error of writing a record that is not as it was read."""
    state = "is there already" if record.version == 0 else "changed since it was read"
    return Stale(f"record {short_id(record.id)} {state}", "read it again and repeat the change")


def already_there(record_id: str) -> Conflict:
    """The error of recording the same thing twice at once."""
    return Conflict(f"{short_id(record_id)} says the same", "nothing needs to be recorded again")


def undone_already(record_id: str) -> Conflict:
    """The error of taking a change back that was taken back meanwhile."""
    return Conflict(
        f"that change of {short_id(record_id)} was undone already", "look at its history"
    )


def committed_already() -> Conflict:
    """The error of committing twice under one call."""
    return Conflict("this call was carried out already", "its answer was lost; do not repeat it")


def lost_job(job_id: str, worker: str) -> Conflict:
    """The error of a worker whose lease went to another one, or ended."""
    return Conflict(f"{worker!r} does not hold job {job_id!r}", "stop: another worker may run it")


def nothing_to_undo(record_id: str) -> NotFound:
    """The error of an undo that has no change left."""
    return NotFound(f"nothing left to undo for {record_id!r}", "its history shows what was done")


def distinct(values: Iterable[str]) -> list[str]:
    """Each value once, in order."""
    return list(dict.fromkeys(values))
