"""Judge stored statements: by labels of similar statements, and by a careful reader's notes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from contextd.domain.records import Record
from contextd_bench.learning.helping import key_of, read_rows
from contextd_common.text.words import content_words

RULE = (
    "a label counts for a statement of its project when 4 of 5 words of both together are in both, or "
    "the one is 3/4 of the other's text, or 9 of 10 characters align"
)
GOLD_FILE = "gold-dev.jsonl"
JUDGED = "kept-dev.jsonl"
"""Further judgements of kept statements: digests and grades, no text."""

GOOD = frozenset({"U", "keep"})
"""Useful and true as stated."""

_WORDS, _PART, _ALIKE = 0.8, 0.75, 0.9
_CLOSE_ENOUGH_TO_ALIGN = 0.5
_CANDIDATE_STATUSES = frozenset({"inbox", "candidate", "proposed", "quarantined"})
_SEEN = ("title", "content", "text")
_EPISODES = re.compile(r"episode|turn|digest|thread")


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement somebody judged: a grade of records (U, P, T, W, J), or keep and drop."""

    project: str
    text: str
    label: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Gold:
    """A statement a careful reader would keep of a session; one stored statement must match all
    `patterns`.
    """

    project: str
    session: str
    id: str
    type: str
    keep: str
    patterns: tuple[re.Pattern[str], ...]

    def stands_in(self, text: str) -> bool:
        """Whether a statement holds it."""
        return all(pattern.search(text) for pattern in self.patterns)


class StatementLabels:
    """Judgements of statements, found by near-equal text."""

    def __init__(self, data: Path, judged: Path | None = None) -> None:
        self._known: dict[str, list[LabelledStatement]] = {}
        for name, field in (("records-dev.jsonl", "text"), ("sentences-dev.jsonl", "sentence")):
            for row in _rows(data / name):
                one = _labelled(row["project"], row[field], row["label"])
                self._known.setdefault(one.project, []).append(one)
        self._judged = {row["key"]: row["label"] for row in read_rows(judged, JUDGED)}

    def of(self, project: str, text: str) -> str:
        """The label of a statement; empty when none like it was judged."""
        own = self._judged.get(key_of(project, "", text))
        if own:
            return own
        given = _labelled(project, text, "")
        best, found = 0.0, ""
        for one in self._known.get(project, ()):
            alike = likeness(given, one)
            if alike > best:
                best, found = alike, one.label
        return found


def likeness(one: LabelledStatement, other: LabelledStatement) -> float:
    """How sure both say the same, 0 when they do not by `RULE`."""
    both = len(one.words & other.words)
    if not both:
        return 0.0
    shared = both / len(one.words | other.words)
    if shared >= _WORDS:
        return shared
    short, long = sorted((one.text, other.text), key=len)
    if short in long and len(short) >= _PART * len(long):
        return len(short) / len(long)
    if shared >= _CLOSE_ENOUGH_TO_ALIGN:
        ratio = SequenceMatcher(None, one.text, other.text, autojunk=False).ratio()
        return ratio if ratio >= _ALIKE else 0.0
    return 0.0


def gold(data: Path) -> list[Gold]:
    """The gold of the development split; empty when the data has none."""
    return [
        Gold(
            row["project"], row["session"], row["id"], row["type"], row["keep"],
            tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in row["match_all"]),
        )
        for row in _rows(data / GOLD_FILE)
    ]  # fmt: skip


def statement_of(record: Record) -> str:
    """What a record says, title and content, without saying a thing twice."""
    title = record.title.rstrip("… ").casefold()
    if not title or record.content.casefold().startswith(title):
        return record.content
    return f"{record.title}: {record.content}"


def shown_of(record: Record) -> str:
    """What a reader sees of a record: what patterns are looked for in."""
    return "\n".join(filter(None, [statement_of(record), str(record.data.get("solution") or "")]))


def standing_of(record: Record) -> str:
    """`active`, `candidate`, `episode` or `gone`."""
    if _EPISODES.search(record.kind):
        return "episode"
    if record.status == "active":
        return "active"
    return "candidate" if record.status in _CANDIDATE_STATUSES else "gone"


@dataclass(frozen=True, slots=True)
class Precision:
    """Grades of statements; `unmatched` ones have none."""

    grades: Counter[str]
    unmatched: int

    @property
    def good(self) -> int:
        """How many are useful and true."""
        return sum(count for grade, count in self.grades.items() if grade in GOOD)

    @property
    def n(self) -> int:
        """How many have a grade."""
        return sum(self.grades.values())


def precision(labels: StatementLabels, statements: Iterable[tuple[str, str]]) -> Precision:
    """The grades of statements, given as (project, text)."""
    grades = Counter(labels.of(project, text) for project, text in statements)
    unmatched = grades.pop("", 0)
    return Precision(grades, unmatched)


def held(one: Gold, texts: Sequence[str]) -> bool:
    """Whether one of these statements holds it."""
    return any(one.stands_in(text) for text in texts)


def texts_of_hits(answer: Any) -> list[str]:
    """What a reader sees of each hit of a search."""
    rows = answer.get("results", answer.get("memories", [])) if isinstance(answer, Mapping) else []
    return ["\n".join(str(row.get(name) or "") for name in _SEEN) for row in rows]


def _labelled(project: str, text: str, label: str) -> LabelledStatement:
    plain = " ".join(text.casefold().split())
    return LabelledStatement(project, plain, label, frozenset(content_words(plain)))


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """The rows of a file of labels; none for data that nobody labelled."""
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        if line.strip():
            yield json.loads(line)
