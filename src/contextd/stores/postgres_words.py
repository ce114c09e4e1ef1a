"""The words of documents in PostgreSQL: packed postings for most, loose rows for new documents.

A posting list is read whole and scored in this process: ranking in SQL reads every row of a common word, and GIN
indexes are not used behind row-level security. `pack` moves loose rows into the packed lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.domain.scope import Scope
from contextd.stores.database import Connection, Database, fetch
from contextd.stores.document_table import PartSource, Roster
from contextd.stores.index_parts import token
from contextd.stores.sql_conditions import placeholders
from contextd.stores.sql_index_writing import DocumentRow, IndexWriter, LexedRow
from contextd.stores.word_tables import MOST_TIMES, Holders

_POSTING = np.dtype([("doc", "<i8"), ("times", "<u2"), ("nears", "<u2")])
_ROWS = """SELECT no, kind, status, confidence, valid_from, valid_to, length FROM docs
    WHERE part = :part"""
_OF_TERMS = """SELECT term, postings, 0, 0, 0 FROM packed_postings WHERE part = ? AND term IN ({terms})
    UNION ALL SELECT term, NULL, doc, times, nears FROM loose_postings WHERE part = ? AND term IN ({terms})"""
"""Both, and all words of a query, in one statement: most of the time of a word is that of asking."""

_LOOSEN = """INSERT INTO loose_postings (part, term, doc, times, nears)
    SELECT ?, term, doc, times, nears FROM unnest(string_to_array(?, ' '), string_to_array(?, ' ')::bigint[],
    string_to_array(?, ' ')::int[], string_to_array(?, ' ')::int[]) AS fresh (term, doc, times, nears)"""
"""Four texts instead of five values for each word. A word has no space."""

_DOCUMENTS_AT_ONCE = 200

LOOSE = 2_000
"""Loose documents of a part that are packed at once: reading a common word of so many takes a millisecond."""


class PostgresWords:
    """`WordTables` in the tables `packed_postings` and `loose_postings`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reading: dict[tuple[int, str], NDArray[Any]] = {}

    @contextmanager
    def reading(self, wanted: Mapping[int, Sequence[str]]) -> Iterator[None]:
        """See `WordTables.reading`."""
        try:
            for part, words in wanted.items():
                self._reading.update(self._of_terms(part, words) if words else {})
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
        """See `WordTables.between`. A changed document has a new number, so its words are loose or newly packed."""
        found = self._postings(part, _facet(word) if facet else word)
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
        known = self._reading.get((part, term))
        return self._of_terms(part, [term])[part, term] if known is None else known

    def _of_terms(self, part: int, terms: Sequence[str]) -> dict[tuple[int, str], NDArray[Any]]:
        asked = _OF_TERMS.format(terms=placeholders(terms))
        packed: dict[str, bytes] = {}
        loose: dict[str, list[tuple[int, int, int]]] = {term: [] for term in terms}
        for term, postings, *posting in self._database.rows(asked, (part, *terms, part, *terms)):
            if postings is None:
                loose[term].append(tuple(posting))
            else:
                packed[term] = postings
        found: dict[tuple[int, str], NDArray[Any]] = {}
        for term, postings in loose.items():
            known = np.frombuffer(packed.get(term, b""), _POSTING)
            fresh = np.array(sorted(postings), _POSTING)
            found[part, term] = np.concatenate((known, fresh)) if postings else known
        return found


class PostgresIndexWriter(IndexWriter):
    """The index inside one write to PostgreSQL."""

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """See `IndexWriter.put`."""
        super().put(rows)
        self._count_rows()

    def keep_vectors(self, scope: Scope, vectors: Mapping[str, bytes], model: str) -> None:
        """See `IndexWriter.keep_vectors`."""
        super().keep_vectors(scope, vectors, model)
        self._count_rows()

    def _count_rows(self) -> None:
        if self._doubled:
            self._doubled = False
            self._connection.execute("SELECT contextd.count_rows()")

    def _begin(self, part: int) -> None:
        pass

    def _renumbered(self, part: int, number: int) -> int:
        # The old number stays in packed postings; no document has it any more.
        [(fresh,)] = fetch(
            self._connection,
            "UPDATE docs SET no = nextval('numbers'), packed = FALSE WHERE no = ? RETURNING no",
            (number,),
        )
        self._forgotten(part, [number])
        return int(fresh)

    def _own_columns(self, row: DocumentRow) -> Mapping[str, Any]:
        text, near, _ = row.lexed
        return {"length": len(text.split()) + len(near.split())}

    def _write_words(self, part: int, rows: Sequence[LexedRow]) -> None:
        for start in range(0, len(rows), _DOCUMENTS_AT_ONCE):
            self._write_some(part, rows[start : start + _DOCUMENTS_AT_ONCE])

    def _write_some(self, part: int, rows: Sequence[LexedRow]) -> None:
        postings: list[tuple[str, int, int, int]] = []
        for number, text, near, meta in rows:
            times, nears = Counter(text.split()), Counter(near.split())
            for term in times.keys() | nears.keys():
                counts = (min(found[term], int(MOST_TIMES)) for found in (times, nears))
                postings.append((term, number, *counts))  # type: ignore[arg-type]
            postings += [(f"={facet}", number, 0, 0) for facet in set(meta.split())]
        if postings:
            columns = (" ".join(map(str, column)) for column in zip(*postings, strict=True))
            self._connection.execute(_LOOSEN, (part, *columns))

    def _drop_words(self, part: int, numbers: Sequence[int]) -> None:
        self._connection.execute(
            f"DELETE FROM loose_postings WHERE part = ? AND doc IN ({placeholders(numbers)})",
            (part, *numbers),
        )


def pack(connection: Connection, part: int) -> None:
    """Move the loose postings of a part into its packed lists, and drop documents that are gone from them."""
    alive = np.array(
        [n for (n,) in fetch(connection, "SELECT no FROM docs WHERE part = ?", (part,))], np.int64
    )
    known = dict(
        fetch(connection, "SELECT term, postings FROM packed_postings WHERE part = ?", (part,))
    )
    loose: dict[str, list[tuple[int, int, int]]] = {}
    rows = fetch(
        connection,
        "SELECT term, doc, times, nears FROM loose_postings WHERE part = ? ORDER BY term, doc",
        (part,),
    )
    for term, *posting in rows:
        loose.setdefault(term, []).append(tuple(posting))
    lists: list[tuple[int, str, bytes]] = []
    for term in known.keys() | loose.keys():
        old = np.frombuffer(known.get(term, b""), _POSTING)
        fresh = np.concatenate((old, np.array(loose.get(term, []), _POSTING)))
        fresh = fresh[np.isin(fresh["doc"], alive)]
        lists.append((part, term, fresh.tobytes()))
    connection.executemany(
        "INSERT INTO packed_postings (part, term, postings) VALUES (?, ?, ?)"
        " ON CONFLICT (part, term) DO UPDATE SET postings = excluded.postings",
        lists,
    )
    connection.execute("DELETE FROM loose_postings WHERE part = ?", (part,))
    connection.execute("UPDATE docs SET packed = TRUE WHERE part = ?", (part,))


def _facet(facet: str) -> str:
    return "=" + token("facet", facet)
