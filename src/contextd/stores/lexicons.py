"""BM25 over exactly the documents that a query selects.

Word rarity and average length are computed among the documents of the requested scopes that pass the filters,
family by family.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Match, Query
from contextd.runtime.kept_memory import Kept, release_unused
from contextd.stores import codec, ranking
from contextd.stores.database import Database
from contextd.stores.document_table import Roster, caught_up, widened
from contextd.stores.index_parts import IndexPart
from contextd.stores.postings import Held, Postings, Seen, seen_of
from contextd.stores.word_tables import WordTables
from contextd_common.dataclass import dataclass

MOST_COUNTED = 20_000
"""Words per part whose document count is cached. The database counts them again on every request: 0.6 ms for a
word in 100,000 documents.
"""

MOST_NAMED = 10_000
"""Documents per part whose ids are cached, some 150 bytes each."""

MOST_DOCUMENTS = 2_000_000
"""Maximum cached documents, some 50 bytes each. Beyond it the least recently used parts are evicted and
read again when needed.
"""

_FEW = 20
"""If a filter leaves fewer than one document in this many, they may be examined individually for words
that were not read yet.
"""

_DEAR, _ENOUGH = 16, 8
"""The cost of examining a document relative to reading one posting, and how often a word is looked up
before its postings are read anyway: it will be requested again.
"""

_MOST_LOOKED = 1_000_000
"""Maximum postings found individually and cached for the next query with the same facets, 16 bytes each."""

_PER_HOLDER, _PER_TEXT = 16, 150
"""Bytes of such a posting, and of a word with its count or a document with its id."""


class _Lengths:
    """The cached data of one part: documents with their lengths, postings of words, document counts until
    the next change, lookup counts, and the ids of documents.
    """

    def __init__(self, part: int, tables: WordTables) -> None:
        self.seq, self.incarnation = -1, object()
        self.used_at, self.holders = 0.0, 0
        self.tables = tables
        self.roster = Roster()
        self.words = np.zeros(self.roster.capacity, np.int64)
        self.postings = Postings(part, self.roster, tables)
        self.counted: dict[str, int] = {}
        self.looked: dict[str, int] = {}
        self.found: dict[tuple[str, ...], dict[str, Held]] = {}
        self.names: dict[int, tuple[str, str]] = {}

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Store these rows; one that is not in the lexicon is dropped."""
        self._changed()
        lexed = [row for row in rows if row[6] is not None]
        self.drop(row[0] for row in rows if row[6] is None)
        if not lexed:
            return
        places = self.roster.take(lexed)
        self.tables.take(lexed)
        if self.roster.capacity > len(self.words):
            self.words = widened(self.words, self.roster.capacity)
        self.words[places] = [self.tables.length(row[6]) for row in lexed]
        numbers = [row[0] for row in lexed]
        self.postings.change(numbers)
        for number in numbers if self.names else ():
            self.names.pop(number, None)

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove these documents."""
        self._changed()
        self.roster.drop(numbers)

    def keep_found(self, facets: tuple[str, ...], held: Mapping[str, Held]) -> None:
        """Cache what was found individually among the documents with these facets."""
        if self.holders > _MOST_LOOKED:
            self.found.clear()
        self.found.setdefault(facets, {}).update(held)
        own = (places for known in self.found.values() for places, _ in known.values())
        self.holders = sum(map(len, own))

    @property
    def weight(self) -> int:
        """The memory of all this in bytes, estimated where it is no array."""
        texts = len(self.counted) + len(self.looked) + len(self.names)
        arrays = (
            self.roster.bytes + self.words.nbytes + self.postings.bytes + self.tables.kept_bytes
        )
        return arrays + _PER_HOLDER * self.holders + _PER_TEXT * texts

    def _changed(self) -> None:
        self.counted.clear()
        self.found.clear()
        self.holders = 0


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a query sees of a part, how many documents its filters hide, and the postings found individually."""

    part: int
    lengths: _Lengths
    seen: Seen
    hidden: int
    looked: Mapping[str, Held]


class Lexicons:
    """The word data of all parts, as known to this process."""

    def __init__(
        self,
        database: Database,
        tables: WordTables,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database, self._tables, self._clock = database, tables, clock
        self._lock = Lock()
        self._known: dict[int, _Lengths] = {}

    def best(
        self,
        words: Sequence[str],
        parts: Sequence[IndexPart],
        query: Query,
        facets: Sequence[str],
        limit: int,
        hidden: Mapping[int, NDArray[np.int64] | None],
    ) -> list[Match]:
        """The documents of these parts that match the words best, with all the facets, excluding hidden ones."""
        scored: list[tuple[int, float]] = []
        # Lock first: a snapshot older than another thread's read would force a new read.
        with self._lock, self._database.snapshot():
            self._make_room()
            for family in dict.fromkeys(part.family for part in parts):
                mine = [part for part in parts if part.family == family]
                asked = self._asked(words, mine, query, facets, hidden)
                unread = {} if facets else {one.part: _unread(words, one) for one in asked}
                with ExitStack() as reading:
                    for part, unread_words in unread.items():
                        tables = self._known[part].tables
                        reading.enter_context(tables.reading(part, unread_words))
                    scored += _top(self._scores(words, asked), limit)
            named = self._named(scored, {part.number for part in parts})
        return ranking.best(named, limit, ranking.DECIMALS_OF_BM25)

    def carrying(self, part: IndexPart, facets: Sequence[str]) -> NDArray[np.int64] | None:
        """The numbers of a part's documents with all the facets; None without facets."""
        if not facets:
            return None
        with self._lock, self._database.snapshot():
            return self._lengths(part).postings.carrying(facets)

    def _asked(
        self,
        words: Sequence[str],
        parts: Sequence[IndexPart],
        query: Query,
        facets: Sequence[str],
        hidden: Mapping[int, NDArray[np.int64] | None],
    ) -> list[_Asked]:
        """What a query sees of the parts with matches."""
        masks: dict[int, NDArray[np.bool_]] = {}
        for part in parts:
            lengths = self._lengths(part)
            among = lengths.postings.carrying(facets) if facets else None
            mask = lengths.roster.allowed(query, part.asked, among, hidden.get(part.number))
            masks[part.number] = mask | masks.get(part.number, np.False_)
        found: list[_Asked] = []
        for number, mask in masks.items():
            lengths, seen = self._known[number], seen_of(mask)
            if len(seen.places):
                alive = int(np.count_nonzero(lengths.roster.alive))
                looked = self._looked_at(words, number, seen, facets, alive)
                found.append(_Asked(number, lengths, seen, alive - len(seen.places), looked))
        return found

    def _looked_at(
        self, words: Sequence[str], part: int, seen: Seen, facets: Sequence[str], alive: int
    ) -> dict[str, Held]:
        """The postings of words for which examining each document with the facets is cheaper than reading
        them.
        """
        few = len(seen.places)
        if not facets or _FEW * few >= alive:
            return {}
        lengths, asked = self._known[part], tuple(facets)
        known = lengths.found.get(asked, {})
        unread = [w for w in words if not lengths.postings.knows(w)]
        dear = [w for w in unread if w not in known and self._is_dear(w, part, few)]
        if dear:
            lengths.keep_found(asked, self._found(dear, part, facets))
        found: dict[str, Held] = {}
        for word in (w for w in unread if w in lengths.found.get(asked, ())):
            places, times = lengths.found[asked][word]
            shown = seen.mask[places]
            found[word] = places[shown], times[shown]
        return found

    def _found(self, words: Sequence[str], part: int, facets: Sequence[str]) -> dict[str, Held]:
        """The postings of these words among the documents with the facets."""
        rows = self._known[part].tables.occurring(part, facets, words)
        places = self._known[part].roster.places(np.array([number for number, _ in rows], np.int64))
        counts = np.frombuffer(b"".join(count for _, count in rows), np.uint32)
        times = counts.reshape(len(rows), len(words), 2) @ np.array((1.0, ranking.NEAR_WEIGHT))
        held = (places >= 0)[:, None] & (times > 0)
        return {w: (places[held[:, at]], times[held[:, at], at]) for at, w in enumerate(words)}

    def _is_dear(self, word: str, part: int, few: int) -> bool:
        """Whether to examine these few documents individually for a word."""
        lengths = self._known[part]
        if self._count(word, part) <= _DEAR * few:
            return False
        if len(lengths.looked) >= MOST_COUNTED:
            lengths.looked.clear()
        lengths.looked[word] = lengths.looked.get(word, 0) + 1
        return lengths.looked[word] <= _ENOUGH

    def _lengths(self, part: IndexPart) -> _Lengths:
        number = part.number

        def new() -> _Lengths:
            return _Lengths(number, self._tables.of_copy())

        known = self._known.pop(number) if number in self._known else new()
        source = self._tables.source(number)
        found = self._known[number] = caught_up(self._database, part, known, source, new)
        found.used_at = self._clock()
        return found

    def kept(self) -> Iterable[Kept]:
        """See `Keeper.kept`: each part."""
        # A copy, without the lock: a search holds that for as long as it reads a part.
        return [
            Kept(
                "words",
                known.weight,
                known.used_at,
                partial(release_unused, self._lock, self._known, part, known.used_at),
            )
            for part, known in list(self._known.items())
        ]

    def _make_room(self) -> None:
        spent = sum(known.roster.capacity for known in self._known.values())
        while spent > MOST_DOCUMENTS and len(self._known) > 1:
            spent -= self._known.pop(next(iter(self._known))).roster.capacity

    def _scores(
        self, words: Sequence[str], asked: Sequence[_Asked]
    ) -> list[tuple[_Asked, NDArray[np.float64]]]:
        """The BM25 score of each document of each part, from words that are not common here."""
        total = sum(len(one.seen.places) for one in asked)
        if not total:
            return []
        length = sum(_words_of(one) for one in asked)
        scores = [(one, np.zeros(len(one.seen.mask))) for one in asked]
        for word in self._rare(words, asked, total):
            held = [self._holders(word, one) for one in asked]
            weight = ranking.idf(total, sum(len(places) for places, _ in held))
            for (one, sums), (places, frequencies) in zip(scores, held, strict=True):
                own = one.lengths.words[places]
                sums[places] += ranking.bm25(frequencies, own, length / total, weight)
        return scores

    def _rare(self, words: Sequence[str], asked: Sequence[_Asked], total: int) -> Sequence[str]:
        """The words that discriminate here; all if none does."""
        if total <= ranking.COMMON_FROM:
            return words
        most = ranking.COMMON_SHARE * total
        return [word for word in words if not self._is_in_more(word, asked, most)] or words

    def _is_in_more(self, word: str, asked: Sequence[_Asked], most: float) -> bool:
        """Whether more of the selected documents than this contain a word. Its postings are only read if
        the filtered-out documents decide.
        """
        unread = [one for one in asked if not one.lengths.postings.knows(word)]
        if unread and not any(one.looked for one in unread):
            held = sum(self._count(word, one.part) for one in asked)
            hidden = sum(one.hidden for one in asked)
            if held <= most or held - hidden > most:
                return held > most
        return sum(self._holder_count(word, one) for one in asked) > most

    def _holder_count(self, word: str, asked: _Asked) -> int:
        """How many selected documents contain a word."""
        if word in asked.looked:
            return len(asked.looked[word][0])
        return asked.lengths.postings.count(word, asked.seen)

    def _count(self, word: str, part: int) -> int:
        """How many documents of a whole part contain a word."""
        counted = self._known[part].counted
        if word not in counted:
            if len(counted) >= MOST_COUNTED:
                counted.clear()
            known = self._known[part]
            counted[word] = known.tables.count(part, word, known.roster)
        return counted[word]

    def _holders(self, word: str, asked: _Asked) -> Held:
        """The selected documents that contain a word."""
        if word in asked.looked:
            return asked.looked[word]
        return asked.lengths.postings.holding(word, asked.seen)

    def _named(
        self, scored: Sequence[tuple[int, float]], parts: Iterable[int]
    ) -> list[tuple[str, str, float]]:
        """(id, kind, score) of documents of these parts by number."""
        known = [self._known[part].names for part in parts]
        names = {n: (*own[n], score) for own in known for n, score in scored if n in own}
        if len(names) < len(scored):
            missing = {number: score for number, score in scored if number not in names}
            rows = self._database.rows(
                "SELECT no, part, id, kind FROM docs WHERE no IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
                (codec.dumps(list(missing)),),
            )
            for number, part, id_, kind in rows:
                own = self._known[part].names
                if len(own) >= MOST_NAMED:
                    own.clear()
                own[number] = id_, kind
                names[number] = id_, kind, missing[number]
        # Missing rows are left to the consistency check and must not fail a search.
        return list(names.values())


def _unread(words: Sequence[str], asked: _Asked) -> list[str]:
    return [word for word in words if not asked.lengths.postings.knows(word)]


def _words_of(asked: _Asked) -> int:
    """The total number of words in the selected documents."""
    words, seen = asked.lengths.words, asked.seen
    return int(words[: len(seen.mask)].sum() if seen.whole else words[seen.places].sum())


def _top(
    scores: Sequence[tuple[_Asked, NDArray[np.float64]]], limit: int
) -> list[tuple[int, float]]:
    """(number, score) of the best documents, including all ties."""
    if not scores:
        return []
    # Filtering out zero scores first finds the best in a quarter of the time.
    places = [np.flatnonzero(sums > 0) for _, sums in scores]
    rosters = [one.lengths.roster for one, _ in scores]
    numbers = np.concatenate([r.numbers[at] for r, at in zip(rosters, places, strict=True)])
    held = np.concatenate([sums[at] for (_, sums), at in zip(scores, places, strict=True)])
    if len(held) > limit:
        # Keeps everything within rounding of the last one, so that ties are ordered by id.
        near = held >= np.partition(held, len(held) - limit)[len(held) - limit] - 1e-9
        numbers, held = numbers[near], held[near]
    return list(zip(numbers.tolist(), held.tolist(), strict=True))
