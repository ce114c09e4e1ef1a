"""The hybrid index in SQLite: FTS5 for words, rows of half-precision numbers for meaning.

Each family of documents of each scope is a part with a lexicon of its own, so that other scopes and
families neither shift its word statistics nor cost a search in it anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from contextd.domain.dataclass import dataclass
from contextd.domain.query import (
    FAMILIES,
    Family,
    IndexStats,
    Match,
    Pending,
    Query,
    Vector,
    family_of,
)
from contextd.domain.scope import Scope
from contextd.domain.time import to_micros
from contextd.stores import codec, filters, ranking
from contextd.stores.connection import Database, placeholders
from contextd.stores.reach import Reach, Slice
from contextd.stores.together import LocalRankings

if TYPE_CHECKING:
    from contextd.stores.dense import DenseIndex


@lru_cache(maxsize=65_536)
def token(field: str, value: str) -> str:
    """One word for a condition, so that a filter is a term of the match."""
    hashed = hashlib.blake2b(value.encode(), digest_size=8, person=field.encode())
    return field[0] + hashed.hexdigest()


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A family of documents of one scope, and which kinds of it a query may see."""

    number: int
    scope: str
    family: Family
    asked: Slice


class Parts:
    """The parts of the index that a grant reaches."""

    def __init__(self, database: Database, reach: Reach) -> None:
        self._database, self._reach = database, reach

    def of(self, query: Query | None = None) -> list[IndexPart]:
        """The parts a query asks, of all that may be read without one. A query that names no kinds
        asks no code and no messages.
        """
        found: list[IndexPart] = []
        for asked in self._reach.slices(query):
            families = _families(asked, named=query is not None)
            rows = self._database.rows(
                "SELECT no, scope, family FROM parts"
                f" WHERE scope IN ({placeholders(asked.scopes)})"
                f" AND family IN ({placeholders(families)}) ORDER BY no",
                (*asked.scopes, *families),
            )
            found += [IndexPart(number, scope, family, asked) for number, scope, family in rows]
        return found


def _families(asked: Slice, *, named: bool) -> list[Family]:
    if asked.kinds:
        present = {family_of(kind) for kind in asked.kinds}
        return [family for family in FAMILIES if family in present]
    return ["records"] if named else list(FAMILIES)


def _kinds(asked: Slice) -> tuple[str, list[Any]]:
    """The kinds of a slice as a further condition on the column `kind`; empty when it has them all."""
    if asked.kinds:
        return f" AND kind IN ({placeholders(asked.kinds)})", [*asked.kinds]
    if asked.without:
        return f" AND kind NOT IN ({placeholders(asked.without)})", [*asked.without]
    return "", []


def _any_of(tokens: Iterable[str]) -> str:
    return "(" + " OR ".join(f'"{one}"' for one in tokens) + ")"


class SqliteIndex(LocalRankings):
    """`Index`, as far as one grant reaches."""

    def __init__(self, database: Database, reach: Reach, nearest: DenseIndexes) -> None:
        self._database, self._nearest = database, nearest
        self._parts = Parts(database, reach)

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """See `Index.lexical`."""
        conditions = filters.facet_conditions(query)
        asked = filters.asked_tokens(words)
        if not asked or limit < 1:
            return []
        found: list[tuple[str, str, float]] = []
        # One state for all of it: a filter is left out because of what the counts say.
        with self._database.snapshot():
            for part in self._parts.of(query):
                found += self._lexical(part, asked, conditions, query, limit)
        return ranking.best(found, limit, ranking.DECIMALS_OF_BM25)

    def _lexical(
        self, part: IndexPart, asked: list[str], conditions: list[str], query: Query, limit: int
    ) -> list[tuple[str, str, float]]:
        filtered = self._filters(part, query)
        if filtered is None:
            return []
        match = f"({{text near}} : {_any_of(self._rare(part, asked))}"
        for facet in conditions:
            match += f' AND meta : "{token("facet", facet)}"'
        match += filtered[0] + ")" + filtered[1]
        # Some more than asked for: among equal scores the lower ids win, wherever they stand.
        some = 2 * limit + 10
        found = self._ranked(part, match, query, some)
        found.sort(key=lambda row: -row[2])
        if len(found) == some and found[-1][2] >= found[limit - 1][2] - 1e-9:
            # Thousands may match; only what scores as well as the last of the best is read.
            found = self._ranked(part, match, query, -1, found[limit - 1][2] - 1e-9)
        return found

    def _ranked(
        self, part: IndexPart, match: str, query: Query, some: int, least: float | None = None
    ) -> list[tuple[str, str, float]]:
        lexicon = f"lexicon_{part.number}"
        join, bound = "", list[Any]()
        if query.min_confidence > 0:
            join += " AND d.confidence >= ?"
            bound.append(query.min_confidence)
        if query.valid_at is not None:
            moment = to_micros(query.valid_at)
            join += " AND (d.valid_from IS NULL OR d.valid_from <= ?)"
            join += " AND (d.valid_to IS NULL OR ? < d.valid_to)"
            bound += [moment, moment]
        source = f"{lexicon} JOIN docs d ON d.no = {lexicon}.rowid" if join else lexicon
        # Sorting is for a top; with a threshold the caller sorts what is left.
        order = f"ORDER BY {lexicon}.rank" if least is None else ""
        return self._database.rows(
            "SELECT docs.id, docs.kind, -top.score FROM"
            f" (SELECT {lexicon}.rowid AS doc, {lexicon}.rank AS score FROM {source}"
            f" WHERE {lexicon} MATCH ?{join} {order} LIMIT ?) top"
            " CROSS JOIN docs ON docs.no = top.doc WHERE ? IS NULL OR -top.score >= ?",
            (match, *bound, some, least, least),
        )

    def _rare(self, part: IndexPart, asked: list[str]) -> list[str]:
        rows = self._database.rows(
            "SELECT word FROM common_words"
            " WHERE part = ? AND word IN (SELECT value FROM json_each(?))",
            (part.number, codec.dumps(asked)),
        )
        common = {word for (word,) in rows}
        return [word for word in asked if word not in common] or asked

    def _filters(self, part: IndexPart, query: Query) -> tuple[str, str] | None:
        """The conditions on kind and status as terms of the match, and those that must not match;
        None when nothing can.

        Every term costs a walk over its documents. So one that excludes nothing is left out, and
        the shorter of "one of these" and "none of the others" is asked.
        """
        counts: dict[str, dict[str, int]] = {"kind": {}, "status": {}}
        for field, value, count in self._database.rows(
            "SELECT field, value, count FROM doc_counts WHERE part = ? AND count > 0",
            (part.number,),
        ):
            counts[field][value] = count
        kinds = [kind for kind in counts["kind"] if part.asked.has(kind)]
        statuses = query.statuses or list(counts["status"])
        wanted_terms = unwanted_terms = ""
        for field, values in (("kind", kinds), ("status", statuses)):
            wanted = {value: counts[field].pop(value, 0) for value in dict.fromkeys(values)}
            others = counts[field]
            if not any(wanted.values()):
                return None
            if sum(others.values()) >= sum(wanted.values()):
                tokens = [token(field, value) for value, count in wanted.items() if count]
                wanted_terms += f" AND meta : {_any_of(tokens)}"
            elif others:
                unwanted_terms += f" NOT meta : {_any_of(token(field, value) for value in others)}"
        return wanted_terms, unwanted_terms

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """See `Index.dense`."""
        conditions = filters.facet_conditions(query)
        found: list[tuple[str, str, float]] = []
        for part in self._parts.of(query):
            among = self._carrying(part, conditions) if conditions else None
            nearest = self._nearest.open()
            found += nearest.nearest(part.number, vector, model, query, part.asked, among, limit)
        return ranking.best(found, limit, ranking.DECIMALS_OF_COSINE)

    def vectors(self, scope: Scope, ids: Sequence[str], model: str) -> tuple[list[str], Vector]:
        """See `Index.vectors`."""
        from contextd.stores.vectors import stacked, unpack  # noqa: PLC0415 - numpy: 0.13 s

        blobs: dict[str, bytes] = {}
        for part in self._parts.of(Query(scopes=frozenset({scope}))):
            chosen, values = _kinds(part.asked)
            rows = self._database.rows(
                "SELECT docs.id, v.vector FROM docs JOIN vectors v ON v.part = docs.part"
                " AND v.digest = docs.digest AND v.model = ? WHERE docs.part = ?"
                f" AND docs.id IN (SELECT value FROM json_each(?)){chosen}",
                (model, part.number, codec.dumps(list(ids)), *values),
            )
            blobs.update(rows)
        return stacked({id_: unpack([blobs[id_]])[0] for id_ in ids if id_ in blobs})

    def _carrying(self, part: IndexPart, conditions: list[str]) -> list[int]:
        wanted = " AND ".join(f'"{token("facet", facet)}"' for facet in conditions)
        rows = self._database.rows(
            f"SELECT rowid FROM lexicon_{part.number} WHERE lexicon_{part.number} MATCH ?",
            (f"meta : ({wanted})",),
        )
        return [rowid for (rowid,) in rows]

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """See `Index.pending`."""
        if not model or limit < 1:
            return []
        found: list[Pending] = []
        with self._database.snapshot():
            # What people and agents wrote comes before code.
            for part in sorted(self._parts.of(), key=lambda part: FAMILIES.index(part.family)):
                scope = codec.parse_scope(part.scope)
                for kind, id_ in self._waiting(part, model, limit, among):
                    found.append(Pending(kind, id_, scope))
        return found[:limit]

    def _waiting(
        self, part: IndexPart, model: str, limit: int, among: Sequence[str] | None
    ) -> list[tuple[str, str]]:
        """The newest documents of a part without a vector. Once none was, only newer ones can be."""
        chosen, values = _kinds(part.asked)
        if among is not None:
            chosen += " AND id IN (SELECT value FROM json_each(?))"
            values.append(codec.dumps(list(among)))
        settled = self._nearest.settled.get((part.number, model), -1)
        [(clock,)] = self._database.rows("SELECT clock FROM parts WHERE no = ?", (part.number,))
        rows = self._database.rows(
            f"SELECT kind, id FROM docs WHERE part = ? AND seq > ?{chosen} AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.part = docs.part AND v.digest = docs.digest"
            " AND v.model = ?) ORDER BY seq DESC LIMIT ?",
            (part.number, settled if settled <= clock else -1, *values, model, limit),
        )
        if not rows and not chosen:
            self._nearest.settled[part.number, model] = clock
        return rows

    def stats(self, model: str) -> IndexStats:
        """See `Index.stats`."""
        documents = pending = 0
        with self._database.snapshot():
            for part in self._parts.of():
                chosen, values = _kinds(part.asked)
                documents += self._database.value(
                    "SELECT ifnull(sum(count), 0) FROM doc_counts WHERE part = ? AND field = 'kind'"
                    + chosen.replace("kind", "value"),
                    (part.number, *values),
                )
                if model:
                    pending += len(self._waiting(part, model, -1, None))
        return IndexStats(documents, documents - pending if model else 0, pending)


class DenseIndexes:
    """The vectors in memory, opened when somebody first asks for them: numpy takes 0.13 s to import.

    `settled` is, per part and model, the clock at which every document had its vector.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._opened: DenseIndex | None = None
        self.settled: dict[tuple[int, str], int] = {}

    def open(self) -> DenseIndex:
        """The vectors of this process."""
        if self._opened is None:
            from contextd.stores.dense import DenseIndex  # noqa: PLC0415 - numpy: 0.13 s

            self._opened = DenseIndex(self._database)
        return self._opened
