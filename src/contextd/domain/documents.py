"""What a record or an event looks like to the index."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.kinds import KINDS
from contextd.domain.query import EVENT, Document
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event

NEIGHBOURS = 2
"""Messages on either side whose words count, less, for a message (measured on LoCoMo)."""


def record_document(record: Record) -> Document:
    """The document of a record."""
    kind = KINDS.get(record.kind)
    facets = [f"tag={tag}" for tag in record.tags]
    for name in kind.facets if kind else ():
        if isinstance(record.data.get(name), str):
            facets.append(f"{name}={record.data[name]}")
    if record.session:
        facets.append(f"session={record.session}")
    return Document(
        id=record.id,
        kind=record.kind,
        scope=record.scope,
        text=record.text,
        status=record.status,
        facets=tuple(facets),
        confidence=record.confidence,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
    )


def event_id(session_id: str, seq: int) -> str:
    """The index id of a session's message."""
    return f"{session_id}#{seq}"


def message_documents(scope: Scope, session_id: str, messages: Sequence[Event]) -> list[Document]:
    """One document per message, with its neighbours' text and its day (`8 May 2023`) near it."""
    documents = []
    for i, event in enumerate(messages):
        around = [*messages[max(0, i - NEIGHBOURS) : i], *messages[i + 1 : i + 1 + NEIGHBOURS]]
        documents.append(
            Document(
                id=event_id(session_id, event.seq),
                kind=EVENT,
                scope=scope,
                text=f"{event.role}: {event.text}" if event.role else event.text,
                near="\n".join((*(other.text for other in around), _day(event))),
                facets=(f"session={session_id}",),
            )
        )
    return documents


def _day(event: Event) -> str:
    return f"{event.at.day} {event.at:%B %Y}"
