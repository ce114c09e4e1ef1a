"""Consistency checks of a store, their repairs, and retention periods."""

from __future__ import annotations

from datetime import datetime

from contextd.domain.query import Pending
from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Pairs of counts of one scope that are equal in a sound store.

    The pairs are `records` and `record_documents`, `chunks` and `code_documents`, `documents` and `words`
    (the lexical index), `files` and `stamped` (files with as many chunks as they state), `events` (stated by
    sessions) and `logged` (stored, plus those that retention dropped).
    """

    scope: Scope
    records: int = 0
    record_documents: int = 0
    files: int = 0
    stamped: int = 0
    chunks: int = 0
    code_documents: int = 0
    documents: int = 0
    words: int = 0
    events: int = 0
    logged: int = 0

    @property
    def problems(self) -> list[str]:
        """Descriptions of the counts that differ."""
        pairs = (
            (self.records, self.record_documents, "records", "indexed"),
            (self.chunks, self.code_documents, "pieces of code", "indexed"),
            (self.documents, self.words, "documents", "with their words"),
            (self.files, self.stamped, "files", "with all their pieces"),
            (self.events, self.logged, "events stated by sessions", "on record"),
        )
        return [
            f"{self.scope}: {have:,} {what}, {found:,} {state}"
            for have, found, what, state in pairs
            if have != found
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What to repair: documents missing from the index or left over in it, files with missing chunks, and
    sessions with a wrong count of events.
    """

    missing: tuple[Pending, ...] = ()
    surplus: tuple[Pending, ...] = ()
    files: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to repair."""
        return not (self.missing or self.surplus or self.files or self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """Rows older than these instants may be deleted; None keeps them forever.

    `events` are non-message events of archived sessions. `changes` are history entries beyond a record's
    latest twenty. `handed_out` are digests of sentences. `calls` are keys of calls that might be retried, and
    seats of connections whose session is over.
    `originals` are full texts behind digests.
    """

    jobs: datetime | None = None
    events: datetime | None = None
    changes: datetime | None = None
    handed_out: datetime | None = None
    calls: datetime | None = None
    originals: datetime | None = None


@dataclass(frozen=True, slots=True)
class WrittenSince:
    """How many record changes and sessions a store has that a backup lacks. `readable` is false if the
    store is damaged.
    """

    changes: int = 0
    sessions: int = 0
    readable: bool = True

    def __bool__(self) -> bool:
        return bool(self.changes or self.sessions)

    @property
    def summary(self) -> str:
        """The counts in words."""
        if not self.readable:
            return "an unreadable store"
        changes = f"{self.changes:,} change{'s' * (self.changes != 1)} of records"
        return f"{changes} and {self.sessions:,} session{'s' * (self.sessions != 1)}"
