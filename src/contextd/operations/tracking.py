"""Following what an agent does: which session a call belongs to, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from contextd.domain.errors import NotFound
from contextd.domain.records import new_id
from contextd.domain.sessions import Event, EventType, FileAccess, Session
from contextd.runtime import Runtime

_LIFE = ("session_start", "session_resume", "session_end")
"""Operations that begin or end a session are not something that happens in one."""

FILES_KEPT = 200
TOPICS_KEPT = 12
TEXT_KEPT = 500


def session_named(runtime: Runtime, session_id: str) -> Session:
    """The session with this id that the caller may read. Raises `NotFound`."""
    session = runtime.store.sessions.get(session_id)
    if session is None or not runtime.caller.may("read", session.scope):
        raise NotFound(f"no session {session_id!r}", "session_start gives a session id")
    return session


def connected_session(runtime: Runtime) -> Session | None:
    """The active session of the connection this call came in on, if there is one."""
    found = any_connected(runtime)
    return found if found is not None and found.status == "active" else None


def any_connected(runtime: Runtime) -> Session | None:
    """The session of the connection this call came in on, be it over or not."""
    if not runtime.session_hint or runtime.project is None:
        return None
    sessions = runtime.store.sessions
    return (
        sessions.get(runtime.session_hint)
        or _hooked(runtime)
        or sessions.by_external(runtime.client, runtime.session_hint)
    )


def session_id_of(runtime: Runtime) -> str:
    """The id of the connection's session, or the empty string."""
    session = connected_session(runtime)
    return session.id if session else ""


def ensure_session(runtime: Runtime) -> Session:
    """The connection's session, started now when it has none."""
    session = connected_session(runtime)
    if session is None:
        now = runtime.clock.now()
        session = Session(
            scope=runtime.scope,
            client=runtime.client,
            external_id=runtime.session_hint or new_id(),
            cwd=str(runtime.root or ""),
            started_at=now,
            last_seen_at=now,
        )
        runtime.store.sessions.save(session)
        watch_idle(runtime)
        check_daily(runtime)
    return session


def watch_idle(runtime: Runtime) -> None:
    """See to it that sessions without activity end: one job, due when the next may be over."""
    minutes = runtime.settings.number("sessions.timeout_minutes")
    runtime.store.jobs.enqueue(
        "end_idle_sessions",
        {},
        unique_key="end_idle_sessions",
        run_at=runtime.clock.now() + timedelta(minutes=minutes, seconds=5),
    )


def check_daily(runtime: Runtime) -> None:
    """See to it that once on a day with a session the code that knowledge cites is looked at."""
    scope, day = runtime.scope, runtime.clock.now().date()
    runtime.store.jobs.enqueue(
        "check_stability",
        {"project": str(scope)},
        unique_key=f"cron:check_stability:{scope}:{day}",
    )


def track_call(runtime: Runtime, name: str, values: Mapping[str, Any], tokens: int) -> None:
    """Note one call of an agent in its session. Runs behind the caller's back: the session may be
    over by now, and gets no successor for what happened in it.
    """
    if runtime.project is None or not runtime.session_hint or name in _LIFE:
        return
    now = runtime.clock.now()
    with runtime.store.transaction():
        session = any_connected(runtime) or ensure_session(runtime)
        text = next((str(values[k]) for k in ("query", "pattern", "path") if values.get(k)), "")
        kind: EventType = (
            "query" if values.get("query") else "file_access" if values.get("path") else "tool_call"
        )
        event = Event(
            type=kind,
            key=new_id(),
            at=now,
            text=text[:TEXT_KEPT],
            data={"operation": name, "tokens": tokens},
        )
        runtime.store.sessions.append(session.id, [event])
        session = session.with_(
            last_seen_at=max(session.last_seen_at, now)
            if session.status == "active"
            else session.last_seen_at,
            tool_calls=session.tool_calls + 1,
            tokens_served=session.tokens_served + tokens,
        )
        if kind == "file_access":
            session = session.with_(files=touch_file(session.files, text, now))
        if kind == "query":
            topics = dict.fromkeys((*session.topics, " ".join(text.split())[:80]))
            session = session.with_(topics=tuple(topics)[-TOPICS_KEPT:])
        runtime.store.sessions.save(session)


def touch_file(files: tuple[FileAccess, ...], path: str, now: Any) -> tuple[FileAccess, ...]:
    """The files with one more access of `path`, latest last."""
    kept = {access.path: access for access in files}
    before = kept.pop(path, None)
    kept[path] = FileAccess(
        path=path,
        count=before.count + 1 if before else 1,
        first_at=before.first_at if before else now,
        last_at=now,
    )
    return tuple(kept.values())[-FILES_KEPT:]


def _hooked(runtime: Runtime) -> Session | None:
    """A session of the same client that a hook started and no connection has claimed yet.

    The hint `connection:<id>:<pid>` carries the client's process; a hook names its ancestors.
    """
    _, _, process = runtime.session_hint.rpartition(":")
    for session in runtime.store.sessions.find(
        frozenset({runtime.scope}), statuses=("active",), limit=50
    ):
        ancestors = session.data.get("ancestors", ())
        if process and process in map(str, ancestors):
            return session
    return None
