"""Context entries and bubbles: the eleven tools OpenContext clients know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from contextd.domain.errors import Invalid
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.time import iso
from contextd.operations.anchors import anchor_for
from contextd.operations.core import operation
from contextd.operations.finding import find_records, resolve
from contextd.operations.typed import TYPE, schema_of, with_fields
from contextd.operations.views import Done, Entries, Entry, entry
from contextd.operations.window import hand_out_records
from contextd.operations.writing import change, clean_tags, save_new, within_limits
from contextd.runtime import Runtime

_EVERYTHING = 10_000


@operation("POST /api/contexts", effect="write", profile="standard")
def save_context(
    runtime: Runtime,
    content: str,
    tags: list[str] | None = None,
    source: str = "",
    bubble_id: str | None = None,
) -> Entry:
    """Keep a note for later sessions: a fact, a preference, something the user said.

    Args:
        content: The note, as one self-contained statement.
        tags: Words to filter by.
        source: Where it comes from; your client's name when empty.
        bubble_id: A bubble to put it in.
    """
    data = {"bubbleId": bubble_named(runtime, bubble_id).id} if bubble_id else {}
    saved = save_new(
        runtime,
        "context",
        content=content,
        tags=tags,
        data=data,
        source=source,
    )
    runtime.trace.wrote([saved.record.id], type="context")
    return entry(saved.record)


@operation("GET /api/contexts/recall", profile="standard")
def recall_context(runtime: Runtime, query: str, limit: int = 10) -> Entries:
    """Find saved notes about something.

    Args:
        query: What to look for, in plain words.
        limit: The most entries to return.
    """
    return _search(runtime, query, limit)


@operation("GET /api/contexts", profile="standard")
def list_contexts(
    runtime: Runtime,
    tag: str | None = None,
    bubble_id: str | None = None,
    limit: int = 50,
    cursor: str = "",
) -> Entries:
    """List saved notes, newest first.

    Args:
        tag: Only notes with this tag.
        bubble_id: Only notes of this bubble.
        limit: The most entries of a page.
        cursor: Where the page starts; given by the page before.
    """
    where = {"bubbleId": bubble_named(runtime, bubble_id).id} if bubble_id else {}
    query = runtime.query(
        "context", tags=clean_tags([tag or ""]), where=where, limit=page_size(limit), cursor=cursor
    )
    page = runtime.store.records.find(query)
    runtime.trace.read([r.id for r in page.records], type="context")
    hand_out_records(runtime, page.records)
    return Entries([entry(record) for record in page.records], page.cursor)


@operation("GET /api/contexts/search", profile="standard")
def search_contexts(
    runtime: Runtime,
    query: str,
    tags: list[str] | None = None,
    type: str | None = None,
    limit: int = 10,
) -> Entries:
    """Search saved notes by meaning and words, ranked, with filters.

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
    nulls={"bubble_id": ""},
)
def update_context(
    runtime: Runtime,
    id: str,
    content: str | None = None,
    tags: list[str] | None = None,
    bubble_id: str | None = None,
    data: dict[str, Any] | None = None,
) -> Entry:
    """Change a saved note; what is not given stays. With the id alone it is confirmed as still true.

    Args:
        id: The note's id, or its first characters.
        content: The new text.
        tags: The new tags, replacing the old ones.
        bubble_id: The bubble to move it to; an empty string or null takes it out.
        data: Typed fields to set; null takes one out.
    """
    before = resolve(runtime, id, "context")
    if data:
        before = with_fields(before, data, schema_of(runtime))
    merged = dict(before.data)
    if bubble_id is not None:
        merged.pop("bubbleId", None)
        if bubble_id:
            merged["bubbleId"] = bubble_named(runtime, bubble_id).id
    after = before.with_(
        content=before.content if content is None else content,
        tags=before.tags if tags is None else tuple(tags),
        data=merged,
    )
    # Whoever changes or confirms a note has looked at the code it names as it is now.
    anchor = anchor_for(runtime, after.text)
    if anchor and anchor.paths:
        after = after.with_(anchor=anchor)
    after = change(runtime, within_limits(after), action="update")
    runtime.trace.wrote([after.id], type=_type_of(after), action="update")
    return entry(after)


@operation("DELETE /api/contexts/{id}", effect="destroy", profile="standard", idempotent=True)
def delete_context(runtime: Runtime, id: str) -> Done:
    """Remove a saved note. It can be brought back with undo.

    Args:
        id: The note's id, or its first characters.
    """
    record = resolve(runtime, id, "context")
    change(runtime, record.with_(status="deleted"), action="delete")
    runtime.trace.wrote([record.id], type=_type_of(record), action="delete")
    return Done(record.id, f"deleted {record.id[:8]}; `undo {record.id[:8]}` brings it back")


@dataclass(frozen=True, slots=True)
class Bubble:
    """A group of records around one topic."""

    id: str
    name: str
    description: str
    count: int
    created_at: Annotated[str, Field(serialization_alias="createdAt")]
    updated_at: Annotated[str, Field(serialization_alias="updatedAt")]
    entries: list[Entry] | None = None

    def as_text(self) -> str:
        """Name, size, and the entries when they were asked for."""
        about = f": {self.description}" if self.description else ""
        lines = [f"{self.id[:8]} {self.name} ({self.count}){about}"]
        return "\n".join(lines + ["- " + item.as_text() for item in self.entries or ()])


@dataclass(frozen=True, slots=True)
class Bubbles:
    """Every bubble of the project."""

    bubbles: list[Bubble]

    def as_text(self) -> str:
        """A line per bubble."""
        return "\n".join(bubble.as_text() for bubble in self.bubbles) or "no bubbles yet"


@operation("POST /api/bubbles", effect="write")
def create_bubble(runtime: Runtime, name: str, description: str = "") -> Bubble:
    """Make a bubble: a group of notes around one topic.

    Args:
        name: A short name.
        description: What belongs in it.
    """
    fields = {"name": name.strip(), "description": description}
    saved = save_new(
        runtime, "bubble", title=name.strip(), content=description or name, data=fields, gate=False
    )
    runtime.trace.wrote([saved.record.id], type="bubble")
    return _view(runtime, saved.record)


@operation("GET /api/bubbles")
def list_bubbles(runtime: Runtime) -> Bubbles:
    """List the bubbles with how many notes each holds."""
    page = runtime.store.records.find(runtime.query("bubble", limit=1000))
    runtime.trace.read([r.id for r in page.records], type="bubble")
    return Bubbles([_view(runtime, record) for record in page.records])


@operation("GET /api/bubbles/{id}")
def get_bubble(runtime: Runtime, id: str) -> Bubble:
    """Show a bubble and the notes in it.

    Args:
        id: The bubble's id, its first characters, or its name.
    """
    record = bubble_named(runtime, id)
    runtime.trace.read([record.id], type="bubble")
    return _view(runtime, record, contents=True)


@operation("PATCH /api/bubbles/{id}", effect="write", idempotent=True)
def update_bubble(
    runtime: Runtime, id: str, name: str | None = None, description: str | None = None
) -> Bubble:
    """Rename or describe a bubble.

    Args:
        id: The bubble's id, its first characters, or its name.
        name: The new name.
        description: The new description.
    """
    before = bubble_named(runtime, id)
    data = dict(before.data)
    data |= {k: v for k, v in (("name", name), ("description", description)) if v is not None}
    after = before.with_(
        title=data["name"], content=data.get("description") or data["name"], data=data
    )
    after = change(runtime, after, action="update")
    runtime.trace.wrote([after.id], type="bubble", action="update")
    return _view(runtime, after)


@operation(
    "DELETE /api/bubbles/{id}",
    effect="destroy",
    idempotent=True,
    aliases={"deleteContexts": "delete_contents"},
)
def delete_bubble(runtime: Runtime, id: str, delete_contents: bool = False) -> Done:
    """Remove a bubble; its notes stay unless asked otherwise.

    Args:
        id: The bubble's id, its first characters, or its name.
        delete_contents: Remove the notes in it as well.
    """
    record = bubble_named(runtime, id)
    members = _members(runtime, record)
    with runtime.store.transaction():
        for member in members:
            data = {k: v for k, v in member.data.items() if k != "bubbleId"}
            gone = member.with_(status="deleted") if delete_contents else member.with_(data=data)
            change(runtime, gone, action="delete" if delete_contents else "update")
        change(runtime, record.with_(status="deleted"), action="delete")
    runtime.trace.wrote([record.id], type="bubble", action="delete")
    fate = "deleted with it" if delete_contents else "kept"
    return Done(record.id, f"deleted bubble {record.title}; {len(members)} notes {fate}")


def _search(runtime: Runtime, query: str, limit: int, **conditions: Any) -> Entries:
    found = find_records(runtime, query, ("context",), limit=page_size(limit), **conditions)
    runtime.trace.read([hit.record.id for hit in found.hits], type="context", query=query)
    hand_out_records(runtime, (hit.record for hit in found.hits))
    note = found.notice if found.hits else f"nothing found for {query!r}; noted as a gap"
    return Entries([entry(hit.record, hit.score) for hit in found.hits], note=note)


def _type_of(record: Record) -> str:
    return str(record.data.get(TYPE) or "context")


def page_size(limit: int) -> int:
    """`limit`, when a page may be that large. Raises `Invalid`."""
    if not 1 <= limit <= 1000:
        raise Invalid(f"limit is {limit}", "choose 1 to 1000")
    return limit


def bubble_named(runtime: Runtime, id: str) -> Record:
    """The bubble with this name, id or beginning of an id. Raises `NotFound` or `Conflict`."""
    named = runtime.query("bubble", where={"name": id}, limit=1)
    found = runtime.store.records.find(named).records
    return found[0] if found else resolve(runtime, id, "bubble")


def _inside(runtime: Runtime, bubble: Record) -> Query:
    return runtime.query("context", where={"bubbleId": bubble.id}, limit=_EVERYTHING)


def _members(runtime: Runtime, bubble: Record) -> list[Record]:
    return runtime.store.records.find(_inside(runtime, bubble)).records


def _view(runtime: Runtime, record: Record, *, contents: bool = False) -> Bubble:
    members = _members(runtime, record) if contents else []
    return Bubble(
        id=record.id,
        name=record.title,
        description=str(record.data.get("description", "")),
        count=sum(runtime.store.records.count(_inside(runtime, record)).values()),
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        entries=[entry(member) for member in members] if contents else None,
    )
