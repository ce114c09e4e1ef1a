"""The session of a connection, and its end with the connection."""

from __future__ import annotations

from typing import Any

from contextd.domain.records import short_id
from contextd.domain.time import iso
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.client_exit import note_disconnect
from contextd.sessions.session_binding import leave_seats, session_of
from contextd.sessions.session_end import close_session
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Closed:
    """The sessions that a closed connection ended."""

    ended: list[str]


@operation(
    "POST /api/connections/closed",
    effect="write",
    audience="system",
    idempotent=True,
    needs="machine",
)
@in_steps
def connection_closed(runtime: Runtime) -> Closed:
    """End the sessions of this connection; one with hooks ends once its client has exited."""
    # A session that the last calls are still opening must exist before it can be ended.
    runtime.sinks.settle()
    ended: list[str] = []
    for scope, session_id in leave_seats(runtime):
        there = runtime.at(str(scope))
        found = there.view.sessions.get(session_id)
        if found is not None and found.is_open and not found.data.get("hooked"):
            close_session(there, found)
            ended.append(found.id)
    note_disconnect(runtime)
    return Closed(ended)


@dataclass(frozen=True, slots=True)
class Current:
    """The session of this connection."""

    session: dict[str, Any] | None

    def as_text(self) -> str:
        """Markdown."""
        if self.session is None:
            return "# Session\nNo active session; session_start begins one."
        s = self.session
        lines = [
            f"# Session {short_id(s['id'])}",
            f"Client: {s['client']}",
            f"Started: {s['started_at']}",
        ]
        lines += [f"Task: {s['task']}"] if s["task"] else []
        lines += [f"Topics: {', '.join(s['topics'])}"] if s["topics"] else []
        if s["files"]:
            lines += ["", "## Files", *(f"- {f['path']} ({f['count']}×)" for f in s["files"])]
        return "\n".join(
            [*lines, "", f"{s['tool_calls']} calls, {s['tokens_served']} tokens served"]
        )


@operation("GET /api/sessions/current", audience="system")
def session_current(runtime: Runtime) -> Current:
    """Show the session of this connection, never that of another window."""
    runtime.sinks.settle()
    session = session_of(runtime)
    if session is None:
        return Current(None)
    return Current(
        {
            "id": session.id,
            "client": session.client,
            "task": session.task,
            "started_at": iso(session.started_at),
            "topics": list(session.topics),
            "files": [{"path": f.path, "count": f.count} for f in session.files],
            "tool_calls": session.tool_calls,
            "tokens_served": session.tokens_served,
        }
    )
