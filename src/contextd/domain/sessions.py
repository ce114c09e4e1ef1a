"""A session and its events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from contextd.domain.records import new_id
from contextd.domain.scope import Scope

SessionStatus = Literal["active", "completed", "archived"]
EventType = Literal[
    "message", "tool_call", "tool_result", "file_access", "query", "injection", "note"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAccess:
    """How often a session touched a file, and when. `path` is relative to the project's root."""

    path: str
    count: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One agent's working period on a project.

    `external_id` is the client's own id for it and, with `client`, unique within a scope.
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

    def with_(self, **changes: Any) -> Session:
        """A copy with these fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in a session. `key` is unique in the session: the same event
    arriving twice is kept once.
    """

    type: EventType
    key: str
    at: datetime
    role: str = ""
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One logged read, write or miss of the store itself. `scope` is that of the project the call
    stood in; None when it stood in none.
    """

    at: datetime
    action: Literal["read", "write", "update", "delete", "miss"]
    operation: str
    type: str = ""
    record_ids: tuple[str, ...] = ()
    query: str = ""
    agent: str = ""
    scope: Scope | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationSummary:
    """Exact totals over everything ever observed, rotated events included."""

    reads: int = 0
    writes: int = 0
    misses: int = 0
    missed_queries: Mapping[str, int] = field(default_factory=dict[str, int])
    read_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    write_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    agent_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    last_activity: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A repository contextd knows. `identity` is what makes two clones one project."""

    identity: str
    scope: Scope
    name: str
    roots: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A durable piece of background work."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    state: Literal["ready", "running", "done", "failed"]
    unique_key: str = ""
    attempts: int = 0
    max_attempts: int = 5
    run_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    checkpoint: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None
