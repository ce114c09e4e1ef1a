"""Following what an agent does: which session a call belongs to, and what it leaves there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from contextd.code.git.program import branch, head, repository
from contextd.domain.errors import NotFound
from contextd.domain.jobs import Schedule
from contextd.domain.records import new_id
from contextd.domain.sessions import Event, EventType, FileAccess, Session, SessionChange
from contextd.governance.gate import sentence_digests
from contextd.governance.redact import redact
from contextd.jobs.table import JOBS
from contextd.runtime import Runtime

AGENTS = ("mcp", "rest")
"""Surfaces whose calls come from an agent at work."""

OPENERS = frozenset({"session_start", "session_resume"})
"""Operations that open a session themselves."""

_TEXT_KEPT = 500
_TASK_KEPT = 500


def session_named(runtime: Runtime, session_id: str) -> Session:
    """The session with this id that the caller may read. Raises `NotFound`."""
    session = runtime.view.sessions.get(session_id)
    if session is None:
        raise NotFound(f"no session {session_id!r}", "session_start gives a session id")
    return session


def connected_session(runtime: Runtime) -> Session | None:
    """The session of the connection this call came in on while it is open, if there is one."""
    if not runtime.session_hint or runtime.project is None:
        return None
    found = runtime.view.sessions.get(runtime.session_hint)
    return found if found is not None and is_open(found) else None


def session_id_of(runtime: Runtime) -> str:
    """The id of the connection's session, or the empty string before it has one."""
    hint = runtime.session_hint
    return "" if hint.startswith("connection:") else hint


def is_open(session: Session) -> bool:
    """Whether something can still happen in a session."""
    return session.status == "active" and session.ended_at is None


def seated(runtime: Runtime) -> Runtime:
    """The call in the session it belongs to: the connection's own, one of the same client that hooks
    follow, or a new one. A connection that paused until its session ended goes on in a new one.
    """
    hint = runtime.session_hint
    if not hint or runtime.project is None or runtime.surface not in AGENTS:
        return runtime
    before = runtime.view.sessions.get(hint)
    if before is not None and is_open(before):
        return runtime
    if before is None and not hint.startswith("connection:"):
        return runtime
    found = _hooked(runtime)
    if found is None:
        data = {"continues": before.id} if before is not None else {}
        found = open_session(runtime, external_id=new_id(), data=data)
    return replace(runtime, session_hint=found.id)


def ensure_session(runtime: Runtime) -> Session:
    """The connection's session, opened now when it has none."""
    session = connected_session(runtime)
    return session or open_session(runtime, external_id=new_id())


def open_session(
    runtime: Runtime,
    *,
    task: str = "",
    external_id: str = "",
    client: str = "",
    data: Mapping[str, Any] | None = None,
) -> Session:
    """Open a session of the project, anchored at the checkout's commit and branch."""
    now = runtime.clock.now()
    repo = repository(runtime.root) if runtime.checkout else None
    session = Session(
        scope=runtime.scope,
        client=client or runtime.client,
        external_id=external_id,
        cwd=str(runtime.checkout.root) if runtime.checkout else "",
        task=task_of(runtime, task),
        started_at=now,
        last_seen_at=now,
        commit=head(repo.root) if repo else "",
        branch=branch(repo.root) if repo else "",
        data=dict(data or {}),
    )
    runtime.commit(open=[session])
    runtime.sinks.later("schedules", lambda: expect_rounds(runtime))
    return session


def task_of(runtime: Runtime, text: str) -> str:
    """What a session is for, as it is kept."""
    return redact(text, runtime.redaction_key).text[:_TASK_KEPT]


def expect_rounds(runtime: Runtime) -> None:
    """See to it that the work of a used project comes round, and that idle sessions end."""
    now = runtime.clock.now()
    expect_idle(runtime)
    for row in JOBS.values():
        if row.every is not None:
            whose = None if "upkeep" in row.needs else runtime.scope
            due = now + (row.every if whose is None else timedelta(minutes=1))
            runtime.sinks.schedule(
                Schedule(job=row.name, scope=whose, due_at=due, every=row.every)
            )


def expect_idle(runtime: Runtime) -> None:
    """Have sessions looked at when the next may be over."""
    minutes = runtime.settings.number("sessions.timeout_minutes")
    due = runtime.clock.now() + timedelta(minutes=minutes, seconds=1)
    runtime.sinks.schedule(Schedule(job="end_idle_sessions", scope=None, due_at=due))


def follow(
    runtime: Runtime, operation: str, values: Mapping[str, Any], tokens: int, *, counted: bool
) -> None:
    """Write down what one call left in its session: the call itself when it is `counted`, what it gave,
    and the sentences it said. Runs behind the caller's back.
    """
    trace = runtime.trace
    session = trace.session or session_id_of(runtime)
    if runtime.project is None or not session:
        return
    digests = [digest for text in trace.said for digest in sentence_digests(text)]
    if digests:
        runtime.sinks.handed_out(runtime.scope, session, digests)
    change = SessionChange(id=session, servings=tuple(trace.gave))
    if counted:
        change = _call(runtime, change, operation, values, tokens)
    if counted or trace.gave:
        runtime.commit(sessions=[change])
    if trace.gave:
        runtime.sinks.schedule(
            Schedule(job="score_windows", scope=runtime.scope, due_at=runtime.clock.now() + SCORED_EVERY)
        )


SCORED_EVERY = timedelta(minutes=5)


def _call(
    runtime: Runtime, change: SessionChange, operation: str, values: Mapping[str, Any], tokens: int
) -> SessionChange:
    now = runtime.clock.now()
    text = next((str(values[k]) for k in ("query", "pattern", "path") if values.get(k)), "")
    text = redact(text[: 4 * _TEXT_KEPT], runtime.redaction_key).text[:_TEXT_KEPT]
    kind: EventType = (
        "query" if values.get("query") else "file_access" if values.get("path") else "tool_call"
    )
    event = Event(
        type=kind,
        key=new_id(),
        at=now,
        text=text,
        data={"operation": operation, "tokens": tokens},
    )
    access = FileAccess(path=text, count=1, first_at=now, last_at=now)
    return replace(
        change,
        seen_at=now,
        calls=1,
        tokens=tokens,
        files=(access,) if kind == "file_access" and operation == "read_file" else (),
        topics=(" ".join(text.split())[:80],) if kind == "query" else (),
        events=(event,),
    )


def _hooked(runtime: Runtime) -> Session | None:
    """A session of the same client that a hook started and no connection has claimed yet.

    The hint `connection:<id>:<pid>` carries the client's process; a hook names its ancestors.
    """
    _, _, process = runtime.session_hint.rpartition(":")
    if not process.isdecimal():
        return None
    latest = runtime.view.sessions.find(frozenset({runtime.scope}), statuses=("active",), limit=50)
    for session in latest:
        ancestors = session.data.get("ancestors", ())
        if process in map(str, ancestors) and is_open(session):
            return session
    return None
