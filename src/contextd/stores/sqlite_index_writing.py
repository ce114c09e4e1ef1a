"""Commit changes of the index: documents and vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from contextd.domain.query import Document, Family, Vector, family_of
from contextd.domain.records import digest
from contextd.domain.scope import Scope
from contextd.stores import codec, filters
from contextd.stores.connection import fetch
from contextd.stores.index_parts import token
from contextd_code.dataclass import dataclass
from contextd_code.text.words import spaced_words

_ADD = """INSERT INTO docs (part, id, kind, status, confidence, valid_from, valid_to, digest, terms,
    seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING no"""
_REPLACE = """UPDATE docs SET kind = ?, status = ?, confidence = ?, valid_from = ?, valid_to = ?,
    digest = ?, terms = ?, seq = ? WHERE no = ?"""
_KNOWN = """SELECT no, kind, status, confidence, valid_from, valid_to, digest, terms FROM docs
    WHERE part = ? AND id = ?"""
_VECTOR = """INSERT INTO vectors (part, digest, model, seq, vector) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (part, digest, model) DO UPDATE SET seq = excluded.seq, vector = excluded.vector"""
_PART = """INSERT INTO parts (scope, family) VALUES (?, ?)
    ON CONFLICT (scope, family) DO UPDATE SET family = excluded.family RETURNING no"""
_FORGOTTEN = 20_000
"""Deletions remembered per part so that caches can catch up; older ones force a full read."""


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A stored document: its part, its columns, and the words of its three fields."""

    scope: str
    family: Family
    id: str
    columns: tuple[Any, ...]
    lexed: tuple[str, str, str]


def row_of(document: Document) -> DocumentRow:
    """The index row of a document. Splitting it into words is the expensive part."""
    facets = filters.facets_of(document)
    codec.check_text(document.id, document.kind, document.status, *facets)
    codec.check_text(document.text, document.near)
    meta = [token("kind", document.kind), token("status", document.status)]
    meta += [token("facet", facet) for facet in facets]
    lexed = spaced_words(document.text), spaced_words(document.near), " ".join(meta)
    columns = (
        document.kind,
        document.status,
        float(document.confidence),
        codec.micros(document.valid_from),
        codec.micros(document.valid_to),
        document.digest,
        digest("\n".join(lexed)),
    )
    return DocumentRow(str(document.scope), family_of(document.kind), document.id, columns, lexed)


def packed(vectors: Mapping[str, Vector], model: str) -> dict[str, bytes]:
    """Vectors in stored form, by the digest of their text. Raises `Invalid`."""
    if not vectors:
        return {}
    from contextd.stores.vectors import check_vectors, pack  # noqa: PLC0415 - numpy: 0.13 s

    check_vectors(vectors, model)
    return {text: pack(vector) for text, vector in vectors.items()}


class IndexWriter:
    """The index inside one write."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._parts: dict[tuple[str, Family], int] = {}

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """Insert or replace documents by id; unchanged ones only cost a comparison."""
        by_part: dict[int, list[DocumentRow]] = {}
        for row in {(row.scope, row.family, row.id): row for row in rows}.values():
            by_part.setdefault(self._part(row.scope, row.family), []).append(row)
        for part, mine in by_part.items():
            self._put_in(part, mine)

    def _put_in(self, part: int, rows: Sequence[DocumentRow]) -> None:
        seq = self._advance(part, len(rows)) - len(rows)
        lexed: list[tuple[Any, ...]] = []
        for row in rows:
            seq += 1
            known = fetch(self._connection, _KNOWN, (part, row.id))
            if not known:
                values = (part, row.id, *row.columns, seq)
                [(number,)] = fetch(self._connection, _ADD, values)
                lexed.append((number, *row.lexed))
                continue
            [(number, *columns)] = known
            if tuple(columns) == row.columns:
                continue
            self._connection.execute(_REPLACE, (*row.columns, seq, number))
            if columns[-1] != row.columns[-1]:
                lexed.append((number, *row.lexed))
        self._connection.executemany(
            f"INSERT OR REPLACE INTO lexicon_{part} (rowid, text, near, meta) VALUES (?, ?, ?, ?)",
            lexed,
        )

    def forget(self, scope: Scope, ids: Iterable[str]) -> None:
        """Remove these documents; unknown ids are ignored."""
        wanted = codec.dumps(list(ids))
        parts = fetch(self._connection, "SELECT no FROM parts WHERE scope = ?", (str(scope),))
        for (part,) in parts:
            removed_rows = fetch(
                self._connection,
                "DELETE FROM docs WHERE part = ? AND id IN (SELECT value FROM json_each(?))"
                " RETURNING no",
                (part, wanted),
            )
            if removed_rows:
                self._forgotten(part, [number for (number,) in removed_rows])

    def _forgotten(self, part: int, numbers: Sequence[int]) -> None:
        self._connection.executemany(
            f"DELETE FROM lexicon_{part} WHERE rowid = ?", [(number,) for number in numbers]
        )
        first = self._advance(part, len(numbers)) - len(numbers) + 1
        self._connection.executemany(
            "INSERT INTO forgotten (part, seq, doc) VALUES (?, ?, ?)",
            [(part, seq, number) for seq, number in enumerate(numbers, first)],
        )
        [(count, newest)] = fetch(
            self._connection, "SELECT count(*), max(seq) FROM forgotten WHERE part = ?", (part,)
        )
        if count > _FORGOTTEN:
            self._connection.execute("DELETE FROM forgotten WHERE part = ?", (part,))
            self._connection.execute("UPDATE parts SET floor = ? WHERE no = ?", (newest, part))

    def keep_vectors(self, scope: Scope, vectors: Mapping[str, bytes], model: str) -> None:
        """Store vectors for the documents of a scope with these texts."""
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
                seq = self._advance(part, 1)
                self._connection.executemany(
                    _VECTOR, [(part, text, model, seq, vectors[text]) for (text,) in present]
                )

    def _advance(self, part: int, steps: int) -> int:
        sql = "UPDATE parts SET clock = clock + ? WHERE no = ? RETURNING clock"
        return int(fetch(self._connection, sql, (steps, part))[0][0])

    def _part(self, scope: str, family: Family) -> int:
        """The part of a family of a scope; created with its lexicon if new."""
        known = self._parts.get((scope, family))
        if known is None:
            [(known,)] = fetch(self._connection, _PART, (scope, family))
            self._parts[scope, family] = known
            there = "SELECT 1 FROM sqlite_schema WHERE name = ?"
            if not fetch(self._connection, there, (f"lexicon_{known}",)):
                self._connection.execute(_LEXICON.format(part=known))
        return known


_LEXICON = """
CREATE VIRTUAL TABLE lexicon_{part} USING fts5 (
    text, near, meta,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
INSERT INTO lexicon_{part} (lexicon_{part}, rank) VALUES ('rank', 'bm25(1.0, 0.4, 0.0)');
CREATE VIRTUAL TABLE vocabulary_{part} USING fts5vocab (lexicon_{part}, row);
"""
