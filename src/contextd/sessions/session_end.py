"""End a session and queue the learning from it."""

from __future__ import annotations

from datetime import datetime

from contextd.domain.changes import WorkChanges
from contextd.domain.sessions import Session, SessionChange
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_summary import STATED

MACHINE = "place"
"""Session data in a shared store: the machine with the session's checkout and transcript."""


def close_session(
    runtime: Runtime,
    session: Session,
    *,
    outcome: str = "",
    learn: bool = True,
    transcript: str = "",
    at: datetime | None = None,
) -> str:
    """End a session, now or at `at`, and queue the learning. Returns the job's id.

    Ending a session twice is harmless: it is learned from only once.
    """
    # By-products of calls are written with a delay; learning must find them.
    runtime.sinks.settle()
    data = {"transcript": transcript} if transcript else {}
    change = SessionChange(
        id=session.id,
        seen_at=at or runtime.clock.now(),
        ended_at=at or runtime.clock.now(),
        outcome=outcome,
        completed=not learn,
        data={**data, STATED: outcome} if outcome else data,
    )
    jobs = [
        new_job(
            "learn_session",
            session.scope,
            str(session.data.get(MACHINE) or runtime.place),
            {"session_id": session.id, "root": session.cwd},
            once=session.id,
        )
    ]
    done = runtime.commit(work=WorkChanges(sessions=[change], jobs=jobs if learn else []))
    return done.jobs[0] if done.jobs else ""
