"""CONTEXT.md: where a project stands, for whoever comes next."""

from __future__ import annotations

from collections.abc import Iterable

from contextd.code.git.changes import external_changes
from contextd.domain.kinds import kinds_that
from contextd.domain.sessions import Session
from contextd.runtime import Runtime
from contextd.sessions.clock import TimeSense, sense
from contextd.sessions.context_md import Situation, render, write

_RECENT = 5

LATELY = 10
"""The latest sessions that are looked at for where the project stands."""


def write_context_md(runtime: Runtime, current: Session | None = None) -> bool:
    """Bring `.context/CONTEXT.md` up to date. Whether it says something new.

    Only in a checkout that was initialised: contextd puts no files into a repository unasked.
    """
    checkout = runtime.checkout
    if checkout is None or not checkout.context.is_dir():
        return False
    return write(checkout.context_md, render(situation(runtime, current)), runtime.clock.now())


def situation(runtime: Runtime, current: Session | None = None) -> Situation:
    """What CONTEXT.md says, gathered from sessions, learnings and git."""
    recent = sessions_with_work(runtime)
    session = current or (recent[0] if recent else None)
    before = [s for s in recent if session is None or s.id != session.id]
    # The file may be committed: what is the person's own is not in it.
    learned = (
        runtime.leaving()
        .view.records.find(
            runtime.query(*kinds_that("learned"), valid_at=runtime.clock.now(), limit=_RECENT)
        )
        .records
    )
    focus = ", ".join(session.topics[:3]) if session else ""
    return Situation(
        focus=focus,
        task=session.task if session else "",
        time=time_sense(runtime, session, before) if session else None,
        last_session=(before[0].task or ", ".join(before[0].topics[:2])) if before else "",
        recent=tuple(f"{r.title}: {r.content}" if r.title else r.content for r in learned),
        external=changes_since(runtime, before[0] if before else session),
    )


def sessions_with_work(runtime: Runtime) -> list[Session]:
    """The project's latest sessions in which something happened, latest first."""
    return with_work(runtime.view.sessions.find(frozenset({runtime.scope}), limit=LATELY))


def with_work(sessions: Iterable[Session]) -> list[Session]:
    """Those in which something happened."""
    return [s for s in sessions if s.task or s.topics or s.files or s.tool_calls]


def time_sense(runtime: Runtime, session: Session, before: list[Session]) -> TimeSense:
    """The time in a session, and since the one before it."""
    last = before[0] if before else None
    signals = session.data.get("signals", {})
    lengths = [(s.ended_at or s.last_seen_at) - s.started_at for s in before]
    return sense(
        runtime.clock.now(),
        session.started_at,
        (last.ended_at or last.last_seen_at) if last else None,
        last_length=lengths[0] if lengths else None,
        recent_lengths=lengths,
        errors=int(signals.get("errors", 0)),
        results=int(signals.get("results", 0)),
    )


def changes_since(runtime: Runtime, last: Session | None) -> tuple[str, ...]:
    """What changed in the checkout since a session, in short lines."""
    if runtime.checkout is None:
        return ()
    if last is None:
        return external_changes(runtime.root).lines
    since = last.ended_at or last.last_seen_at
    return external_changes(runtime.root, last.commit, since, last.branch).lines
