"""Choose the part of a long text to show for a query: its beginning, unless another part matches better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contextd_common.text.regex import regex
from contextd_common.text.words import words

_MOST_READ = 20_000
"""Maximum characters of a text to examine: longer ones are logs or listings."""

_PIECE = regex(r"[^\n]*?[.!?](?=\s)\s*|[^\n]+\n?|\n+")
"""A sentence or a line, with the separator after it."""

_CUT = "… "


def passage(text: str, asked: frozenset[str], longest: int) -> str:
    """At most `longest` characters of a text: the part with most `asked` words, weighted by rarity. Its
    beginning if no part is better; a later part is marked with `…`.
    """
    text = text.strip()
    if len(text) <= longest or not asked:
        return text[:longest]
    pieces = [piece[:longest] for piece in _PIECE.findall(text[:_MOST_READ]) if piece.strip()]
    held = [asked.intersection(words(piece)) for piece in pieces]
    often = Counter(word for found in held for word in found)
    room = longest - len(_CUT)
    ends = _ends(pieces, room)

    def says(start: int) -> float:
        return sum(1 / often[word] for word in frozenset().union(*held[start : ends[start]]))

    # The first of equals; only the beginning wins ties.
    best = max(range(len(pieces)), key=lambda start: (round(says(start), 6), -start), default=0)
    if not best:
        return text[:longest]
    shown = "".join(pieces[best : ends[best]]).strip()
    return f"{_CUT}{shown}"


def covered(text: str, asked: frozenset[str]) -> int:
    """How many of the `asked` words a text contains."""
    return len(asked.intersection(words(text)))


def _ends(pieces: Sequence[str], room: int) -> list[int]:
    """For each piece, the end of the longest run from it that fits."""
    ends: list[int] = []
    end = size = 0
    for start in range(len(pieces)):
        if end <= start:
            end, size = start, 0
        while end < len(pieces) and (end == start or size + len(pieces[end]) <= room):
            size += len(pieces[end])
            end += 1
        ends.append(end)
        size -= len(pieces[start])
    return ends
