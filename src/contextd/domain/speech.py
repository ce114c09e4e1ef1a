"""Who speaks in a message: the user's own words, and what they pass on.

Material is what programs wrote, what the user quotes or reports, and text that is meant for a file.
"""

from __future__ import annotations

import re

from contextd.domain import output_lines
from contextd.domain.directives import force_of
from contextd.domain.speech_words import (
    ADDRESSED,
    ANSWERED,
    FOR_A_FILE,
    FOR_MEMORY,
    GREETING,
    OWN_LABEL,
    POINTING,
    RECORDED,
    REPORTED,
    SALUTATION,
)
from contextd_common.text.regex import regex
from contextd_common.text.words import weight

LONG = 1_500
"""Nearly all real prompts above this length were pasted plans, reviews and generated prompts."""

_LEAD, _CLOSE = 600, 240

_FENCE = regex(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_HEADING = regex(r"^#{1,6} \S", re.M)
_GENERATED = regex(r"\A\s*(?:You are |You're an? |<[a-z][\w-]{0,40}>\s*\n)")
_BULLET = regex(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\[[ xX]\])\s")
_LETTER = regex(r"[^\W\d_]")


def set_apart(text: str) -> tuple[str, str]:
    """The user's prose and the material; either may be empty, but not both.

    Fenced code, quoted lines, logs, diffs, tables and terminal output are material anywhere, and so is what a line
    introduces as the words of another person or as text for a file. In a long text or one with headings, only the words
    before it or else after it are prose.
    """
    if _GENERATED.match(text) and (len(text) > LONG or _HEADING.search(text)):
        return "", text.strip()
    material: list[str] = []

    def take(match: re.Match[str]) -> str:
        material.append(match[0].strip("\n"))
        return f"\n\n{_TAKEN}\n\n"

    rest = _FENCE.sub(take, text) if "```" in text or "~~~" in text else text
    rest, introduced = _without_introduced(_QUOTED.sub(take, rest))
    prose, apart = output_lines.without_output(rest)
    material += introduced + apart
    if len(_HEADING.findall(prose)) >= 2 or len(prose) > LONG:
        prose, document = _around(prose, spoken=bool(material))
        material.append(document)
    material_text = "\n\n".join(part for part in material if part.strip())
    if not _LETTER.search(prose):
        # "2" answers a question; a page without letters is a listing.
        return (
            (text.strip(), "") if len(text) <= _CLOSE and not material_text else ("", text.strip())
        )
    return re.sub(r"\n{3,}", "\n\n", prose).strip(), material_text.strip()


def is_passed_on(text: str) -> bool:
    """Whether nothing in a message is the user's own words: a log, a document or a generated prompt alone."""
    return bool(text.strip()) and not set_apart(text)[0]


def without_output(text: str) -> str:
    """The text without fenced code and the lines that programs or editors wrote; a document in it stays."""
    return output_lines.without_output(_FENCE.sub("\n", text))[0].strip()


_TAKEN = "\ufffc"
"""Stands in a text for material that was taken out of it."""

_QUOTED = regex(r"(?:^[ \t]*>.*(?:\n|\Z))+", re.M)
_GAP = regex(r"\n[ \t]*\n")
_COLON = regex(r":(?=\s|$)|：")
_LONGEST_HEAD, _SHORTEST_TAIL = 160, 12


def _without_introduced(text: str) -> tuple[str, list[str]]:
    """The text without what a line introduces as the words of another person, or as text for a file: the rest of its
    paragraph and a list below it, or all paragraphs after it but a last one that speaks to the agent again.
    """
    own: list[str] = []
    material: list[str] = []
    paragraphs = [part for part in _GAP.split(text) if part.strip()]
    while paragraphs:
        first = paragraphs.pop(0)
        start = _introduction(first)
        if start is None and own and SALUTATION.match(first):
            start = 0  # A letter without an introduction that ends in a colon.
        if start is None:
            spoken, turns = _without_speakers(first)
            own.append(spoken)
            material += turns
            continue
        own.append(first[:start])
        tail = first[start:].strip()
        if tail:
            material.append(tail)
        if not tail or GREETING.match(tail) or SALUTATION.match(tail):
            number = _reach(paragraphs)
        else:
            number = next(
                (n for n, one in enumerate(paragraphs) if not _BULLET.match(one)), len(paragraphs)
            )
        material += paragraphs[:number]
        paragraphs = paragraphs[number:]
    return "\n\n".join(own).replace(_TAKEN, ""), [one for one in material if one.strip() != _TAKEN]


def _reach(paragraphs: list[str]) -> int:
    """How many of these paragraphs an introduction that ends its line has introduced."""
    if paragraphs and paragraphs[0].strip() == _TAKEN:
        return 1
    # The last paragraph of a document with headings is a part of it.
    is_document = any(_HEADING.search(one) for one in paragraphs)
    closing = paragraphs[-1] if len(paragraphs) > 1 and not is_document else ""
    speaks = 0 < len(closing) <= _CLOSE and not _BULLET.match(closing) and ADDRESSED.search(closing)
    return len(paragraphs) - 1 if speaks else len(paragraphs)


def _introduction(paragraph: str) -> int | None:
    """Where in a paragraph the words begin that one of its lines introduces; None without such a line."""
    begin = 0
    for line in paragraph.split("\n"):
        colon = _COLON.search(line)
        if colon is not None and _introduces(line[: colon.start()], line[colon.end() :].strip()):
            return begin + colon.end()
        begin += len(line) + 1
    return None


def _introduces(head: str, tail: str) -> bool:
    if (
        not 0 < len(head) <= _LONGEST_HEAD
        or _BULLET.match(head)
        or 0 < weight(tail) < _SHORTEST_TAIL
    ):
        return False
    if FOR_MEMORY.search(head) or force_of(head) == "stated":
        return False
    if FOR_A_FILE.search(head):
        return not tail or bool(POINTING.search(head))
    return bool(REPORTED.search(head) or ANSWERED.search(head) or RECORDED.search(head))


def _without_speakers(paragraph: str) -> tuple[str, list[str]]:
    """The paragraph without the lines of a conversation: those with a name before a colon, if a name comes again."""
    lines = paragraph.split("\n")
    names = [_speaker(line) for line in lines]
    spoken = {name for name in names if name}
    if len(spoken) < 2 or len(spoken) == sum(map(bool, names)):
        return paragraph, []
    turns = [line for line, name in zip(lines, names, strict=True) if name]
    own = [line for line, name in zip(lines, names, strict=True) if not name]
    return "\n".join(own), ["\n".join(turns)]


_SPEAKER = regex(
    r"^(?:[-*•]\s+)?(?:\[?\d{1,2}:\d\d\]?\s+)?([^\W\d_]{2,20})\s?[:：]\s*([^{}<>|=]{8,})$"
)
"""A line that begins with one word and a colon, without the signs of a program."""


def _speaker(line: str) -> str:
    """The name before the colon of a line; empty for a label of the user and for a word that does not begin like a name."""
    found = _SPEAKER.match(line)
    name = found[1] if found else ""
    return "" if not name or name[0].islower() or OWN_LABEL.match(name) else name


def _around(text: str, *, spoken: bool) -> tuple[str, str]:
    """The paragraph that introduces or closes a document, and the document."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip("\n")) if part.strip()]
    first, last = paragraphs[0].strip(), paragraphs[-1].strip()
    if len(first) <= _LEAD and not _HEADING.match(first) and not _BULLET.match(first):
        return first, "\n\n".join(paragraphs[1:])
    plain = len(last) <= _CLOSE and not _HEADING.match(last) and not _BULLET.match(last)
    if plain and len(paragraphs) > 1 and not spoken:
        return last, "\n\n".join(paragraphs[:-1])
    return "", text
