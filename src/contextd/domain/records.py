"""A record: one durable piece of knowledge, with its source and history."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from contextd.domain.kinds import KINDS
from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass

Trust = Literal["human", "agent", "extracted", "imported", "external"]
Status = Literal[
    "active", "candidate", "inbox", "archived", "superseded", "merged", "quarantined", "deleted"
]  # fmt: skip

TRUSTS: tuple[Trust, ...] = ("human", "agent", "extracted", "imported", "external")
STATUSES: tuple[Status, ...] = (
    "active", "candidate", "inbox", "archived", "superseded", "merged", "quarantined", "deleted",
)  # fmt: skip

FOUND: tuple[Status, ...] = ("active", "candidate")
"""Statuses that searches return. A candidate was learned from one session so far and is not injected."""

AskedStatus = Literal[
    "active", "candidate", "inbox", "archived", "superseded", "merged", "quarantined", "deleted", "waiting",
    "any", "",
]  # fmt: skip
"""A status to filter by; empty means `any`."""
AskedTrust = Literal["human", "agent", "extracted", "imported", "external", ""]

WAITING = "waiting"
"""Filter for candidates and the inbox together: what awaits review."""

PRESENT: tuple[Status, ...] = ("active", "candidate", "inbox")
"""Statuses of records that a new record would duplicate."""


BESIDE = ("symptoms", "wordings")
"""Lists of texts by which a record is found, besides its own text."""


class Clean(str):
    """Redacted text. Anything derived from it is an ordinary string again."""

    __slots__ = ()


def new_id() -> str:
    """A random UUID."""
    return str(uuid.uuid4())


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


SHOWN = 8
"""Characters of a generated id that are shown to people and agents."""


def is_ours(id: str) -> bool:
    """Whether an id has the format of generated ids; an imported id may have any format."""
    return _UUID.fullmatch(id) is not None


class ShownId(str):
    """An id that is shown by a longer beginning than usual, since another one begins alike."""

    beginning: str

    def __new__(cls, id: str, beginning: str) -> ShownId:
        """The id, and what of it `short_id` gives."""
        made = super().__new__(cls, id)
        made.beginning = beginning
        return made


def short_id(id: str) -> str:
    """The id as shown: the first characters of a generated id, plus the number of its part, or an imported
    id in full, because its prefix may be ambiguous.
    """
    whole, dot, number = id.partition(".")
    if not is_ours(whole):
        return id
    return (id.beginning if isinstance(id, ShownId) else whole[:SHOWN]) + dot + number


def headed(title: str, content: str) -> str:
    """The text after its title; adds no colon to a title that ends in punctuation, such as a question."""
    if not title:
        return content
    return f"{title} {content}" if title[-1] in _MARKS else f"{title}: {content}"


_MARKS = ".,:;!?…。！？：、"


def digest(text: str) -> str:
    """A 128-bit content hash, as 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Anchor:
    """The git state in which a record was made: `paths` maps a file to its blob hash at that time."""

    commit: str = ""
    branch: str = ""
    paths: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Source:
    """The author or tool a record comes from."""

    agent: str = ""
    client: str = ""
    operation: str = ""
    ref: str = ""

    def __str__(self) -> str:
        return self.agent or self.client or self.operation or "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One durable piece of knowledge of a kind in a scope. Its id is unique within the scope.

    `created_at` and `valid_from` are when its words were said, however late they arrived; `updated_at` is when they
    were last said again or the record was changed. The history tells when each state was written.

    `version` counts stored states: a changed record carries the version it was made from, a new one 0.
    Counting a use does not change it. `arrived_at` is when a record was stored that was said or written
    earlier: by an import, or by learning from a session; None for all others.
    """

    kind: str
    scope: Scope
    content: str
    id: str = field(default_factory=new_id)
    title: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tags: tuple[str, ...] = ()
    source: Source = Source()
    session: str = ""
    trust: Trust = "agent"
    status: Status = "active"
    canonical_id: str = ""
    confidence: float = 0.6
    usage_count: int = 0
    helpful: int = 0
    unhelpful: int = 0
    last_used_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    anchor: Anchor = Anchor()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    updated_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    arrived_at: datetime | None = None
    version: int = 0

    @property
    def text(self) -> str:
        """The indexed text: title, content and the longer typed fields, except `near` ones."""
        kind = KINDS.get(self.kind)
        near = (kind.near, kind.titled) if kind else ()
        data = {name: value for name, value in self.data.items() if name not in near}
        return indexed_text(self.title, self.content, data)

    @property
    def labels(self) -> str:
        """What is indexed beside the text: tags, source, identifying fields and the wordings of merged
        records.
        """
        listed = [v for name in BESIDE for v in self.data.get(name) or () if isinstance(v, str)]
        return "\n".join((*self.tags, *filter(None, (self.source.agent,)), *listed))

    @property
    def beside(self) -> tuple[str, ...]:
        """The full title if it was shortened, and the `near` fields; empty if there are none."""
        kind = KINDS.get(self.kind)
        return tuple(
            str(self.data.get(name, "")) for name in ((kind.titled, kind.near) if kind else ())
        )

    @property
    def content_hash(self) -> str:
        """A hash that is equal for records with the same text, ignoring spacing and case."""
        return digest(" ".join(f"{self.kind} {self.title} {self.content}".casefold().split()))

    def with_(self, **changes: Any) -> Record:
        """A copy with these fields changed."""
        return replace(self, **changes)


def indexed_text(title: str, content: str, data: Mapping[str, Any]) -> str:
    """The indexed text of a record or a draft with these fields. It contains no ids, so a record moved to
    another bubble keeps its vector.
    """
    texts = (value for value in data.values() if isinstance(value, str) and len(value) > 20)
    values = [text for text in texts if not is_ours(text)]
    return "\n".join(dict.fromkeys(part for part in (title, content, *values) if part))


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a record's history. `before` is None for a creation, `after` for a removal. `undoes` is
    the `seq` of the change it undid.
    """

    seq: int
    record_id: str
    at: datetime
    actor: str
    action: str
    reason: str
    before: Record | None
    after: Record | None
    undoes: int | None = None


def said_at(record: Record) -> datetime:
    """When what a record says was said last: first said, said again, or changed."""
    return max(record.updated_at, record.valid_from or record.created_at)


def stored_at(record: Record) -> datetime:
    """When a record was last new to the store, which may be long after it was said."""
    return max(record.updated_at, record.arrived_at or record.created_at)


Operation = Literal["ADD", "UPDATE", "INVALIDATE", "SKIP"]
"""What a write does to the knowledge. Nothing automatic deletes for good: outdated records are
invalidated, and duplicates are skipped and counted.
"""


def operation_of(change: Change) -> Operation:
    """The operation that a change performed."""
    if change.before is None:
        return "ADD"
    after = change.after
    if after is None or (after.valid_to is not None and change.before.valid_to is None):
        return "INVALIDATE"
    if after.status not in PRESENT and change.before.status in PRESENT:
        return "INVALIDATE"
    return "UPDATE"


def last_undoable(history: Sequence[Change]) -> Change | None:
    """The latest change that was not undone and is not an undo; None if there is none."""
    undone = {change.undoes for change in history}
    standing = [one for one in history if one.undoes is None and one.seq not in undone]
    return standing[-1] if standing else None
