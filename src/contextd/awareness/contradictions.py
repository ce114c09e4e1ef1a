"""Finding records that disagree without comparing all of them, and proposing which one to keep.

How two texts are compared is given by the caller; this decides which are worth comparing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from contextd.domain.records import Record
from contextd.domain.words import content_words

Compare = Callable[[Record, Record], tuple[str, str] | None]
"""(kind, reason) when two records contradict each other."""

RAREST = 4
"""Each record is filed under so many of its rarest words; those filed together are compared."""

LARGEST_BLOCK = 40
"""A word that more records are filed under says too little; the nearest of them are compared."""

ENOUGH_SHARED = 0.34
Keep = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Which of two records to keep, and why."""

    keep: Keep
    reason: str


def candidates(records: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    """Pairs that share rare words and a good part of all their words; each pair once.

    Grows with the number of records, not with its square: a block of one word is cut into runs of
    like records of at most `LARGEST_BLOCK`.
    """
    said = [frozenset(content_words(record.text)) for record in records]
    common = Counter(word for words in said for word in words)
    blocks: dict[str, list[int]] = defaultdict(list)
    for i, words in enumerate(said):
        shared = (word for word in words if common[word] > 1)
        for word in sorted(shared, key=lambda word: (common[word], word))[:RAREST]:
            blocks[word].append(i)
    seen: set[tuple[int, int]] = set()
    for word, members in blocks.items():
        for i, j in _near(members, said, word):
            if (i, j) not in seen:
                seen.add((i, j))
                if _alike(said[i], said[j]):
                    yield records[i], records[j]


def _near(
    members: Sequence[int], said: Sequence[frozenset[str]], word: str
) -> Iterator[tuple[int, int]]:
    if len(members) > LARGEST_BLOCK:
        members = sorted(members, key=lambda i: (sorted(said[i] - {word}), i))
    for place, i in enumerate(members):
        for j in members[place + 1 : place + LARGEST_BLOCK]:
            yield (i, j) if i < j else (j, i)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ENOUGH_SHARED * min(len(one), len(other))


def compare_all(records: Sequence[Record], compare: Compare) -> list[tuple[str, str, str, str]]:
    """(a, b, kind, reason) of every pair of `candidates` that `compare` finds contradictory."""
    found: list[tuple[str, str, str, str]] = []
    for one, other in candidates(records):
        told = compare(one, other)
        if told is not None:
            found.append((one.id, other.id, *told))
    return found


def propose(a: Record, b: Record) -> Proposal:
    """Which one to keep: pinned, then human, then verified, then newer, then more helpful."""
    tests: tuple[tuple[str, Callable[[Record], bool]], ...] = (
        ("it is pinned", lambda r: "pinned" in r.tags or bool(r.data.get("pinned"))),
        ("a person said it", lambda r: r.trust == "human"),
        ("its outcome is verified", _verified),
    )
    for reason, holds in tests:
        if holds(a) != holds(b):
            return Proposal("a" if holds(a) else "b", reason)
    newer = _since(a), _since(b)
    if newer[0] != newer[1]:
        return Proposal("a" if newer[0] > newer[1] else "b", "it is newer")
    helped = a.helpful - a.unhelpful, b.helpful - b.unhelpful
    if helped[0] != helped[1]:
        return Proposal("a" if helped[0] > helped[1] else "b", "it helped more often")
    return Proposal("a" if a.confidence >= b.confidence else "b", "it is at least as sure")


def _verified(record: Record) -> bool:
    return record.data.get("verified") is True or "verified" in record.tags


def _since(record: Record) -> datetime:
    return max(record.updated_at, record.valid_from or record.created_at)


IDENTITY = frozenset(
    "key name setting option parameter variable service subject topic what symptom question"
    " title problem trigger".split()
)
"""Fields of a context type that say what an entry is about; the others say what holds."""

ASIDE = frozenset(
    "why reason rationale alternatives notes note description project strength occurrences source"
    " date severity status category domain module contexttype bubbleid tags context".split()
)
"""Fields that may differ without any contradiction."""


def other_value(one: Mapping[str, object], other: Mapping[str, object]) -> str:
    """Which field of two entries of one type says something else of the same thing, in words.

    The same thing: an equal field of `IDENTITY`, and no other project. Something else: another
    number, truth, or short text.
    """
    if one.get("contextType") != other.get("contextType") or not one.get("contextType"):
        return ""
    projects = one.get("project"), other.get("project")
    if all(projects) and _plain(projects[0]) != _plain(projects[1]):
        return ""
    shared = [name for name in one if name in other]
    if not any(
        name.lower() in IDENTITY and _plain(one[name]) and _plain(one[name]) == _plain(other[name])
        for name in shared
    ):
        return ""
    for name in shared:
        if name.lower() in ASIDE or name.lower() in IDENTITY:
            continue
        here, there = _plain(one[name]), _plain(other[name])
        if here and there and here != there and max(len(here.split()), len(there.split())) <= 6:
            return f"{name}: {here} / {there}"
    return ""


def _plain(value: object) -> str:
    if isinstance(value, bool | int | float):
        return str(value).casefold()
    return " ".join(value.casefold().split()) if isinstance(value, str) else ""
