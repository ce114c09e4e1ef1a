"""Digest a long text: errors and their context, beginning and end, lines matching a question, and counts
of repeated lines. Lines keep their numbers, so that skipped ones can be requested.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from contextd.folding.thinning import numbered
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex
from contextd_common.text.tokens import count_tokens, fits
from contextd_common.text.words import words

_ESCAPES = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_OVERWRITTEN = regex(r"[^\r\n]*\r(?=[^\r\n])")
_CONTROL = regex(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_ERROR = regex(
    r"(?:Error|Exception|Panic)\b|\b(?:error|fatal|panic|panicked|traceback|segfault|assertion)\b[ :\[(]"
    r"|\b(?:FAILED|FAIL|ERROR|FATAL|CRITICAL|ERR!)\b|\b(?:cannot|can't|could not|unable to|failed to|undefined:?"
    r"|unresolved|no such|not found|denied|refused|unexpected|timed out|mismatch)\b|^\s*(?:E   |>\s+assert |✗|✘|×|not ok )",
    re.IGNORECASE,
)
_NOTHING_WRONG = regex(
    r"\b(?:0|no) (?:errors?|failures?|failed|problems?)\b|\berrors?[=:] ?0\b|^\s*(?:\d+[→:|\t ]+)?(?://|#|\*)",
    re.IGNORECASE,
)
_VERDICT = regex(
    r"\b\d+ (?:tests?|passed|passing|failed|failing|errors?|warnings?|skipped|problems?|files? changed|insertions?)\b"
    r"|^(?:ok|FAIL|PASS|---|===|Tests?:|Test Suites:|BUILD|Ran |Finished|Done|DONE|Success|make:|npm ERR|real\b)"
    r"|\bexit(?:ed)?(?: with)? (?:code|status)\b|\b(?:success|succeeded|completed)\b",
    re.IGNORECASE,
)
_WARNING = regex(r"\b(?:warn(?:ing)?|deprecated|caution)\b", re.IGNORECASE)
_DEFINITION = regex(
    r"^\s{0,4}(?:\d+[→:|\t ]\s{0,4})?(?:(?:export|default|public|private|protected|static|async|abstract|pub(?:\([a-z]+\))?"
    r"|final|override|unsafe)\s+)*(?:def|class|func|fn|function|type|interface|struct|enum|trait|impl|module|package"
    r"|const|var|let|record|namespace|protocol)\s+[\w(*<]|^#{1,4} \S|^\s*(?:\d+→)?#{1,4} \S"
)
_PLACE = regex(r"[\w./\\-]+\.\w{1,5}:\d+")
_DIFF = regex(r"^(?:diff --git|@@ |\+\+\+ |--- |[+-](?![+-]))")
_FOUND = regex(r"^(?P<file>[^\s:][^:\n]*?)[:-]\d+[:-]")

_TEMPLATES = (
    (regex(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`"), "'…'"),
    (regex(r"(?:[A-Za-z]:)?(?:[\w.@~-]*/)+[\w.@-]*"), "…/…"),
    (regex(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{7,64}\b", re.IGNORECASE), "#"),
    (regex(r"\d+"), "#"),
)
_NUMBER = regex(r"[1-9]\d*|0\d+")
_ID = _TEMPLATES[2][0]
_READ_OF_A_LINE = 400
_LONGEST = 240
"""Characters of a line that are examined and shown: minified files have lines of megabytes."""

_ERROR_WEIGHT, _VERDICT_WEIGHT, _ASKED_WEIGHT = 6.0, 4.0, 7.0
_AROUND = (3.0, 2.0)
"""Score bonus next to an error, and one line further away."""

_ENDS = (3.0, 2.5, 2.0, 1.5)
"""Score bonus of the first and last lines, from the outside."""

_ALIKE = 2
"""Lines shown of those that differ only in names and numbers; the others are counted."""

_ALIKE_SHOWN, _ALIKE_FROM = 5, 4


def plain_text(text: str) -> str:
    """A program's output as displayed: without colours, and with overwritten text replaced."""
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text.replace("\r\n", "\n")).replace("\r", "")
    text = _CONTROL.sub("", text)
    return text.encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    weight: float


def digest_lines(text: str, budget: int, asked: Sequence[str] = ()) -> str:
    """The most informative lines of `text` in at most `budget` tokens, each with its number. Lines that match
    the words in `asked` score highest.

    The whole text if it fits. Long lines may be shortened; one longer than the budget yields nothing.
    """
    return text if fits(text, budget) else WeighedLines(text, asked).within(budget)


class WeighedLines:
    """The scored lines of a text, for digests of several sizes."""

    def __init__(self, text: str, asked: Sequence[str] = ()) -> None:
        self._asked = asked
        numbers, texts, left_out = numbered(text)
        looks = _looks(texts)
        counts = Counter(look.template for look in looks)
        place = {number: n for n, number in enumerate(numbers)} if left_out else {}
        for like, times in left_out.items():
            if like in place:
                counts[looks[place[like]].template] += times
        self._lines = lines = _weighed(numbers, texts, looks, counts, asked)
        order = sorted(range(len(lines)), key=lambda n: (-lines[n].weight, n))
        self._order = [n for n in order if lines[n].weight > 0]
        self._repeated = _repeated(counts)

    def within(self, budget: int) -> str:
        """As many lines as fit into a budget, highest score first."""
        low, high = 0, min(16, len(self._order))
        while high < len(self._order) and fits(self._first(high), budget):
            low, high = high, min(2 * high, len(self._order))
        while low < high:
            middle = (low + high + 1) // 2
            if fits(self._first(middle), budget):
                low = middle
            else:
                high = middle - 1
        return self._first(low) if low else ""

    def _first(self, count: int) -> str:
        return _shown(self._lines, self._order[:count], self._repeated, self._asked)


@dataclass(frozen=True, slots=True)
class _Look:
    """The features of a line, ignoring the value of its numbers except zero."""

    template: str
    wrong: bool
    weight: float


def _looks(texts: Sequence[str]) -> list[_Look]:
    """The features of each line."""
    known: dict[str, _Look] = {}
    found: list[_Look] = []
    for text in texts:
        shape = _NUMBER.sub("1", _ID.sub("1", text[:_READ_OF_A_LINE]))
        if shape not in known:
            wrong = bool(_ERROR.search(shape)) and not _NOTHING_WRONG.search(shape)
            known[shape] = _Look(template(shape), wrong, _own_weight(shape))
        found.append(known[shape])
    return found


def _weighed(
    numbers: Sequence[int],
    texts: Sequence[str],
    looks: Sequence[_Look],
    counts: Mapping[str, int],
    asked: Sequence[str],
) -> list[_Line]:
    templates = [look.template for look in looks]
    seen: Counter[str] = Counter()
    wrong = [look.wrong for look in looks]
    # If every other line mentions errors, as in error-handling code, none of them stands out.
    alarm = min(1.0, 0.15 * len(texts) / max(1, sum(wrong)))
    rare = _rarity(texts, asked)
    files: set[str] = set()
    found: list[_Line] = []
    for n, text in enumerate(texts):
        if not text.strip():
            found.append(_Line(numbers[n], text, 0.0))
            continue
        seen[templates[n]] += 1
        weight = looks[n].weight + _ASKED_WEIGHT * rare[n]
        weight += _ERROR_WEIGHT * alarm if wrong[n] else _beside(wrong, n) * alarm
        weight += _at_the_ends(n, len(texts))
        if counts[templates[n]] == 1:
            weight += 0.5
        listed = _FOUND.match(text)
        if listed and listed["file"] not in files:
            files.add(listed["file"])
            weight += 1.5
        if seen[templates[n]] > _ALIKE:
            # Repeated lines are noise: they are skipped even if there is room, unless they report an error.
            weight = 0.2 * weight if weight > 1.5 else 0.0
        found.append(_Line(numbers[n], text, weight))
    return found


def _own_weight(head: str) -> float:
    weight = 0.3
    if _VERDICT.search(head):
        weight += _VERDICT_WEIGHT
    if _WARNING.search(head):
        weight += 1.5
    if _DEFINITION.match(head):
        weight += 2.0
    if _PLACE.search(head) or _DIFF.match(head):
        weight += 0.7
    return weight


def _beside(wrong: Sequence[bool], n: int) -> float:
    for distance, gain in enumerate(_AROUND, 1):
        if (n >= distance and wrong[n - distance]) or (
            n + distance < len(wrong) and wrong[n + distance]
        ):
            return gain
    return 0.0


def _at_the_ends(n: int, size: int) -> float:
    gain = _ENDS[n] if n < len(_ENDS) else 0.0
    back = size - 1 - n
    return max(gain, _ENDS[back] + 0.5 if back < len(_ENDS) else 0.0)


def _rarity(texts: Sequence[str], asked: Sequence[str]) -> list[float]:
    """For each line how much of the question it matches, 0 to 1; words found in every line do not count."""
    wanted = set(asked)
    if not wanted:
        return [0.0] * len(texts)
    held = [wanted.intersection(words(text[:_READ_OF_A_LINE])) for text in texts]
    frequent = Counter(word for mine in held for word in mine)
    worth = {word: log(1 + len(texts) / count) for word, count in frequent.items()}
    whole = sum(sorted(worth.values(), reverse=True)[:4]) or 1.0
    own = [min(1.0, sum(worth[word] for word in mine) / whole) for mine in held]
    return [
        max(
            share * own[m]
            for m, share in ((n, 1.0), (n - 1, 0.5), (n + 1, 0.6), (n - 2, 0.3), (n + 2, 0.4))
            if 0 <= m < len(own)
        )
        for n in range(len(own))
    ]


def template(line: str) -> str:
    """The common form of lines that differ only in paths, names and numbers."""
    line = line[:_READ_OF_A_LINE]
    for pattern, instead in _TEMPLATES:
        line = pattern.sub(instead, line)
    return " ".join(line.split())


def _repeated(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent templates with their counts."""
    saying = Counter({row: times for row, times in counts.items() if row.strip("#…/'. ")})
    return [row for row in saying.most_common(_ALIKE_SHOWN) if row[1] >= _ALIKE_FROM]


def _shown(
    lines: Sequence[_Line],
    chosen: Iterable[int],
    repeated: Sequence[tuple[str, int]],
    asked: Sequence[str],
) -> str:
    shown: list[str] = []
    before = -2
    for n in sorted(chosen):
        line = _cut(lines[n].text, asked)
        # Only the first line of a run shows its number: each number costs two tokens.
        number = lines[n].number
        shown.append(line if number == before + 1 else f"{number}| {line}")
        before = number
    if repeated:
        shown.append("repeated: " + "; ".join(f"{n}× {t[:80]}" for t, n in repeated))
    return "\n".join(shown)


def _cut(line: str, asked: Sequence[str]) -> str:
    """A long line, shortened around the question's words or the error."""
    if len(line) <= _LONGEST:
        return line.rstrip()
    lower = line[: 50 * _LONGEST].casefold()
    places = [place for word in asked if (place := lower.find(word)) > _LONGEST // 2]
    if not places and (wrong := _ERROR.search(line[: 50 * _LONGEST])):
        places = [wrong.start()] if wrong.start() > _LONGEST // 2 else []
    start = max(0, min(places) - _LONGEST // 3) if places else 0
    return ("…" if start else "") + line[start : start + _LONGEST].strip() + "…"


def tokens_of(text: str) -> int:
    """The tokens of a text; a huge one is estimated from samples."""
    part = 200_000
    if len(text) <= 3 * part:
        return count_tokens(text)
    middle = (len(text) - part) // 2
    parts = (text[:part], text[middle : middle + part], text[-part:])
    return round(sum(map(count_tokens, parts)) * len(text) / (3 * part))
