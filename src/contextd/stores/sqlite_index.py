"""The hybrid index in SQLite: FTS5 for words, rows of half-precision numbers for meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import apsw

from contextd.domain.query import Document, IndexStats, Match, Pending, Query
from contextd.domain.time import to_micros
from contextd.domain.words import words
from contextd.ports import Vector
from contextd.stores import codec, filters, ranking
from contextd.stores.connection import Database, fetch

if TYPE_CHECKING:
    from contextd.stores.dense import DenseIndex

_DOC = """INSERT INTO docs
    (id, kind, scope, status, facets, confidence, valid_from, valid_to, digest, seq)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, scope = excluded.scope,
    status = excluded.status, facets = excluded.facets, confidence = excluded.confidence,
    valid_from = excluded.valid_from, valid_to = excluded.valid_to, digest = excluded.digest,
    seq = excluded.seq RETURNING rowid"""
_WORDS = "INSERT OR REPLACE INTO lexicon (rowid, text, near, meta) VALUES (?, ?, ?, ?)"
_VECTOR = """INSERT INTO vectors (digest, model, seq, vector) VALUES (?, ?, ?, ?)
    ON CONFLICT (digest, model) DO UPDATE SET seq = excluded.seq, vector = excluded.vector"""
_TOTAL = "SELECT ifnull(sum(count), 0) FROM doc_counts WHERE field = 'kind'"

_FORGOTTEN = 20_000
"""So many deletions are remembered for caches to catch up with; older ones make them reload."""


@lru_cache(maxsize=65_536)
def token(field: str, value: str) -> str:
    """One word for a condition, so that a filter is a term of the match."""
    hashed = hashlib.blake2b(value.encode(), digest_size=8, person=field.encode())
    return field[0] + hashed.hexdigest()


def _meta_of(document: Document) -> str:
    tokens = [
        token("scope", str(document.scope)),
        token("kind", document.kind),
        token("status", document.status),
        *(token("facet", facet) for facet in filters.facets_of(document)),
    ]
    return " ".join(tokens)


def _prepared(document: Document) -> tuple[list[Any], tuple[str, str, str]]:
    facets = codec.dumps(filters.facets_of(document))
    codec.check_text(document.id, document.kind, document.status, document.text, document.near)
    row = [
        document.id,
        document.kind,
        str(document.scope),
        document.status,
        facets,
        float(document.confidence),
        codec.micros(document.valid_from),
        codec.micros(document.valid_to),
        document.digest,
    ]
    text, near = " ".join(words(document.text)), " ".join(words(document.near))
    return row, (text, near, _meta_of(document))


def _any_of(tokens: Iterable[str]) -> str:
    return "(" + " OR ".join(f'"{one}"' for one in tokens) + ")"


@dataclass(frozen=True, slots=True)
class _Filters:
    wanted: list[str]
    unwanted: list[str]


class SqliteIndex:
    """`Index` in the tables `docs`, `lexicon` and `vectors`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._nearest: DenseIndex | None = None
        self._nearest_lock = Lock()
        self._settled: dict[str, int] = {}

    def put(self, documents: Sequence[Document], vectors: Mapping[str, Vector], model: str) -> None:
        """See `Index.put`."""
        prepared = [_prepared(document) for document in documents]
        packed = _packed(vectors, model)
        if not prepared and not packed:
            return
        with self._database.write() as connection:
            self._database.note_index_change()
            seq = _advance(connection, len(prepared) + 1)
            indexed: dict[int, tuple[str, str, str]] = {}
            for place, (row, texts) in enumerate(prepared, 1):
                values = (*row, seq - len(prepared) + place)
                [(rowid,)] = fetch(connection, _DOC, values)
                indexed[rowid] = texts
            rows = [(rowid, *texts) for rowid, texts in indexed.items()]
            connection.executemany(_WORDS, rows)
            _keep_vectors(connection, packed, model, seq)

    def delete(self, ids: Iterable[str]) -> None:
        """See `Index.delete`."""
        wanted = codec.dumps(list(ids))
        with self._database.write() as connection:
            self._database.note_index_change()
            gone = fetch(
                connection,
                "DELETE FROM docs WHERE id IN (SELECT value FROM json_each(?)) RETURNING rowid",
                (wanted,),
            )
            if not gone:
                return
            connection.executemany("DELETE FROM lexicon WHERE rowid = ?", gone)
            first = _advance(connection, len(gone)) - len(gone) + 1
            connection.executemany(
                "INSERT INTO forgotten (seq, doc) VALUES (?, ?)",
                [(seq, rowid) for seq, (rowid,) in enumerate(gone, first)],
            )
            _trim_forgotten(connection)

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """See `Index.lexical`."""
        conditions = filters.facet_conditions(query)
        asked = filters.asked_tokens(words)
        if not asked or limit < 1:
            return []
        # One state for all of it: a filter is left out because of what the counts say.
        with self._database.snapshot():
            filtered = self._filters(query)
            if filtered is None:
                return []
            match = f"({{text near}} : {_any_of(self._rare(asked))}"
            for facet in conditions:
                match += f' AND meta : "{token("facet", facet)}"'
            match += "".join(filtered.wanted) + ")" + "".join(filtered.unwanted)
            # Some more than asked for: among equal scores the lower ids win, wherever they stand.
            some = 2 * limit + 10
            found = self._ranked(match, query, some)
            found.sort(key=lambda row: -row[2])
            if len(found) == some and found[-1][2] >= found[limit - 1][2] - 1e-9:
                # Thousands may match; only what scores as well as the last of the best is read.
                found = self._ranked(match, query, -1, found[limit - 1][2] - 1e-9)
        return ranking.best(found, limit, ranking.DECIMALS_OF_BM25)

    def _ranked(
        self, match: str, query: Query, some: int, least: float | None = None
    ) -> list[tuple[str, str, float]]:
        join, values = "", [match]
        bound: list[Any] = []
        if query.min_confidence > 0:
            join += " AND d.confidence >= ?"
            bound.append(query.min_confidence)
        if query.valid_at is not None:
            moment = to_micros(query.valid_at)
            join += " AND (d.valid_from IS NULL OR d.valid_from <= ?)"
            join += " AND (d.valid_to IS NULL OR ? < d.valid_to)"
            bound += [moment, moment]
        source = "lexicon JOIN docs d ON d.rowid = lexicon.rowid" if join else "lexicon"
        # Sorting is for a top; with a threshold the caller sorts what is left.
        order = "ORDER BY lexicon.rank" if least is None else ""
        return self._database.rows(
            "SELECT docs.id, docs.kind, -top.score FROM"
            f" (SELECT lexicon.rowid AS doc, lexicon.rank AS score FROM {source}"
            f" WHERE lexicon MATCH ?{join} {order} LIMIT ?) top"
            " CROSS JOIN docs ON docs.rowid = top.doc WHERE ? IS NULL OR -top.score >= ?",
            (*values, *bound, some, least, least),
        )

    def _rare(self, asked: list[str]) -> list[str]:
        rows = self._database.rows(
            "SELECT word FROM common_words WHERE word IN (SELECT value FROM json_each(?))",
            (codec.dumps(asked),),
        )
        common = {word for (word,) in rows}
        return [word for word in asked if word not in common] or asked

    def _filters(self, query: Query) -> _Filters | None:
        """The conditions on scope, kind and status as terms of the match; None: nothing can match.

        Every term costs a walk over its documents. So one that excludes nothing is left out, and
        the shorter of "one of these" and "none of the others" is asked.
        """
        counts: dict[str, dict[str, int]] = {"scope": {}, "kind": {}, "status": {}}
        for field, value, count in self._database.rows(
            "SELECT field, value, count FROM doc_counts WHERE count > 0"
        ):
            counts[field][value] = count
        kinds = query.kinds or [k for k in counts["kind"] if k not in filters.NOT_RECORDS]
        statuses = query.statuses or list(counts["status"])
        asked = {"scope": map(str, query.scopes), "kind": kinds, "status": statuses}
        found = _Filters([], [])
        for field, values in asked.items():
            wanted = {value: counts[field].pop(value, 0) for value in dict.fromkeys(values)}
            others = counts[field]
            if not any(wanted.values()):
                return None
            if sum(others.values()) >= sum(wanted.values()):
                tokens = [token(field, value) for value, count in wanted.items() if count]
                found.wanted.append(f" AND meta : {_any_of(tokens)}")
            elif others:
                tokens = [token(field, value) for value in others]
                found.unwanted.append(f" NOT meta : {_any_of(tokens)}")
        return found

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """See `Index.dense`."""
        conditions = filters.facet_conditions(query)
        among = None
        if conditions:
            wanted = " AND ".join(f'"{token("facet", facet)}"' for facet in conditions)
            rows = self._database.rows(
                "SELECT rowid FROM lexicon WHERE lexicon MATCH ?", (f"meta : ({wanted})",)
            )
            among = [rowid for (rowid,) in rows]
        return self._dense.nearest(vector, model, query, among, limit)

    @property
    def _dense(self) -> DenseIndex:
        with self._nearest_lock:
            if self._nearest is None:
                from contextd.stores.dense import DenseIndex  # noqa: PLC0415 - numpy: 0.13 s

                self._nearest = DenseIndex(self._database)
            return self._nearest

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """See `Index.pending`."""
        if not model:
            return []
        if among is not None:
            rows = self._database.rows(
                "SELECT kind, id, scope FROM docs WHERE id IN (SELECT value FROM json_each(?))"
                " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.digest = docs.digest"
                " AND v.model = ?) ORDER BY seq DESC LIMIT ?",
                (codec.dumps(list(among)), model, max(0, limit)),
            )
        else:
            newest = f"ORDER BY seq DESC LIMIT {max(1, limit)}"
            rows = self._waiting(model, "kind, id, scope", newest)[: max(0, limit)]
        return [Pending(kind, id_, codec.parse_scope(scope)) for kind, id_, scope in rows]

    def _waiting(self, model: str, columns: str, rest: str = "") -> list[Any]:
        """Documents without a vector of the model. Once none was, only newer ones can be."""
        with self._database.snapshot():
            now = self._database.value("SELECT value FROM index_clock")
            settled = self._settled.get(model, -1)
            rows = self._database.rows(
                f"SELECT {columns} FROM docs WHERE seq > ? AND NOT EXISTS"
                f" (SELECT 1 FROM vectors v WHERE v.digest = docs.digest AND v.model = ?) {rest}",
                (settled if settled <= now else -1, model),
            )
        if not rows and not self._database.in_transaction:
            self._settled[model] = now
        return rows

    def attach(self, vectors: Mapping[str, Vector], model: str) -> None:
        """See `Index.attach`."""
        packed = _packed(vectors, model)
        if packed:
            with self._database.write() as connection:
                self._database.note_index_change()
                _keep_vectors(connection, packed, model, _advance(connection, 1))

    def refresh(self) -> None:
        """See `Index.refresh`."""
        total = self._database.value(_TOTAL)
        common: list[tuple[str]] = []
        if total > ranking.COMMON_FROM:
            common = self._database.rows(
                "SELECT term FROM vocabulary WHERE doc > ?", (ranking.COMMON_SHARE * total,)
            )
        if set(common) != set(self._database.rows("SELECT word FROM common_words")):
            with self._database.write() as connection:
                connection.execute("DELETE FROM common_words")
                connection.executemany("INSERT INTO common_words VALUES (?)", common)

    def stats(self, model: str) -> IndexStats:
        """See `Index.stats`."""
        with self._database.snapshot():
            total = self._database.value(_TOTAL)
            waiting = len(self._waiting(model, "seq")) if model else 0
        return IndexStats(total, total - waiting if model else 0, waiting)

    def clear(self) -> None:
        """See `Index.clear`."""
        with self._database.write() as connection:
            self._database.note_index_change()
            connection.execute("INSERT INTO lexicon (lexicon) VALUES ('delete-all')")
            for table in ("docs", "vectors", "forgotten", "common_words"):
                connection.execute(f"DELETE FROM {table}")
            connection.execute("UPDATE index_clock SET value = value + 1, floor = value + 1")


def _packed(vectors: Mapping[str, Vector], model: str) -> list[tuple[str, bytes]]:
    if not vectors:
        return []
    from contextd.stores.vectors import check_vectors, pack  # noqa: PLC0415 - numpy: 0.13 s

    check_vectors(vectors, model)
    return [(digest, pack(vector)) for digest, vector in vectors.items()]


def _keep_vectors(
    connection: apsw.Connection, packed: list[tuple[str, bytes]], model: str, seq: int
) -> None:
    connection.executemany(_VECTOR, [(digest, model, seq, blob) for digest, blob in packed])


def _advance(connection: apsw.Connection, steps: int) -> int:
    sql = "UPDATE index_clock SET value = value + ? RETURNING value"
    return int(fetch(connection, sql, (steps,))[0][0])


def _trim_forgotten(connection: apsw.Connection) -> None:
    [(count, newest)] = fetch(connection, "SELECT count(*), max(seq) FROM forgotten")
    if count > _FORGOTTEN:
        connection.execute("DELETE FROM forgotten")
        connection.execute("UPDATE index_clock SET floor = ?", (newest,))
