"""Record what a call did in its session, in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from contextd.briefing.context_window import settle_window
from contextd.domain.changes import WorkChanges
from contextd.domain.jobs import Schedule
from contextd.domain.records import new_id
from contextd.domain.sessions import Event, EventType, FileAccess, SessionChange
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact, redact_whole
from contextd.runtime.call_steps import subject
from contextd.runtime.operation import Answer, Operation
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_binding import AGENTS, OPENERS
from contextd_common.text.tokens import count_tokens

SCORED_EVERY = timedelta(minutes=5)
_TEXT_KEPT = 500


def tracked(op: Operation, call: Runtime, values: Mapping[str, Any], answer: Answer) -> None:
    """Record an answered call in its session, in the background."""
    counted = op.tool and call.surface in AGENTS and op.name not in OPENERS
    if counted or call.trace.gave:
        arguments, text = dict(values), answer.text
        call.sinks.later(
            "session",
            lambda: follow(call, op.name, arguments, count_tokens(text), counted=counted),
        )


def follow(
    runtime: Runtime, operation: str, values: Mapping[str, Any], tokens: int, *, counted: bool
) -> None:
    """Record what one call did in its session: the call itself if it is `counted`, and the records it returned. Runs in
    the background.
    """
    trace = runtime.trace
    session = trace.session or runtime.session
    if runtime.project is None or not session:
        return
    change = SessionChange(id=session, servings=tuple(trace.gave), injected=tuple(trace.injected))
    if counted:
        change = _call(runtime, change, operation, values, tokens)
    if counted or trace.gave:
        runtime.aside().commit(work=WorkChanges(sessions=[change]))
    if trace.gave:
        settle_window(runtime.aside(), session)
        expect_scores(runtime)


def expect_scores(runtime: Runtime) -> None:
    """Schedule the scoring of the project's windows."""
    due = runtime.clock.now() + SCORED_EVERY
    runtime.sinks.schedule(Schedule(job="score_windows", scope=runtime.scope, due_at=due))


def _call(
    runtime: Runtime, change: SessionChange, operation: str, values: Mapping[str, Any], tokens: int
) -> SessionChange:
    now = runtime.clock.now()
    text = subject(values)
    kind: EventType = "query" if values.get("query") else "tool_call"
    if operation == "read_file":
        kind = "file_access"
    read, key = beginning(text, 4 * _TEXT_KEPT), runtime.redaction_key
    # The name of a file that was read may look like a secret; any other path is what a caller typed.
    text = redact(read, key).text if kind == "file_access" else redact_whole(read, key)
    text = text[:_TEXT_KEPT]
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
        files=(access,) if kind == "file_access" else (),
        topics=(" ".join(text.split())[:80],) if kind == "query" else (),
        events=(event,),
    )
