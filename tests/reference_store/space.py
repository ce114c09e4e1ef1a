"""Shared state of the in-memory store's parts, with a lock and the clock."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import Any

from contextd.domain.awareness import Contradiction
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.context_items import ContextItem
from contextd.domain.jobs import Job
from contextd.domain.originals import Original
from contextd.domain.projects import Project
from contextd.domain.query import Document, Family, Vector
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.domain.time import to_micros
from contextd.domain.usage import Observation, ObservationSummary
from contextd.ports.knowledge import Scrub
from contextd.ports.upkeep import Clock
from contextd_code.values.source import FileCalls, FileWeight, KeptReading, SourceFile
from contextd_common.dataclass import dataclass

Key = tuple[Scope, str]
"""A scope, and an id in it."""

PartKey = tuple[Scope, Family]

FileKey = tuple[CheckoutKey, str]
"""A checkout, and a path in it."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """An indexed document and its words."""

    document: Document
    digest: str
    seq: int
    text: Counter[str]
    near: Counter[str]
    length: int
    facets: frozenset[str]

    def has(self, word: str) -> bool:
        """Whether the text or its `near` text has the word."""
        return word in self.text or word in self.near


@dataclass(slots=True)
class State:
    """All stored data. Values are immutable, so a shallow copy is a snapshot."""

    records: dict[Key, Record] = field(default_factory=dict)
    changes: dict[Key, tuple[Change, ...]] = field(default_factory=dict)
    change_kinds: dict[Key, str] = field(default_factory=dict)
    entries: dict[PartKey, dict[str, IndexedDocument]] = field(default_factory=dict)
    vectors: dict[tuple[PartKey, str, str], Vector] = field(default_factory=dict)
    files: dict[FileKey, SourceFile] = field(default_factory=dict)
    # When a checkout was last indexed, a file written, and a file of a checkout removed.
    indexed: dict[CheckoutKey, int] = field(default_factory=dict)
    written: dict[FileKey, int] = field(default_factory=dict)
    thinned: dict[CheckoutKey, int] = field(default_factory=dict)
    file_calls: dict[FileKey, FileCalls] = field(default_factory=dict)
    readings: dict[tuple[CheckoutKey, str, str], tuple[str, KeptReading]] = field(
        default_factory=dict
    )
    weights: dict[FileKey, FileWeight] = field(default_factory=dict)
    weighed: dict[CheckoutKey, int] = field(default_factory=dict)
    sessions: dict[Key, Session] = field(default_factory=dict)
    events: dict[Key, tuple[Event, ...]] = field(default_factory=dict)
    dropped: dict[Key, int] = field(default_factory=dict)
    items: dict[Key, tuple[ContextItem, ...]] = field(default_factory=dict)
    seats: dict[tuple[Scope, str], tuple[str, datetime]] = field(default_factory=dict)
    handed_out: dict[tuple[Scope, str, str], datetime] = field(default_factory=dict)
    originals: dict[Key, Original] = field(default_factory=dict)
    observations: dict[Scope | None, tuple[Observation, ...]] = field(default_factory=dict)
    observed: dict[Scope | None, ObservationSummary] = field(default_factory=dict)
    # How often each query was missed in each scope, and the order of misses.
    missed: dict[tuple[Scope | None, str], tuple[int, int]] = field(default_factory=dict)
    projects: dict[Scope, Project] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    leases: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    shared_values: dict[str, str] = field(default_factory=dict)
    attended: dict[str, datetime] = field(default_factory=dict)
    schedules: dict[tuple[Scope | None, str], tuple[datetime, timedelta | None]] = field(
        default_factory=dict
    )
    calls: dict[tuple[str, str], tuple[datetime, str]] = field(default_factory=dict)
    contradictions: dict[tuple[Key, Key], Contradiction] = field(default_factory=dict)
    seq: int = 0

    def copy(self) -> State:
        """A snapshot."""
        values: dict[str, Any] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            values[name] = dict(value) if isinstance(value, dict) else value
        values["entries"] = {part: dict(mine) for part, mine in self.entries.items()}
        return State(**values)

    def place(self, scope: Scope, standing: CheckoutKey | None) -> CheckoutKey | None:
        """The checkout visible to a view bound to this one; for other projects, the one indexed last."""
        if standing is not None and standing.scope == scope:
            return standing
        mine = [place for place in self.indexed if place.scope == scope]
        return max(mine, key=lambda place: self.indexed[place], default=None)

    def next_seq(self) -> int:
        """A number larger than all before."""
        self.seq += 1
        return self.seq


class Space:
    """The state, its lock, and the clock; whether the store has code indexes."""

    def __init__(self, clock: Clock, scrub: Scrub, has_code: bool = True) -> None:
        self.clock, self.scrub, self.has_code = clock, scrub, has_code
        self.lock = RLock()
        self.state = State()

    def now(self) -> datetime:
        """The store's own time."""
        return utc(self.clock.now())


def utc(moment: datetime) -> datetime:
    """The instant as stores return it: in UTC; one without a zone is taken as UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def is_valid_at(start: datetime | None, end: datetime | None, at: datetime) -> bool:
    """Whether `at` is in [start, end); a missing bound is open."""
    moment = to_micros(at)
    begun = start is None or to_micros(start) <= moment
    return begun and (end is None or moment < to_micros(end))
