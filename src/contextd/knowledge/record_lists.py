"""Records in lists, and filters for them."""

from __future__ import annotations

from datetime import datetime
from difflib import ndiff
from typing import Any

from contextd.domain.confidence import confidence_at
from contextd.domain.records import STATUSES, AskedStatus, Record
from contextd.domain.time import age, iso
from contextd.domain.validity import Validity
from contextd.knowledge.record_views import label, noted
from contextd_common.dataclass import dataclass

EXCERPT = 280


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record in a list. `content` is its beginning."""

    id: str
    kind: str
    label: str
    title: str
    content: str
    status: str
    tags: list[str]
    source: str
    trust: str
    confidence: float
    usage_count: int
    scope: str
    age: str
    created_at: str
    updated_at: str
    type: str = ""
    validity: str = ""


def row_of(record: Record, now: datetime, validity: Validity) -> RecordRow:
    """A record as lists show it."""
    data = dict(record.data)
    return RecordRow(
        id=record.id,
        kind=record.kind,
        label=label(record.kind, data),
        title=record.title,
        content=record.content[:EXCERPT],
        status=record.status,
        tags=list(record.tags),
        source=str(record.source),
        trust=record.trust,
        confidence=round(confidence_at(record, now), 2),
        usage_count=record.usage_count,
        scope=str(record.scope),
        age=age(record.updated_at, now),
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        type=str(data.get("contextType") or data.get("type") or ""),
        validity=noted(record, validity),
    )


def statuses_of(status: AskedStatus) -> tuple[str, ...]:
    """The statuses meant by `any`, `waiting` or one name."""
    if status in ("any", ""):
        return STATUSES
    if status == "waiting":
        return ("candidate", "inbox")
    return (status,)


def typed_as(kind: str, type_: str) -> dict[str, Any]:
    """The filter for a context type, or a type of discovery."""
    if not type_.strip():
        return {}
    return {"type" if kind == "discovery" else "contextType": type_.strip()}


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """The old and new value of one field. `lines` are marked `+ `, `- ` or two blanks."""

    field: str
    lines: list[str]


def differences(before: Record | None, after: Record | None) -> list[FieldDifference]:
    """The fields in which two states of a record differ."""
    if before is None or after is None:
        return []
    old, new = _fields_of(before), _fields_of(after)
    names = dict.fromkeys((*old, *new))
    return [
        FieldDifference(name, _changed_lines(old.get(name, ""), new.get(name, "")))
        for name in names
        if old.get(name, "") != new.get(name, "")
    ]


def _fields_of(record: Record) -> dict[str, str]:
    shown = {
        "title": record.title,
        "content": record.content,
        "tags": ", ".join(record.tags),
        "status": record.status,
        "confidence": f"{record.confidence:.2f}",
        "canonical_id": record.canonical_id,
    }
    for name, value in record.data.items():
        listed = isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
        shown[name] = "\n".join(value) if listed else str(value)
    return shown


def _changed_lines(old: str, new: str) -> list[str]:
    return [line for line in ndiff(old.splitlines(), new.splitlines()) if line[:1] != "?"]
