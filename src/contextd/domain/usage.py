"""What was asked of the store, and what was handed out: the by-products of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.scope import Scope


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


@dataclass(frozen=True, slots=True)
class RecordUse:
    """A record that was handed out, counted once."""

    scope: Scope
    record_id: str


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A sentence contextd itself said in a session, by its digest. `session` is empty where the call
    belonged to none.
    """

    scope: Scope
    session: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByProducts:
    """What calls leave behind: written a moment later, and acknowledged to nobody."""

    observations: Sequence[Observation] = ()
    uses: Sequence[RecordUse] = ()
    handed_out: Sequence[HandedOut] = ()
