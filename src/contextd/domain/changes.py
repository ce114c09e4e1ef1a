"""A unit of work: everything one step of work writes, computed before, committed at once.

`View.commit` takes one of these. Nothing is embedded, redacted, parsed or read from a checkout once
a commit has begun, and a commit writes all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from contextd.domain.awareness import Contradiction
from contextd.domain.code import FileCalls, FileStamp, FileWeight, KeptReading, SourceFile
from contextd.domain.dataclass import dataclass
from contextd.domain.jobs import Lane
from contextd.domain.originals import Original
from contextd.domain.query import Document, Vector
from contextd.domain.records import SHOWN, Change, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, SessionChange


@dataclass(frozen=True, slots=True)
class Put:
    """Insert a record, or replace the one with its id in its scope.

    `record.version` is the version of the state the record was made from, 0 for a new one; the
    commit is a `Conflict` when another one is stored. `alone` makes it a `Conflict` too when an
    active or waiting record of the scope has the same content hash. `undoes` is the change of the
    record's history that this one takes back.
    """

    record: Record
    action: str
    reason: str = ""
    alone: bool = False
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """Take a record out altogether, as undoing its creation does. Its history stays."""

    record: Record
    action: str
    reason: str = ""
    undoes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChange:
    """What a scan found in the code of a project. Of the files in `same_text` only the stamp or the
    targets of their imports differ, so that their chunks need not be indexed again; nor need those of
    other files whose ids are in `same_chunks`. `calls` are kept of files that are known with that digest,
    until it changes, and `readings` of files with that stamp. `weights` are those of all its files as of the version `weighed`.

    All of it concerns the checkout that the view stands in; a view that stands in none removes files from
    every checkout. `begin` gives a checkout without an index the one of the checkout indexed last, with
    stamps no file has, so that the next comparison reads each file once. `stamps` are of files whose content is
    known. `lost_roots` are those of checkouts whose indexes are dropped.
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
    """What somebody decided of a contradiction: `dismissed` when both records are right, `open` to
    take that back.
    """

    a: str
    b: str
    state: Literal["dismissed", "open"]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to add. One with the same `unique_key` that still waits in its scope is enough; one that
    runs already may have looked before what it is wanted for was there, so it does not count.

    `scope` is whose work it is, None for the organisation's own. `place` is where it must run, empty
    for anywhere. Of the jobs of a lane the ones with the highest priority run first.
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
class Changes:
    """One unit of work, in the words of the view that commits it.

    The documents of records and of code are made by the store from `records` and `code`; `documents`
    are those of messages. `vectors` maps a scope to vectors by `Document.digest`, made by `model`.
    `forget` are documents that nothing stands behind any more. Of `originals` the latest 200 of a scope
    stay. `call` is the key of the call this is
    part of: a commit under a key that is known is a `Conflict`. With `naming`, `Committed.namesakes` says
    which ids begin as those of its records do, for whoever shows them short.
    """

    actor: str = ""
    records: Sequence[Put | Removal] = ()
    code: Sequence[CodeChange] = ()
    documents: Sequence[Document] = ()
    vectors: Mapping[Scope, Mapping[str, Vector]] = field(
        default_factory=dict[Scope, Mapping[str, Vector]]
    )
    model: str = ""
    forget: Mapping[Scope, Sequence[str]] = field(default_factory=dict[Scope, Sequence[str]])
    open: Sequence[Session] = ()
    sessions: Sequence[SessionChange] = ()
    disagree: Sequence[Contradiction] = ()
    agree: Sequence[tuple[str, str]] = ()
    decide: Sequence[Decision] = ()
    jobs: Sequence[NewJob] = ()
    originals: Sequence[Original] = ()
    naming: bool = False

    @property
    def beginnings(self) -> list[str]:
        """How the ids of the records begin that are written, as far as ids are shown."""
        written = (one.record.id for one in self.records if isinstance(one, Put))
        return sorted({id[:SHOWN] for id in written})

    @property
    def disagreeing(self) -> list[str]:
        """The ids of the records whose contradictions are spoken of, each once."""
        ids = [id for pair in self.agree for id in pair]
        ids += [id for one in self.disagree for id in (one.a, one.b)]
        ids += [id for one in self.decide for id in (one.a, one.b)]
        return list(dict.fromkeys(ids))


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit made of a unit of work, each list in the order it was given in: the changes of
    records, the new events of each session by its id, the ids of jobs. `namesakes` are the ids of all records
    that may be read and begin with the first `SHOWN` characters of one that was written, in order.
    """

    changes: Sequence[Change] = ()
    sessions: Mapping[str, Session] = field(default_factory=dict[str, Session])
    events: Mapping[str, Sequence[Event]] = field(default_factory=dict[str, Sequence[Event]])
    jobs: Sequence[str] = ()
    decided: int = 0
    namesakes: Sequence[str] = ()
