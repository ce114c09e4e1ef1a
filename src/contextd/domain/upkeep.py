"""What must be equal to what in a store, what is done where it is not, and how long things are kept."""

from __future__ import annotations

from datetime import datetime

from contextd.domain.dataclass import dataclass
from contextd.domain.query import Pending
from contextd.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The invariants of one scope, as counts. In a sound store every pair is equal.

    `records` stand against `record_documents`, `chunks` against `code_documents`, `documents` against
    `words` (what the lexical index holds), `files` against `stamped` (files whose chunks are as many
    as they say), `events` (what sessions say they took) against `logged` (what is there, with what
    retention dropped counted in).
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
        """What is not in balance, in words."""
        pairs = (
            (self.records, self.record_documents, "records", "indexed"),
            (self.chunks, self.code_documents, "pieces of code", "indexed"),
            (self.documents, self.words, "documents", "with their words"),
            (self.files, self.stamped, "files", "with all their pieces"),
            (self.events, self.logged, "events told by sessions", "on record"),
        )
        return [
            f"{self.scope}: {have:,} {what}, {found:,} {state}"
            for have, found, what, state in pairs
            if have != found
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Rows that are out of balance: what is missing in the index and what is too much in it, files
    whose chunks are not all there, sessions that say another number of events than there are.
    """

    missing: tuple[Pending, ...] = ()
    surplus: tuple[Pending, ...] = ()
    files: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to mend."""
        return not (self.missing or self.surplus or self.files or self.sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """Rows from before these instants may go; None keeps them for ever.

    `events` are those of archived sessions that are no messages; `changes` are entries of histories
    beyond the latest twenty of their record; `handed_out` are digests of sentences; `calls` are keys
    of calls that might have been repeated; `originals` stand behind digests. `upgraded` lets the vectors go that were kept from before
    an upgrade, once everything is indexed again.
    """

    jobs: datetime | None = None
    events: datetime | None = None
    changes: datetime | None = None
    handed_out: datetime | None = None
    calls: datetime | None = None
    originals: datetime | None = None
    upgraded: bool = False


@dataclass(frozen=True, slots=True)
class WrittenSince:
    """How many changes of records and how many sessions a store has that a backup lacks. Not `readable`
    where the store is damaged.
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
            return "a store that cannot be read"
        changes = f"{self.changes:,} change{'s' * (self.changes != 1)} of records"
        return f"{changes} and {self.sessions:,} session{'s' * (self.sessions != 1)}"
