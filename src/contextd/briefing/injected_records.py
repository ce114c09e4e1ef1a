"""Which injected records are still in the context window of a session's agent."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime

LOST = "injected_before_compaction"
"""Session data: injected records that are no longer in the agent's window."""


def held(session: Session) -> set[str]:
    """The records that are still in the agent's window, as far as the session knows."""
    return set(session.injected) - set(map(str, session.data.get(LOST, ())))


def held_again(session: Session, ids: Collection[str]) -> dict[str, Any]:
    """Return the session data to store after these records were injected again."""
    lost = session.data.get(LOST, ())
    return {LOST: [id for id in lost if id not in ids]} if lost else {}


def holding(session: Session, ids: Collection[str]) -> Session:
    """The session with these records added to the agent's window."""
    data = {**session.data, **held_again(session, ids)}
    return session.with_(injected=(*session.injected, *ids), data=data)


def held_records(runtime: Runtime, session: Session | None) -> list[Record]:
    """The active records among the last that were injected into this window."""
    if session is None:
        return []
    window = held(session)
    ids = [id for id in session.injected if id in window][-_HELD:]
    return [one for one in runtime.view.records.get(ids) if one.status == "active"]


_HELD = 24
"""More would delay a hook by more than the result is worth: 40 µs a pair."""
