"""Recording anything, of any kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from contextd.domain.errors import Invalid, nearest
from contextd.domain.kinds import KINDS, Kind
from contextd.operations.core import FieldsOf, operation
from contextd.runtime import Runtime
from contextd.schema.text import content_of
from contextd.steps.recorded import Recorded, recorded
from contextd.steps.schemas import schema_of
from contextd.steps.typed import save_typed
from contextd.steps.writing import save_new


@operation("POST /api/records", effect="write", profile="full")
def remember(
    runtime: Runtime,
    content: str = "",
    kind: str = "context",
    title: str = "",
    tags: list[str] | None = None,
    fields: Annotated[dict[str, Any] | None, FieldsOf("kind")] = None,
    level: Literal["project", "team", "org"] = "project",
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
        level: For whom it holds: the project, its team, or the whole organisation.
        source: Where it comes from; your client's name when empty.
    """
    declared = KINDS.get(kind)
    if declared is None:
        return _typed(runtime, kind, content, fields or {}, tags, source)
    _require_recordable(declared)
    scope = next(s for s in runtime.cascade if s.level == level)
    saved = save_new(
        runtime,
        kind,
        title=title,
        content=content or (content_of(kind, fields) if fields else ""),
        tags=tags,
        data=fields,
        source=source,
        scope=scope,
        session=runtime.session,
    )
    runtime.trace.wrote([saved.record.id], type=kind)
    return recorded(saved)


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
) -> Recorded:
    known = [*schema_of(runtime).types, *KINDS]
    if type not in known:
        raise Invalid(f"no kind {type!r}", nearest(type, known) or "kinds: " + ", ".join(known))
    if content:
        raise Invalid(
            f"entries of the type {type} are made from their fields", "leave out the content"
        )
    saved, _ = save_typed(runtime, type, fields, tags=tags, source=source)
    runtime.trace.wrote([saved.record.id], type=type)
    return recorded(saved)
