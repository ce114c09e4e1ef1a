"""The types people define, and the entries of those types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from contextd.domain.errors import Invalid, nearest
from contextd.domain.kinds import KINDS, Field
from contextd.operations.contexts import bubble_named, page_size
from contextd.operations.core import operation
from contextd.operations.typed import (
    FIELDS,
    TYPE,
    TypedEntries,
    TypedEntry,
    schema_of,
    typed_entry,
)
from contextd.operations.window import hand_out_records
from contextd.operations.writing import Saved, save_new
from contextd.runtime import Runtime
from contextd.schema.filter import parse_filter
from contextd.schema.model import ContextType, Problem, Schema
from contextd.schema.text import content_of


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of a type."""

    type: str
    required: bool
    description: str
    values: list[str]
    default: Any = None

    def as_text(self) -> str:
        """Type and meaning, such as `enum strong|mild, default mild: how much it matters`."""
        kind = self.type + (" " + "|".join(self.values) if self.values else "")
        parts = [kind, *(["required"] if self.required else [])]
        if self.default is not None:
            parts.append(f"default {self.default}")
        return ", ".join(parts) + (f": {self.description}" if self.description else "")


@dataclass(frozen=True, slots=True)
class TypeView:
    """A type with its fields. `origin` is `project`, `home` or `built-in`; a `partial` type has
    mistakes in its file and takes further fields.
    """

    name: str
    description: str
    fields: dict[str, FieldView]
    origin: str
    built_in: bool = False
    partial: bool = False
    line: int = 0

    def as_text(self) -> str:
        """The type and a line per field."""
        lines = [f"{self.name}: {self.description}".rstrip(": ")]
        return "\n".join(lines + [f"  {n}: {f.as_text()}" for n, f in self.fields.items()])


@dataclass(frozen=True, slots=True)
class ProblemView:
    """Something wrong with a schema file."""

    file: str
    line: int
    message: str
    hint: str

    def as_text(self) -> str:
        """In a line."""
        return str(Problem(self.file, self.line, self.message, self.hint))


@dataclass(frozen=True, slots=True)
class SchemaView:
    """The user's own types, the built-in kinds, and what is wrong with the files."""

    types: list[TypeView]
    built_in: list[TypeView]
    problems: list[ProblemView]

    def as_text(self) -> str:
        """The user's types with their fields, the built-in ones by name, then the problems."""
        lines = [kind.as_text() for kind in self.types]
        if not self.types:
            lines.append(
                "no types defined yet (.context/schema.yaml); save_context keeps free text"
            )
        lines.append("built in: " + ", ".join(kind.name for kind in self.built_in))
        return "\n".join(lines + [f"! {problem.as_text()}" for problem in self.problems])


@operation("GET /api/schema/types", profile="standard")
def describe_schema(runtime: Runtime) -> SchemaView:
    """See which types of context the user cares about, with their fields. Call it before
    save_typed_context or query_by_type.
    """
    schema = schema_of(runtime)
    return SchemaView(
        types=type_views(schema.types.values()),
        built_in=[
            TypeView(kind.name, kind.description, _fields(kind.fields), "built-in", built_in=True)
            for kind in KINDS.values()
        ],
        problems=problem_views(schema.problems),
    )


def type_views(types: Iterable[ContextType]) -> list[TypeView]:
    """Types as callers see them."""
    return [
        TypeView(
            name=kind.name,
            description=kind.description,
            fields=_fields(kind.fields),
            origin=kind.origin,
            partial=kind.partial,
            line=kind.line,
        )
        for kind in types
    ]


def problem_views(problems: Iterable[Problem]) -> list[ProblemView]:
    """Problems as callers see them."""
    return [ProblemView(p.file, p.line, p.message, p.hint) for p in problems]


def _fields(fields: Mapping[str, Field]) -> dict[str, FieldView]:
    return {
        name: FieldView(f.type, f.required, f.description, list(f.values), f.default)
        for name, f in fields.items()
    }


@operation("POST /api/contexts/typed", effect="write", profile="standard")
def save_typed_context(
    runtime: Runtime,
    type: str,
    data: dict[str, Any],
    tags: list[str] | None = None,
    source: str = "",
    bubble_id: str | None = None,
) -> TypedEntry:
    """Keep an entry of one of the user's types; see describe_schema. All wrong fields are named at
    once and nothing is saved; an unknown type is saved untyped, and the answer says so.

    Args:
        type: The type's name.
        data: The fields, by name.
        tags: Words to filter by.
        source: Where it comes from; your client's name when empty.
        bubble_id: A bubble to put it in.
    """
    if not data:
        raise Invalid("data is empty", "give the fields; describe_schema names them")
    schema = schema_of(runtime)
    kind = schema.types.get(type)
    note = "" if kind else _untyped(type, schema)
    kept: dict[str, Any] = {TYPE: type} if kind else {}
    kept[FIELDS] = kind.check(data) if kind else data
    if bubble_id:
        kept["bubbleId"] = bubble_named(runtime, bubble_id).id
    content = content_of(type, kept[FIELDS])
    saved = save_new(runtime, "context", content=content, tags=tags, data=kept, source=source)
    runtime.trace.wrote([saved.record.id], type=type if kind else "context")
    return typed_entry(saved.record, kind, "; ".join(filter(None, (note, _fate(saved)))))


def _untyped(type: str, schema: Schema) -> str:
    if type in KINDS:
        return f"{type!r} is built in and has tools of its own; saved as an untyped entry"
    near = nearest(type, list(schema.types))
    known = "types: " + (", ".join(schema.types) or "none defined yet")
    wrong = "; its file has mistakes, see describe_schema" if schema.problems else ""
    return f"no type {type!r} ({near or known}){wrong}; saved as an untyped entry"


def _fate(saved: Saved) -> str:
    """What a caller should know besides that it was saved."""
    if saved.outcome == "duplicate":
        return f"{saved.reason}; that entry is returned"
    told = "it waits in the inbox: " + saved.reason if saved.outcome == "inbox" else saved.reason
    redacted = f"{saved.redacted} secrets taken out" if saved.redacted else ""
    return "; ".join(filter(None, (told, redacted)))


@operation("GET /api/contexts/by-type", profile="standard")
def query_by_type(
    runtime: Runtime,
    type: str,
    filter: dict[str, Any] | None = None,
    limit: int = 50,
    cursor: str = "",
) -> TypedEntries:
    """List the entries of a type, newest first, filtered by their fields.

    Args:
        type: The type's name.
        filter: Field to value, or to operators $gt $gte $lt $lte $ne $in $nin $not; lists match by containment; $and, $or, $not combine.
        limit: The most entries of a page.
        cursor: Where the page starts; given by the page before.
    """
    schema = schema_of(runtime)
    kind = schema.types.get(type)
    if kind is None and type in KINDS:
        built_in = KINDS[type]
        condition = parse_filter(filter or {}, built_in.fields, open=built_in.open)
        query = runtime.query(type, filter=condition, limit=page_size(limit), cursor=cursor)
    else:
        condition = parse_filter(
            filter or {},
            kind.fields if kind else {},
            within=(FIELDS,),
            open=kind is None or kind.partial,
        )
        query = runtime.query(
            "context",
            where={TYPE: type},
            filter=condition,
            limit=page_size(limit),
            cursor=cursor,
        )
    page = runtime.store.records.find(query)
    ids = [record.id for record in page.records]
    runtime.trace.read(ids, type=type, query="" if cursor else _as_words(type, filter))
    hand_out_records(runtime, page.records)
    note = ""
    if kind is None and type not in KINDS:
        near = nearest(type, [*schema.types, *KINDS])
        note = f"no type {type!r} is defined" + (f"; {near}" if near else "")
    return TypedEntries([typed_entry(r, kind) for r in page.records], page.cursor, note)


def _as_words(type: str, given: Any) -> str:
    """A filter as a query in words, for the list of what was asked in vain."""

    def words(value: Any) -> list[str]:
        if isinstance(value, Mapping):
            return [word for part in value.values() for word in words(part)]
        if isinstance(value, list):
            return [word for part in value for word in words(part)]
        return [str(value)] if isinstance(value, str) else []

    return " ".join([type.replace("_", " "), *words(given)])[:200]
