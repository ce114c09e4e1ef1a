"""Extract error lines from output in any language, and a signature of each: the words that stay the same
when the error recurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from contextd.domain.records import digest
from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex

LARGEST = 200 * 1024
"""Characters of an error that are read; of longer text, half from each end."""

TELLING = 6
"""Error lines examined per output: each failed test may have its own."""

_LONGEST_LINE, _LONGEST = 500, 200
_FEWEST_WORDS = 3


@dataclass(frozen=True)
class ErrorLine:
    """A line that describes an error."""

    line: str

    @cached_property
    def signature(self) -> str:
        """The signature: the words that stay the same when the error recurs."""
        return signature(self.line)

    @cached_property
    def key(self) -> str:
        """A hash of the signature."""
        return digest(self.signature)[:16]

    @cached_property
    def names(self) -> frozenset[str]:
        """What the error is about: quoted names such as a module or a flag, without paths and bare
        numbers; for something missing, also the last part of a path.
        """
        quoted = (match[1] or match[2] or match[3] or "" for match in _QUOTED.finditer(self.line))
        short = (name.strip() for name in quoted)
        found = {_DIGITS.sub("#", n) for n in short if n and not _PLACE.search(n)}
        if _MISSING.search(self.line):
            paths = _PATH.findall(_PLACED.sub("", self.line))
            found |= {_DIGITS.sub("#", path.rpartition("/")[2]) for path in paths}
        return frozenset(found)

    @cached_property
    def said(self) -> str:
        """Its words without location and error type; empty if too few."""
        words = _WORD.findall(_SORT.sub("", normalised(self.line)))
        text = " ".join(words)
        much = len(text) + sum(map(len, self.names)) >= _SAYS
        return text if len(words) >= _FEWEST_WORDS and much else ""

    @property
    def says_enough(self) -> bool:
        """Whether it describes the problem, not only that something failed."""
        enough = len(_WORD.findall(self.signature)) >= _FEWEST_WORDS
        return enough and not _HEADLINE.search(self.line)

    def is_same(self, other: ErrorLine) -> bool:
        """Whether both are the same error: the same words about the same names. Errors about two missing
        modules differ.
        """
        return self.signature == other.signature and self.names == other.names

    def is_in(self, other: ErrorLine) -> bool:
        """Whether the other line contains this one's words, and its names."""
        return self._words_are_in(other) and self.names <= other.names

    def is_another(self, other: ErrorLine) -> bool:
        """Whether the other line says the same about something else."""
        alike = self.signature == other.signature or self._words_are_in(other)
        return alike and not self.names <= other.names

    def _words_are_in(self, other: ErrorLine) -> bool:
        whole = f" {' '.join(_WORD.findall(normalised(other.line)))} "
        return bool(self.said) and f" {self.said} " in whole


def signature(line: str) -> str:
    """The signature of an error: its words without paths, names and numbers."""
    return normalised(line)[:_LONGEST].strip()


def normalised(text: str) -> str:
    """A text with placeholders for paths, addresses, quoted names, ids, times and numbers."""
    for pattern, instead in _LITERALS:
        text = pattern.sub(instead, text)
    return " ".join(text.casefold().split())


def plain(output: str) -> str:
    """An output as a terminal finally shows it: no colours, overwritten progress or control characters.
    Beyond `LARGEST` the middle is dropped.
    """
    if len(output) > LARGEST:
        output = f"{output[: LARGEST // 2]}\n{output[-LARGEST // 2 :]}"
    if "\x1b" in output:
        output = _ANSI.sub("", output)
    shown = (line.rstrip("\r").rpartition("\r")[2] for line in output.split("\n"))
    return "\n".join(shown).translate(_UNSEEN)


def error_lines(output: str, most: int = TELLING) -> list[ErrorLine]:
    """The error lines of an output, most informative first; empty if none.

    For chained exceptions the last one is most informative, for others the first.
    """
    found: dict[str, ErrorLine] = {}
    chained = False
    lines = plain(output).split("\n")
    for place, raw in enumerate(lines):
        chained = chained or _CHAIN.match(raw) is not None
        if len(raw) < _SHORTEST or not _LINE.search(raw[:_LONGEST_LINE]) or _ECHO.match(raw):
            continue
        line = _BEFORE.sub("", " ".join(raw[:_LONGEST_LINE].split()))
        if _GOES_ON.search(line) and place + 1 < len(lines):
            # Rust prints the location of a panic first and its reason below.
            line = f"{line} {' '.join(lines[place + 1][:_LONGEST_LINE].split())}"
        one = ErrorLine(line[:_LONGEST_LINE])
        if one.says_enough and one.key not in found:
            found[one.key] = one
    every = list(found.values())
    raised = [one for one in every if _RAISED.match(one.line)]
    if chained and raised:
        every = [raised[-1], *(one for one in every if one is not raised[-1])]
    if len(every) > most:
        every = [*every[: most // 2], *every[-(most - most // 2) :]]
    return every


def symptom_lines(symptoms: Iterable[str]) -> list[ErrorLine]:
    """The error lines of symptoms that a person or agent wrote; a text without an error line counts as one
    itself.
    """
    found: dict[str, ErrorLine] = {}
    for symptom in symptoms:
        lines = error_lines(symptom)
        if not lines:
            lines = [
                one
                for raw in plain(symptom[:_LONGEST_LINE]).split("\n")[:2]
                if (one := ErrorLine(_BEFORE.sub("", " ".join(raw.split())))).says_enough
            ]
        for one in lines:
            found.setdefault(one.key, one)
    return list(found.values())


def quotes(text: str, lines: Sequence[ErrorLine]) -> bool:
    """Whether a text contains one of these errors, about the same names."""
    words = f" {' '.join(_WORD.findall(normalised(text)))} "
    plainly = _DIGITS.sub("#", text)
    return any(
        line.said and f" {line.said} " in words and all(name in plainly for name in line.names)
        for line in lines
    )


_SAYS = 18
"""Minimum characters of words and names that identify an error inside other words."""

_SHORTEST = 8
_SORT = regex(r"^(?:\S*?(?:error|exception|panic)\S*:|error(?:\[\w+\])?:|fatal:|…/…\S*|\(#\))\s+")
_WORD = regex(r"[^\W\d_]{2,}(?:[.$\\][^\W\d_]+)*")

_ANSI = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSEEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 65279))

_QUOTED = regex(
    r"(?<!\w)['‘]([^'’\n]{1,120})['’](?!\w)|[\"“]([^\"”\n]{1,120})[\"”]|`([^`'\n]{1,120})[`']"
)
_PLACE = regex(r"[/\\]|^[\d.,:#-]*$")
_DIGITS = regex(r"\d+")
_PATH = regex(r"(?:[\w.@~+-]*/)*[\w.@+-]+\.[A-Za-z]\w{0,9}\b|(?:[\w.@~+-]*/)+[\w.@+-]+")
_PLACED = regex(r"^\S+?:\d+(?::\d+)?:\s")
_MISSING = regex(r"\bno such file\b|\bnot found\b|\bcannot find\b|\bdoes(?: not|n't) exist\b", re.I)
_LITERALS = (
    (_QUOTED, "'…'"),
    (regex(r"\b[a-z][a-z+.-]{1,15}://[^\s'\")\]>]+", re.I), "…/…"),
    (regex(r"\b[A-Za-z]:\\[^\s'\":;,)]*|\\\\[\w.-]+\\[^\s'\":;,)]*"), "…/…"),
    (regex(r"(?:[A-Za-z]:)?(?:[\w.@~+-]*/)+[\w.@+-]+"), "…/…"),
    (regex(r"(?<![\w/…])[\w.+-]+\.\w{1,5}(?=[:(]\d)"), "…/…"),
    (regex(r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?", re.I), "#"),
    (regex(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I), "#"),
    (regex(r"\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b", re.I), "#"),
    (regex(r"\d+"), "#"),
    (regex(r"#(?:[.,:_x-]+#)+"), "#"),
    (regex(r"# ?(?:ms|[mµun]?s|min|sec(?:ond)?s?|[kmg]i?b|bytes)\b", re.I), "#"),
)  # fmt: skip

_BEFORE = regex(
    r"^(?:[\s|│┃>✖✗×●•*-]+|E\s{1,8}(?=\S)|\[?\d{4}-\d\d-\d\d[T ][\d:.,+Z-]+\]?\s*|\d\d:\d\d:\d\d[.,\d]*\s+"
    r"|npm (?:ERR!|error)\s+|Uncaught (?=[A-Z])|Exception in thread \S+ |Unhandled exception[.:] )+"
)
"""Prefixes of an error line that are not part of it: frames, times, a test runner's marks."""

_LINE = regex(
    r"(?:\b\w*(?:Error|Exception)\b|\berror(?:\[\w+\]| [A-Z]+\d+)?:|\bfatal:|\bpanic(?:ked|:)|\bcannot\b|\bcan(?:'t|not)\b|\bcould not\b"
    r"|\bunable to\b|\bnot found\b|\bno such\b|\bdoes(?: not|n't) (?:exist|match)\b|\bno module named\b|\bfailed to\b|\bdenied\b"
    r"|\bundefined\b|\bunauthori[sz]ed\b|\brefused\b|\btimed out\b|\bunknown (?:option|flag|command|argument|revision)\b"
    r"|\bunrecogni[sz]ed\b|\binvalid\b|\bmalformed\b|\bis required\b|\bnot (?:a valid|allowed|permitted|supported|defined)\b"
    r"|\bexceeds?\b|\bunexpected\b|\bmismatch(?:ed)?\b|\bsegmentation fault\b|\bout of memory\b|\balready (?:exists|in use)\b"
    r"|^\S+\.\w{1,5}:\d+(?::\d+)?: )",
    re.I,
)
_ECHO = regex(r"\s*\$ \S")
"""A command that a script runner echoes: an option such as `--error-on-warnings` is no error and is the
same for every failure.
"""
_RAISED = regex(r"(?:Caused by: )?(?:[\w$]+(?:\.|::|\\))*[A-Z]\w*(?:Error|Exception)\b")
_CHAIN = regex(r"Traceback \(most recent call last\)|\s*Caused by: |During handling of the above")
_GOES_ON = regex(r"\bpanicked at \S+$")

_HEADLINE = regex(
    r"\b(?:task|recipe|command|script|process|job|target|step|build|lifecycle|subprocess|tests?)\b.{0,60}\bfailed\b"
    r"|\bfailed with\b.{0,40}\b(?:code|status)\b|\bexit(?:ed)?(?: with)? (?:code|status)\b|\bmake(?:\[\d+\])?: \*\*\*"
    r"|\bnpm (?:ERR!|error) (?:code|errno|path|command)\b|\berror(?:s)? found\b|^\W*error\W*$|^\W*0 errors?\b"
    r"|^(?-i:(?:--- )?FAIL(?:ED)?\b)|\bTraceback \(most recent call last\)|\bwarning:",
    re.I,
)
"""A headline that only says that something failed, or a warning's summary."""
