"""Bind connections and calls to sessions."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Any

from contextd.domain.changes import WorkChanges
from contextd.domain.jobs import Schedule
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session, SessionChange
from contextd.domain.time import iso
from contextd.jobs.cron import cron
from contextd.jobs.table import JOBS
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd.runtime.settings import SETTINGS
from contextd.sessions.session_end import close_session
from contextd_code.dataclass import dataclass
from contextd_code.errors import Invalid
from contextd_code.git.git_queries import branch, head, here, repository

AGENTS = ("mcp", "rest")
"""Surfaces whose calls come from a working agent."""

OPENERS = frozenset({"session_start", "session_resume"})
"""Operations that open a session themselves."""

_FIRST_ROUND = timedelta(minutes=1)
"""The daily work of a project that is used for the first time starts soon, but not at once."""

_SEATS = 4_096
_TASK_KEPT = 500


IMPLICIT = "implicit"
"""Marks a session that a call opened, until its agent starts it explicitly."""


_log = logging.getLogger(__name__)

BRIEFED = "briefed"
"""Session flag: its agent got a briefing."""

RESUMED = "resumed"
"""Session data: when its client resumed it, with branch and commit, latest last."""

_RESUMED_ON = "resumed_on"
"""Where older sessions store the last of these branches."""

_RESUMPTIONS = 50


@dataclass(slots=True)
class Seat:
    """The session that a connection's calls in a project belong to."""

    session: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


Seats = Cache[tuple[str, Scope], Seat]


def seats(runtime: Runtime) -> Seats:
    """The seats of recent connections, by connection and project."""
    return runtime.organisation.caches.of("seats", _SEATS)


def seated(runtime: Runtime) -> tuple[Runtime, Session | None]:
    """Bind a call to its session and return both. The session is the one its client names, the
    connection's own, one of the same client with hooks, or a new one. If the connection's session ended
    during a pause, a new one is opened. Calls of a caller with read-only access have no session.
    """
    if not runtime.connection or runtime.project is None or runtime.surface not in AGENTS:
        return runtime, None
    if not runtime.caller.may("write", runtime.scope):
        return runtime, None
    named = _named_by_client(runtime)
    if named is not None:
        return replace(runtime, session=named.id), named
    seat = seats(runtime).made((runtime.connection, runtime.scope), Seat)
    with seat.lock:
        before = _session_on(runtime, seat)
        if before is not None and is_open(before) and _has_paused(runtime, before):
            close_session(runtime.aside(), before, at=before.last_seen_at)
            before = runtime.view.sessions.get(before.id)
        if before is None or not is_open(before):
            data = {IMPLICIT: True} | ({"continues": before.id} if before is not None else {})
            found = _hooked(runtime)
            if found is None:
                found = new_session(runtime, external_id=runtime.connection, data=data)
                open_session(runtime.aside(), found)
            before = found
        seat.session = before.id
        return replace(runtime, session=before.id), before


def take_seat(runtime: Runtime, session: Session) -> None:
    """Bind later calls of the connection to this session."""
    if runtime.connection:
        seats(runtime).made((runtime.connection, runtime.scope), Seat).session = session.id


def session_of(runtime: Runtime) -> Session | None:
    """The open session of the call's connection; None if it has none."""
    if runtime.project is None:
        return None
    named = _named_by_client(runtime)
    if named is not None:
        return named
    seat = seats(runtime).get((runtime.connection, runtime.scope))
    id = runtime.session or (seat.session if seat is not None else "")
    found = runtime.view.sessions.get(id) if id else None
    return found if found is not None and is_open(found) else None


def session_begun(runtime: Runtime) -> Session | None:
    """The open session of the call's connection, or the one that a hook of the same client began for it."""
    found = session_of(runtime)
    if found is None and runtime.connection and runtime.project is not None:
        found = _hooked(runtime)
        if found is not None:
            take_seat(runtime, found)
    return found


def leave_seats(runtime: Runtime) -> list[tuple[Scope, str]]:
    """Remove the seats of a connection that ended; return the project and session of each."""
    known = seats(runtime)
    left: list[tuple[Scope, str]] = []
    for connection, scope in known.keys():  # noqa: SIM118 - a copy: entries go meanwhile
        if connection == runtime.connection:
            seat = known.pop((connection, scope))
            left += [(scope, seat.session)] if seat is not None and seat.session else []
    return left


def branch_here(runtime: Runtime) -> str:
    """The branch of the call's checkout in the form stores use; empty if there is none."""
    name = branch(runtime.root) if runtime.checkout is not None else ""
    return redact(name, runtime.redaction_key).text


def branch_of(session: Session) -> str:
    """The current or last branch of a session."""
    return place_of(session)[1]


def place_of(session: Session, at: datetime | None = None) -> tuple[str, str]:
    """The commit and branch where a session began or, before the given moment, was last resumed."""
    places = [one for one in session.data.get(RESUMED, ()) if at is None or one[0] <= iso(at)]
    if places:
        return str(places[-1][1]), str(places[-1][2])
    return session.commit, str(session.data.get(_RESUMED_ON) or session.branch)


def resumed_here(runtime: Runtime, session: Session, at: datetime) -> dict[str, Any]:
    """The data a session stores when its client resumes it in the call's checkout."""
    commit = head(runtime.root) if runtime.checkout is not None else ""
    place = [iso(at), commit, branch_here(runtime)]
    return {RESUMED: [*session.data.get(RESUMED, ()), place][-_RESUMPTIONS:]}


def is_open(session: Session) -> bool:
    """Whether a session can still receive events."""
    return session.status == "active" and session.ended_at is None


def open_session(runtime: Runtime, session: Session, *changes: SessionChange) -> None:
    """Open a session of the project together with its first changes."""
    runtime.commit(work=WorkChanges(open=[session], sessions=changes))
    runtime.sinks.later("schedules", lambda: expect_rounds(runtime))


def new_session(
    runtime: Runtime,
    *,
    external_id: str,
    task: str = "",
    client: str = "",
    data: Mapping[str, Any] | None = None,
) -> Session:
    """A session that begins now, with the checkout's commit and branch; not yet committed."""
    now = runtime.clock.now()
    repo = repository(runtime.root) if runtime.checkout else None
    commit, branch = here(repo.root) if repo else ("", "")
    return Session(
        scope=runtime.scope,
        client=client or runtime.client,
        external_id=external_id,
        cwd=str(runtime.checkout.root) if runtime.checkout else "",
        task=task_of(runtime, task),
        started_at=now,
        last_seen_at=now,
        commit=commit,
        branch=branch,
        data=dict(data or {}),
    )


def task_of(runtime: Runtime, text: str) -> str:
    """A session's task in stored form."""
    return redact(text, runtime.redaction_key).text[:_TASK_KEPT]


def expect_rounds(runtime: Runtime) -> None:
    """Schedule the recurring jobs of a project in use."""
    now = runtime.clock.now()
    for row in JOBS.values():
        if row.every is not None:
            whose = None if "upkeep" in row.needs else runtime.scope
            due = now + (row.every if whose is None else _FIRST_ROUND)
            runtime.sinks.schedule(Schedule(job=row.name, scope=whose, due_at=due, every=row.every))
        elif row.cron:
            for scope in runtime.cascade:
                expect_next(runtime, row.name, scope)


def expect_next(runtime: Runtime, job: str, scope: Scope) -> datetime:
    """Schedule the next run of a job for a scope, at the time that the setting in its row gives; return
    that time. An invalid setting counts as its default.
    """
    name = JOBS[job].cron
    try:
        times = cron(runtime.settings.text(name))
    except Invalid as error:
        _log.warning("%s: %s; using the default", name, error.message)
        times = cron(str(SETTINGS[name].default))
    due = times.next(runtime.clock.now())
    runtime.sinks.schedule(Schedule(job=job, scope=scope, due_at=due))
    return due


def _has_paused(runtime: Runtime, session: Session) -> bool:
    """Whether a session was idle for so long that it is over. The job that ends idle sessions may not have
    run yet, for example after the machine slept.
    """
    timeout = runtime.settings.number("sessions.timeout_minutes")
    return session.is_idle(runtime.clock.now(), timeout)


def _session_on(runtime: Runtime, seat: Seat) -> Session | None:
    """The session of a seat; after a restart, the one the connection had before."""
    sessions = runtime.view.sessions
    if seat.session:
        return sessions.get(seat.session)
    return sessions.by_external(runtime.client, runtime.connection)


def _named_by_client(runtime: Runtime) -> Session | None:
    """The open session with hooks that the client names in the call. One process may run several sessions
    over one connection.
    """
    if not runtime.client_sessions:
        return None
    here = frozenset({runtime.scope})
    open_ones = runtime.view.sessions.find(here, statuses=("active",), limit=_OPEN)
    by_name = {one.external_id: one for one in reversed(open_ones) if is_open(one)}
    return next((by_name[id] for id in runtime.client_sessions if id in by_name), None)


_OPEN = 50


def _hooked(runtime: Runtime) -> Session | None:
    """An open session that a hook of the same client process started and that no other connection uses.
    With several windows in one process, the one with the latest event is taken: the call does not say
    which is meant, and an agent calls soon after its prompt.
    """
    taken = {seat.session for seat in seats(runtime).values()}
    free = (session for session in hooked_sessions(runtime) if session.id not in taken)
    return max(free, key=lambda session: session.last_seen_at, default=None)


def hooked_sessions(runtime: Runtime) -> list[Session]:
    """The open sessions of the project that hooks of the connection's client process started."""
    if not runtime.process or runtime.project is None:
        return []
    here = frozenset({runtime.scope})
    return [
        session
        for session in runtime.view.sessions.find(here, statuses=("active",), limit=_OPEN)
        if runtime.process in session.data.get("ancestors", ()) and is_open(session)
    ]
