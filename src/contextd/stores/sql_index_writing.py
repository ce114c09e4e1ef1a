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


def by_part(rows: Sequence[DocumentRow]) -> dict[tuple[str, Family], list[DocumentRow]]:
    """Documents by the part of the index they belong to; the last of several with one id."""
    found: dict[tuple[str, Family], list[DocumentRow]] = {}
    for row in {(row.scope, row.family, row.id): row for row in rows}.values():
        found.setdefault((row.scope, row.family), []).append(row)
    return found


class IndexWriter(ABC):
    """The index inside one write; a database adds how it stores words."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._doubled = False

    @abstractmethod
    def put(self, rows: Sequence[DocumentRow]) -> None:
        """Insert or replace documents by id; unchanged ones only cost a comparison."""

    @abstractmethod
    def keep_vectors(self, scope: Scope, vectors: Mapping[str, bytes], model: str) -> None:
        """Store vectors for the documents of a scope with these texts."""

    @abstractmethod
    def _drop_words(self, part: int, numbers: Sequence[int]) -> None:
        """Remove the words of documents."""

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
        self._trim_forgotten(part)

    def _trim_forgotten(self, part: int) -> None:
        [(count, newest)] = fetch(
            self._connection, "SELECT count(*), max(seq) FROM forgotten WHERE part = ?", (part,)
        )
        if count > _FORGOTTEN:
            self._connection.execute("DELETE FROM forgotten WHERE part = ?", (part,))
            self._connection.execute("UPDATE parts SET floor = ? WHERE no = ?", (newest, part))

    def _advance(self, part: int, steps: int) -> int:
        sql = "UPDATE parts SET clock = clock + ? WHERE no = ? RETURNING clock"
        clock = int(fetch(self._connection, sql, (steps, part))[0][0])
        self._note_growth(clock, steps)
        return clock

    def _note_growth(self, clock: int, steps: int) -> None:
        """Note whether the clock of a part passed a power of two: it has changed as often as ever before."""
        passed = clock.bit_length() > (clock - steps).bit_length()
        self._doubled |= passed and clock >= _SMALL
