"""Typed context entries: how records store them, and their views.

A typed entry is a record of the kind `context` with `contextType` and `structuredData` in its data;
its content is generated from the fields, so that searches find it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from typing import Any

from contextd.domain.kinds import KINDS
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.validity import Validity
from contextd.knowledge.record_views import ContextEntry, entry
from contextd.knowledge.writing import Provenance, RecordText, Saved, save_new
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.schema.model import FIELDS, SAVED_AS, TYPE, ContextType, Schema
from contextd.schema.text import content_of, shown_value
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest

_TELLING = 10
"""The least length at which a value repeated in a text is not a coincidence."""


@dataclass(frozen=True, slots=True)
class TypedEntry(ContextEntry):
    """A context entry, with the names of fields that its type no longer declares."""

    undeclared: list[str] = field(default_factory=list[str])
    note: str = ""

    def as_text(self) -> str:
        """The entry, and a note on it."""
        # Content generated from the fields begins with the type.
        beginning = content_of(self.context_type or "", {})
        kind = "" if self.content.startswith(beginning) else f" ({self.context_type})"
        # `slots=True` creates a second class, and `super()` without arguments refers to the first.
        lines = [ContextEntry.as_text(self) + kind]
        if self.undeclared:
            lines.append(f"  no longer declared: {', '.join(self.undeclared)}")
        return "\n".join([*lines, *([self.note] if self.note else [])])


@dataclass(frozen=True, slots=True)
class TypedEntries:
    """Entries of one type, newest first, and where the next page starts."""

    entries: list[TypedEntry]
    cursor: str = ""
    note: str = ""

    def as_text(self) -> str:
        """A line per entry."""
        lines = ["- " + item.as_text() for item in self.entries]
        if self.cursor:
            lines.append(f"(more: cursor={self.cursor})")
        return "\n".join([*lines, *([self.note] if self.note else [])]) or "none"


def typed_entry(
    record: Record, kind: ContextType | None, validity: Validity, note: str = ""
) -> TypedEntry:
    """The view of an entry under its type; None for an entry without an active type."""
    shown = entry(record, validity)
    values = {part.name: getattr(shown, part.name) for part in fields(ContextEntry)}
    if record.kind != "context":
        values["context_type"] = record.kind
    undeclared = kind.undeclared(structured(record)) if kind and not kind.partial else []
    return TypedEntry(**values, undeclared=undeclared, note=note)


def structured(record: Record) -> dict[str, Any]:
    """The typed fields of an entry."""
    found = record.data.get(FIELDS)
    return dict(found) if isinstance(found, Mapping) else {}


def save_typed(
    runtime: Runtime,
    type: str,
    data: Mapping[str, Any],
    *,
    tags: Sequence[str] | None,
    source: str,
    bubble: str,
    scope: Scope | None,
) -> tuple[Saved, str]:
    """Save an entry of a type, untyped when there is no such type; the entry, and what its caller
    should be told of the type. It goes to `scope`, where one is given.

    Raises one `Invalid` naming every field that does not fit.
    """
    if not data:
        raise Invalid("data is empty", "give the fields; describe_schema names them")
    schema = schema_of(runtime)
    kind = schema.types.get(type)
    entry_data: dict[str, Any] = {TYPE if kind else SAVED_AS: type}
    entry_data[FIELDS] = kind.check(data) if kind else dict(data)
    if bubble:
        entry_data["bubbleId"] = bubble
    content = content_of(type, entry_data[FIELDS])
    saved = save_new(
        runtime,
        RecordText("context", content=content, tags=tags or (), data=entry_data),
        Provenance(source=source),
        scope=scope,
    )
    return saved, "" if kind else _untyped(type, schema)


def _untyped(type: str, schema: Schema) -> str:
    if type in KINDS:
        return (
            f"{type!r} is built in: `remember` keeps one as what it is; saved as an untyped entry"
        )
    near = nearest(type, list(schema.types))
    known = "types: " + (", ".join(schema.types) or "none defined yet")
    wrong = "; its file has mistakes, see describe_schema" if schema.problems else ""
    return (
        f"no type {type!r} ({near or known}){wrong}; saved as an untyped entry, which becomes one of"
        " that type once it is declared"
    )


def with_fields(record: Record, changes: Mapping[str, Any], schema: Schema) -> Record:
    """An entry with typed fields changed; null takes one out.

    Raises one `Invalid` naming every field that does not fit the entry's type.
    """
    before = structured(record)
    kind = schema.types.get(str(record.data.get(TYPE, "")))
    if kind is not None:
        after = kind.check_change(before, changes)
    else:
        after = {n: v for n, v in {**before, **changes}.items() if v is not None}
    return record.with_(data={**record.data, FIELDS: after})


def with_type(record: Record, name: str, changes: Mapping[str, Any], schema: Schema) -> Record:
    """An entry under another type, with typed fields changed; under none when the name is empty.

    Raises `NotFound` for a type that is not declared, and one `Invalid` that names every field that
    does not fit.
    """
    data = {key: value for key, value in record.data.items() if key not in (TYPE, SAVED_AS)}
    if not name:
        bare = record.with_(data=data)
        return with_fields(bare, changes, schema) if changes else bare
    kind = schema.types.get(name)
    if kind is None:
        known = "types: " + (", ".join(schema.types) or "none defined yet")
        raise NotFound(f"unknown type {name!r}", nearest(name, list(schema.types)) or known)
    fields = kind.check_change(structured(record), changes)
    return record.with_(data={**data, TYPE: name, FIELDS: fields})


def in_step(before: Record, after: Record) -> Record:
    """Make the text and the fields of a changed entry consistent: a generated text follows the fields, and
    a single field of free text follows the text.

    Raises `Invalid` for a new text that leaves out a value the fields still have.
    """
    was, now = structured(before), structured(after)
    made = bool(was) and before.content == _made_of(before)
    if after.content == before.content:
        named = after.data.get(TYPE) or after.data.get(SAVED_AS)
        return after.with_(content=_made_of(after)) if made and named else after
    same_fields = {name: value for name, value in now.items() if was.get(name) == value}
    free = [name for name, value in same_fields.items() if isinstance(value, str)]
    if made and len(now) == len(free) == 1:
        follows = after.with_(data={**after.data, FIELDS: {free[0]: after.content}})
        return follows.with_(content=_made_of(follows))
    lost = [
        name
        for name, value in same_fields.items()
        if (shown := shown_value(value)) in before.content
        and shown not in after.content
        and (made or len(shown) >= _TELLING)
    ]
    if lost:
        raise Invalid(
            f"the new text leaves out what the entry still holds in {', '.join(lost)}",
            "give `data` with the new values and no content: the text follows the fields; or give both",
            {"fields": dict.fromkeys(lost, "the text says something else")},
        )
    return after


def _made_of(record: Record) -> str:
    """The text generated from the fields of an entry."""
    name = record.data.get(TYPE) or record.data.get(SAVED_AS) or ""
    return content_of(str(name), structured(record))
