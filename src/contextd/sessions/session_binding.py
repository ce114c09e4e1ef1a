"""Bind connections and calls to sessions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from contextd.domain.changes import WorkChanges
from contextd.domain.jobs import Schedule
from contextd.domain.records import digest
from contextd.domain.scope import Scope
from contextd.domain.sessions import Seat, Session, SessionChange
from contextd.domain.time import iso
from contextd.jobs.cron import cron
from contextd.jobs.table import JOBS, runs_at
from contextd.redaction.redact import redact
from contextd.runtime.checkout_branch import branch_here
from contextd.runtime.operation import Answer, Operation
from contextd.runtime.runtime import Runtime
from contextd.runtime.setting_table import SETTINGS
from contextd.sessions.session_end import MACHINE, close_session
from contextd_code.git.git_queries import head, here, repository
from contextd_common.errors import Invalid, Stale

AGENTS = ("mcp", "rest")
"""Surfaces whose calls come from a working agent."""

OPENERS = frozenset({"session_start", "session_resume"})
"""Operations that open a session themselves."""

_FIRST_ROUND = timedelta(minutes=1)
"""The daily work of a project that is used for the first time starts soon, but not at once."""

_TASK_KEPT = 500


IMPLICIT = "implicit"
"""Marks a session that a call opened, until its agent starts it explicitly."""


if TYPE_CHECKING:
    from contextd.runtime.call_steps import Proceed

_log = logging.getLogger(__name__)

BRIEFED = "briefed"
"""Session flag: its agent got a briefing."""

RESUMED = "resumed"
"""Session data: when its client resumed it, with branch and commit, latest last."""

_RESUMED_ON = "resumed_on"
"""Where older sessions store the last of these branches."""

_RESUMPTIONS = 50


def in_its_session(
    op: Operation, call: Runtime, values: Mapping[str, Any], proceed: Proceed
) -> tuple[Runtime, Answer]:
    """Carry a call out in its session; those that open one are in none yet."""
    del values
    return proceed(seated(call) if op.tool and op.name not in OPENERS else call)


def seated(runtime: Runtime) -> Runtime:
    """Bind a call to its session. The session is the one its client names, the
    connection's own, one of the same client with hooks, or a new one. If the connection's session ended
    during a pause, a new one is opened. Calls of a caller with read-only access have no session.
    """
    if not runtime.connection or runtime.project is None or runtime.surface not in AGENTS:
        return runtime
    if not runtime.caller.may("write", runtime.scope):
        return runtime
    named = _named_by_client(runtime)
    if named is not None:
        return replace(runtime, session=named.id, seat=named)
    before = _session_on(runtime)
    if before is not None and before.is_open and _has_paused(runtime, before):
        close_session(runtime.aside(), before, at=before.last_seen_at)
        before = runtime.view.sessions.get(before.id)
    if before is None or not before.is_open:
        data = {IMPLICIT: True} | ({"continues": before.id} if before is not None else {})
        found = _hooked(runtime)
        if found is not None:
            take_seat(runtime.aside(), found)
        before = found or _opened(runtime, data)
    return replace(runtime, session=before.id, seat=before)


def _opened(runtime: Runtime, data: Mapping[str, Any]) -> Session:
    """A new session of the connection, or the one that another replica opened at the same moment."""
    session = new_session(runtime, external_id=runtime.connection, data=data)
    try:
        open_session(runtime.aside(), session)
    except Stale:
        found = runtime.view.sessions.by_external(runtime.client, runtime.connection)
        if found is None:
            raise
        return found
    return session


def take_seat(runtime: Runtime, session: Session) -> None:
    """Bind later calls of the connection to this session."""
    seats = _seats(runtime, session)
    if seats:
        runtime.commit(work=WorkChanges(seats=seats))


def _seats(runtime: Runtime, session: Session) -> tuple[Seat, ...]:
    """The seat of the call's connection in a session; none for a hook, whose connection lasts for one event."""
    named = runtime.connection
    if not named or runtime.surface == "hook":
        return ()
    return (Seat(runtime.scope, digest(named), session.id),)


def session_of(runtime: Runtime) -> Session | None:
    """The open session of the call's connection; None if it has none."""
    if runtime.project is None:
        return None
    named = _named_by_client(runtime)
    if named is not None:
        return named
    found = None
    if runtime.session:
        found = runtime.view.sessions.get(runtime.session)
    elif runtime.connection:
        found = runtime.view.sessions.seated(runtime.scope, digest(runtime.connection))
    return found if found is not None and found.is_open else None


def session_begun(runtime: Runtime) -> Session | None:
    """The open session of the call's connection, or the one that a hook of the same client began for it."""
    found = session_of(runtime)
    if found is None and runtime.connection and runtime.project is not None:
        found = _hooked(runtime)
        if found is not None:
            take_seat(runtime.aside(), found)
    return found


def leave_seats(runtime: Runtime) -> list[tuple[Scope, str]]:
    """Remove the seats of a connection that ended; return the project and session of each."""
    if not runtime.connection:
        return []
    around, named = runtime.everywhere().aside(), digest(runtime.connection)
    scopes = frozenset(project.scope for project in runtime.projects())
    seats = around.view.sessions.seats(scopes, named)
    if seats:
        around.commit(work=WorkChanges(left=[named]))
    return [(seat.scope, seat.session) for seat in seats]


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


def open_session(runtime: Runtime, session: Session, *changes: SessionChange) -> None:
    """Open a session of the project together with its first changes. Later calls of the connection belong to it."""
    seats = _seats(runtime, session)
    runtime.commit(work=WorkChanges(open=[session], sessions=changes, seats=seats))
    runtime.later("schedules", lambda: expect_rounds(runtime))


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
    here_only = {MACHINE: runtime.place} if runtime.checkout and runtime.organisation.shares else {}
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
        data={**here_only, **(data or {})},
    )


def task_of(runtime: Runtime, text: str) -> str:
    """A session's task in stored form."""
    return redact(text, runtime.redaction_key).text[:_TASK_KEPT]


def expect_rounds(runtime: Runtime) -> None:
    """Schedule the recurring jobs of a project in use."""
    now = runtime.clock.now()
    for row in JOBS.values():
        if row.every is not None and runs_at(row, runtime.place):
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


def _session_on(runtime: Runtime) -> Session | None:
    """The session on the connection's seat; without a seat, the one that the connection opened."""
    sessions, named = runtime.view.sessions, runtime.connection
    found = sessions.seated(runtime.scope, digest(named))
    return found or sessions.by_external(runtime.client, named)


def _named_by_client(runtime: Runtime) -> Session | None:
    """The open session with hooks that the client names in the call. One process may run several sessions
    over one connection.
    """
    if not runtime.client_sessions:
        return None
    open_ones = runtime.sessions(statuses=("active",), limit=_OPEN)
    by_name = {one.external_id: one for one in reversed(open_ones) if one.is_open}
    return next((by_name[id] for id in runtime.client_sessions if id in by_name), None)


_OPEN = 50


def _hooked(runtime: Runtime) -> Session | None:
    """An open session that a hook of the same client process started and that no other connection uses.
    With several windows in one process, the one with the latest event is taken: the call does not say
    which is meant, and an agent calls soon after its prompt.
    """
    found = hooked_sessions(runtime)
    seats = runtime.view.sessions.seats(frozenset({runtime.scope})) if found else []
    taken = {one.session for one in seats}
    free = (session for session in found if session.id not in taken)
    return max(free, key=lambda session: session.last_seen_at, default=None)


def hooked_sessions(runtime: Runtime) -> list[Session]:
    """The open sessions of the project that hooks of the connection's client process started."""
    if not runtime.process or runtime.project is None:
        return []
    return [
        session
        for session in runtime.sessions(statuses=("active",), limit=_OPEN)
        if runtime.process in session.data.get("ancestors", ()) and session.is_open
    ]
