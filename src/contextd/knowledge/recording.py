"""Record something new: `remember`, and the older tools for notes, lessons and typed entries,
all end here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from contextd.domain.kind import Kind
from contextd.domain.kinds import KINDS
from contextd.domain.query import Query
from contextd.domain.records import FOUND, Record, short_id
from contextd.domain.scope import Scope
from contextd.knowledge.typed_entries import save_typed
from contextd.knowledge.writing import (
    Provenance,
    RecordText,
    Saved,
    change,
    save_new,
    within_limits,
)
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.schema.text import content_of
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to create. `kind` is a built-in kind or a type of the user's, `bubble` the id of one.

    With `untyped` an unknown kind becomes an undeclared type, otherwise it is an error.
    """

    kind: str
    text: str = ""
    title: str = ""
    tags: Sequence[str] | None = None
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    source: str = ""
    scope: Scope | None = None
    bubble: str = ""
    untyped: bool = False


def record_new(runtime: Runtime, new: NewRecord) -> tuple[Saved, str]:
    """Store `new`; return the result, and a note on its type.

    A memory with a topic replaces the one on that topic. Raises `Invalid` naming every wrong field,
    for an unknown kind, and for a kind that other operations create.
    """
    kind = None if new.untyped else KINDS.get(new.kind)
    if kind is None:
        return _typed(runtime, new)
    _require_recordable(kind)
    fields = dict(new.fields)
    # In lower case a token could no longer be recognised by its shape.
    topic = redact(str(fields.get("topic") or ""), runtime.redaction_key).text
    topic = "-".join(topic.casefold().split())
    if kind.name == "memory" and topic:
        fields["topic"] = topic
        before = _on_topic(runtime, topic, new.scope or runtime.scope)
        if before is not None:
            return _revised(runtime, before, new, fields), ""
    if new.bubble:
        fields["bubbleId"] = new.bubble
    saved = save_new(
        runtime,
        RecordText(
            kind.name,
            title=new.title,
            content=new.text or (content_of(kind.name, fields) if fields else ""),
            tags=new.tags or (),
            data=fields,
        ),
        Provenance(source=new.source, session=runtime.session),
        scope=new.scope,
    )
    runtime.trace.wrote([saved.record.id], type=kind.name)
    return saved, ""


def _require_recordable(kind: Kind) -> None:
    if "remember" not in kind.created_by:
        makers = " or ".join(kind.created_by)
        raise Invalid(f"records of kind {kind.name} are made by {makers}", f"call {makers}")


def _on_topic(runtime: Runtime, topic: str, scope: Scope) -> Record | None:
    query = Query(
        scopes=frozenset({scope}),
        kinds=("memory",),
        where={"topic": topic},
        limit=1,
        statuses=FOUND,
    )
    return next(iter(runtime.view.records.find(query).records), None)


def _revised(runtime: Runtime, before: Record, new: NewRecord, fields: Mapping[str, Any]) -> Saved:
    """The existing memory on a topic, with the new content."""
    topic = fields["topic"]
    revision = before.with_(
        title=new.title.strip(),
        content=new.text.strip(),
        data={**before.data, **fields},
        tags=tuple(new.tags) if new.tags else before.tags,
        status="active",
    )
    reason = f"topic {topic}"
    after = change(runtime, before, within_limits(revision), action="update", reason=reason)
    runtime.trace.wrote([after.id], type="memory", action="update")
    return Saved("updated", f"{short_id(after.id)} on {topic} says this now", after, changed=True)


def _typed(runtime: Runtime, new: NewRecord) -> tuple[Saved, str]:
    types = schema_of(runtime).types
    known = [*types, *KINDS]
    if not new.untyped and new.kind not in known:
        choices = "kinds: " + ", ".join(known)
        hint = "; ".join(filter(None, (nearest(new.kind, known), choices)))
        raise NotFound(f"unknown kind {new.kind!r}", hint)
    if new.text:
        raise Invalid(
            f"entries of the type {new.kind} are made from their fields", "leave out the text"
        )
    saved, note = save_typed(
        runtime,
        new.kind,
        new.fields,
        tags=new.tags,
        source=new.source,
        bubble=new.bubble,
        scope=new.scope,
    )
    type = new.kind if new.kind in types or not new.untyped else "context"
    runtime.trace.wrote([saved.record.id], type=type)
    return saved, note
