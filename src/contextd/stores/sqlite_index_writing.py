"""The index of a SQLite file, inside a write: documents, their words in FTS5, and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd.domain.query import Family
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.database import fetch
from contextd.stores.sql_index_writing import DocumentRow, IndexWriter, LexedRow, by_part

_LEXICON = """
CREATE VIRTUAL TABLE lexicon_{part} USING fts5 (
    text, near, meta,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
INSERT INTO lexicon_{part} (lexicon_{part}, rank) VALUES ('rank', 'bm25(1.0, 0.4, 0.0)');
CREATE VIRTUAL TABLE vocabulary_{part} USING fts5vocab (lexicon_{part}, row);
"""


_ADD = """INSERT INTO docs (part, id, kind, status, confidence, valid_from, valid_to, digest, terms,
    seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING no"""
_REPLACE = """UPDATE docs SET kind = ?, status = ?, confidence = ?, valid_from = ?, valid_to = ?,
    digest = ?, terms = ?, seq = ? WHERE no = ?"""
_NEW_PART = "INSERT INTO parts (scope, family) VALUES (?, ?) ON CONFLICT DO NOTHING"
_KNOWN = """SELECT no, kind, status, confidence, valid_from, valid_to, digest, terms FROM docs
    WHERE part = ? AND id = ?"""
_VECTOR = """INSERT INTO vectors (part, digest, model, seq, vector) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (part, digest, model) DO UPDATE SET seq = excluded.seq, vector = excluded.vector"""
_ADVANCE_PART = """UPDATE parts SET clock = clock + ? WHERE scope = ? AND family = ?
    RETURNING no, clock"""


class SqliteIndexWriter(IndexWriter):
    """The index inside one write to a SQLite file. Each part has a lexicon of its own."""

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """See `IndexWriter.put`."""
        for (scope, family), mine in by_part(rows).items():
            part, clock = self._advanced(scope, family, len(mine))
            self._put_in(part, mine, clock - len(mine))

    def _put_in(self, part: int, rows: Sequence[DocumentRow], seq: int) -> None:
        lexed: list[LexedRow] = []
        for row in rows:
            seq += 1
            added = fetch(self._connection, _ADD, (part, row.id, *row.columns, seq))
            if added:
                lexed.append((added[0][0], *row.lexed))
            else:
                lexed += self._replaced(part, row, seq)
        self._write_words(part, lexed)

    def _replaced(self, part: int, row: DocumentRow, seq: int) -> list[LexedRow]:
        """Update a document that is there; its words, if they changed."""
        [(number, *columns)] = fetch(self._connection, _KNOWN, (part, row.id))
        if tuple(columns) == row.columns:
            return []
        self._connection.execute(_REPLACE, (*row.columns, seq, number))
        return [] if columns[-1] == row.columns[-1] else [(number, *row.lexed)]

    def keep_vectors(self, scope: Scope, vectors: Mapping[str, bytes], model: str) -> None:
        """See `IndexWriter.keep_vectors`."""
        asked = codec.dumps(list(vectors))
        parts = fetch(self._connection, "SELECT no FROM parts WHERE scope = ?", (str(scope),))
        for (part,) in parts:
            present = fetch(
                self._connection,
                "SELECT DISTINCT digest FROM docs WHERE part = ?"
                " AND digest IN (SELECT value FROM json_each(?))",
                (part, asked),
            )
            if present:
                seq = self._advance(part, len(present))
                self._connection.executemany(
                    _VECTOR, [(part, text, model, seq, vectors[text]) for (text,) in present]
                )

    def _advanced(self, scope: str, family: Family, steps: int) -> tuple[int, int]:
        """The part of a family of a scope, created if new, and its clock after this many steps."""
        asked = (steps, scope, family)
        found = fetch(self._connection, _ADVANCE_PART, asked)
        if not found:
            self._connection.execute(_NEW_PART, (scope, family))
            found = fetch(self._connection, _ADVANCE_PART, asked)
        [(part, clock)] = found
        self._begin(part)
        self._note_growth(int(clock), steps)
        return part, int(clock)

    def _begin(self, part: int) -> None:
        there = "SELECT 1 FROM sqlite_schema WHERE name = ?"
        if not fetch(self._connection, there, (f"lexicon_{part}",)):
            self._connection.execute(_LEXICON.format(part=part))

    def _write_words(self, part: int, rows: Sequence[LexedRow]) -> None:
        self._connection.executemany(
            f"INSERT OR REPLACE INTO lexicon_{part} (rowid, text, near, meta) VALUES (?, ?, ?, ?)",
            rows,
        )

    def _drop_words(self, part: int, numbers: Sequence[int]) -> None:
        self._connection.executemany(
            f"DELETE FROM lexicon_{part} WHERE rowid = ?", [(number,) for number in numbers]
        )
