"""Split Markdown written by agents into passages that can be read alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from contextd_common.dataclass import dataclass

LONGEST_UNIT = 1_000
_WHOLE_PARAGRAPH = 260
"""Two or three sentences: readers keep them together, and they fit the embedder's window."""

_FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_FRONT = re.compile(r"\A---\n.*?\n---[ \t]*\n", re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_BOLD_LINE = re.compile(r"^\s*(?:\d{1,2}[.)]\s+)?\*\*([^*]{2,90})\*\*\s*:?\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_RULE_ROW = re.compile(r"^[\s|:+-]+$")
_RULE = re.compile(r"^\s*(?:[-=*_─━★═]\s?){3,}.*$|^\s*[`★].{0,20}[─━]{4,}.*$")
_CODE_SPAN = re.compile(r"(`[^`\n]+`)")
_STARS = re.compile(r"(?<!/)(?:(?<![\w)])\*\*(?!/)|\*\*(?![/\d]))")
_UNDERLINED = re.compile(r"(?<!\w)__(?=\S)([^_\n]+?\s[^_\n]*?)(?<=\S)__(?!\w)")
_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<=[.!?])[\"')*`]*\s+(?=\S)|(?<=[。！？])"
)


@dataclass(slots=True)
class Passage:
    """A list item, a table row, a paragraph or a sentence; `lead` is the line that introduces it."""

    text: str
    heading: str = ""
    lead: str = ""


@dataclass(slots=True)
class _Place:
    """The reader's position in a document."""

    heading: str = ""
    lead: str = ""
    header: str = ""
    open: list[str] = field(default_factory=list[str])
    item: bool = False


def passages(text: str) -> Iterator[Passage]:
    """The passages of a Markdown text, in order, without code blocks, rules, quotations and headings."""
    text = _COMMENT.sub("", _FRONT.sub("", text))
    place = _Place()
    for line in [*_FENCE.sub("\n", text).split("\n"), ""]:
        yield from _read_line(line, place)
    yield from _close(place)


def plain(text: str) -> str:
    """One line without emphasis; code spans stay as they are, with the backticks that distinguish names from words.
    Names such as `__init__`, patterns such as `src/**` and powers are no emphasis.
    """
    parts = _CODE_SPAN.split(text)
    parts[::2] = [_UNDERLINED.sub(r"\1", _STARS.sub("", part)) for part in parts[::2]]
    return " ".join("".join(parts).split())


def sentences_of(text: str) -> list[str]:
    """The sentences of a paragraph, in any script that ends them with a full stop."""
    return [piece.strip() for piece in _END.split(text) if piece and piece.strip()]


def _read_line(line: str, place: _Place) -> Iterator[Passage]:
    heading = _HEADING.match(line) or _BOLD_LINE.match(line)
    item, row = _ITEM.match(line), _ROW.match(line)
    if not line.strip() or _RULE.match(line):
        yield from _close(place)
    elif heading:
        yield from _close(place)
        place.heading, place.lead, place.header = plain(heading[1]).rstrip(":"), "", ""
    elif row:
        yield from _close(place)
        yield from _row(row[1], line, place)
    elif item:
        yield from _close(place)
        place.open, place.item = [item[2]], True
    elif line.lstrip().startswith(">"):
        yield from _close(place)
    else:
        if not place.open and not line.startswith((" ", "\t")):
            place.header = ""
        place.open.append(line.strip())


def _row(cells: str, line: str, place: _Place) -> Iterator[Passage]:
    if _RULE_ROW.match(line):
        return
    shown = " | ".join(plain(cell) for cell in cells.split("|") if cell.strip())
    if not place.header:
        place.header = shown
    elif shown:
        yield Passage(shown[:LONGEST_UNIT], place.heading, place.header)


def _close(place: _Place) -> Iterator[Passage]:
    """End the open paragraph or item."""
    text, was_item = plain(" ".join(place.open)), place.item
    place.open, place.item = [], False
    if not text:
        return
    if text.endswith((":", "：")):
        place.lead = text
        if len(text) < 120 or was_item:
            return
    if was_item:
        yield Passage(text[:LONGEST_UNIT], place.heading, place.lead)
        return
    lead = "" if text is place.lead else place.lead
    if text is not place.lead:
        place.lead = ""
    if len(text) <= _WHOLE_PARAGRAPH:
        yield Passage(text, place.heading, lead)
        return
    before = ""
    for sentence in sentences_of(text):
        yield Passage(sentence[:LONGEST_UNIT], place.heading, before)
        before = sentence
