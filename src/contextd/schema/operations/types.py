"""User-defined types and their entries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from contextd.domain.conditions import AllOf, AnyOf, Compare, Not
from contextd.domain.kinds import KINDS
from contextd.domain.limits import Count, Cursor, PageSize
from contextd.domain.validity import CURRENT
from contextd.knowledge.acknowledgement import fate
from contextd.knowledge.recording import NewRecord, record_new
from contextd.knowledge.typed_entries import TypedEntries, TypedEntry, typed_entry
from contextd.person.person import kept_in, where_kept
from contextd.policies.rule_file_sync import problems_of_files
from contextd.redaction.cutting import beginning
from contextd.runtime.operation import FieldsOf, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.schema.filter import parse_filter
from contextd.schema.model import FIELDS, SAVED_AS, TYPE
from contextd.schema.type_views import ProblemView, TypeView, field_views, problem_views, type_views
from contextd.search.bubbles import bubble_in
from contextd.search.find_records import hand_out_whole
from contextd.search.logged_queries import asked
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass
from contextd_common.errors import nearest


@dataclass(frozen=True, slots=True)
class SchemaView:
    """The user's types, the built-in kinds, and problems in the files."""

    types: list[TypeView]
    built_in: list[TypeView]
    problems: list[ProblemView]

    def as_text(self) -> str:
        """The user's types with their fields, the built-in ones by name, then the problems."""
        lines = [kind.as_text() for kind in self.types]
        if not self.types:
            lines.append("no types defined yet (.context/schema.yaml); remember keeps free text")
        lines.append("built in: " + ", ".join(kind.name for kind in self.built_in))
        return "\n".join(lines + [f"! {problem.as_text()}" for problem in self.problems])


@operation("GET /api/schema/types", profile="standard")
def describe_schema(runtime: Runtime) -> SchemaView:
    """List the user's context types with their fields. Call it before remember or query_by_type."""
    schema = schema_of(runtime)
    return SchemaView(
        types=type_views(schema.types.values()),
        built_in=[
            TypeView(
                kind.name, kind.description, field_views(kind.fields), "built-in", built_in=True
            )
            for kind in KINDS.values()
        ],
        problems=problem_views((*schema.problems, *problems_of_files(runtime))),
    )


@operation("POST /api/contexts/typed", effect="write", profile="full", where="person")
def save_typed_context(
    runtime: Runtime,
    type: str,
    fields: Annotated[dict[str, Any], Count(1, of="an object"), FieldsOf("type")],
    tags: list[str] | None = None,
    source: str = "",
    bubble_id: str | None = None,
    scope: Literal["project", "person"] | None = None,
) -> TypedEntry:
    """Save an entry of one of the user's types; see describe_schema. If fields are wrong, nothing is saved
    and the error names all of them; an unknown type is saved untyped, and the answer says so.

    Args:
        type: The type's name.
        fields: The fields, by name.
        tags: Words to filter by.
        source: Where it comes from; your client's name when empty.
        bubble_id: A bubble to put it in.
        scope: For this project, or for the person in all projects.
    """
    where = kept_in(runtime, scope)
    bubble = bubble_in(runtime, bubble_id, where).id if bubble_id else ""
    new = NewRecord(
        type, tags=tags, fields=fields, source=source, scope=where, bubble=bubble, untyped=True
    )
    saved, note = record_new(runtime, new)
    kind = schema_of(runtime).types.get(type)
    notes = (note, fate(saved), where_kept(runtime, where, scope))
    return typed_entry(saved.record, kind, CURRENT, "; ".join(filter(None, notes)))


@operation("GET /api/contexts/by-type", profile="standard", where="person")
def query_by_type(
    runtime: Runtime,
    type: str,
    filter: Annotated[dict[str, Any] | None, FieldsOf("type")] = None,
    limit: PageSize = 50,
    cursor: Cursor = "",
) -> TypedEntries:
    """List the entries of a type, newest first, filtered by their fields.

    Args:
        type: The type's name.
        filter: Field to value, or to operators $gt $gte $lt $lte $ne $in $nin $not; lists match by
            containment; $and, $or, $not combine.
        limit: Most entries per page.
        cursor: Where the page starts; from the previous page.
    """
    schema = schema_of(runtime)
    kind = schema.types.get(type)
    if kind is None and type in KINDS:
        built_in = KINDS[type]
        condition = parse_filter(filter or {}, built_in.fields, open=built_in.open)
        query = runtime.query(type, filter=condition, limit=limit, cursor=cursor)
    else:
        condition = parse_filter(
            filter or {},
            kind.fields if kind else {},
            within=(FIELDS,),
            open=kind is None or kind.partial,
            held=lambda name: _is_held(runtime, type, name),
        )
        where = {TYPE: type} if kind else {}
        if kind is None:
            named = AnyOf((Compare((TYPE,), "=", type), Compare((SAVED_AS,), "=", type)))
            condition = AllOf((named, condition)) if condition else named
        query = runtime.query("context", where=where, filter=condition, limit=limit, cursor=cursor)
    page = runtime.view.records.find(query)
    ids = [record.id for record in page.records]
    question = "" if cursor else _as_words(type, filter)
    # An undeclared type, or a filter that excludes everything, is no knowledge gap.
    known = kind is not None or type in KINDS
    asked(runtime, question, ids, type=type, narrowed=bool(filter or cursor) or not known)
    hand_out_whole(runtime, page.records)
    note = ""
    if kind is None and type not in KINDS:
        near = nearest(type, [*schema.types, *KINDS])
        note = f"unknown type {type!r}" + (f"; {near}" if near and not ids else "")
    found = validities(runtime, page.records)
    return TypedEntries(
        [typed_entry(r, kind, found[r.id]) for r in page.records], page.cursor, note
    )


def _is_held(runtime: Runtime, type: str, name: str) -> bool:
    """Whether an entry of the type has the field, declared or not."""
    present = Not(Compare((FIELDS, name), "=", None))
    query = runtime.query("context", where={TYPE: type}, filter=present, limit=1)
    return bool(runtime.view.records.find(query).records)


def _as_words(type: str, filter: Any) -> str:
    """A filter as a text query, for the list of knowledge gaps."""

    def words(value: Any) -> list[str]:
        if isinstance(value, Mapping):
            return [word for part in value.values() for word in words(part)]
        if isinstance(value, list):
            return [word for part in value for word in words(part)]
        return [str(value)] if isinstance(value, str) else []

    return beginning(" ".join([type.replace("_", " "), *words(filter)]), 200)
