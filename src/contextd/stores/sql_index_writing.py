"""Commit changes of the index: documents and vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from contextd.domain.query import Document, Family, Vector, family_of
from contextd.domain.records import digest
from contextd.domain.scope import Scope
from contextd.stores import codec, filters
from contextd.stores.database import Connection, fetch
from contextd.stores.index_parts import token
from contextd_common.dataclass import dataclass
from contextd_common.text.words import spaced_words

_ADD = """INSERT INTO docs (part, id, kind, status, confidence, valid_from, valid_to, digest, terms,
    seq{names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?{places}) ON CONFLICT DO NOTHING RETURNING no"""
_REPLACE = """UPDATE docs SET kind = ?, status = ?, confidence = ?, valid_from = ?, valid_to = ?,
    digest = ?, terms = ?, seq = ?{changes} WHERE no = ?"""
_NEW_PART = "INSERT INTO parts (scope, family) VALUES (?, ?) ON CONFLICT DO NOTHING"
_KNOWN = """SELECT no, kind, status, confidence, valid_from, valid_to, digest, terms FROM docs
    WHERE part = ? AND id = ?"""
_VECTOR = """INSERT INTO vectors (part, digest, model, seq, vector) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (part, digest, model) DO UPDATE SET seq = excluded.seq, vector = excluded.vector"""
_ADVANCE_PART = """UPDATE parts SET clock = clock + ? WHERE scope = ? AND family = ?
    RETURNING no, clock"""
_SMALL = 256
"""Changes of a part below which the plan of a join does not matter."""

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


LexedRow = tuple[int, str, str, str]
"""The number of a document, and the words of its text, `near` text and facets, separated by spaces."""


def _with(statement: str, own: Iterable[str]) -> str:
    names = [f", {name}" for name in own]
    changes = [f"{name} = ?" for name in names]
    places = ", ?" * len(names)
    return statement.format(names="".join(names), places=places, changes="".join(changes))


class IndexWriter(ABC):
    """The index inside one write; a database adds how it stores words."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._doubled = False

    @abstractmethod
    def _begin(self, part: int) -> None:
        """Create what a part needs, unless it is there."""

    def _own_columns(self, row: DocumentRow) -> Mapping[str, Any]:
        """What this database stores beside the shared columns of a document."""
        return {}

    @abstractmethod
    def _renumbered(self, part: int, number: int) -> int:
        """The number of a document from now on; its words are about to change."""

    @abstractmethod
    def _write_words(self, part: int, rows: Sequence[LexedRow]) -> None:
        """Store the words of documents."""

    @abstractmethod
    def _drop_words(self, part: int, numbers: Sequence[int]) -> None:
        """Remove the words of documents."""

    def put(self, rows: Sequence[DocumentRow]) -> None:
        """Insert or replace documents by id; unchanged ones only cost a comparison."""
        by_part: dict[tuple[str, Family], list[DocumentRow]] = {}
        for row in {(row.scope, row.family, row.id): row for row in rows}.values():
            by_part.setdefault((row.scope, row.family), []).append(row)
        for (scope, family), mine in by_part.items():
            part, clock = self._advanced(scope, family, len(mine))
            self._put_in(part, mine, clock - len(mine))

    def _put_in(self, part: int, rows: Sequence[DocumentRow], seq: int) -> None:
        lexed: list[LexedRow] = []
        for row in rows:
            seq += 1
            own = self._own_columns(row)
            values = (part, row.id, *row.columns, seq, *own.values())
            added = fetch(self._connection, _with(_ADD, own), values)
            if added:
                lexed.append((added[0][0], *row.lexed))
                continue
            [(number, *columns)] = fetch(self._connection, _KNOWN, (part, row.id))
            if tuple(columns) == row.columns:
                continue
            values = (*row.columns, seq, *own.values(), number)
            self._connection.execute(_with(_REPLACE, own), values)
            if columns[-1] != row.columns[-1]:
                lexed.append((self._renumbered(part, number), *row.lexed))
        self._write_words(part, lexed)

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
        self._drop_words(part, numbers)
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
                seq = self._advance(part, len(present))
                self._connection.executemany(
                    _VECTOR, [(part, text, model, seq, vectors[text]) for (text,) in present]
                )

    def _advance(self, part: int, steps: int) -> int:
        sql = "UPDATE parts SET clock = clock + ? WHERE no = ? RETURNING clock"
        clock = int(fetch(self._connection, sql, (steps, part))[0][0])
        self._note_growth(clock, steps)
        return clock

    def _note_growth(self, clock: int, steps: int) -> None:
        """Note whether the clock of a part passed a power of two: it has changed as often as ever before."""
        passed = clock.bit_length() > (clock - steps).bit_length()
        self._doubled |= passed and clock >= _SMALL

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
