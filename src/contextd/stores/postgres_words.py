"""The words of documents in PostgreSQL: packed postings for most, those of a new document in its own row.

A posting list is read whole and scored in this process: ranking in SQL reads every row of a common word, and GIN
indexes are not used behind row-level security. `pack` moves the words of new documents into the packed lists.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Family
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.database import Connection, Database, fetch, later
from contextd.stores.document_table import PartSource, Roster
from contextd.stores.index_parts import token
from contextd.stores.postgres_dialect import storable
from contextd.stores.sql_index_writing import DocumentRow, IndexWriter, by_part
from contextd.stores.word_tables import MOST_TIMES, Holders

_POSTING = np.dtype([("doc", "<i8"), ("times", "<u2"), ("nears", "<u2")])
_PACKED, _MOST = struct.Struct("<qHH"), int(MOST_TIMES)
_PER_TERM = 150
"""Bytes of a term and its postings beside these."""

_ROWS = """SELECT no, kind, status, confidence, valid_from, valid_to, length, CASE WHEN packed THEN NULL ELSE words END
    FROM docs WHERE part = :part"""
_OF_TERMS = (
    "SELECT term, postings FROM packed_postings WHERE part = ? AND term IN"
    " (SELECT value FROM json_each(?))"
)
"""All words of a query in one statement: most of the time of a word is that of asking."""

_ADD = "SELECT part, clock, gone FROM add_documents(?, ?, ?)"
_KEEP = "SELECT clock, steps FROM keep_vectors(?, ?, ?, ?)"
_COLUMNS = (
    "id",
    "kind",
    "status",
    "confidence",
    "valid_from",
    "valid_to",
    "digest",
    "terms",
    "length",
    "words",
)

_DOCUMENTS_AT_ONCE = 200

LOOSE = 2_000
"""Documents of a part with words of their own that are packed at once. The first search of a part sorts the words of so many
in 30 ms.
"""


class PostgresWords:
    """`WordTables` in the table `packed_postings`, and in memory those of new documents: they come with their rows, so that
    a commit costs the next search no further statement.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reading: dict[str, NDArray[Any]] = {}
        self._loose: dict[str, bytearray] = {}
        self._taken: set[int] = set()
        self._last_packed = -1

    def of_copy(self) -> PostgresWords:
        """See `WordTables.of_copy`."""
        return PostgresWords(self._database)

    def take(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """See `WordTables.take`. Documents are packed in the order of their numbers."""
        packed = (row[0] for row in rows if row[-1] is None)
        self._last_packed = max(self._last_packed, max(packed, default=-1))
        fresh = sorted(
            (row[0], row[-1]) for row in rows if row[-1] is not None and row[0] not in self._taken
        )
        self._taken.update(number for number, _ in fresh)
        loosened(self._loose, fresh)

    @property
    def kept_bytes(self) -> int:
        """See `WordTables.kept_bytes`."""
        return _PER_TERM * len(self._loose) + sum(map(len, self._loose.values()))

    @contextmanager
    def reading(self, part: int, words: Sequence[str]) -> Iterator[None]:
        """See `WordTables.reading`."""
        try:
            self._reading = self._of_terms(part, words) if words else {}
            yield
        finally:
            self._reading = {}

    def source(self, part: int) -> PartSource:
        """See `WordTables.source`."""
        return PartSource(_ROWS, (f"{_ROWS} AND seq > :since",), {})

    def length(self, stored: Any) -> int:
        """See `WordTables.length`."""
        return int(stored)

    def holders(self, part: int, word: str) -> Holders:
        """See `WordTables.holders`."""
        found = self._postings(part, word)
        return found["doc"], np.stack((found["times"], found["nears"]))

    def carriers(self, part: int, facet: str) -> NDArray[np.int64]:
        """See `WordTables.carriers`."""
        found: NDArray[np.int64] = self._postings(part, _facet(facet))["doc"]
        return found

    def between(
        self, part: int, word: str, facet: bool, first: int, last: int
    ) -> list[tuple[int, bytes]]:
        """See `WordTables.between`. A changed document has a new number, so that its words came with its row."""
        term = _facet(word) if facet else word
        found = self._loose_of(term) if first > self._last_packed else self._postings(part, term)
        chosen = found[(found["doc"] >= first) & (found["doc"] <= last)]
        counts = np.stack((chosen["times"], chosen["nears"]), axis=1).astype(np.uint32)
        return [(int(n), row.tobytes()) for n, row in zip(chosen["doc"], counts, strict=True)]

    def occurring(
        self, part: int, facets: Sequence[str], words: Sequence[str]
    ) -> list[tuple[int, bytes]]:
        """See `WordTables.occurring`."""
        first, *more = [self.carriers(part, facet) for facet in facets]
        for numbers in more:
            first = np.intersect1d(first, numbers, assume_unique=True)
        counts = np.zeros((len(first), len(words), 2), np.uint32)
        for at, word in enumerate(words):
            found = self._postings(part, word)
            _, here, there = np.intersect1d(
                first, found["doc"], assume_unique=True, return_indices=True
            )
            counts[here, at, 0] = found["times"][there]
            counts[here, at, 1] = found["nears"][there]
        held = counts.any(axis=(1, 2))
        return [(int(n), row.tobytes()) for n, row in zip(first[held], counts[held], strict=True)]

    def count(self, part: int, word: str, roster: Roster) -> int:
        """See `WordTables.count`."""
        places = roster.places(self._postings(part, word)["doc"])
        return int(np.count_nonzero(roster.alive[places[places >= 0]]))

    def _postings(self, part: int, term: str) -> NDArray[Any]:
        known = self._reading.get(term)
        return self._of_terms(part, [term])[term] if known is None else known

    def _of_terms(self, part: int, terms: Sequence[str]) -> dict[str, NDArray[Any]]:
        packed: dict[str, bytes] = {}
        if self._last_packed >= 0:
            packed = dict(self._database.rows(_OF_TERMS, (part, codec.dumps(list(terms)))))
        found: dict[str, NDArray[Any]] = {}
        for term in terms:
            known, loose = np.frombuffer(packed.get(term, b""), _POSTING), self._loose_of(term)
            # They may have been packed since their row was read.
            fresh = loose[loose["doc"] > known["doc"][-1]] if len(known) else loose
            found[term] = np.concatenate((known, fresh)) if len(fresh) else known
        return found

    def _loose_of(self, term: str) -> NDArray[Any]:
        return np.frombuffer(bytes(self._loose.get(term, b"")), _POSTING)


class PostgresIndexWriter(IndexWriter):
    """The index inside one write to PostgreSQL."""

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """See `IndexWriter.put`. New documents are one statement."""
        for (scope, family), mine in by_part(rows).items():
            for start in range(0, len(mine), _DOCUMENTS_AT_ONCE):
                self._add(scope, family, mine[start : start + _DOCUMENTS_AT_ONCE])

    def _add(self, scope: str, family: Family, rows: Sequence[DocumentRow]) -> None:
        def added(found: list[Any]) -> None:
            [(part, clock, forgotten)] = found
            self._note_growth(clock, len(rows) + forgotten)
            if forgotten:
                self._trim_forgotten(part)
            self._count_rows()

        texts = codec.dumps([_as_json(row) for row in rows])
        later(self._connection, _ADD, (scope, family, texts), added)

    def keep_vectors(self, scope: Scope, vectors: Mapping[str, bytes], model: str) -> None:
        """See `IndexWriter.keep_vectors`."""

        def kept(found: list[Any]) -> None:
            for clock, steps in found:
                self._note_growth(clock, steps)
            self._count_rows()

        values = (str(scope), model, list(vectors), list(vectors.values()))
        later(self._connection, _KEEP, values, kept)

    def _count_rows(self) -> None:
        if self._doubled:
            self._doubled = False
            self._connection.execute("SELECT contextd.count_rows()")

    def _drop_words(self, part: int, numbers: Sequence[int]) -> None:
        """Nothing: new ones stand in the row of the document, and packed ones are dropped when they are packed again."""


def _as_json(row: DocumentRow) -> dict[str, Any]:
    """The columns of a document. A word has no space."""
    text, near, meta = (field.split() for field in row.lexed)
    times, nears = Counter(text), Counter(near)
    words = [
        f"{term} {min(times[term], _MOST)} {min(nears[term], _MOST)}" for term in times | nears
    ]
    words += [f"={facet} 0 0" for facet in dict.fromkeys(meta)]
    values = (row.id, *row.columns, len(text) + len(near), " ".join(words))
    return {name: storable(value) for name, value in zip(_COLUMNS, values, strict=True)}


def loosened(loose: dict[str, bytearray], documents: Iterable[tuple[int, str]]) -> None:
    """Add the words of documents, by number and in order, to the postings of each."""
    for number, words in documents:
        parts = words.split(" ") if words else []
        for term, times, nears in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            posting = _PACKED.pack(number, int(times), int(nears))
            loose.setdefault(term, bytearray()).extend(posting)


def pack(connection: Connection, part: int) -> None:
    """Move the loose postings of a part into its packed lists, and drop documents that are gone from them."""
    alive = np.array(
        [n for (n,) in fetch(connection, "SELECT no FROM docs WHERE part = ?", (part,))], np.int64
    )
    known = dict(
        fetch(connection, "SELECT term, postings FROM packed_postings WHERE part = ?", (part,))
    )
    fresh_words = "SELECT no, words FROM docs WHERE part = ? AND NOT packed ORDER BY no"
    loose: dict[str, bytearray] = {}
    loosened(loose, fetch(connection, fresh_words, (part,)))
    lists: list[tuple[int, str, bytes]] = []
    for term in known.keys() | loose.keys():
        old = np.frombuffer(known.get(term, b""), _POSTING)
        fresh = np.concatenate((old, np.frombuffer(bytes(loose.get(term, b"")), _POSTING)))
        fresh = fresh[np.isin(fresh["doc"], alive)]
        lists.append((part, term, fresh.tobytes()))
    connection.executemany(
        "INSERT INTO packed_postings (part, term, postings) VALUES (?, ?, ?)"
        " ON CONFLICT (part, term) DO UPDATE SET postings = excluded.postings",
        lists,
    )
    connection.execute(
        "UPDATE docs SET packed = TRUE, words = '' WHERE part = ? AND NOT packed", (part,)
    )


def _facet(facet: str) -> str:
    return "=" + token("facet", facet)
