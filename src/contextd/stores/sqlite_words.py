"""The words of documents in FTS5. Only its postings are used: reading them costs half of its own bm25()."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contextd.stores.database import Database
from contextd.stores.document_table import PartSource, Roster
from contextd.stores.index_parts import token
from contextd.stores.phrase_counts import OCCURRENCES
from contextd.stores.word_tables import MOST_TIMES, Holders

_ROW = """SELECT d.no, d.kind, d.status, d.confidence, d.valid_from, d.valid_to, z.sz FROM docs d
    {join} lexicon_{part}_docsize z ON z.id = d.no WHERE d.part = :part"""
_EVERYWHERE = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.places_{part}
    USING fts5vocab ('main', 'lexicon_{part}', 'instance')"""
_PLACES = """SELECT group_concat(doc * 2 + (col < 'o')) FROM temp.places_{part}
    WHERE term = ?"""
"""`near` sorts below `o`, and `text` above it. A lookup of a facet's token finds the documents with the
facet: comparing the column name twice would cost a quarter of the time.
"""


class Fts5Words:
    """`WordTables` in the lexicons of a SQLite file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_copy(self) -> Fts5Words:
        """See `WordTables.of_copy`. Words are read from the file."""
        return self

    def take(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """See `WordTables.take`."""

    @property
    def kept_bytes(self) -> int:
        """See `WordTables.kept_bytes`."""
        return 0

    def source(self, part: int) -> PartSource:
        """See `WordTables.source`."""
        whole, newer = (_ROW.format(join=join, part=part) for join in ("JOIN", "LEFT JOIN"))
        return PartSource(whole, (f"{newer} AND d.seq > :since",), {})

    def length(self, stored: Any) -> int:
        """The words of the first two fields, from the three counts FTS5 stores per document: varints with
        seven bits a byte (sqlite.org/fts5.html, "The %_docsize table").
        """
        sizes: bytes = stored
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

    def reading(self, part: int, words: Sequence[str]) -> AbstractContextManager[None]:
        """See `WordTables.reading`. A statement costs next to nothing here."""
        return nullcontext()

    def holders(self, part: int, word: str) -> Holders:
        """See `WordTables.holders`."""
        self._database.rows(_EVERYWHERE.format(part=part))
        found = self._database.value(_PLACES.format(part=part), (word,))
        # An occurrence is one number: twice the document's, plus one in `near` text.
        written = np.fromstring(found or "", np.int64, sep=",")
        numbers = written >> 1
        # Not np.diff: for a rare word's few positions its Python overhead costs more than the computation.
        begins = np.ones(len(numbers), np.bool_)
        np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
        first = np.flatnonzero(begins)
        if not len(first):
            return numbers, np.zeros((2, 0), np.uint16)
        near = np.add.reduceat(written & 1, first)
        times = np.full(len(first), len(written))
        times[:-1] = first[1:]
        times -= first
        counts = np.minimum(np.stack((times - near, near)), MOST_TIMES)
        return numbers[first], counts.astype(np.uint16)

    def carriers(self, part: int, facet: str) -> NDArray[np.int64]:
        """See `WordTables.carriers`. Comma-separated numbers are ten times faster than one row each."""
        ask = f"SELECT group_concat(rowid) FROM lexicon_{part} WHERE lexicon_{part} MATCH ?"
        found = self._database.value(ask, (_carries([facet]),)) or ""
        numbers: NDArray[np.int64] = np.fromstring(found, np.int64, sep=",")
        return numbers

    def between(
        self, part: int, word: str, facet: bool, first: int, last: int
    ) -> list[tuple[int, bytes]]:
        """See `WordTables.between`."""
        asked = _carries([word]) if facet else f'{{text near}} : ("{word}")'
        return self._database.rows(
            f"SELECT rowid, {OCCURRENCES}(lexicon_{part}, 0) FROM lexicon_{part}"
            f" WHERE lexicon_{part} MATCH ? AND rowid BETWEEN ? AND ?",
            (asked, first, last),
        )

    def occurring(
        self, part: int, facets: Sequence[str], words: Sequence[str]
    ) -> list[tuple[int, bytes]]:
        """See `WordTables.occurring`."""
        asked = " OR ".join(f'"{word}"' for word in words)
        return self._database.rows(
            f"SELECT rowid, {OCCURRENCES}(lexicon_{part}, ?) FROM lexicon_{part}"
            f" WHERE lexicon_{part} MATCH ?",
            (len(facets), f"({_carries(facets)}) AND ({{text near}} : ({asked}))"),
        )

    def count(self, part: int, word: str, roster: Roster) -> int:
        """See `WordTables.count`."""
        return (
            self._database.value(f"SELECT doc FROM vocabulary_{part} WHERE term = ?", (word,)) or 0
        )


def _carries(facets: Sequence[str]) -> str:
    wanted = " AND ".join(f'"{token("facet", facet)}"' for facet in facets)
    return f"meta : ({wanted})"
