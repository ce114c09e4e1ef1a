"""Bubbles: groups of notes around one topic, as OpenContext clients know them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contextd.domain.limits import Text
from contextd.domain.records import Record, short_id
from contextd.domain.time import iso
from contextd.knowledge.record_views import ContextEntry, Done, entry
from contextd.knowledge.writing import Changed, RecordText, change, change_all, save_new
from contextd.runtime.operation import ExtraArguments, operation
from contextd.runtime.runtime import Runtime
from contextd.search.bubbles import bubble_named, in_bubble, members_of
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Bubble:
    """A group of records around one topic."""

    id: str
    name: str
    description: str
    count: int
    created_at: Annotated[str, Field(serialization_alias="createdAt")]
    updated_at: Annotated[str, Field(serialization_alias="updatedAt")]
    entries: list[ContextEntry] | None = None

    def as_text(self) -> str:
        """Name, size, and the entries when they were asked for."""
        about = f": {self.description}" if self.description else ""
        lines = [f"{short_id(self.id)} {self.name} ({self.count}){about}"]
        return "\n".join(lines + ["- " + item.as_text() for item in self.entries or ()])


@dataclass(frozen=True, slots=True)
class Bubbles:
    """Every bubble of the project."""

    bubbles: list[Bubble]

    def as_text(self) -> str:
        """A line per bubble."""
        return "\n".join(bubble.as_text() for bubble in self.bubbles) or "no bubbles yet"


@operation("POST /api/bubbles", effect="write")
def create_bubble(runtime: Runtime, name: Text, description: str = "") -> Bubble:
    """Make a bubble: a group of notes around one topic.

    Args:
        name: A short name.
        description: What belongs in it.
    """
    fields = {"name": name.strip(), "description": description}
    saved = save_new(
        runtime,
        RecordText("bubble", title=name.strip(), content=description.strip() or name, data=fields),
        gate=False,
    )
    runtime.trace.wrote([saved.record.id], type="bubble")
    return _view(runtime, saved.record)


@operation("GET /api/bubbles")
def list_bubbles(runtime: Runtime) -> Bubbles:
    """List the bubbles with the number of their notes."""
    page = runtime.view.records.find(runtime.query("bubble", limit=1000))
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
    runtime: Runtime, id: str, name: Text | None = None, description: str | None = None
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
    after = change(runtime, before, after, action="update")
    runtime.trace.wrote([after.id], type="bubble", action="update")
    return _view(runtime, after)


@operation(
    "DELETE /api/bubbles/{id}",
    effect="destroy",
    idempotent=True,
    extra=ExtraArguments(aliases={"deleteContexts": "delete_contents"}),
)
def delete_bubble(runtime: Runtime, id: str, delete_contents: bool = False) -> Done:
    """Remove a bubble; its notes stay unless asked otherwise.

    Args:
        id: The bubble's id, its first characters, or its name.
        delete_contents: Remove the notes in it as well.
    """
    record = bubble_named(runtime, id)
    members = members_of(runtime, record)
    changes = [Changed(record, record.with_(status="deleted"), "delete")]
    for member in members:
        if delete_contents:
            changes.append(Changed(member, member.with_(status="deleted"), "delete"))
        else:
            data = {name: value for name, value in member.data.items() if name != "bubbleId"}
            changes.append(Changed(member, member.with_(data=data), "update"))
    change_all(runtime, changes)
    runtime.trace.wrote([record.id], type="bubble", action="delete")
    fate = "deleted with it" if delete_contents else "kept"
    return Done(record.id, f"deleted bubble {record.title}; {len(members)} notes {fate}")


def _view(runtime: Runtime, record: Record, *, contents: bool = False) -> Bubble:
    members = members_of(runtime, record) if contents else []
    found = validities(runtime, members)
    return Bubble(
        id=record.id,
        name=record.title,
        description=str(record.data.get("description", "")),
        count=sum(runtime.view.records.count(in_bubble(runtime, record)).values()),
        created_at=iso(record.created_at),
        updated_at=iso(record.updated_at),
        entries=[entry(member, found[member.id]) for member in members] if contents else None,
    )
