"""A session's fields from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from contextd.domain.sessions import Event, FileAccess, Session
from contextd.sessions.signals import judge, read_signals
from contextd.sessions.topics import topics


def fold(session: Session, events: Sequence[Event]) -> Session:
    """The session with its files, tool calls, topics and outcome brought up to date.

    `events` are all of the session's events; folding them again changes nothing. What was tracked
    without an event is kept. `data["signals"]` holds the counts the outcome was judged by, and
    `data["told"]` the caller's own word on it.
    """
    if not events:
        return session
    signals = read_signals(events)
    told = str(session.data.get("told", session.outcome))
    calls = sum(1 for event in events if event.type == "tool_call")
    asked = [event.text for event in events if _asks(event)]
    return session.with_(
        files=_files(session.files, events),
        tool_calls=max(session.tool_calls, calls),
        topics=topics(asked) or session.topics,
        outcome=judge(signals, told) or told,
        started_at=min(session.started_at, *(event.at for event in events)),
        last_seen_at=max(session.last_seen_at, *(event.at for event in events)),
        data={**session.data, "signals": asdict(signals), "told": told},
    )


def _asks(event: Event) -> bool:
    if event.data.get("sidechain"):
        return False
    return event.type == "query" or (event.type == "message" and event.role == "user")


def _files(known: Iterable[FileAccess], events: Iterable[Event]) -> tuple[FileAccess, ...]:
    """Accesses by path, in order of the first one. Counts are the larger of the two accounts, so
    that an access told by a hook and again by the transcript is not counted twice.
    """
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
    for access in known:
        other = seen.get(access.path, access)
        seen[access.path] = FileAccess(
            path=access.path,
            count=max(access.count, other.count),
            first_at=min(access.first_at, other.first_at),
            last_at=max(access.last_at, other.last_at),
        )
    return tuple(sorted(seen.values(), key=lambda access: (access.first_at, access.path)))
