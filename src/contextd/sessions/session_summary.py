"""Summarise a session from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from contextd.domain.sessions import Event, FileAccess, Fold, Session, SessionChange
from contextd.sessions.outcome_signals import judge, read_signals
from contextd.sessions.topics import topics

STATED = "stated"
"""Session data: the outcome its caller stated; tests and corrections override it."""


def fold(session: Session, events: Sequence[Event]) -> SessionChange | None:
    """Compute files, calls, topics, outcome and times of a session from all its events; None without events.

    Idempotent, and keeps what was tracked without an event. An ended session ended at its last event, since a
    transcript may be old.
    """
    if not events:
        return None
    signals = read_signals(events)
    stated = str(session.data.get(STATED, session.outcome))
    asked = [event.text for event in events if _asks(event)]
    times = [event.at for event in events]
    happened = [event.at for event in events if event.type != "injection"]
    return SessionChange(
        id=session.id,
        fold=Fold(
            started_at=min(times),
            seen_at=max(times),
            ended_at=max(happened, default=session.ended_at or max(times)),
            files=_files(events),
            topics=tuple(topics(asked)),
            calls=sum(1 for event in events if event.type == "tool_call"),
            outcome=judge(signals, stated) or stated,
        ),
        data={"signals": asdict(signals), STATED: stated},
    )


def _asks(event: Event) -> bool:
    if event.data.get("sidechain"):
        return False
    return event.type == "query" or (event.type == "message" and event.role == "user")


def _files(events: Iterable[Event]) -> tuple[FileAccess, ...]:
    """Accesses by path, in order of the first one."""
    seen: dict[str, FileAccess] = {}
    for event in events:
        path = event.data.get("path") or event.text
        if event.type != "file_access" or not isinstance(path, str) or not path:
            continue
        last = seen.get(path)
        seen[path] = FileAccess(
            path=path,
            count=last.count + 1 if last else 1,
            first_at=min(last.first_at, event.at) if last else event.at,
            last_at=max(last.last_at, event.at) if last else event.at,
        )
    return tuple(sorted(seen.values(), key=lambda access: (access.first_at, access.path)))
