"""Chat exports: conversations.json of ChatGPT and Claude.ai, plain or zipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from contextd.domain.origins import marked
from contextd.domain.records import digest
from contextd.domain.sessions import Event
from contextd.imports.foreign.format import ForeignFormat, Item, Unread
from contextd.imports.foreign.safe_reading import json_items, moment_of, packed_text, plain_text
from contextd.imports.importers.importer import ImportBatch
from contextd.imports.importers.pasted_text import set_apart
from contextd.imports.importers.transcript_builder import list_of, mapping_of, text_of
from contextd.redaction.cutting import beginning

_NAME = re.compile(r"conversations(?:-\d+)?\.json")
_LONGEST = 50_000
_MOST_HOPS = 20_000

Message = tuple[str, str, str, datetime | None]
"""Key, role, text and time of a message."""


def _conversations(path: Path, shown: str, *, chatgpt: bool) -> Iterator[Item]:
    del shown
    found = False
    for name, text in packed_text(path, _NAME):
        found = True
        for place, chat in json_items(text):
            if isinstance(chat, Unread):
                yield Unread(f"{name}{place}", chat.why)
            elif not isinstance(chat, Mapping):
                yield Unread(f"{name}{place}", "not a conversation")
            else:
                yield _read(f"{name}{place}", chat, chatgpt=chatgpt)
    if not found:
        yield Unread(path.name, "the archive contains no conversations.json")


def _read(place: str, chat: Mapping[str, Any], *, chatgpt: bool) -> Item:
    try:
        batch = _batch(chat, chatgpt=chatgpt)
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
        return Unread(place, f"not a conversation: {beginning(str(error), 200)}")
    return batch or Unread(place, "the conversation is empty")


def _batch(chat: Mapping[str, Any], *, chatgpt: bool) -> ImportBatch | None:
    counts: Counter[str] = Counter()
    messages = _shown(chat, counts) if chatgpt else _said(chat)
    first = moment_of(chat.get("create_time" if chatgpt else "created_at"))
    last = first or datetime.fromtimestamp(0, UTC)
    events: list[Event] = []
    for key, role, text, at in messages:
        counts["read"] += 1
        last = at or last
        events += _events(key, role, text, last)
    if not events:
        return None
    title = plain_text(chat.get("title" if chatgpt else "name"))
    id = next((chat[n] for n in ("conversation_id", "uuid", "id") if plain_text(chat.get(n))), "")
    counts["events"] = len(events)
    return ImportBatch(
        external_id=str(id) or digest(f"{title} {events[0].at} {events[0].text}"),
        title=beginning(title, 300),
        started=min(event.at for event in events),
        ended=max(event.at for event in events),
        events=tuple(events),
        counts=dict(counts),
    )


def _events(key: str, role: str, text: str, at: datetime) -> Iterable[Event]:
    if role == "assistant":
        origin = marked("assistant")
        yield Event(
            type="message", key=key, at=at, role=role, text=beginning(text, _LONGEST), data=origin
        )
        return
    prose, material = set_apart(text)
    if prose:
        origin = marked("prompt")
        yield Event(
            type="message",
            key=key,
            at=at,
            role="user",
            text=beginning(prose, _LONGEST),
            data=origin,
        )
    if material:
        pasted = marked("material")
        yield Event(
            type="note",
            key=f"{key}:material",
            at=at,
            role="user",
            text=beginning(material, _LONGEST),
            data=pasted,
        )


def _shown(chat: Mapping[str, Any], counts: Counter[str]) -> Iterator[Message]:
    """The messages of the visible branch; regenerated answers are counted."""
    nodes = mapping_of(chat.get("mapping"))
    at = text_of(chat.get("current_node"))
    path: list[Mapping[str, Any]] = []
    while len(path) < _MOST_HOPS and (node := mapping_of(nodes.get(at))):
        path.append(node)
        at = text_of(node.get("parent"))
    path = path or [node for node in map(mapping_of, nodes.values()) if node][::-1]
    counts["rewound"] = len(nodes) - len(path)
    for message in [mapping_of(node.get("message")) for node in reversed(path)]:
        if not message:
            continue
        role = text_of(mapping_of(message.get("author")).get("role"))
        hidden = mapping_of(message.get("metadata")).get("is_visually_hidden_from_conversation")
        text = _parts(message.get("content"))
        if role in ("user", "assistant") and text and not hidden:
            key = plain_text(message.get("id")) or digest(text)
            yield key, role, text, moment_of(message.get("create_time"))
        else:
            counts["junk"] += 1


def _parts(content: Any) -> str:
    about = mapping_of(content)
    if about.get("content_type") not in ("text", "multimodal_text"):
        return ""
    return "\n".join(filter(None, map(plain_text, list_of(about.get("parts")))))


def _said(chat: Mapping[str, Any]) -> Iterator[Message]:
    for message in map(mapping_of, list_of(chat.get("chat_messages"))):
        blocks = map(mapping_of, list_of(message.get("content")))
        texts = [plain_text(b.get("text")) for b in blocks if b.get("type", "text") == "text"]
        text = "\n".join(filter(None, texts)) or plain_text(message.get("text"))
        role = "user" if message.get("sender") == "human" else "assistant"
        if text:
            key = plain_text(message.get("uuid")) or digest(text)
            yield key, role, text, moment_of(message.get("created_at"))


def _beginning(path: Path, head: bytes) -> bytes:
    """The beginning of the file to examine: of a zip file, its conversations.json."""
    if path.suffix.lower() not in (".json", ".zip"):
        return b""
    if not head.startswith(b"PK"):
        return head
    text = next((text for _, text in packed_text(path, _NAME)), "")
    return text[:65_536].encode()


CHATS = (
    ForeignFormat(
        name="chatgpt",
        title="ChatGPT export",
        detects=lambda path, head: b'"mapping"' in _beginning(path, head),
        read=partial(_conversations, chatgpt=True),
    ),
    ForeignFormat(
        name="claude.ai",
        title="Claude.ai export",
        detects=lambda path, head: b'"chat_messages"' in _beginning(path, head),
        read=partial(_conversations, chatgpt=False),
    ),
)
