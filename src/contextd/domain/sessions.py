"""A session and its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from contextd.domain.context_items import ContextItem, Serving
from contextd.domain.records import new_id
from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass

SessionStatus = Literal["active", "completed", "archived", "withdrawn"]
"""A withdrawn session belongs to an undone import: it is stored, and listed only on request."""
EventType = Literal[
    "message", "tool_call", "tool_result", "file_access", "query", "injection", "note",
    "subtask", "saving",
]  # fmt: skip
HOOKED, MATERIAL = "prompt:", ":material"
"""The beginning of the keys of a prompt that a hook reported, and the end of the key of what a prompt passes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAccess:
    """How often and when a session touched a file. `path` is relative to the project's root."""

    path: str
    count: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Seat:
    """The session that a connection's calls in a scope belong to. `digest` stands for the connection, whose name its
    client chose.
    """

    scope: Scope
    digest: str
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One agent's working period in a project.

    `external_id` is the client's id for it. With `client` it is unique within a scope.
    """

    scope: Scope
    id: str = field(default_factory=new_id)
    client: str = ""
    external_id: str = ""
    cwd: str = ""
    task: str = ""
    status: SessionStatus = "active"
    outcome: str = ""
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    last_seen_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None
    commit: str = ""
    branch: str = ""
    files: tuple[FileAccess, ...] = ()
    topics: tuple[str, ...] = ()
    tool_calls: int = 0
    tokens_served: int = 0
    injected: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_open(self) -> bool:
        """Whether it can still receive events."""
        return self.status == "active" and self.ended_at is None

    def is_idle(self, now: datetime, minutes: float) -> bool:
        """Whether nothing happened in it for `minutes`."""
        return now - self.last_seen_at >= timedelta(minutes=minutes)

    def with_(self, **changes: Any) -> Session:
        """A copy with these fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in a session. `key` is unique within the session: an event that arrives
    twice is stored once.
    """

    type: EventType
    key: str
    at: datetime
    role: str = ""
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Totals over all events of a session. Accesses and calls are counted from events and the larger count
    wins, because hooks and transcripts may report the same one.
    """

    started_at: datetime
    seen_at: datetime
    ended_at: datetime
    files: tuple[FileAccess, ...] = ()
    topics: tuple[str, ...] = ()
    calls: int = 0
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange:
    """A change to a session. The store applies it to the session's current state, so that concurrent changes
    lose nothing.

    `seen_at` moves an active session's `last_seen_at` forward. `task` replaces the task; `first_task` sets it
    if empty. `external_id` replaces a connection's id by the client's own. `calls` and `tokens` are added,
    `files` are further accesses, `topics` and `injected` extend their lists. `data` is merged, `counts` are
    added to numbers in it. `ended_at` ends an open session; `resumed` reopens one, even after learning;
    `completed` completes an ended one and `archived` archives a completed one. `withdrawn` hides a session
    whose import was undone, `readmitted` reverses that. `events` are appended unless their key exists.
    `servings` enter the window; `rescored` items get another score or leave it, unless they were served again
    in between.
    """

    id: str
    seen_at: datetime | None = None
    task: str | None = None
    first_task: str = ""
    external_id: str = ""
    outcome: str = ""
    calls: int = 0
    tokens: int = 0
    files: tuple[FileAccess, ...] = ()
    topics: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    fold: Fold | None = None
    ended_at: datetime | None = None
    resumed: bool = False
    completed: bool = False
    archived: bool = False
    withdrawn: bool = False
    readmitted: bool = False
    events: tuple[Event, ...] = ()
    servings: tuple[Serving, ...] = ()
    rescored: tuple[ContextItem, ...] = ()


LISTED: tuple[SessionStatus, ...] = ("active", "completed", "archived")
"""What a listing shows by default."""

FILES_KEPT, TOPICS_KEPT = 200, 12
"""A session lists its latest files and topics; its events have all accesses and questions."""


def changed(session: Session, change: SessionChange) -> Session:
    """The session after a change, without its events and window, which have tables of their own."""
    if change.resumed and session.status != "withdrawn":
        session = session.with_(status="active", ended_at=None)
    data = {**session.data, **change.data}
    for name, count in change.counts.items():
        data[name] = int(data.get(name) or 0) + count
    seen = change.seen_at if change.seen_at and session.status == "active" else None
    after = session.with_(
        task=change.task if change.task is not None else session.task or change.first_task,
        external_id=change.external_id or session.external_id,
        outcome=change.outcome or session.outcome,
        last_seen_at=max(session.last_seen_at, seen or session.last_seen_at),
        tool_calls=session.tool_calls + change.calls,
        tokens_served=session.tokens_served + change.tokens,
        files=_accessed(session.files, change.files),
        topics=tuple(dict.fromkeys((*session.topics, *change.topics)))[-TOPICS_KEPT:],
        injected=tuple(dict.fromkeys((*session.injected, *change.injected))),
        data=data,
    )
    if change.fold is not None:
        after = _folded(after, change.fold)
    return _moved_on(after, change)


def _moved_on(session: Session, change: SessionChange) -> Session:
    """Advance the status: active → completed → archived, never backward. Only a client that resumes its
    session makes it active again; a withdrawn session returns as completed.
    """
    if change.readmitted and session.status == "withdrawn":
        session = session.with_(status="completed")
    if change.withdrawn:
        ended = session.ended_at or session.last_seen_at
        return session.with_(status="withdrawn", ended_at=ended)
    if change.ended_at is not None and session.ended_at is None:
        session = session.with_(ended_at=change.ended_at)
    if change.completed and session.status == "active" and session.ended_at is not None:
        session = session.with_(status="completed")
    if change.archived and session.status == "completed":
        session = session.with_(status="archived")
    return session


def _folded(session: Session, fold: Fold) -> Session:
    return session.with_(
        started_at=min(session.started_at, fold.started_at),
        last_seen_at=max(session.last_seen_at, fold.seen_at),
        ended_at=fold.ended_at if session.ended_at is not None else None,
        files=_larger(session.files, fold.files),
        topics=fold.topics or session.topics,
        tool_calls=max(session.tool_calls, fold.calls),
        outcome=fold.outcome or session.outcome,
    )


def _accessed(
    before: tuple[FileAccess, ...], further: tuple[FileAccess, ...]
) -> tuple[FileAccess, ...]:
    """Add further accesses to the files, latest last."""
    if not further:
        return before
    files = {access.path: access for access in before}
    for access in further:
        known = files.pop(access.path, None)
        files[access.path] = access if known is None else _joined(known, access, added=True)
    return tuple(files.values())[-FILES_KEPT:]


def _larger(
    before: tuple[FileAccess, ...], counted: tuple[FileAccess, ...]
) -> tuple[FileAccess, ...]:
    """Merge two accounts of the same accesses, in order of the first access."""
    files = {access.path: access for access in counted}
    for access in before:
        other = files.get(access.path, access)
        files[access.path] = _joined(access, other, added=False)
    ordered = sorted(files.values(), key=lambda access: (access.first_at, access.path))
    return tuple(ordered[-FILES_KEPT:])


def _joined(one: FileAccess, other: FileAccess, *, added: bool) -> FileAccess:
    return FileAccess(
        path=one.path,
        count=one.count + other.count if added else max(one.count, other.count),
        first_at=min(one.first_at, other.first_at),
        last_at=max(one.last_at, other.last_at),
    )
