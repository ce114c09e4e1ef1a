"""CONTEXT.md: where a project stands, for whoever comes next."""

from __future__ import annotations

from contextd.code.changes import external_changes
from contextd.domain.sessions import Session
from contextd.domain.time import age, iso
from contextd.runtime import Runtime
from contextd.sessions.clock import session_pattern
from contextd.sessions.context_md import Handoff, render, write

_RECENT = 5


def write_context_md(runtime: Runtime, current: Session | None = None) -> bool:
    """Bring `.context/CONTEXT.md` up to date. Whether the file changed.

    Only in a checkout that was initialised: contextd puts no files into a repository unasked.
    """
    if runtime.root is None or not (runtime.root / ".context").is_dir():
        return False
    block = render(handoff(runtime, current), now=runtime.clock.now())
    return write(runtime.root / ".context" / "CONTEXT.md", block)


def handoff(runtime: Runtime, current: Session | None = None) -> Handoff:
    """What CONTEXT.md says, gathered from sessions, discoveries and git."""
    now = runtime.clock.now()
    recent = runtime.store.sessions.find(frozenset({runtime.scope}), limit=10)
    told = [s for s in recent if s.task or s.topics or s.files or s.tool_calls]
    session = current or (told[0] if told else None)
    before = next((s for s in told if session is None or s.id != session.id), None)
    discoveries = runtime.store.records.find(
        runtime.query("discovery", "memory", "remediation", valid_at=now, limit=_RECENT)
    ).records
    focus = ", ".join(session.topics[:3]) if session else ""
    since = before or session
    changes = external_changes(
        runtime.root,
        since.commit if since else "",
        (since.ended_at or since.last_seen_at) if since else None,
        since.branch if since else "",
    ) if runtime.root else None  # fmt: skip
    return Handoff(
        focus=focus or (session.task if session else ""),
        task=session.task if session else "",
        blocked="",
        last_session=_told(before, now) if before else "",
        session_started=iso(session.started_at) if session else "",
        pattern=session_pattern(session.started_at, session.ended_at or session.last_seen_at)
        if session
        else "",
        recent=tuple(f"{r.title}: {r.content}" if r.title else r.content for r in discoveries),
        external=tuple(changes.lines) if changes else (),
    )


def _told(session: Session, now) -> str:  # type: ignore[no-untyped-def]
    end = session.ended_at or session.last_seen_at
    minutes = max(0, round((end - session.started_at).total_seconds() / 60))
    about = session.task or ", ".join(session.topics[:2])
    return f"{age(end, now)} ({minutes} min" + (f", {about})" if about else ")")
