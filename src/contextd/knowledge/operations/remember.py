"""Record anything, of any kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from contextd.domain.kind_names import kind_meant
from contextd.domain.kinds import KINDS
from contextd.domain.limits import STATEMENT
from contextd.knowledge.acknowledgement import Recorded, recorded
from contextd.knowledge.recording import NewRecord, record_new
from contextd.person.person import kept_in, where_kept
from contextd.runtime.operation import ExtraArguments, FieldsOf, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of


@operation(
    "POST /api/records",
    effect="write",
    profile="core",
    where="person",
    extra=ExtraArguments(aliases={"data": "fields"}),
)
def remember(
    runtime: Runtime,
    text: Annotated[str, STATEMENT] = "",
    kind: str = "context",
    title: str = "",
    tags: list[str] | None = None,
    fields: Annotated[dict[str, Any] | None, FieldsOf("kind")] = None,
    scope: Literal["project", "team", "org", "person"] | None = None,
    source: str = "",
) -> Recorded:
    """Save one fact, decision, lesson, rule or fix for later sessions; describe_schema lists kinds.

    Args:
        text: One to three sentences.
        kind: Such as note, lesson, rule, fix, or the user's type.
        title: A short name.
        tags: Words to filter by.
        fields: Fields of the kind.
        scope: Person: all their projects.
        source: Where it comes from.
    """
    kind, implied = kind_meant(kind, (*KINDS, *schema_of(runtime).types))
    where = kept_in(runtime, scope)
    new = NewRecord(
        kind, text, title, tags, {**implied, **(fields or {})}, source=source, scope=where
    )
    saved, _ = record_new(runtime, new)
    return recorded(saved, where_kept(runtime, where, scope))
