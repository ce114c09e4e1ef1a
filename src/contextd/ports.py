"""What the engines need from the outside world. `tests/promises/` says exactly what each verb
promises, and every store is held to it.

Data is reached through a `View`, and a view is made from a `Grant`: its verbs answer as if nothing
outside the granted cells existed. What works for everybody (the queue, the usage log, the upkeep) has
ports of its own; those verbs say whose each row is, and only background work holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from contextd.domain.access import Grant
from contextd.domain.awareness import Contradiction, Order, State, Tally
from contextd.domain.changes import Changes, Committed, NewJob
from contextd.domain.code import (
    Chunk,
    CodePlace,
    FileChanges,
    FileWeight,
    Import,
    IndexedCheckout,
    KeptReading,
    SourceFile,
)
from contextd.domain.conditions import Condition
from contextd.domain.defining import Defining, Naming
from contextd.domain.imports import Importing
from contextd.domain.jobs import Job, JobState, Lane, Schedule
from contextd.domain.lately import Lately
from contextd.domain.originals import Original
from contextd.domain.projects import Project
from contextd.domain.query import IndexStats, Match, Page, Pending, Query, Vector
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session
from contextd.domain.upkeep import Ages, Balance, Repair
from contextd.domain.usage import ByProducts, Observation, ObservationSummary
from contextd.domain.window import ContextItem

Scrub = Callable[[str], str]
"""Takes the secrets out of a text. A store applies it to every text that enters it."""


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

    @property
    def sends_to(self) -> str:
        """The host that texts are sent to; empty when they stay on this machine."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row of unit length per text, shape (len(texts), dimensions)."""
        ...


class Reranker(Protocol):
    """Judges how well texts answer a question, reading both together."""

    @property
    def model(self) -> str:
        """What judges, by name."""
        ...

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Between 0 and 1 for each text, in their order; for fewer of them where a search would wait too
        long for the rest. Raises `Unavailable` when the model is missing, damaged or of no use.
        """
        ...


class Records(Protocol):
    """Canonical knowledge, with its history. Of two visible records with one id the nearer scope's
    is meant: project before team before organisation.
    """

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; ids of none are left out."""
        ...

    def resolve(self, prefix: str) -> Record:
        """The one record whose id starts with `prefix` (4+ characters).

        Raises `NotFound`, or `Conflict` naming the candidates when there are several.
        """
        ...

    def beginning(self, prefixes: Sequence[str]) -> list[str]:
        """The ids of all records that begin with one of these, each once, in order."""
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

    def history(self, record_id: str) -> list[Change]:
        """Every change of a record, oldest first; `seq` counts from 1 in each record's history."""
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
    """Pairs of records found to disagree. Derived, but for what was decided about them. A pair is
    seen by who sees both records.
    """

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """Pairs with both records in `scopes`, latest found first, then by ids."""
        ...

    def of(self, record_id: str) -> list[Contradiction]:
        """Every pair a record is in, latest found first."""
        ...


class Index(Protocol):
    """The derived hybrid index. Everything in it can be rebuilt. Of code it has what `Files` has: other
    checkouts neither answer nor count.
    """

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """Documents that share a word, best BM25 first (k1 1.2, b 0.75). How rare a word is and how
        long texts are is counted in each scope and family alone.
        """
        ...

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """Documents nearest by cosine among those with a vector of `model`. Their cosines are exact; where
        vectors are many, one in some thousands of the nearest may be missing.
        """
        ...

    def rankings(
        self,
        asked: Sequence[Sequence[str]],
        vector: Vector | None,
        model: str,
        query: Query,
        limit: int,
    ) -> tuple[list[list[Match]], list[Match]]:
        """`lexical` for the words of each asking, and `dense` unless there is no vector, together.
        Raises `Corrupt` where there are `misfits`.
        """
        ...

    def misfits(self, model: str, dimensions: int, query: Query) -> int:
        """How many documents of the parts that `dense` was just asked for have a vector of `model` that
        is of another length: another model went by its name.
        """
        ...

    def vectors(self, scope: Scope, ids: Sequence[str], model: str) -> tuple[list[str], Vector]:
        """Those of these documents of records that have a vector of `model`, and the vectors, a row for
        each: of unit length, as `dense` compares them. Of what is no record's there is none.
        """
        ...

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """Documents without a vector of `model`, newest first; of those with an id in `among` only,
        when it is given.
        """
        ...

    def stats(self, model: str, query: Query | None = None) -> IndexStats:
        """How much is indexed, of the scopes and kinds of a query where one is given."""
        ...


class Files(Protocol):
    """The derived code model of each project: of the checkout the view stands in, and of the checkout
    indexed last where it stands in none of that project. What other checkouts have is not seen.
    """

    def get(self, scope: Scope, paths: Sequence[str]) -> list[SourceFile]:
        """What is known of these files, in this order; unknown paths are left out."""
        ...

    def all(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file of the project by path, without the text of its chunks; of `paths` only, when
        they are given.
        """
        ...

    def linked(self, scope: Scope, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """Every file of the project that defines, imports or passes on something, by path, without its
        chunks: half of what `all` costs, and less where most files are data. Of `paths` only, when they
        are given.
        """
        ...

    def linking(self, scope: Scope) -> list[str]:
        """The paths of what `linked` gives."""
        ...

    def imports(
        self, scope: Scope, paths: Sequence[str]
    ) -> list[tuple[str, str, tuple[Import, ...]]]:
        """The path, language and imports of these files, by path, at a part of what `all` costs; unknown
        paths are left out.
        """
        ...

    def importing(self, scope: Scope, asked: Importing) -> set[str]:
        """The paths of the files that are asked for by their imports, and perhaps of some more; none of one
        without imports that says none of the words. At the cost of what is found, not of what is known.
        """
        ...

    def defining(self, scope: Scope, asked: Defining) -> list[tuple[str, float]]:
        """The files that are asked for by what they define, and perhaps some more: path and
        `FileWeight.top`. At the cost of what is found, not of what is known.
        """
        ...

    def naming(self, scope: Scope, asked: Naming) -> set[str]:
        """The paths of the files that are asked for by what they may use, and perhaps of some more. At the
        cost of what is found.
        """
        ...

    def names(self, scope: Scope, prefix: str, limit: int) -> list[str]:
        """Names of definitions that begin so, without their case, in order, `limit` at most; perhaps some that
        are gone, or that only another checkout of the project has.
        """
        ...

    def weights(self, scope: Scope, paths: Sequence[str]) -> dict[str, FileWeight]:
        """How much these files mattered when it was last told; those of which it was not told are left out."""
        ...

    def weighed(self, scope: Scope) -> int:
        """The version of the files as of which that was; 0 when it was never told."""
        ...

    def stamps(
        self, scope: Scope, paths: Sequence[str] | None = None
    ) -> dict[str, tuple[int, int, str]]:
        """(size, mtime_ns, digest) of every file, or of these: the gate of a re-scan."""
        ...

    def changes(self, scope: Scope, since: int) -> FileChanges:
        """What was written and removed since a version, 0 for all there is, at the cost of that."""
        ...

    def count(self, scope: Scope) -> int:
        """How many files are known."""
        ...

    def errors(self, scope: Scope) -> list[tuple[str, str]]:
        """The path and `SourceFile.error` of every file that has one, by path. Costs what they are."""
        ...

    def calling(self, scope: Scope, reader: str) -> dict[str, tuple[str, str]]:
        """Path → digest and `FileCalls.names` of every file whose calls this reader read from the content
        that is known.
        """
        ...

    def calls(
        self, scope: Scope, reader: str, paths: Sequence[str]
    ) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """Path → digest and `FileCalls.facts` of those of these files whose calls this reader read from
        the content that is known.
        """
        ...

    def readings(self, scope: Scope, reader: str) -> list[KeptReading]:
        """What a reader made of the files that are known with the content it made it of."""
        ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """The chunks with these ids, in this order; unknown ids are left out."""
        ...

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """The files of any checkout that hold the chunks with these ids, one for each content."""
        ...

    def checkouts(self, scope: Scope) -> list[IndexedCheckout]:
        """The checkouts of the project that have an index, the one indexed last at the end."""
        ...


class Sessions(Protocol):
    """Working periods and what happened in them."""

    def get(self, session_id: str) -> Session | None:
        """The session with this id."""
        ...

    def by_external(self, client: str, external_id: str) -> Session | None:
        """The session a client knows under its own id, the latest one."""
        ...

    def find(
        self,
        scopes: frozenset[Scope],
        *,
        statuses: Sequence[str] = (),
        prefix: str = "",
        limit: int = 50,
    ) -> list[Session]:
        """Matching sessions, latest start first; with `prefix`, those whose id starts so. Without
        `statuses`, all but the withdrawn ones.
        """
        ...

    def events(
        self, session_id: str, *, types: Sequence[str] = (), after: int = 0, limit: int = 100_000
    ) -> list[Event]:
        """Events in order, from the first with `seq` above `after`. `seq` grows by one from 1."""
        ...

    def messages(self, places: Sequence[tuple[str, int]]) -> list[tuple[str, Event]]:
        """(session id, event) for these pairs of session id and `seq`, in this order; those that are
        not there are left out.
        """
        ...

    def items(self, session_id: str) -> list[ContextItem]:
        """What was served in a session, archived items included; highest score first, then by type
        and source.
        """
        ...

    def handed_out(self, scope: Scope, session: str, digests: Sequence[str]) -> set[str]:
        """Which of these sentences contextd said in this session."""
        ...


class Originals(Protocol):
    """What stands behind digests."""

    def get(self, id: str) -> Original | None:
        """The original with this id; of those in several scopes the one kept last."""
        ...


class Observations(Protocol):
    """The usage log of each scope: its latest events, at most 1,000, and exact totals."""

    def recent(self, scopes: frozenset[Scope], limit: int = 100) -> list[Observation]:
        """The latest ones in `scopes`, newest first."""
        ...

    def summary(self, scopes: frozenset[Scope]) -> ObservationSummary:
        """Totals over everything ever logged in `scopes`. The missed queries are in the order they
        were missed last; of each scope 500 are counted.
        """
        ...


class Jobs(Protocol):
    """The background work of the granted scopes, to look at. Running it is the `Queue`'s."""

    def list(
        self, *, states: Sequence[JobState] = (), prefix: str = "", limit: int = 50
    ) -> list[Job]:
        """Jobs, latest first; with `prefix`, those whose id starts so."""
        ...

    def count(self) -> dict[str, int]:
        """How many jobs stand in each state."""
        ...

    def retry(self, job_id: str) -> bool:
        """Let a job that failed for good run again, with all its attempts and what it kept; False
        when it did not fail, or is not there.
        """
        ...


class View(Protocol):
    """What one grant can reach: the only way to data.

    Reads see what was committed before they began. There is no transaction to hold open: what is
    written together is one `Changes`.
    """

    grant: Grant
    records: Records
    survey: Survey
    contradictions: Contradictions
    index: Index
    files: Files
    sessions: Sessions
    originals: Originals
    observations: Observations
    jobs: Jobs

    def commit(self, changes: Changes, *, call: str = "") -> Committed:
        """Write all of a unit of work, or nothing. Acknowledged means committed: once it returns, the
        writes survive kill -9.

        Excludes what happened since the values were read: a record with another version than it was
        made from is a `Conflict`, and so is a second record with the same content where `alone` asks
        for none. A session is changed as it stands at that moment. It does not exclude other commits
        between a read and this one: whoever decides by what was read names it by a version. With
        `call`, the key of the call this is part of, a second commit under that key through a view of
        the same grant is a `Conflict`.
        Raises `Denied` for a cell that may not be written, `NotFound` for a session that is not there.
        """
        ...

    def near(
        self, vector: Vector, model: str, query: Query, limit: int
    ) -> list[tuple[Record, float]]:
        """The records `Index.dense` finds, with their cosines."""
        ...

    def sharing(
        self,
        asked: Sequence[Sequence[str]],
        query: Query,
        limit: int,
        *,
        also: Condition | None = None,
    ) -> list[Record]:
        """The records `Index.lexical` finds for the words of each asking, each once, in that order; before
        them a page of those of `query` that meet `also`.
        """
        ...

    def alike(
        self,
        words: Sequence[str],
        vector: Vector,
        model: str,
        query: Query,
        *,
        by_words: int,
        by_meaning: int,
        least: float,
    ) -> list[tuple[Record, float]]:
        """The records that are both among the first `by_words` that `Index.lexical` finds and among the
        first `by_meaning` of `Index.dense`, with a cosine of `least` or more: nearest first, with it.
        """
        ...

    def lately(
        self,
        query: Query,
        rules: Query,
        person: Query,
        scope: Scope,
        *,
        sessions: int,
        observations: int,
    ) -> Lately:
        """What a briefing begins with, together: a page of records each of `query`, `rules` and `person`, the
        usage of the scopes of `query`, and of `scope` the latest sessions. `sessions` and `observations`
        say how many at most.
        """
        ...

    def answered(self, call: str) -> str | None:
        """What was answered to a call whose changes were committed: empty when the answer was not
        kept, None when nothing was committed under this key.
        """
        ...

    def keep_answer(self, call: str, answer: str) -> None:
        """Keep what was answered to a call that committed something."""
        ...


class Directory(Protocol):
    """Which projects there are, for everybody. Who may see which is decided by the caller's grant."""

    def all(self) -> list[Project]:
        """Every project, by scope."""
        ...

    def register(self, project: Project) -> Project:
        """Add a project, or its roots and aliases to the one that has its identity. A name that another
        project of the team has gets a number. Returns the project as it stands now.
        """
        ...

    def save(self, project: Project) -> None:
        """Replace what is known of the project with this scope."""
        ...


class Queue(Protocol):
    """The durable queue. A job runs in one process at a time, and again if that one dies. The time is
    the store's own, so that no worker's clock decides.
    """

    def add(self, jobs: Sequence[NewJob]) -> list[str]:
        """Add jobs outside of any unit of work; returns their ids."""
        ...

    def claim(
        self, worker: str, lease_seconds: float, *, lanes: Sequence[Lane], place: str
    ) -> Job | None:
        """Take the next due job of these lanes that may run at `place`, or one whose worker's lease
        ran out. One that lost its worker in its last attempt is failed for good instead.
        """
        ...

    def renew(self, job_id: str, worker: str, lease_seconds: float) -> bool:
        """Keep a lease; False when the job was lost to another worker."""
        ...

    def checkpoint(self, job_id: str, worker: str, state: Mapping[str, Any]) -> None:
        """Keep how far a job came, for the next attempt. Raises `Conflict` when it was lost."""
        ...

    def finish(self, job_id: str, worker: str, result: Mapping[str, Any]) -> None:
        """Mark a job done. Raises `Conflict` when it was lost."""
        ...

    def fail(self, job_id: str, worker: str, error: str, retry_in: float | None) -> None:
        """Note a failure: the job runs again in so many seconds, or is failed for good when that is
        None or this was its last attempt. Raises `Conflict` when it was lost.
        """
        ...

    def release(self, job_id: str, worker: str) -> None:
        """Give a job back unfinished: it is due at once, with what it kept, and the attempt does not
        count. Raises `Conflict` when it was lost.
        """
        ...

    def schedule(self, schedule: Schedule) -> None:
        """See to it that a job comes round for a scope. One that comes round already keeps its time;
        one that is due once is due at the earlier of two times.
        """
        ...

    def come_round(self, lanes: Mapping[str, NewJob]) -> int:
        """Queue the jobs whose time has come, each once, and set the next time; how many it were.
        `lanes` says for each job's name with which lane, priority and place it is queued.
        """
        ...

    def next_due(self, lanes: Sequence[Lane], place: str) -> datetime | None:
        """When the next job of these lanes is due, a lease of one runs out, or a schedule comes round;
        None when nothing waits.
        """
        ...


class Upkeep(Protocol):
    """Looking after a whole store. Its rows say whose they are."""

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; empty when it is sound. Reads all of it."""
        ...

    def balance(self, scopes: Sequence[Scope] = ()) -> list[Balance]:
        """Per scope, what must be equal to what; of all scopes when none are named. Counts only."""
        ...

    def unbalanced(self, scope: Scope, limit: int) -> Repair:
        """Up to `limit` rows on each side of what is not in balance in a scope."""
        ...

    def recount_sessions(self, scope: Scope, ids: Sequence[str]) -> None:
        """Have these sessions say how many events they have."""
        ...

    def rebuild(self, scope: Scope) -> None:
        """Forget everything derived from records, messages and code of a scope, but the vectors."""
        ...

    def drop_vectors(self, model: str, dimensions: int) -> None:
        """Forget the vectors of `model` that are not of so many dimensions, so that they are made anew."""
        ...

    def retire(self, ages: Ages) -> dict[str, int]:
        """Drop rows that are older than they need to be; how many of each sort."""
        ...

    def waiting(self, model: str) -> dict[Scope, int]:
        """How many documents of each scope have no vector of `model`."""
        ...

    def failed_jobs(self, limit: int) -> list[Job]:
        """Jobs that failed for good, latest first: of every scope, and of what is none."""
        ...

    def idle_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """Active sessions of every scope that have not ended and were last seen before that."""
        ...

    def rested_sessions(self, seen_before: datetime, limit: int) -> list[Session]:
        """Completed sessions of every scope that were last seen before that."""
        ...

    def next_idle(self) -> datetime | None:
        """When the active session that was seen longest ago was last seen."""
        ...

    def note(self, by_products: ByProducts) -> None:
        """Log what calls left behind, each for its scope. Records and sessions that are not there any
        more are ignored.
        """
        ...

    def backup(self, target: Path) -> None:
        """Write a consistent copy to `target` while others go on reading and writing."""
        ...


class Store(Protocol):
    """One organisation's data."""

    directory: Directory
    queue: Queue
    upkeep: Upkeep

    def view(self, grant: Grant, code: CodePlace | None = None) -> View:
        """What this grant can reach, standing in the checkout `code`. Cheap: one is made for every call."""
        ...

    def close(self) -> None:
        """Give back what this thread and process hold."""
        ...
