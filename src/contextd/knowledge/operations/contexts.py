"""Context entries: the tools for them that OpenContext clients know."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from contextd.domain.limits import Cursor, Id, PageSize, Statement, Text
from contextd.domain.records import Record, short_id
from contextd.domain.validity import CURRENT
from contextd.knowledge.acknowledgement import fate
from contextd.knowledge.git_anchors import anchor_for
from contextd.knowledge.record_views import (
    ContextEntry,
    Done,
    Entries,
    SavedEntry,
    entry,
    saved_entry,
)
from contextd.knowledge.recording import NewRecord, record_new
from contextd.knowledge.typed_entries import in_step, with_fields, with_type
from contextd.knowledge.writing import change, clean_tags, within_limits
from contextd.person.person import kept_in, where_kept
from contextd.runtime.operation import ExtraArguments, FieldsOf, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.schema.model import TYPE
from contextd.search.bubbles import bubble_in, bubble_named
from contextd.search.find_records import KNOWN, find_records, hand_out_whole, resolve
from contextd.search.logged_queries import asked, unanswered
from contextd.search.validity import validities


@operation("POST /api/contexts", effect="write", profile="full", where="person")
def save_context(
    runtime: Runtime,
    text: Statement,
    tags: list[str] | None = None,
    source: str = "",
    bubble_id: str | None = None,
    scope: Literal["project", "person"] | None = None,
) -> SavedEntry:
    """Keep a note for later sessions: a fact, a preference, something the user said.

    Args:
        text: The note, as one self-contained statement.
        tags: Words to filter by.
        source: Where it comes from; your client's name when empty.
        bubble_id: A bubble to put it in.
        scope: For this project, or for the person in all projects.
    """
    where = kept_in(runtime, scope)
    bubble = bubble_in(runtime, bubble_id, where).id if bubble_id else ""
    new = NewRecord("context", text, tags=tags, source=source, scope=where, bubble=bubble)
    saved, _ = record_new(runtime, new)
    note = "; ".join(filter(None, (fate(saved), where_kept(runtime, where, scope))))
    return saved_entry(saved.record, note)


@operation("GET /api/contexts/recall", profile="full", where="person")
def recall_context(runtime: Runtime, query: Text, limit: PageSize = 10) -> Entries:
    """Find saved notes, lessons and rules about something.

    Args:
        query: What to look for, in plain words.
        limit: The most entries to return.
    """
    return _search(runtime, query, limit)


@operation("GET /api/contexts", profile="standard", where="person")
def list_contexts(
    runtime: Runtime,
    tags: list[str] | None = None,
    bubble_id: str | None = None,
    limit: PageSize = 50,
    cursor: Cursor = "",
) -> Entries:
    """List saved notes, newest first.

    Args:
        tags: Only notes with all of these tags.
        bubble_id: Only notes of this bubble.
        limit: The most entries of a page.
        cursor: Where the page starts; given by the page before.
    """
    where = {"bubbleId": bubble_named(runtime, bubble_id).id} if bubble_id else {}
    query = runtime.query(
        "context", tags=clean_tags(tags or ()), where=where, limit=limit, cursor=cursor
    )
    page = runtime.view.records.find(query)
    runtime.trace.read([r.id for r in page.records], type="context")
    hand_out_whole(runtime, page.records)
    found = validities(runtime, page.records)
    return Entries([entry(one, found[one.id]) for one in page.records], page.cursor)


@operation("GET /api/contexts/search", profile="full", where="person")
def search_contexts(
    runtime: Runtime,
    query: Text,
    tags: list[str] | None = None,
    type: str | None = None,
    limit: PageSize = 10,
) -> Entries:
    """Search saved notes, lessons and rules by meaning and words, ranked, with filters.

    Args:
        query: What to look for.
        tags: Only notes with all of these tags.
        type: Only notes of this context type.
        limit: The most entries to return.
    """
    where = {"contextType": type} if type else {}
    return _search(runtime, query, limit, tags=clean_tags(tags or ()), where=where)


@operation(
    "PATCH /api/contexts/{id}",
    effect="write",
    profile="standard",
    idempotent=True,
    where="person",
    extra=ExtraArguments(nulls={"bubble_id": "", "type": ""}, aliases={"data": "fields"}),
)
def update_context(
    runtime: Runtime,
    id: Id,
    text: Statement | None = None,
    tags: list[str] | None = None,
    bubble_id: str | None = None,
    fields: Annotated[dict[str, Any] | None, FieldsOf("id")] = None,
    type: str | None = None,
) -> ContextEntry:
    """Change a saved note; fields that are not given stay. With the id alone, confirm that it is still true.

    Args:
        id: The note's id, or its first characters.
        text: The new text.
        tags: The new tags, replacing the old ones.
        bubble_id: The bubble to move it to; an empty string or null takes it out.
        fields: Typed fields to set; null removes one. Text generated from them is updated.
        type: Its new type; an empty string or null makes it a plain note.
    """
    before = resolve(runtime, id, "context")
    typed = before
    if type is not None:
        typed = with_type(before, type, fields or {}, schema_of(runtime))
    elif fields:
        typed = with_fields(before, fields, schema_of(runtime))
    merged = dict(typed.data)
    if bubble_id is not None:
        merged.pop("bubbleId", None)
        if bubble_id:
            merged["bubbleId"] = bubble_named(runtime, bubble_id).id
    after = in_step(
        before,
        typed.with_(
            content=before.content if text is None else text,
            tags=typed.tags if tags is None else tuple(tags),
            data=merged,
        ),
    )
    # Whoever changes or confirms a note has looked at the code it names as it is now.
    anchor = anchor_for(runtime, after.text)
    if anchor and anchor.paths:
        after = after.with_(anchor=anchor)
    after = change(runtime, before, within_limits(after), action="update")
    runtime.trace.wrote([after.id], type=_type_of(after), action="update")
    return entry(after, CURRENT)


@operation(
    "DELETE /api/contexts/{id}",
    effect="destroy",
    profile="standard",
    idempotent=True,
    where="person",
)
def delete_context(runtime: Runtime, id: Id) -> Done:
    """Remove a saved note. The user can restore it with `contextd records undo`.

    Args:
        id: The note's id, or its first characters.
    """
    record = resolve(runtime, id, "context")
    shown = short_id(record.id)
    back = f"`contextd records undo {shown}` brings it back"
    if record.status == "deleted":
        return Done(record.id, f"{shown} was deleted before; {back}")
    change(runtime, record, record.with_(status="deleted"), action="delete")
    runtime.trace.wrote([record.id], type=_type_of(record), action="delete")
    return Done(record.id, f"deleted {shown}; {back}")


def _search(runtime: Runtime, query: str, limit: int, **conditions: Any) -> Entries:
    kinds = ("context",) if conditions.get("where") else KNOWN
    found = find_records(runtime, query, kinds, limit=limit, **conditions)
    records = [hit.record for hit in found.hits]
    narrowed = any(conditions.values())
    noted = asked(runtime, query, [r.id for r in records], type="context", narrowed=narrowed)
    hand_out_whole(runtime, records)
    note = found.notice
    if not records:
        note = unanswered(runtime, f"nothing found for {query!r}", noted=noted)
    entries = [entry(hit.record, hit.validity, hit.score) for hit in found.hits]
    return Entries(entries, note=note)


def _type_of(record: Record) -> str:
    return str(record.data.get(TYPE) or "context")
