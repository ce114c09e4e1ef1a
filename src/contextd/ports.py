"""What the engines need from the outside world. `tests/promises/` says exactly what each verb
promises, and every store is held to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from contextd.domain.awareness import Contradiction, Order, State, Tally
from contextd.domain.code import Chunk, SourceFile
from contextd.domain.query import Document, IndexStats, Match, Page, Pending, Query
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import (
    Event,
    Job,
    Observation,
    ObservationSummary,
    Project,
    Session,
)
from contextd.domain.window import ContextItem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    # Numpy takes 0.13 s to import, a tenth of what `init` may take, and only vectors need it.
    Vector = Any


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present instant, in UTC."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """The id every vector it makes carries; empty when it makes none."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row of unit length per text, shape (len(texts), dimensions)."""
        ...


class Records(Protocol):
    """Canonical knowledge, with its history."""

    def put(self, record: Record, *, actor: str, action: str, reason: str = "") -> Change:
        """Insert the record, or replace the one with its id, and remember the change."""
        ...

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; unknown ids are left out."""
        ...

    def resolve(self, prefix: str, scopes: frozenset[Scope]) -> Record:
        """The one record in `scopes` whose id starts with `prefix` (4+ characters).

        Raises `NotFound`, or `Conflict` naming the candidates when there are several.
        """
        ...

    def find(self, query: Query) -> Page:
        """A page of matching records, newest first (created_at, then id, descending)."""
        ...

    def count(self, query: Query) -> dict[str, int]:
        """How many records match, per kind; `limit` and `cursor` are ignored."""
        ...

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """The oldest active or inbox record of this scope that says the same thing."""
        ...

    def touch(self, record_ids: Sequence[str], at: datetime) -> None:
        """Count one use of each record. Not a change: it leaves no history."""
        ...

    def history(self, record_id: str) -> list[Change]:
        """Every change of a record, oldest first."""
        ...

    def undo(self, record_id: str, *, actor: str) -> Change:
        """Put back the exact state before the record's latest change that is not itself undone.

        Undoing a creation removes the record. Raises `NotFound` when nothing is left to undo.
        """
        ...


class Survey(Protocol):
    """Many records at once. Of a query only scopes, kinds and statuses count."""

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """Counts per kind and context type, in this order; `recent` ones changed at or after that
        instant, `stale` ones before that one. Reads no record: 100,000 take a few hundredths of a
        second.
        """
        ...

    def first(self, query: Query, by: Order, limit: int) -> list[Record]:
        """The records that come first: those not changed for longest, those used most (5 times or
        more), or those with most reports of having helped or not. Equal ones by id.
        """
        ...


class Contradictions(Protocol):
    """Pairs of records found to disagree. Derived, but for what was decided about them."""

    def put(self, found: Sequence[Contradiction]) -> None:
        """Keep these pairs, open; a known one takes the new kind and reason and stays as it was
        decided. A record never contradicts itself.
        """
        ...

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """Pairs with both records in `scopes`, latest found first, then by ids."""
        ...

    def of(self, record_id: str) -> list[Contradiction]:
        """Every pair a record is in, latest found first."""
        ...

    def dismiss(self, one: str, other: str, note: str) -> bool:
        """Decide that both are right; False for a pair that is not known."""
        ...

    def reopen(self, one: str, other: str) -> bool:
        """Take back such a decision; False for a pair that is not known."""
        ...

    def remove(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Forget these pairs; unknown ones are ignored."""
        ...


class Index(Protocol):
    """The derived hybrid index. Everything in it can be rebuilt."""

    def put(self, documents: Sequence[Document], vectors: Mapping[str, Vector], model: str) -> None:
        """Index the documents, replacing those with their ids. `vectors` maps `Document.digest`
        to its vector; a document with none, now or from before, is pending.
        """
        ...

    def delete(self, ids: Iterable[str]) -> None:
        """Forget these documents; unknown ids are ignored."""
        ...

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """Documents that share a word, best BM25 first (k1 1.2, b 0.75)."""
        ...

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """Documents nearest by cosine among those with a vector of `model`; exact."""
        ...

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """Documents of every scope without a vector of `model`, newest first; of those with an id
        in `among` only, when it is given.
        """
        ...

    def attach(self, vectors: Mapping[str, Vector], model: str) -> None:
        """Keep vectors by `Document.digest`; documents with that text stop being pending."""
        ...

    def refresh(self) -> None:
        """Recount which words are too common to ask for. Cheap; call after bulk changes."""
        ...

    def stats(self, model: str) -> IndexStats:
        """How much is indexed."""
        ...

    def clear(self) -> None:
        """Forget everything."""
        ...


class Files(Protocol):
    """The derived code model of each project."""

    def put(self, scope: Scope, files: Sequence[SourceFile]) -> None:
        """Keep these files, replacing those with their paths."""
        ...

    def get(self, scope: Scope, path: str) -> SourceFile | None:
        """What is known of one file."""
        ...

    def all(self, scope: Scope) -> list[SourceFile]:
        """Every file of the project, without the text of its chunks."""
        ...

    def stamps(self, scope: Scope) -> dict[str, tuple[int, int, str]]:
        """(size, mtime_ns, digest) of every file: the gate of a re-scan."""
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids, in this order; unknown ids are left out."""
        ...

    def remove(self, scope: Scope, paths: Sequence[str]) -> None:
        """Forget these files and their chunks."""
        ...


class Sessions(Protocol):
    """Working periods and what happened in them."""

    def save(self, session: Session) -> None:
        """Insert the session, or replace the one with its id."""
        ...

    def get(self, session_id: str) -> Session | None:
        """The session with this id."""
        ...

    def by_external(self, client: str, external_id: str) -> Session | None:
        """The session a client knows under its own id."""
        ...

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        seen_before: datetime | None = None,
        limit: int = 50,
    ) -> list[Session]:
        """Matching sessions, latest start first."""
        ...

    def append(self, session_id: str, events: Sequence[Event]) -> list[Event]:
        """Add events; those whose key is already there are skipped. Returns the new ones, with
        their `seq`, which grows by one from 1.
        """
        ...

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """Events in order, from the first with `seq` above `after`."""
        ...

    def keep_items(self, session_id: str, items: Sequence[ContextItem]) -> None:
        """Keep what the session's window holds, replacing items of the same type and source."""
        ...

    def items(self, session_id: str) -> list[ContextItem]:
        """What was served in a session, archived items included; highest score first, then by type
        and source.
        """
        ...

    def mark_served(self, scope: Scope, digests: Iterable[str]) -> None:
        """Remember hashes of sentences contextd itself handed out in a project."""
        ...

    def served(self, scope: Scope, digests: Sequence[str]) -> set[str]:
        """Which of these sentences contextd handed out before in this project."""
        ...


class Observations(Protocol):
    """The usage log: the latest events, at most 1,000, and exact totals over all of them."""

    def append(self, observations: Sequence[Observation]) -> None:
        """Log these; past 1,000 the oldest 500 are dropped and stay in the summary."""
        ...

    def recent(
        self, limit: int = 100, *, scopes: frozenset[Scope] | None = None
    ) -> list[Observation]:
        """The latest ones, newest first; only those of `scopes` when they are given."""
        ...

    def summary(self, *, scopes: frozenset[Scope] | None = None) -> ObservationSummary:
        """Totals over everything ever logged, or over what was logged in `scopes`. The missed
        queries are in the order they were missed last; of each scope 500 are counted.
        """
        ...


class Projects(Protocol):
    """The repositories contextd knows."""

    def save(self, project: Project) -> None:
        """Insert the project, or replace those with its identity or its scope."""
        ...

    def by_identity(self, identity: str) -> Project | None:
        """The project with this identity."""
        ...

    def all(self) -> list[Project]:
        """Every project, by scope."""
        ...


class Jobs(Protocol):
    """The durable queue. A job runs in one process at a time, and again if that one dies."""

    def enqueue(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        unique_key: str = "",
        run_at: datetime | None = None,
        max_attempts: int = 5,
    ) -> str:
        """Add a job and return its id; one with the same `unique_key` that still waits, or any
        with it that is a cron slot (`cron:…`), is returned instead. One that runs already may
        have looked before what it is wanted for was there, so it does not count.
        """
        ...

    def claim(self, worker: str, lease_seconds: float, now: datetime) -> Job | None:
        """Take the next due job, or one whose worker's lease ran out."""
        ...

    def renew(self, job_id: str, worker: str, lease_seconds: float, now: datetime) -> bool:
        """Keep a lease; False when the job was lost to another worker."""
        ...

    def checkpoint(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """Keep how far a job came, for the next attempt."""
        ...

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any], now: datetime) -> None:
        """Mark a job done."""
        ...

    def fail(self, job_id: str, worker: str, error: str, now: datetime, retry_at: datetime) -> None:
        """Note a failure: the job runs again at `retry_at`, or is failed for good."""
        ...

    def retry(self, job_id: str, now: datetime) -> bool:
        """Let a job that failed for good run again, with all its attempts and what it kept; False
        when it did not fail, or is not there.
        """
        ...

    def list(self, *, states: Sequence[str] = (), limit: int = 50) -> list[Job]:
        """Jobs, latest first."""
        ...

    def next_due(self) -> datetime | None:
        """When the next ready job is due, or a lease runs out; None when nothing waits."""
        ...


class Store(Protocol):
    """One organisation's data. Its parts share transactions."""

    records: Records
    survey: Survey
    contradictions: Contradictions
    index: Index
    files: Files
    sessions: Sessions
    observations: Observations
    projects: Projects
    jobs: Jobs

    def transaction(self) -> AbstractContextManager[None]:
        """Group the writes inside so that all or none of them happen; may be nested.

        Acknowledged means committed: on leaving the outermost one, the writes survive kill -9.
        """
        ...

    def backup(self, target: Path) -> None:
        """Write a consistent copy to `target` while others go on reading and writing."""
        ...

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; empty when it is sound."""
        ...

    def close(self) -> None:
        """Give back what this thread and process hold."""
        ...
