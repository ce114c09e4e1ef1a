"""The words of documents in FTS5, inside a write."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.stores.database import fetch
from contextd.stores.sql_index_writing import IndexWriter, LexedRow

_LEXICON = """
CREATE VIRTUAL TABLE lexicon_{part} USING fts5 (
    text, near, meta,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
INSERT INTO lexicon_{part} (lexicon_{part}, rank) VALUES ('rank', 'bm25(1.0, 0.4, 0.0)');
CREATE VIRTUAL TABLE vocabulary_{part} USING fts5vocab (lexicon_{part}, row);
"""


class SqliteIndexWriter(IndexWriter):
    """The index inside one write to a SQLite file. Each part has a lexicon of its own."""

    def _begin(self, part: int) -> None:
        there = "SELECT 1 FROM sqlite_schema WHERE name = ?"
        if not fetch(self._connection, there, (f"lexicon_{part}",)):
            self._connection.execute(_LEXICON.format(part=part))

    def _renumbered(self, part: int, number: int) -> int:
        return number

    def _write_words(self, part: int, rows: Sequence[LexedRow]) -> None:
        self._connection.executemany(
            f"INSERT OR REPLACE INTO lexicon_{part} (rowid, text, near, meta) VALUES (?, ?, ?, ?)",
            rows,
        )

    def _drop_words(self, part: int, numbers: Sequence[int]) -> None:
        self._connection.executemany(
            f"DELETE FROM lexicon_{part} WHERE rowid = ?", [(number,) for number in numbers]
        )
