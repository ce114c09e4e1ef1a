"""How a record, a message or a piece of code appears in the index."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.kind import Kind
from contextd.domain.kinds import KINDS
from contextd.domain.query import CODE, EVENT, Document
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event
from contextd.domain.time import day
from contextd_code.values.source import SourceFile

AROUND = 300
"""Characters of context before and after a message that are indexed with less weight. Two messages on
either side work as well for human chats, but an assistant's long messages would bury the one in the
middle.
"""


def record_document(record: Record) -> Document:
    """The document of a record. Tags and source are indexed in `near`, so a change of them does not
    require a new vector.
    """
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
        text=_meant(record, kind),
        near="\n".join(part for part in (record.labels, _beside(record, kind)) if part),
        status=record.status,
        facets=tuple(facets),
        confidence=record.confidence,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
    )


MEANT = 500
"""Characters of a long text that its vector is made from when the rest is indexed in `near`. Three times
as many take three times as long, and the request and first answer of an episode say most about it.
"""


def _meant(record: Record, kind: Kind | None) -> str:
    return record.text[:MEANT] if kind and kind.near else record.text


def _beside(record: Record, kind: Kind | None) -> str:
    """The `near` text for kinds that have such fields: those fields and the rest of a long text."""
    if kind is None or not kind.near:
        return ""
    return "\n".join((record.text[MEANT:], *record.beside)).strip()


def event_id(session_id: str, seq: int) -> str:
    """The index id of a session's message."""
    return f"{session_id}#{seq}"


def message_place(id: str) -> tuple[str, int] | None:
    """(session id, seq) for the index id of a message; None for any other id."""
    session_id, mark, seq = id.rpartition("#")
    return (session_id, int(seq)) if mark and seq.isdecimal() else None


def message_documents(scope: Scope, session_id: str, messages: Sequence[Event]) -> list[Document]:
    """One document per non-empty message. Its `near` text holds `AROUND` characters of context on either
    side and the day (`8 May 2023`).
    """
    events = [event for event in messages if event.text.strip()]
    texts = [event.text for event in events]
    return [
        Document(
            id=event_id(session_id, event.seq),
            kind=EVENT,
            scope=scope,
            text=f"{event.role}: {event.text}" if event.role else event.text,
            near="\n".join((_before(texts, place), _after(texts, place), day(event.at))),
            facets=(f"session={session_id}",),
        )
        for place, event in enumerate(events)
    ]


def _before(texts: Sequence[str], place: int) -> str:
    """The last `AROUND` characters before the message."""
    text = ""
    while place > 0 and len(text) < AROUND:
        place -= 1
        text = f"{texts[place][-AROUND:]}\n{text}"
    return text[-AROUND:]


def _after(texts: Sequence[str], place: int) -> str:
    """The first `AROUND` characters after the message."""
    text = ""
    while place + 1 < len(texts) and len(text) < AROUND:
        place += 1
        text = f"{text}\n{texts[place][:AROUND]}"
    return text[:AROUND]


def code_documents(
    scope: Scope, source_file: SourceFile, without: frozenset[str] = frozenset()
) -> list[Document]:
    """The documents of a file, one per chunk, with the chunk's id; skips the chunks in `without`.

    The path and the symbol precede the text so that searches match their words. Facets are `path`, `language`
    and one `tree` for each folder that contains the file.
    """
    path = source_file.path
    parts = path.split("/")[:-1]
    folders = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
    facets = (
        f"path={path}",
        f"language={source_file.language}",
        *(f"tree={folder}" for folder in folders),
    )
    return [
        Document(
            id=chunk.id,
            kind=CODE,
            scope=scope,
            text=f"{path} {chunk.symbol}".rstrip() + f"\n{chunk.text}",
            facets=facets,
        )
        for chunk in source_file.chunks
        if chunk.id not in without
    ]
