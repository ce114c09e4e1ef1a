"""Resolve the handles a caller passes: ids of sessions, subtasks, digests and jobs.

A handle is only looked up in the call's view, like a record. A handle of another project is therefore
unknown, whole or abbreviated, even if the same person owns both projects: an agent in one project must
neither read nor write the other's conversation. To use a handle of another project, the call names that
project. `tests/rules/test_handles.py` forbids every other lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from contextd.domain.jobs import Job
from contextd.domain.originals import Original
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Conflict, NotFound

SHORTEST = 4
"""Minimum characters of a short id of a session or a job, as for records."""

_LISTED, _SHOWN = 5, 12
"""How many candidates an error about an ambiguous id lists, and characters of each."""

_T = TypeVar("_T", Session, Job)


def session_named(runtime: Runtime, id: str) -> Session:
    """The session of the call's project with this id or unique prefix.

    Raises `NotFound`, also outside any project, or `Conflict` for an ambiguous prefix.
    """
    wanted, sessions = id.strip(), runtime.view.sessions
    whole = sessions.get(wanted)
    if whole is not None:
        return whole
    here = runtime.own_scopes
    alike = _alike(wanted, lambda: sessions.find(here, prefix=wanted, limit=_LISTED + 1))
    return _only(
        alike, wanted, "session", "session_start returns the id of a session of this project"
    )


def job_named(runtime: Runtime, id: str) -> Job:
    """The job in the call's view with this id or unique prefix.

    Raises `NotFound`, or `Conflict` for an ambiguous prefix.
    """
    wanted, jobs = id.strip(), runtime.view.jobs
    alike = _alike(wanted, lambda: jobs.list(prefix=wanted, limit=_LISTED + 1))
    return _only(alike, wanted, "job", "`contextd daemon jobs` lists them")


def is_job(runtime: Runtime, id: str) -> bool:
    """Whether the call's view contains the job with this id."""
    return bool(runtime.view.jobs.list(prefix=id, limit=1))


def original_named(runtime: Runtime, handle: str) -> Original | None:
    """The text behind a digest's handle, from the call's view; None if there is none."""
    return runtime.view.originals.get(handle.strip())


def _alike(wanted: str, find: Callable[[], list[_T]]) -> list[_T]:
    return find() if len(wanted) >= SHORTEST else []


def _only(alike: Sequence[_T], wanted: str, noun: str, hint: str) -> _T:
    if len(alike) > 1:
        names = ", ".join(one.id[:_SHOWN] for one in alike[:_LISTED])
        raise Conflict(f"{wanted!r} matches {len(alike)} {noun}s", f"use more characters: {names}")
    if not alike:
        raise NotFound(f"no {noun} {wanted!r}", hint)
    return alike[0]
