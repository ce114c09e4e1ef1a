"""Views of records for callers: typed results and their text lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from contextd.domain.applies_to import limit_in_words
from contextd.domain.confidence import confidence_at
from contextd.domain.imported_records import FILE_DIFFERENCES
from contextd.domain.quoting import unquoted
from contextd.domain.records import Record, headed, short_id
from contextd.domain.time import age, iso
from contextd.domain.validity import CURRENT, Validity
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """A context entry, in the field names OpenContext clients know."""

    id: str
    content: str
    tags: list[str]
    source: str
    created_at: Annotated[str, Field(serialization_alias="createdAt")]
    updated_at: Annotated[str, Field(serialization_alias="updatedAt")]
    bubble_id: Annotated[str | None, Field(serialization_alias="bubbleId")] = None
    context_type: Annotated[str | None, Field(serialization_alias="contextType")] = None
    data: Annotated[dict[str, Any] | None, Field(serialization_alias="structuredData")] = None
    score: float | None = None
    validity: str = ""

    def as_text(self) -> str:
        """One line, or as many as the content has."""
        tags = f" [{', '.join(self.tags)}]" if self.tags else ""
        note = f" ({self.validity})" if self.validity else ""
        return f"{short_id(self.id)} {self.content}{tags}{note}"


@dataclass(frozen=True, slots=True)
class SavedEntry(ContextEntry):
    """A saved context entry, and a note on it."""

    note: str = ""

    def as_text(self) -> str:
        """The entry, then the note."""
        # `slots=True` creates a second class, and `super()` without arguments refers to the first.
        return "\n".join(filter(None, (ContextEntry.as_text(self), self.note)))


def entry(record: Record, validity: Validity, score: float | None = None) -> ContextEntry:
    """The view of a context entry; a record of another kind has its kind as its type."""
    is_note, data = record.kind == "context", dict(record.data)
    for unseen in (FILE_DIFFERENCES, "savedAs"):
        data.pop(unseen, None)
    typed = data.pop("structuredData", None)
    bubble, kind = data.pop("bubbleId", None), data.pop("contextType", None)
    if isinstance(typed, Mapping):
        data |= typed
    return ContextEntry(
        id=record.id,
        content=record.content if is_note else headed(record.title, record.content),
        tags=list(record.tags),
        source=str(record.source),
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        bubble_id=bubble,
        context_type=kind if is_note else record.kind,
        data=data or None,
        score=None if score is None else round(score, 4),
        validity=noted(record, validity),
    )


def noted(record: Record, validity: Validity) -> str:
    """The validity note of every view: a missing confirmation, the files that a rule is for, and what replaced
    or contradicts the record.
    """
    limit = limit_in_words(record)
    return " · ".join(filter(None, (_UNCONFIRMED.get(record.status, ""), limit, validity.note)))


_UNCONFIRMED = {"candidate": "candidate, not confirmed", "inbox": "inbox, not confirmed"}


def saved_entry(record: Record, note: str) -> SavedEntry:
    """The view of a saved context entry."""
    shown = entry(record, CURRENT)
    return SavedEntry(**{part.name: getattr(shown, part.name) for part in fields(shown)}, note=note)


@dataclass(frozen=True, slots=True)
class Entries:
    """Context entries and where the next page starts."""

    entries: list[ContextEntry]
    cursor: str = ""
    note: str = ""

    def as_text(self) -> str:
        """A line per entry."""
        lines = ["- " + item.as_text() for item in self.entries]
        if self.cursor:
            lines.append(f"(more: cursor={self.cursor})")
        if self.note:
            lines.append(self.note)
        return "\n".join(lines) or "nothing stored yet"


@dataclass(frozen=True, slots=True)
class Known:
    """A record with what a reader needs to judge it."""

    id: str
    kind: str
    title: str
    content: str
    source: str
    age: str
    created_at: str
    confidence: float
    status: str = "active"
    scope: str = ""
    tags: list[str] = field(default_factory=list[str])
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    score: float = 0.0
    why: str = ""
    stale: str = ""
    contradicts: str = ""
    validity: str = ""
    session: str = ""

    def as_text(self) -> str:
        """Title and content, then the source."""
        head = headed(self.title, self.content)
        session = f"session {short_id(self.session)}" if self.session else ""
        note = "".join(f" · {one}" for one in (session, self.stale, self.validity) if one)
        return f"{head}\n  ({label(self.kind, self.data)} {short_id(self.id)} · {self.source} · {self.age} · confidence {self.confidence:.2f}{note})"


def label(kind: str, data: dict[str, Any]) -> str:
    """The kind, refined by its data: `decision`, `memory`, `failure memory`."""
    if kind == "discovery":
        return str(data.get("type", kind))
    if kind == "memory" and data.get("outcome") == "failure":
        return "failure memory"
    return kind.replace("_", " ")


def known(
    record: Record,
    now: datetime,
    validity: Validity,
    *,
    score: float = 0.0,
    why: str = "",
    stale: str = "",
) -> Known:
    """The view of any record; `stale` says how the code it cites has changed."""
    return Known(
        id=record.id,
        kind=record.kind,
        title=record.title,
        content=record.content,
        source=str(record.source),
        age=age(record.created_at, now),
        created_at=iso(record.created_at),
        confidence=confidence_at(record, now),
        status=record.status,
        scope=str(record.scope),
        tags=list(record.tags),
        data=dict(record.data),
        score=round(score, 4),
        why=why,
        stale=stale,
        contradicts=validity.contradicts,
        validity=noted(record, validity),
        session=record.session,
    )


def shortened(text: str, most: int = 120) -> str:
    """A text on one line, cut where it is longer."""
    line = " ".join(unquoted(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


@dataclass(frozen=True, slots=True)
class Done:
    """An acknowledgement: what was done to which record."""

    id: str
    message: str

    def as_text(self) -> str:
        """The message."""
        return self.message
