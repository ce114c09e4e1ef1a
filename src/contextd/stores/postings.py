"""What holds the words that were asked for, in memory: of a word FTS5 is read once, and after that what
changed.

Handing the places of a common word over from SQLite was most of what a search beside many documents
cost, and the words of questions come again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from contextd.domain.dataclass import dataclass
from contextd.stores import parts, ranking
from contextd.stores.connection import Database
from contextd.stores.roster import Places, Roster

_EVERYWHERE = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.places_{part}
    USING fts5vocab ('main', 'lexicon_{part}', 'instance')"""
_PLACES = """SELECT group_concat(doc * 2 + (col < 'o')) FROM temp.places_{part}
    WHERE term = ?"""
"""`near` is below `o`, and `text` above it. Whoever asks for a word that is the token of a facet finds those
that carry it: to compare the name of the column twice would cost a quarter of the time.
"""

MOST_BYTES = 32 << 20
"""Memory for the postings of a part: of four hundred words that 10,000 documents hold each, or of 40 that
100,000 do. Those not asked for longest are given up."""

_APART = 500
"""Changed documents that are less than this apart are read as one range: 0.05 to 0.3 ms for a word."""

_MOST_RANGES = 4
"""With more ranges to read, all is read anew."""

_FEW = 8
"""Where fewer than one holder in so many is asked for, what is asked is looked up among the holders; else
the holders are looked up among what is asked."""

_MOST_TIMES = np.iinfo(np.uint16).max
"""A word counts no more often: a score is the same in its fourth digit from far fewer on."""

Held = tuple[Places, NDArray[np.float64]]
"""Where those that hold a word stand, and how often each does: nearby text counts less."""

_Range = tuple[int, int]


@dataclass(slots=True)
class _Posting:
    """Where those stand that hold a word, in order, and how often it is in their text and near it. `at`
    counts the changes that it knows of.
    """

    places: NDArray[np.int32]
    times: NDArray[np.uint16]
    at: int

    @property
    def bytes(self) -> int:
        return self.places.nbytes + self.times.nbytes


@dataclass(frozen=True, slots=True)
class Seen:
    """The places that a query may see, as a mask and one by one; `whole` when they are all there are."""

    mask: NDArray[np.bool_]
    places: NDArray[np.int32]
    whole: bool


def seen_of(mask: NDArray[np.bool_]) -> Seen:
    """What a mask lets a query see."""
    places = np.flatnonzero(mask).astype(np.int32)
    return Seen(mask, places, len(places) == len(mask))


@dataclass(slots=True, eq=False)
class Postings:
    """The postings of a part that were asked for, as far as its roster knows the documents."""

    part: int
    roster: Roster
    _known: dict[str, _Posting] = field(default_factory=dict[str, _Posting])
    _changed: list[int] = field(default_factory=list[int])
    _bytes: int = 0

    def change(self, numbers: Sequence[int]) -> None:
        """These documents are new, or not what they were. Those that are gone stand in no mask."""
        if self._known:
            self._changed += numbers
        if len(self._changed) > _APART * _MOST_RANGES:
            self._known, self._changed, self._bytes = {}, [], 0

    def knows(self, word: str) -> bool:
        """Whether a word was read already."""
        return word in self._known

    def holding(self, database: Database, word: str, seen: Seen) -> Held:
        """What holds a word, of what a query may see."""
        one = self._current(database, word, facet=False)
        at = _among(one.places, seen)
        # Counts are added as they are elsewhere, so that not a last digit depends on the way.
        times = one.times[:, at]
        return one.places[at].astype(np.intp), times[0] + ranking.NEAR_WEIGHT * times[1]

    def count(self, database: Database, word: str, seen: Seen) -> int:
        """How many documents of those that hold a word a query may see."""
        places = self._current(database, word, facet=False).places
        return len(places) if seen.whole else len(places[_among(places, seen)])

    def carrying(self, database: Database, facets: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of the documents that carry all of the facets, and of some that are gone."""
        first, *more = [self._current(database, facet, facet=True).places for facet in facets]
        for places in more:
            first = np.intersect1d(first, places, assume_unique=True)
        numbers: NDArray[np.int64] = self.roster.numbers[first]
        return numbers

    def _current(self, database: Database, word: str, *, facet: bool) -> _Posting:
        # No word has an equals sign in it, and every facet has.
        known = self._known.pop(word, None)
        if known is not None:
            self._bytes -= known.bytes
            known = self._caught_up(database, known, word, facet=facet)
        if known is None:
            numbers, times = (_carriers if facet else _holders)(database, self.part, word)
            known = self._posting(numbers, times)
        self._known[word] = known
        self._bytes += known.bytes
        while self._bytes > MOST_BYTES and len(self._known) > 1:
            self._bytes -= self._known.pop(next(iter(self._known))).bytes
        return known

    def _posting(self, numbers: NDArray[np.int64], times: NDArray[np.uint16]) -> _Posting:
        places = self.roster.places(numbers)
        if len(places) and (places[0] < 0 or (places[1:] <= places[:-1]).any()):
            order = np.argsort(places)
            order = order[places[order] >= 0]
            places, times = places[order], times[:, order]
        return _Posting(places.astype(np.int32), times, len(self._changed))

    def _caught_up(
        self, database: Database, known: _Posting, word: str, *, facet: bool
    ) -> _Posting | None:
        """What was read, as it is now; None when too much changed."""
        changed = sorted(set(self._changed[known.at :]))
        if not changed:
            return known
        ranges = list(_ranges(changed))
        if len(ranges) > _MOST_RANGES:
            return None
        stands = self.roster.numbers[known.places]
        stays = np.ones(len(stands), np.bool_)
        found: list[tuple[int, bytes]] = []
        for first, last in ranges:
            stays &= (stands < first) | (stands > last)
            found += parts.between(database, self.part, word, facet, first, last)
        numbers = np.concatenate((stands[stays], np.array([n for n, _ in found], np.int64)))
        counts = np.frombuffer(b"".join(count for _, count in found), np.uint32).reshape(-1, 2).T
        fresh = np.minimum(counts, _MOST_TIMES).astype(np.uint16)
        order = np.argsort(numbers, kind="stable")
        times = np.concatenate((known.times[:, stays], fresh), axis=1)
        return self._posting(numbers[order], times[:, order])


def _ranges(numbers: Sequence[int]) -> Iterator[_Range]:
    """The ranges that hold these numbers, which are in order."""
    first = last = numbers[0]
    for number in numbers:
        if number - last > _APART:
            yield first, last
            first = number
        last = number
    yield first, last


def _among(places: NDArray[np.int32], seen: Seen) -> slice | Places:
    """Which of the places a query may see."""
    if seen.whole:
        return slice(None)
    if len(seen.places) * _FEW >= len(places):
        return np.flatnonzero(seen.mask[places])
    at = np.searchsorted(places, seen.places)
    at[at == len(places)] = 0
    found: Places = at[places[at] == seen.places]
    return found


def _holders(
    database: Database, part: int, word: str
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    database.rows(_EVERYWHERE.format(part=part))
    found = database.value(_PLACES.format(part=part), (word,))
    # An occurrence is one number: twice the document's, and one more in nearby text.
    written = np.fromstring(found or "", np.int64, sep=",")
    numbers = written >> 1
    # Not np.diff: for the few places of a rare word its own Python costs more than the numbers.
    begins = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    if not len(first):
        return numbers, np.zeros((2, 0), np.uint16)
    near = np.add.reduceat(written & 1, first)
    times = np.full(len(first), len(written))
    times[:-1] = first[1:]
    times -= first
    counts = np.minimum(np.stack((times - near, near)), _MOST_TIMES)
    return numbers[first], counts.astype(np.uint16)


def _carriers(
    database: Database, part: int, facet: str
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    found = parts.carrying(database, part, facet)
    numbers = np.fromstring(found, np.int64, sep=",")
    return numbers, np.zeros((2, len(numbers)), np.uint16)
