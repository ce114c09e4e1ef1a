"""BM25 over exactly the documents a query asks for, as if there were no others.

How rare a word is and how long a document is on average is counted among the documents of the asked
scopes that pass the query's filters, family by family. FTS5 counts both over the whole of a table, so
only its postings are used: reading them costs half of what its own bm25() does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.dataclass import dataclass
from contextd.domain.query import Match, Query
from contextd.stores import codec, ranking
from contextd.stores.connection import Database
from contextd.stores.parts import IndexPart, carrying, occurring
from contextd.stores.roster import PartSource, Places, Roster, caught_up, widened

_ROW = """SELECT d.no, d.kind, d.status, d.confidence, d.valid_from, d.valid_to, z.sz FROM docs d
    {join} lexicon_{part}_docsize z ON z.id = d.no WHERE d.part = :part"""
_PLACES = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.places_{part}
    USING fts5vocab ('main', 'lexicon_{part}', 'instance')"""
_POSTINGS = """SELECT group_concat(doc * 2 + (col < 'o')) FROM temp.places_{part}
    WHERE term = ?"""
"""`near` is below `o`, and `text` above it. Whoever asks for a word that is the token of a facet finds those
that carry it: to compare the name of the column twice would cost a quarter of the time.
"""

MOST_COUNTED = 20_000
"""Of so many words of a part it is known by heart in how many documents they are. FTS5 counts them anew
whenever it is asked: 0.6 ms for a word beside 100,000 documents.
"""

MOST_DOCUMENTS = 2_000_000
"""So many documents, of some 50 bytes each, are known by heart. Past it the parts that were not asked for
longest are given up and read again when they are."""

_FEW = 20
"""Where a filter leaves fewer than one document in so many, these are looked at one by one. Reading every
place of a common word to keep one in a hundred cost a query 20 of 25 ms beside 10,000 records.
"""

Held = tuple[Places, NDArray[np.float64]]
"""Where those that hold a word stand, and how often each does: nearby text counts less."""


class _Lengths:
    """The documents of one part with words, and how many words each has; in how many documents the words
    asked for were, until one changes.
    """

    def __init__(self) -> None:
        self.seq = -1
        self.roster = Roster()
        self.words = np.zeros(self.roster.capacity, np.int64)
        self.counted: dict[str, int] = {}

    def take(self, rows: list[tuple[Any, ...]]) -> None:
        """Keep these rows; one that is not in the lexicon is dropped."""
        self.counted.clear()
        lexed = [row for row in rows if row[6] is not None]
        self.drop(row[0] for row in rows if row[6] is None)
        if not lexed:
            return
        places = self.roster.take(lexed)
        if self.roster.capacity > len(self.words):
            self.words = widened(self.words, self.roster.capacity)
        self.words[places] = [_length(row[6]) for row in lexed]

    def drop(self, numbers: Iterable[int]) -> None:
        """Forget these documents."""
        self.counted.clear()
        self.roster.drop(numbers)

    @property
    def wasteful(self) -> bool:
        """Whether most places are of forgotten documents."""
        return self.roster.wasteful


def _length(sizes: bytes) -> int:
    """The words of the first two fields, of the three counts FTS5 keeps of a document: numbers of seven
    bits a byte, the high bit set but in the last one (sqlite.org/fts5.html, "The %_docsize table").
    """
    if sizes[0] < 128 and sizes[1] < 128:
        return sizes[0] + sizes[1]
    total = number = fields = 0
    for byte in sizes:
        number = number << 7 | byte & 127
        if byte < 128:
            total, number, fields = total + number, 0, fields + 1
            if fields == 2:
                break
    return total


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a query sees of a part, and how many documents its filters hide; `held` where the few that are
    seen were looked at one by one.
    """

    part: int
    lengths: _Lengths
    mask: NDArray[np.bool_]
    hidden: int
    held: Mapping[str, Held] | None = None


class Lexicons:
    """The words of all parts, as this process knows them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._known: dict[int, _Lengths] = {}

    def best(
        self,
        words: Sequence[str],
        parts: Sequence[IndexPart],
        query: Query,
        facets: Sequence[str],
        limit: int,
    ) -> list[Match]:
        """The documents of these parts that match the words best, of those that carry all the facets."""
        scored: list[tuple[int, float]] = []
        # The lock comes first: a snapshot older than what another thread read makes it be read again.
        with self._lock, self._database.snapshot():
            self._make_room()
            for family in dict.fromkeys(part.family for part in parts):
                mine = [part for part in parts if part.family == family]
                scored += _top(self._scores(words, self._asked(words, mine, query, facets)), limit)
            named = self._named(scored)
        return ranking.best(named, limit, ranking.DECIMALS_OF_BM25)

    def _asked(
        self,
        words: Sequence[str],
        parts: Sequence[IndexPart],
        query: Query,
        facets: Sequence[str],
    ) -> list[_Asked]:
        """What a query sees of the parts that have something for it."""
        masks: dict[int, NDArray[np.bool_]] = {}
        for part in parts:
            lengths = self._lengths(part.number)
            among = carrying(self._database, part.number, facets)
            mask = lengths.roster.allowed(query, part.asked, among)
            masks[part.number] = mask | masks.get(part.number, np.False_)
        found: list[_Asked] = []
        for number, mask in masks.items():
            lengths = self._known[number]
            seen = int(np.count_nonzero(mask))
            if seen:
                alive = int(np.count_nonzero(lengths.roster.alive))
                one = _Asked(number, lengths, mask, alive - seen)
                few = bool(facets) and _FEW * seen < alive
                found.append(replace(one, held=self._counted(words, one, facets)) if few else one)
        return found

    def _counted(
        self, words: Sequence[str], asked: _Asked, facets: Sequence[str]
    ) -> dict[str, Held]:
        """What holds each of the words, by looking at each document with the facets."""
        rows = occurring(self._database, asked.part, facets, words)
        places = asked.lengths.roster.places(np.array([number for number, _ in rows], np.int64))
        counts = np.frombuffer(b"".join(count for _, count in rows), np.uint32)
        times = counts.reshape(len(rows), len(words), 2) @ np.array((1.0, ranking.NEAR_WEIGHT))
        seen = (places >= 0) & asked.mask[places]
        return {
            word: (places[holding], times[holding, at])
            for at, word in enumerate(words)
            if len(holding := np.flatnonzero(seen & (times[:, at] > 0)))
        }

    def _lengths(self, part: int) -> _Lengths:
        known = self._known.pop(part) if part in self._known else _Lengths()
        whole, newer = (_ROW.format(join=join, part=part) for join in ("JOIN", "LEFT JOIN"))
        source = PartSource(whole, (f"{newer} AND d.seq > :since",), {})
        self._known[part] = caught_up(self._database, part, known, source, _Lengths)
        return self._known[part]

    def _make_room(self) -> None:
        spent = sum(known.roster.capacity for known in self._known.values())
        while spent > MOST_DOCUMENTS and len(self._known) > 1:
            spent -= self._known.pop(next(iter(self._known))).roster.capacity

    def _scores(
        self, words: Sequence[str], asked: Sequence[_Asked]
    ) -> list[tuple[_Asked, NDArray[np.float64]]]:
        """The score of each document of each part: BM25 of the words that are not common here."""
        total = sum(int(np.count_nonzero(one.mask)) for one in asked)
        if not total:
            return []
        length = sum(int(one.lengths.words[: len(one.mask)].sum(where=one.mask)) for one in asked)
        scores = [(one, np.zeros(len(one.mask))) for one in asked]
        for word in self._rare(words, asked, total):
            held = [self._holders(word, one) for one in asked]
            weight = ranking.idf(total, sum(len(places) for places, _ in held))
            for (one, sums), (places, frequencies) in zip(scores, held, strict=True):
                own = one.lengths.words[places]
                sums[places] += ranking.bm25(frequencies, own, length / total, weight)
        return scores

    def _rare(self, words: Sequence[str], asked: Sequence[_Asked], total: int) -> Sequence[str]:
        """The words that say something here; all when none does."""
        if total <= ranking.COMMON_FROM:
            return words
        most = ranking.COMMON_SHARE * total
        return [word for word in words if not self._is_in_more(word, asked, most)] or words

    def _is_in_more(self, word: str, asked: Sequence[_Asked], most: float) -> bool:
        """Whether more of the documents asked than these hold a word. Its postings are read only where
        what the filters leave out decides.
        """
        held = hidden = 0
        for one in asked:
            held += self._count(word, one)
            hidden += one.hidden
        if held <= most or held - hidden > most:
            return bool(held > most)
        return sum(len(self._holders(word, one)[0]) for one in asked) > most

    def _count(self, word: str, asked: _Asked) -> int:
        """How many documents of a whole part hold a word."""
        counted = asked.lengths.counted
        if word not in counted:
            if len(counted) >= MOST_COUNTED:
                counted.clear()
            ask = f"SELECT doc FROM vocabulary_{asked.part} WHERE term = ?"
            counted[word] = self._database.value(ask, (word,)) or 0
        return counted[word]

    def _holders(self, word: str, asked: _Asked) -> Held:
        """What holds a word among what is asked."""
        if asked.held is not None:
            return asked.held.get(word, (np.zeros(0, np.intp), np.zeros(0)))
        self._database.rows(_PLACES.format(part=asked.part))
        found = self._database.value(_POSTINGS.format(part=asked.part), (word,))
        # An occurrence is one number: twice the document's, and one more in nearby text.
        written = np.fromstring(found or "", np.int64, sep=",")
        if not len(written):
            return np.zeros(0, np.intp), np.zeros(0)
        numbers = written >> 1
        # Not np.diff: for the few places of a rare word its own Python costs more than the numbers.
        begins = np.ones(len(numbers), np.bool_)
        np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
        first = np.flatnonzero(begins)
        near = np.add.reduceat(written & 1, first)
        times = np.full(len(first), len(written))
        times[:-1] = first[1:]
        times -= first
        places = asked.lengths.roster.places(numbers[first])
        seen = (places >= 0) & asked.mask[places]
        frequencies = (times - near) + ranking.NEAR_WEIGHT * near
        return places[seen], frequencies[seen]

    def _named(self, scored: Sequence[tuple[int, float]]) -> list[tuple[str, str, float]]:
        """(id, kind, score) of documents by number."""
        names = {
            number: (id, kind)
            for number, id, kind in self._database.rows(
                "SELECT no, id, kind FROM docs WHERE no IN (SELECT value FROM json_each(?))",
                (codec.dumps([number for number, _ in scored]),),
            )
        }
        # One that was damaged away is for the upkeep to find, and no reason for a search to fail.
        return [(*names[number], score) for number, score in scored if number in names]


def _top(
    scores: Sequence[tuple[_Asked, NDArray[np.float64]]], limit: int
) -> list[tuple[int, float]]:
    """(number, score) of the best documents, and of all that score as the last of them."""
    if not scores:
        return []
    # Told first whether it is more than nothing, a score is found in a quarter of the time.
    places = [np.flatnonzero(sums > 0) for _, sums in scores]
    rosters = [one.lengths.roster for one, _ in scores]
    numbers = np.concatenate([r.numbers[at] for r, at in zip(rosters, places, strict=True)])
    held = np.concatenate([sums[at] for (_, sums), at in zip(scores, places, strict=True)])
    if len(held) > limit:
        # Everything within rounding of the last one stays, so that ties go by id.
        near = held >= np.partition(held, len(held) - limit)[len(held) - limit] - 1e-9
        numbers, held = numbers[near], held[near]
    return list(zip(numbers.tolist(), held.tolist(), strict=True))
