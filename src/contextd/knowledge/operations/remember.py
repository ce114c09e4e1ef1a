"""Recording anything, of any kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from contextd.domain.errors import Invalid, NotFound, nearest
from contextd.domain.kind import Kind
from contextd.domain.kind_names import kind_meant
from contextd.domain.kinds import KINDS
from contextd.domain.limits import STATEMENT
from contextd.domain.scope import Scope
from contextd.knowledge.acknowledgement import Recorded, recorded
from contextd.knowledge.typed import save_typed
from contextd.knowledge.writing import Saved, save_new
from contextd.person.person import kept_in, where_kept
from contextd.runtime.operation import FieldsOf, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.in_force import schema_of
from contextd.schema.text import content_of


@operation(
    "POST /api/records", effect="write", profile="full", personal=True, aliases={"level": "scope"}
)
def remember(
    runtime: Runtime,
    content: Annotated[str, STATEMENT] = "",
    kind: str = "context",
    title: str = "",
    tags: list[str] | None = None,
    fields: Annotated[dict[str, Any] | None, FieldsOf("kind")] = None,
    scope: Literal["project", "team", "org", "person"] | None = None,
    source: str = "",
) -> Recorded:
    """Record something of any kind: a note, a fix, a policy, a standard, a type of the user's own.
    describe_schema shows the kinds and their fields.

    Args:
        content: What is worth knowing, in one to three sentences; made from the fields when empty.
        kind: The kind or type; a plain note when empty.
        title: A short name.
        tags: Words to filter by.
        fields: The typed fields of the kind, by name.
        scope: For whom it holds: the project, its team, the organisation, or the person in all projects.
        source: Where it comes from; your client's name when empty.
    """
    kind, implied = kind_meant(kind, (*KINDS, *schema_of(runtime).types))
    if implied:
        fields = {**implied, **(fields or {})}
    declared = KINDS.get(kind)
    where = kept_in(runtime, scope)
    note = where_kept(runtime, where, scope)
    if declared is None:
        return recorded(_typed(runtime, kind, content, fields or {}, tags, source, where), note)
    _require_recordable(declared)
    saved = save_new(
        runtime,
        kind,
        title=title,
        content=content or (content_of(kind, fields) if fields else ""),
        tags=tags,
        data=fields,
        source=source,
        scope=where,
        session=runtime.session,
    )
    runtime.trace.wrote([saved.record.id], type=kind)
    return recorded(saved, note)


def _require_recordable(kind: Kind) -> None:
    if "remember" not in kind.created_by:
        makers = " or ".join(kind.created_by)
        raise Invalid(f"records of kind {kind.name} are made by {makers}", f"call {makers}")


def _typed(
    runtime: Runtime,
    type: str,
    content: str,
    fields: dict[str, Any],
    tags: list[str] | None,
    source: str,
    scope: Scope,
) -> Saved:
    known = [*schema_of(runtime).types, *KINDS]
    if type not in known:
        choices = "kinds: " + ", ".join(known)
        raise NotFound(
            f"no kind {type!r}", "; ".join(filter(None, (nearest(type, known), choices)))
        )
    if content:
        raise Invalid(
            f"entries of the type {type} are made from their fields", "leave out the content"
        )
    saved, _ = save_typed(runtime, type, fields, tags=tags, source=source, scope=scope)
    runtime.trace.wrote([saved.record.id], type=type)
    return saved
