"""Find contradicting records without comparing all pairs, and propose which one to keep.

The caller supplies the comparison; this module selects the pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Literal, Protocol

from contextd.domain.records import Record, said_at
from contextd_common.dataclass import dataclass

Compare = Callable[[Record, Record], tuple[str, str] | None]
"""(kind, reason) when two records contradict each other."""


class Outlined(Protocol):
    """A filter for pairs worth comparing: contradicting records share a key, or words while their poles (a name
    and one of two sides) are opposed.
    """

    @property
    def keys(self) -> frozenset[str]:
        """A key that is equal for records about exactly the same thing."""
        ...

    @property
    def words(self) -> frozenset[str]:
        """The words of its subject."""
        ...

    @property
    def poles(self) -> frozenset[tuple[str, int]]:
        """The side it takes in each pair of opposites."""
        ...


RAREST = 3
"""Each record is filed under this many of its rarest words; records filed together are compared."""

LARGEST_BLOCK = 50
"""If more records are filed together, each is compared with this many similar ones."""

ENOUGH_SHARED = 0.5
Keep = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Which of two records to keep, and why."""

    keep: Keep
    reason: str


def candidates(outlines: Sequence[Outlined]) -> Iterator[tuple[int, int]]:
    """Pairs worth comparing, as indexes in the sequence, without duplicates.

    Time grows with the number of records, not with its square.
    """
    seen: set[tuple[int, int]] = set()
    for members in _same_key(outlines):
        for pair in _near(members):
            if pair not in seen:
                seen.add(pair)
                yield pair
    for members in _same_words(outlines):
        for i, j in _opposed(members, outlines):
            if (i, j) not in seen and _alike(outlines[i], outlines[j]):
                seen.add((i, j))
                yield i, j


def _same_key(outlines: Sequence[Outlined]) -> Iterator[list[int]]:
    filed: dict[str, list[int]] = defaultdict(list)
    for i, outline in enumerate(outlines):
        for key in outline.keys:
            filed[key].append(i)
    yield from filed.values()


def _same_words(outlines: Sequence[Outlined]) -> Iterator[list[int]]:
    common = Counter(word for outline in outlines for word in outline.words)
    filed: dict[str, list[int]] = defaultdict(list)
    for i, outline in enumerate(outlines):
        shared = [word for word in outline.words if common[word] > 1]
        for word in sorted(shared, key=lambda word: (common[word], word))[:RAREST]:
            filed[word].append(i)
    for members in filed.values():
        if len(members) > LARGEST_BLOCK:
            members.sort(key=lambda i: (sorted(outlines[i].words), i))
        yield members


def _near(members: Sequence[int]) -> Iterator[tuple[int, int]]:
    for place, i in enumerate(members):
        for j in members[place + 1 : place + LARGEST_BLOCK]:
            yield (i, j) if i < j else (j, i)


def _opposed(members: Sequence[int], outlines: Sequence[Outlined]) -> Iterator[tuple[int, int]]:
    """Neighbouring members that take opposite sides; other pairs are not enumerated."""
    sides: dict[str, tuple[list[int], list[int]]] = {}
    for place, i in enumerate(members):
        for name, side in outlines[i].poles:
            sides.setdefault(name, ([], []))[side].append(place)
    for here, there in sides.values():
        few, many = (here, there) if len(here) < len(there) else (there, here)
        for place in few:
            start = bisect_right(many, place - LARGEST_BLOCK)
            for other in many[start : bisect_left(many, place + LARGEST_BLOCK)]:
                i, j = members[place], members[other]
                yield (i, j) if i < j else (j, i)


def _alike(one: Outlined, other: Outlined) -> bool:
    shared = len(one.words & other.words)
    return shared > 0 and shared >= ENOUGH_SHARED * min(len(one.words), len(other.words))


def compare_all(
    records: Sequence[Record], outline: Callable[[Record], Outlined], compare: Compare
) -> Iterator[tuple[str, str, str, str]]:
    """(a, b, kind, reason) of every pair of `candidates` that `compare` finds contradictory, in the order
    found.
    """
    for i, j in candidates([outline(record) for record in records]):
        one, other = records[i], records[j]
        contradiction = compare(one, other)
        if contradiction is not None:
            yield one.id, other.id, *contradiction


def propose(a: Record, b: Record) -> Proposal:
    """Which one to keep: pinned, then human, then verified, then newer, then more helpful."""
    first, second = precedence(a), precedence(b)
    pairs = enumerate(zip(first, second, strict=True))
    differing = next((place for place, (mine, theirs) in pairs if mine != theirs), -1)
    return Proposal("a" if first >= second else "b", _REASONS[differing])


_REASONS = (
    "it is pinned",
    "a person said it",
    "its outcome is verified",
    "it is newer",
    "it helped more often",
    "it is at least as sure",
)


def precedence(record: Record) -> tuple[bool, bool, bool, datetime, int, float]:
    """The ranking of records to keep, the most important criterion first: the greatest wins."""
    return (
        is_pinned(record),
        record.trust == "human",
        _verified(record),
        said_at(record),
        record.helpful - record.unhelpful,
        record.confidence,
    )


def is_pinned(record: Record) -> bool:
    """Whether a record is pinned."""
    return "pinned" in record.tags or bool(record.data.get("pinned"))


def _verified(record: Record) -> bool:
    return record.data.get("verified") is True or "verified" in record.tags
