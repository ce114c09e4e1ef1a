"""What the window of a session's agent holds of what contextd told it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime

LOST = "injected_before_compaction"
"""Where a session keeps what it was told and its agent's window no longer holds."""


def held(session: Session) -> set[str]:
    """The records that the agent's window still holds, as far as the session knows."""
    return set(session.injected) - set(map(str, session.data.get(LOST, ())))


def held_again(session: Session, ids: Collection[str]) -> dict[str, Any]:
    """What a session keeps once its agent was told of these records again."""
    lost = session.data.get(LOST, ())
    return {LOST: [id for id in lost if id not in ids]} if lost else {}


def holding(session: Session, ids: Collection[str]) -> Session:
    """The session as it is once the agent's window holds these records too."""
    data = {**session.data, **held_again(session, ids)}
    return session.with_(injected=(*session.injected, *ids), data=data)


def held_records(runtime: Runtime, session: Session | None) -> list[Record]:
    """Those of them that still stand, of the last that it was told."""
    if session is None:
        return []
    window = held(session)
    ids = [id for id in session.injected if id in window][-_HELD:]
    return [one for one in runtime.view.records.get(ids) if one.status == "active"]


_HELD = 24
"""More would take a hook longer than what is told is worth: 40 µs a pair."""
