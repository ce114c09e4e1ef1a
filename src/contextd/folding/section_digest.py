"""Digest several texts together, and store them as the parts of one original."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import log

from contextd.folding.line_digest import WeighedLines, digest_lines
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest
from contextd_common.text.tokens import count_tokens, fits, trim_to_tokens
from contextd_common.text.words import words

_MARK = "\x1c"
"""Precedes the name of a part; no text contains it, because control characters are removed."""

_LEAST_EACH = 60
"""Tokens below which a part is only named: a header and two lines."""

_LEAST_ASKED, _FIRST_SHARE = 100, 0.3
"""With a question few parts match: fewer are shown, each with at least this share of the remaining budget."""

_NAMED_SHARE = 0.3
"""Maximum share of the budget for names of parts without room."""

_OUTLINE_SHARE = 0.3
"""Share of a file's budget for its definitions when there is a question; the rest is for matching lines."""

_ATTEMPTS = 6

Outline = Callable[[int, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class NamedText:
    """A named text. `outline` returns its definitions within a budget, filtered by the words of a question
    if given. `first_line` is the number of its first line in its source.
    """

    name: str
    text: str
    outline: Outline | None = None
    first_line: int = 1

    @property
    def lines(self) -> int:
        """The number of lines."""
        return self.text.count("\n") + (not self.text.endswith("\n") if self.text else 0)


def joined(parts: Sequence[NamedText]) -> str:
    """The parts as one text that `parts_of` can split again."""
    if len(parts) == 1 and not parts[0].name:
        return parts[0].text
    return "\n".join(f"{_MARK}{part.name}\n{part.text}" for part in parts)


def parts_of(text: str) -> list[NamedText]:
    """The parts of a text made by `joined`."""
    if not text.startswith(_MARK):
        return [NamedText("", text)]
    found: list[NamedText] = []
    for piece in text[1:].split(f"\n{_MARK}"):
        name, _, content = piece.partition("\n")
        found.append(NamedText(name, content))
    return found


def digest_parts(parts: Sequence[NamedText], budget: int, asked: Sequence[str] = ()) -> str:
    """The parts in at most `budget` tokens: the most informative lines of as many as fit, the others by
    name. With a question, matching parts come first.
    """
    if len(parts) == 1 and not parts[0].name:
        return digest_lines(parts[0].text, budget, asked)
    bearings = _bearings(parts, asked)
    ordered = [parts[n] for n in sorted(range(len(parts)), key=lambda n: (-bearings[n], n))]
    room = budget
    weighed: dict[str, WeighedLines] = {}
    for _ in range(_ATTEMPTS):
        digest = _told(ordered, room, asked, weighed)
        spent = count_tokens(digest)
        if spent <= budget:
            return digest
        room = int(room * budget / spent) - 4
    return trim_to_tokens(digest, budget)


def _told(
    parts: Sequence[NamedText],
    budget: int,
    asked: Sequence[str],
    weighed: dict[str, WeighedLines],
) -> str:
    each = _LEAST_ASKED if asked else _LEAST_EACH
    shown = list(parts[: max(1, budget // each)])
    rest = parts[len(shown) :]
    named = _names(rest, int(_NAMED_SHARE * budget)) if rest else ""
    left = budget - count_tokens(named)
    texts: list[str] = []
    for place, part in enumerate(shown):
        # Budget that an early part leaves is shared by later ones.
        share = max(left // (len(shown) - place), int(_FIRST_SHARE * left) if asked else 0)
        text = _one(part, share, asked, weighed)
        texts.append(text)
        left -= count_tokens(text) + 2
    return "\n".join(filter(None, (*texts, named)))


def _one(
    part: NamedText, budget: int, asked: Sequence[str], weighed: dict[str, WeighedLines]
) -> str:
    head = f"=== {part.name} ({part.lines:,} lines) ==="
    room = budget - count_tokens(head) - 2
    if fits(part.text, room):
        return f"{head}\n{part.text.rstrip()}"
    outline = ""
    if part.outline is not None and room > 0:
        outline = part.outline(int(room * _OUTLINE_SHARE) if asked else room, asked)
        room -= count_tokens(outline)
    lines = ""
    if room > 0 and (asked or not outline):
        if part.name not in weighed:
            weighed[part.name] = WeighedLines(part.text, asked)
        lines = weighed[part.name].within(room)
    return "\n".join(filter(None, (head, outline, lines)))


def _names(parts: Sequence[NamedText], budget: int) -> str:
    names: list[str] = []
    for part in parts:
        name = f"{part.name} ({part.lines:,})"
        if names and not fits("also: " + ", ".join([*names, name]), budget):
            return f"also: {', '.join(names)} and {len(parts) - len(names)} more"
        names.append(name)
    return f"also: {', '.join(names)}"


def _bearings(parts: Sequence[NamedText], asked: Sequence[str]) -> list[float]:
    """How well each part matches a question (BM25, with names counted three times). An empty part scores
    below zero.
    """
    wanted = set(asked)
    counts = [
        Counter(
            word for word in words(f"{part.name}\n" * 3 + part.text[:100_000]) if word in wanted
        )
        for part in parts
    ]
    usual = 1 + sum(len(part.text) for part in parts) / len(parts)
    having = Counter(word for mine in counts for word in mine)
    rarity = {word: log(1 + (len(parts) - n + 0.5) / (n + 0.5)) for word, n in having.items()}
    found: list[float] = []
    for part, mine in zip(parts, counts, strict=True):
        fill = 1.2 * (0.25 + 0.75 * len(part.text) / usual)
        score = sum(rarity[word] * n * 2.2 / (n + fill) for word, n in mine.items())
        found.append(score if part.text.strip() else -1.0)
    return found


_RANGE = re.compile(r"(?:(?P<name>.*?):)?(?P<first>\d+)(?:(?P<to>-)(?P<last>\d*))?")


def piece(text: str, range: str) -> NamedText:
    """A part of an original: `NAME`, `NAME:10-40`, or `10-40` across all parts; everything if the range is
    empty. `10-` is everything from line 10 on.

    Raises `NotFound` with the nearest name, and `Invalid` for an invalid range.
    """
    parts = parts_of(text)
    wanted = range.strip()
    if not wanted:
        return _part_called(parts, "", "")
    named = next((part for part in parts if part.name and part.name == wanted), None)
    if named is not None:
        return named
    match = _RANGE.fullmatch(wanted)
    name = match["name"] or "" if match else wanted
    of = _part_called(parts, name, wanted)
    if match is None:
        return of
    first = int(match["first"])
    last = int(match["last"]) if match["last"] else (of.lines if match["to"] else first)
    if not 1 <= first <= max(1, of.lines) or last < first:
        raise Invalid(
            f"lines {first} to {last} are not a range of {of.lines:,} lines",
            "line numbers start at 1",
        )
    chosen = of.text.split("\n")[first - 1 : last]
    return NamedText(of.name, "\n".join(chosen), first_line=first)


def _part_called(parts: Sequence[NamedText], name: str, wanted: str) -> NamedText:
    if not name:
        headed = (f"=== {part.name} ===\n{part.text}" if part.name else part.text for part in parts)
        return parts[0] if len(parts) == 1 else NamedText("", "\n".join(headed))
    found = next((part for part in parts if part.name == name), None)
    if found is not None:
        return found
    names = [part.name for part in parts if part.name]
    listed = "its parts: " + ", ".join(names[:8]) if names else "write it as 10-40"
    raise NotFound(f"the original has no part {wanted!r}", nearest(name, names) or listed)
