"""A unit of work: everything one operation writes, computed first and committed at once.

`View.commit` takes one of these. A commit is atomic. It does no embedding, redaction, parsing or reading from
a checkout once it has begun.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal

from contextd.domain.awareness import Contradiction
from contextd.domain.jobs import Lane
from contextd.domain.originals import Original
from contextd.domain.query import Document, Vector
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Seat, Session, SessionChange
from contextd.domain.usage import NO_BY_PRODUCTS, ByProducts
from contextd_code.values.source import FileCalls, FileStamp, FileWeight, KeptReading, SourceFile
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Put:
    """Insert a record, or replace the record with the same id in its scope.

    `record.version` is the version this record was made from, 0 for a new one. The commit fails with
    `Conflict` if the stored version differs. `alone` also fails with `Conflict` if an active or waiting
    record of the scope has the same content hash. `undoes` is the change in the record's history that this
    one undoes.
    """

    record: Record
    action: str
    reason: str = ""
    alone: bool = False
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """Delete a record, as undoing its creation does. Its history stays."""

    record: Record
    action: str
    reason: str = ""
    undoes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChange:
    """What a scan found in one checkout.

    `same_text` lists files whose stamp or import targets changed but not their text, so their chunks are not
    indexed again. `same_chunks` lists ids of files whose chunks are unchanged. `calls` are stored for files
    with that digest until it changes, and `readings` for files with that stamp. `weights` are those of all
    files as of version `weighed`.

    All of it applies to the checkout of the view; a view without a checkout removes files from every
    checkout. `begin` starts the index of a new checkout as a copy of the one indexed last, with invalid
    stamps, so that the next comparison reads each file once. `stamps` are new stamps of files with known
    content. `lost_roots` are the roots of checkouts whose indexes are dropped.
    """

    scope: Scope
    put: Sequence[SourceFile] = ()
    same_text: frozenset[str] = frozenset()
    same_chunks: frozenset[str] = frozenset()
    remove: Sequence[str] = ()
    calls: Sequence[FileCalls] = ()
    readings: Sequence[KeptReading] = ()
    weights: Sequence[FileWeight] = ()
    weighed: int = 0
    begin: bool = False
    stamps: Sequence[FileStamp] = ()
    lost_roots: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision about a contradiction: `dismissed` when both records are right, `open` to undo
    that.
    """

    a: str
    b: str
    state: Literal["dismissed", "open"]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to add. It is skipped if a job with the same `unique_key` is still waiting in its scope. A
    running one does not count, because it may have read its input already.

    `scope` is the scope the job works on, None for the organisation. `place` is the machine it must run on,
    empty for any. Within a lane, jobs with the highest `priority` run first.
    """

    name: str
    scope: Scope | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    unique_key: str = ""
    run_at: datetime | None = None
    lane: Lane = "upkeep"
    priority: int = 0
    place: str = ""
    max_attempts: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeChanges:
    """Records, their index, contradictions and originals to write.

    The store derives the documents of `records`; `documents` holds those of messages, or ones to index
    again. `vectors` maps a scope to vectors by `Document.digest`, made by `model`. `forget` lists documents
    whose source is gone. A scope keeps its latest 200 `originals`. A contradiction may name a record that the same unit
    creates.
    """

    records: Sequence[Put | Removal] = ()
    documents: Sequence[Document] = ()
    vectors: Mapping[Scope, Mapping[str, Vector]] = field(
        default_factory=dict[Scope, Mapping[str, Vector]]
    )
    model: str = ""
    forget: Mapping[Scope, Sequence[str]] = field(default_factory=dict[Scope, Sequence[str]])
    disagree: Sequence[Contradiction] = ()
    agree: Sequence[tuple[str, str]] = ()
    decide: Sequence[Decision] = ()
    originals: Sequence[Original] = ()

    @property
    def disagreeing(self) -> list[str]:
        """The ids of the records in the contradictions of this unit, without duplicates."""
        ids = [id for pair in self.agree for id in pair]
        ids += [id for one in self.disagree for id in (one.a, one.b)]
        ids += [id for one in self.decide for id in (one.a, one.b)]
        return list(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkChanges:
    """Sessions to open or to change, jobs to queue, seats that connections take, and the digests of connections that
    leave theirs.
    """

    open: Sequence[Session] = ()
    sessions: Sequence[SessionChange] = ()
    jobs: Sequence[NewJob] = ()
    seats: Sequence[Seat] = ()
    left: Sequence[str] = ()


NO_KNOWLEDGE, NO_WORK = KnowledgeChanges(), WorkChanges()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """One unit of work, applied by the view that commits it: the changes of each port, made by `actor`.

    A store without a code index raises `no_code_index` for `code`. `beside` are by-products of the call, in scopes that
    the view reads.
    """

    actor: str = ""
    knowledge: KnowledgeChanges = NO_KNOWLEDGE
    work: WorkChanges = NO_WORK
    code: Sequence[CodeChange] = ()
    beside: ByProducts = NO_BY_PRODUCTS

    def joined(self, later: Changes) -> Changes | None:
        """This unit of work and a later one of the same actor as one; None if the later one builds on this."""
        mine, other = self.knowledge, later.knowledge
        written = {(one.record.scope, one.record.id) for one in mine.records}
        again = any((one.record.scope, one.record.id) in written for one in other.records)
        if again or (mine.model and other.model and mine.model != other.model):
            return None
        work = self.work
        return replace(
            self,
            knowledge=KnowledgeChanges(
                records=(*mine.records, *other.records),
                documents=(*mine.documents, *other.documents),
                vectors=_united(mine.vectors, other.vectors),
                model=mine.model or other.model,
                forget=_listed(mine.forget, other.forget),
                disagree=(*mine.disagree, *other.disagree),
                agree=(*mine.agree, *other.agree),
                decide=(*mine.decide, *other.decide),
                originals=(*mine.originals, *other.originals),
            ),
            work=WorkChanges(
                open=(*work.open, *later.work.open),
                sessions=(*work.sessions, *later.work.sessions),
                jobs=(*work.jobs, *later.work.jobs),
                seats=(*work.seats, *later.work.seats),
                left=(*work.left, *later.work.left),
            ),
        )


def _united(
    one: Mapping[Scope, Mapping[str, Vector]], other: Mapping[Scope, Mapping[str, Vector]]
) -> Mapping[Scope, Mapping[str, Vector]]:
    return {scope: {**one.get(scope, {}), **other.get(scope, {})} for scope in {*one, *other}}


def _listed(
    one: Mapping[Scope, Sequence[str]], other: Mapping[Scope, Sequence[str]]
) -> Mapping[Scope, Sequence[str]]:
    return {scope: (*one.get(scope, ()), *other.get(scope, ())) for scope in {*one, *other}}


class NoCodeIndex(Unavailable):
    """The store has no code index. No repetition of the call will find one, so programs are not told to try again."""

    status = 404


def no_code_index() -> NoCodeIndex:
    """The error of a call that needs the code index of a store that has none."""
    return NoCodeIndex(
        "this store has no code index: a shared database holds knowledge and sessions",
        "ask about code with a home whose store.url is empty; saving and searching knowledge works here",
    )


@dataclass(frozen=True, slots=True)
class Committed:
    """The result of a commit, each list in the order of the input: the changes of records, the new events
    of each session by its id, the ids of jobs.
    """

    changes: Sequence[Change] = ()
    sessions: Mapping[str, Session] = field(default_factory=dict[str, Session])
    events: Mapping[str, Sequence[Event]] = field(default_factory=dict[str, Sequence[Event]])
    jobs: Sequence[str] = ()
    decided: int = 0
