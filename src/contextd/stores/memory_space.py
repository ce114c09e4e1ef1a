"""What the in-memory store's parts share: the state, a lock, the clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any

from contextd.domain.awareness import Contradiction
from contextd.domain.code import SourceFile
from contextd.domain.query import Document
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Job, Observation, ObservationSummary, Project, Session
from contextd.domain.window import ContextItem
from contextd.ports import Clock, Vector


@dataclass(frozen=True, slots=True)
class Entry:
    """An indexed document and its words."""

    document: Document
    digest: str
    seq: int
    text: Counter[str]
    near: Counter[str]
    length: int
    facets: frozenset[str]

    def has(self, word: str) -> bool:
        """Whether the text or its neighbourhood has the word."""
        return word in self.text or word in self.near


@dataclass(slots=True)
class State:
    """Everything stored. Values are immutable, so a shallow copy is a snapshot."""

    records: dict[str, Record] = field(default_factory=dict)
    changes: dict[int, Change] = field(default_factory=dict)
    undone: dict[int, int] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    vectors: dict[tuple[str, str], Vector] = field(default_factory=dict)
    common: dict[str, None] = field(default_factory=dict)
    files: dict[tuple[Scope, str], SourceFile] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    events: dict[str, tuple[Event, ...]] = field(default_factory=dict)
    items: dict[str, tuple[ContextItem, ...]] = field(default_factory=dict)
    served: dict[tuple[Scope, str], None] = field(default_factory=dict)
    observations: tuple[Observation, ...] = ()
    observed: dict[Scope | None, ObservationSummary] = field(default_factory=dict)
    # How often each query was missed in each scope, and its place among all that was missed.
    missed: dict[tuple[Scope | None, str], tuple[int, int]] = field(default_factory=dict)
    projects: dict[str, Project] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    leases: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    contradictions: dict[tuple[str, str], Contradiction] = field(default_factory=dict)
    seq: int = 0

    def copy(self) -> State:
        """A snapshot."""
        values: dict[str, Any] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            values[name] = dict(value) if isinstance(value, dict) else value
        return State(**values)

    def next_seq(self) -> int:
        """A number larger than every one before."""
        self.seq += 1
        return self.seq


class Space:
    """The state, one lock around it, and the clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.lock = RLock()
        self.state = State()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the writes inside, or none; others wait."""
        with self.lock:
            before = self.state.copy()
            try:
                yield
            except BaseException:
                self.state = before
                raise
