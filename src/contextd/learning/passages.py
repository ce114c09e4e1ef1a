"""Split a session's possible knowledge into self-contained passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from contextd.domain.origins import origin_of
from contextd.domain.sessions import Event
from contextd.sessions.markdown import LONGEST_UNIT, Passage, passages, plain
from contextd.sessions.turns import live_line, turn_ends
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.words import weight

SHORTEST = 12
"""Shorter text is an order or an assent (`go on`, `yes, both`). Ideographs count double."""

_WHOLE = 500
_STANDS_ALONE = 60
_LETTERS = regex(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FENCE = regex(r"```.*?(?:```|\Z)", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One self-contained passage with its origin and event.

    `text` includes the heading or introduction if it needs it to be understood; `heading` is the heading
    above it, `context` its introduction. `position` and `of` place it among the passages of its event.
    """

    text: str
    origin: str
    event_key: str
    at: datetime
    heading: str = ""
    context: str = ""
    position: int = 0
    of: int = 1


def statements(events: Sequence[Event]) -> list[Statement]:
    """All statements of the user and the agent, in order, without repeats.

    Skips tool output, pasted material, injected text, to-do lists, code, sub-agents and what was rewound.
    """
    events = live_line(events)
    ends = turn_ends(events)
    messages = {event.text for event in events if event.type == "message"}
    found: dict[str, Statement] = {}
    for event in events:
        origin = "turn_end" if event.key in ends else origin_of(event)
        # A message reported by both hook and transcript counts once.
        repeated = event.type == "query" and event.text in messages
        if origin not in _READ_BY or event.data.get("sidechain") or repeated:
            continue
        read = list(_READ_BY[origin](event))
        for place, passage in enumerate(read):
            text = self_contained(passage)
            if weight(text) < SHORTEST or not _LETTERS.search(passage.text):
                continue
            one = Statement(
                text=text, origin=origin, event_key=event.key, at=event.at,
                heading=passage.heading, context=passage.lead, position=place, of=len(read),
            )  # fmt: skip
            found.setdefault(text, one)
    return list(found.values())


def self_contained(passage: Passage) -> str:
    """The text of a passage; a short one follows the line or heading it depends on."""
    if len(passage.text) >= _STANDS_ALONE:
        return passage.text
    before = (passage.lead if passage.lead.endswith((":", "：")) else passage.heading).rstrip(
        " :："
    )
    if not before or before.casefold() in passage.text.casefold():
        return passage.text
    return f"{before}: {passage.text}"[:LONGEST_UNIT]


def _message(event: Event) -> Iterator[Passage]:
    """A short message as a whole, because its sentences explain each other; a long one by paragraphs."""
    text = _FENCE.sub("\n\n", event.text).strip()
    if len(text) <= _WHOLE:
        yield Passage(plain(text))
        return
    for paragraph in re.split(r"\n\s*\n", text):
        yield Passage(plain(paragraph)[:LONGEST_UNIT])


def _markdown(event: Event) -> Iterator[Passage]:
    yield from passages(event.text)


def _titled(event: Event) -> Iterator[Passage]:
    """Subject and body: together if short, else the body's passages under the subject."""
    if len(event.text) <= _WHOLE and "\n- " not in event.text and "\n* " not in event.text:
        yield Passage(plain(event.text))
        return
    subject, _, body = event.text.partition("\n")
    yield Passage(plain(subject))
    for passage in passages(body):
        yield Passage(passage.text, passage.heading or plain(subject), passage.lead)


_READ_BY: dict[str, Callable[[Event], Iterator[Passage]]] = {
    **dict.fromkeys(("prompt", "queued", "refusal", "answer"), _message),
    **dict.fromkeys(("turn_end", "assistant", "summary", "plan"), _markdown),
    **dict.fromkeys(("instructions", "memory_file"), _markdown),
    **dict.fromkeys(("commit", "pull_request"), _titled),
}
