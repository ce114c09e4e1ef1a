"""A record: one durable piece of knowledge, and what is kept around it."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from contextd.domain.dataclass import dataclass
from contextd.domain.kinds import KINDS
from contextd.domain.scope import Scope

Trust = Literal["human", "agent", "extracted", "imported", "external"]
Status = Literal[
    "active", "candidate", "inbox", "archived", "superseded", "merged", "quarantined", "deleted"
]  # fmt: skip

TRUSTS: tuple[Trust, ...] = ("human", "agent", "extracted", "imported", "external")
STATUSES: tuple[Status, ...] = (
    "active", "candidate", "inbox", "archived", "superseded", "merged", "quarantined", "deleted",
)  # fmt: skip

FOUND: tuple[Status, ...] = ("active", "candidate")
"""What a search finds. A candidate was learned and has one witness so far: it stands in no briefing."""

AskedStatus = Literal[
    "active", "candidate", "inbox", "archived", "superseded", "merged", "quarantined", "deleted", "waiting",
    "any", "",
]  # fmt: skip
"""A status to filter by; nothing is `any`."""
AskedTrust = Literal["human", "agent", "extracted", "imported", "external", ""]

WAITING = "waiting"
"""What candidates and the inbox are listed as together: what somebody may settle."""

PRESENT: tuple[Status, ...] = ("active", "candidate", "inbox")
"""What a new record would repeat."""


BESIDE = ("symptoms", "wordings")
"""Lists of texts by which a record is found, beside its own text."""


class Clean(str):
    """A text that secrets were taken out of. Whatever is made from one is an ordinary text again."""

    __slots__ = ()


def new_id() -> str:
    """A random UUID."""
    return str(uuid.uuid4())


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


SHOWN = 8
"""Characters of an id of ours that people and agents are shown."""


def is_ours(id: str) -> bool:
    """Whether an id looks like those we draw; an imported one may look like anything."""
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
    """An id as people are shown it: the beginning of one of ours, with the number of a part of it behind,
    and all of an imported one, whose beginning may be that of many.
    """
    whole, dot, number = id.partition(".")
    if not is_ours(whole):
        return id
    return (id.beginning if isinstance(id, ShownId) else whole[:SHOWN]) + dot + number


def headed(title: str, content: str) -> str:
    """A text behind its title; a title that ends in a mark, as questions do, gets no other one."""
    if not title:
        return content
    return f"{title} {content}" if title[-1] in _MARKS else f"{title}: {content}"


_MARKS = ".,:;!?…。！？：、"


def digest(text: str) -> str:
    """A 128-bit content hash, as 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where in git a record was made: `paths` maps a file to its blob hash then."""

    commit: str = ""
    branch: str = ""
    paths: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Source:
    """Who or what a record comes from."""

    agent: str = ""
    client: str = ""
    operation: str = ""
    ref: str = ""

    def __str__(self) -> str:
        return self.agent or self.client or self.operation or "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One durable piece of knowledge of a kind in a scope, where its id is its own.

    `version` counts the states that were stored: a record that is changed carries the one it was
    made from, a new one 0. Counting a use makes no new version. `arrived_at` is when an import stored a
    record that was written earlier elsewhere; None for all others.
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
        """What is indexed: title, content, and the longer typed fields, but those that stand near."""
        kind = KINDS.get(self.kind)
        near = (kind.near, kind.titled) if kind else ()
        data = {name: value for name, value in self.data.items() if name not in near}
        return indexed_text(self.title, self.content, data)

    @property
    def labels(self) -> str:
        """What is indexed beside the text: the tags, who the record comes from, what it is recognised by,
        and how those that were merged into it said it.
        """
        listed = [v for name in BESIDE for v in self.data.get(name) or () if isinstance(v, str)]
        return "\n".join((*self.tags, *filter(None, (self.source.agent,)), *listed))

    @property
    def beside(self) -> tuple[str, ...]:
        """All of a title that was cut short, and what stands near; empty where there is nothing."""
        kind = KINDS.get(self.kind)
        return tuple(
            str(self.data.get(name, "")) for name in ((kind.titled, kind.near) if kind else ())
        )

    @property
    def content_hash(self) -> str:
        """Equal for records that say the same thing, whatever their spacing and case."""
        return digest(" ".join(f"{self.kind} {self.title} {self.content}".casefold().split()))

    def with_(self, **changes: Any) -> Record:
        """A copy with these fields changed."""
        return replace(self, **changes)


def indexed_text(title: str, content: str, data: Mapping[str, Any]) -> str:
    """What is indexed of a record with these fields, or of a draft of one. An id says nothing: what is
    moved to another bubble keeps its vector.
    """
    texts = (value for value in data.values() if isinstance(value, str) and len(value) > 20)
    values = [text for text in texts if not is_ours(text)]
    return "\n".join(dict.fromkeys(part for part in (title, content, *values) if part))


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a record's history. `before` is None for a creation, `after` for a removal.
    `undoes` is the `seq` of the change it took back.
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


Operation = Literal["ADD", "UPDATE", "INVALIDATE", "SKIP"]
"""What a write does to what is known. Nothing automatic deletes for good: what no longer holds is
invalidated, and what is known already is skipped and counted.
"""


def operation_of(change: Change) -> Operation:
    """What a change did to what is known."""
    if change.before is None:
        return "ADD"
    after = change.after
    if after is None or (after.valid_to is not None and change.before.valid_to is None):
        return "INVALIDATE"
    if after.status not in PRESENT and change.before.status in PRESENT:
        return "INVALIDATE"
    return "UPDATE"


def last_undoable(history: Sequence[Change]) -> Change | None:
    """The latest change that was not taken back and takes none back; None when nothing is left."""
    undone = {change.undoes for change in history}
    standing = [one for one in history if one.undoes is None and one.seq not in undone]
    return standing[-1] if standing else None
