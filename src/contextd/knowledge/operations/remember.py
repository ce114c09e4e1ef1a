"""Recording anything, of any kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from contextd.domain.kind_names import kind_meant
from contextd.domain.kinds import KINDS
from contextd.knowledge.acknowledgement import Recorded, recorded
from contextd.knowledge.recording import NewRecord, record_new
from contextd.person.person import kept_in, where_kept
from contextd.runtime.operation import FieldsOf, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.in_force import schema_of


@operation(
    "POST /api/records", effect="write", profile="full", personal=True, aliases={"data": "fields"}
)
def remember(
    runtime: Runtime,
    text: str = "",
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
        text: What is worth knowing, in one to three sentences; made from the fields when empty.
        kind: The kind or type; a plain note when empty.
        title: A short name.
        tags: Words to filter by.
        fields: The typed fields of the kind, by name.
        scope: For whom it holds: the project, its team, the organisation, or the person in all projects.
        source: Where it comes from; your client's name when empty.
    """
    kind, implied = kind_meant(kind, (*KINDS, *schema_of(runtime).types))
    where = kept_in(runtime, scope)
    new = NewRecord(
        kind, text, title, tags, {**implied, **(fields or {})}, source=source, scope=where
    )
    saved, _ = record_new(runtime, new)
    return recorded(saved, where_kept(runtime, where, scope))
