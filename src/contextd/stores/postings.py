"""In-memory postings: the database is read once per word, then only for changes.

Transferring the positions of a common word from it was most of the cost of a search in many documents,
and query words recur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from contextd.stores import ranking
from contextd.stores.document_table import Places, Roster
from contextd.stores.word_tables import MOST_TIMES, WordTables
from contextd_common.dataclass import dataclass

MOST_BYTES = 32 << 20
"""Memory for a part's postings: 400 words in 10,000 documents each, or 40 in 100,000. The least recently
used are evicted.
"""

_APART = 500
"""Changed documents closer than this are read as one range: 0.05 to 0.3 ms per word."""

_MOST_RANGES = 4
"""With more ranges, everything is read again."""

_FEW = 8
"""If less than one posting in this many is requested, the requested documents are looked up in the
postings, otherwise the other way round.
"""

Held = tuple[Places, NDArray[np.float64]]
"""The positions of documents with a word, and its count in each; `near` text counts less."""

_Range = tuple[int, int]


@dataclass(slots=True)
class _Posting:
    """The documents with a word, by their positions in the roster, in order, and its counts in text and `near`
    text. It includes the first `at` changes of the part.
    """

    places: NDArray[np.int32]
    times: NDArray[np.uint16]
    at: int

    @property
    def bytes(self) -> int:
        return self.places.nbytes + self.times.nbytes


@dataclass(frozen=True, slots=True)
class Seen:
    """The positions a query may see, as a mask and as a list; `whole` if these are all."""

    mask: NDArray[np.bool_]
    places: NDArray[np.int32]
    whole: bool


def seen_of(mask: NDArray[np.bool_]) -> Seen:
    """The positions in a mask."""
    places = np.flatnonzero(mask).astype(np.int32)
    return Seen(mask, places, len(places) == len(mask))


@dataclass(slots=True, eq=False)
class Postings:
    """The requested postings of a part, for the documents its roster knows."""

    part: int
    roster: Roster
    tables: WordTables
    _known: dict[str, _Posting] = field(default_factory=dict[str, _Posting])
    _changed: list[int] = field(default_factory=list[int])
    _bytes: int = 0

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return self._bytes

    def change(self, numbers: Sequence[int]) -> None:
        """These documents are new or changed. Removed ones are in no mask."""
        if self._known:
            self._changed += numbers
        if len(self._changed) > _APART * _MOST_RANGES:
            self._known, self._changed, self._bytes = {}, [], 0

    def knows(self, word: str) -> bool:
        """Whether a word was read already."""
        return word in self._known

    def holding(self, word: str, seen: Seen) -> Held:
        """The visible documents with a word."""
        one = self._current(word, facet=False)
        at = _among(one.places, seen)
        # Counts are added in the same order everywhere, so that sums agree to the last digit.
        times = one.times[:, at]
        return one.places[at].astype(np.intp), times[0] + ranking.NEAR_WEIGHT * times[1]

    def count(self, word: str, seen: Seen) -> int:
        """How many visible documents have the word."""
        places = self._current(word, facet=False).places
        return len(places) if seen.whole else len(places[_among(places, seen)])

    def carrying(self, facets: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of the documents with all of the facets, and of some removed ones."""
        first, *more = [self._current(facet, facet=True).places for facet in facets]
        for places in more:
            first = np.intersect1d(first, places, assume_unique=True)
        numbers: NDArray[np.int64] = self.roster.numbers[first]
        return numbers

    def _current(self, word: str, *, facet: bool) -> _Posting:
        # Facets contain an equals sign, words never do.
        known = self._known.pop(word, None)
        if known is not None:
            self._bytes -= known.bytes
            known = self._caught_up(known, word, facet=facet)
        if known is None:
            if facet:
                numbers = self.tables.carriers(self.part, word)
                known = self._posting(numbers, np.zeros((2, len(numbers)), np.uint16))
            else:
                known = self._posting(*self.tables.holders(self.part, word))
        self._known[word] = known
        self._bytes += known.bytes
        while self._bytes > MOST_BYTES and len(self._known) > 1:
            self._bytes -= self._known.pop(next(iter(self._known))).bytes
        return known

    def _posting(self, numbers: NDArray[np.int64], times: NDArray[np.uint16]) -> _Posting:
        return self._placed(self.roster.places(numbers), times)

    def _placed(self, places: Places, times: NDArray[np.uint16]) -> _Posting:
        if len(places) and (places.min() < 0 or (places[1:] <= places[:-1]).any()):
            order = np.argsort(places, kind="stable")
            order = order[places[order] >= 0]
            places, times = places[order], times[:, order]
        return _Posting(places.astype(np.int32), times, len(self._changed))

    def _caught_up(self, known: _Posting, word: str, *, facet: bool) -> _Posting | None:
        """The cached postings, updated; None if too much changed."""
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
            found += self.tables.between(self.part, word, facet, first, last)
        # A document keeps its place, so only those of changed ones are looked for.
        fresh_places = self.roster.places(np.array([n for n, _ in found], np.int64))
        places: Places = np.concatenate((known.places[stays], fresh_places), dtype=np.intp)
        counts = np.frombuffer(b"".join(count for _, count in found), np.uint32).reshape(-1, 2).T
        fresh = np.minimum(counts, MOST_TIMES).astype(np.uint16)
        return self._placed(places, np.concatenate((known.times[:, stays], fresh), axis=1))


def _ranges(numbers: Sequence[int]) -> Iterator[_Range]:
    """The ranges that cover these sorted numbers."""
    first = last = numbers[0]
    for number in numbers:
        if number - last > _APART:
            yield first, last
            first = number
        last = number
    yield first, last


def _among(places: NDArray[np.int32], seen: Seen) -> slice | Places:
    """Which of the positions a query may see."""
    if seen.whole:
        return slice(None)
    if len(seen.places) * _FEW >= len(places):
        return np.flatnonzero(seen.mask[places])
    at = np.searchsorted(places, seen.places)
    at[at == len(places)] = 0
    found: Places = at[places[at] == seen.places]
    return found
