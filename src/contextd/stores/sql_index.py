"""The hybrid index: postings for words, half-precision vectors for meaning.

Each family of documents of each scope is a part with its own lexicon, so that other scopes and families
neither affect its word statistics nor slow down a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from contextd.domain.query import FAMILIES, IndexStats, Match, Pending, Query, Vector
from contextd.domain.scope import Scope
from contextd.runtime.kept_memory import Kept
from contextd.stores import codec, filters, ranking
from contextd.stores.checkouts import Checkouts, Known
from contextd.stores.combined_reads import require_same_length
from contextd.stores.database import Database
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.index_parts import IndexPart, Parts
from contextd.stores.record_rows import RecordRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from contextd.stores.dense import DenseIndex
    from contextd.stores.lexicons import Lexicons
    from contextd.stores.word_tables import WordTables


_ALL = 1 << 62
"""The limit of a statement that returns every row."""


class SqlIndex:
    """`Index`, limited to a grant."""

    def __init__(
        self,
        database: Database,
        granted: GrantedRows,
        caches: IndexCaches,
        checkouts: Checkouts | None = None,
    ) -> None:
        self._database, self._caches, self._checkouts = database, caches, checkouts
        self._parts = Parts(database, granted)

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """See `Index.lexical`."""
        facets = filters.facet_conditions(query)
        if limit < 1 or not filters.asked_tokens(words):
            return []
        with self._database.snapshot():
            return self._lexical(words, self._parts.of(query), query, facets, limit)

    def _lexical(
        self,
        words: Sequence[str],
        parts: Sequence[IndexPart],
        query: Query,
        facets: Sequence[str],
        limit: int,
    ) -> list[Match]:
        asked = filters.asked_tokens(words)
        if not asked or limit < 1:
            return []
        hidden = {part.number: self._hidden(part) for part in parts}
        return self._caches.lexicons.best(asked, parts, query, facets, limit, hidden)

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """See `Index.dense`."""
        facets = filters.facet_conditions(query)
        with self._database.snapshot():
            return self._dense(vector, model, self._parts.of(query), query, facets, limit)

    def _dense(
        self,
        vector: Vector,
        model: str,
        parts: Sequence[IndexPart],
        query: Query,
        facets: Sequence[str],
        limit: int,
    ) -> list[Match]:
        found: list[tuple[str, str, float]] = []
        for part in parts:
            among = self._caches.lexicons.carrying(part, facets) if facets else None
            found += self._caches.vectors.nearest(
                part, vector, model, query, among, limit, self._hidden(part)
            )
        return ranking.best(found, limit, ranking.DECIMALS_OF_COSINE)

    def rankings(
        self,
        asked: Sequence[Sequence[str]],
        vector: Vector | None,
        model: str,
        query: Query,
        limit: int,
    ) -> tuple[list[list[Match]], list[Match]]:
        """See `Index.rankings`. One snapshot, so that a remote database is asked once whether anything changed."""
        facets = filters.facet_conditions(query)
        near: list[Match] = []
        with self._database.snapshot():
            parts = self._parts.of(query)
            if vector is not None:
                near = self._dense(vector, model, parts, query, facets, limit)
                require_same_length(self.misfits(model, len(vector), query), model)
            return [self._lexical(words, parts, query, facets, limit) for words in asked], near

    def _hidden(self, part: IndexPart) -> NDArray[np.int64] | None:
        """The documents of a part that only other checkouts have."""
        if self._checkouts is None:
            return None
        return self._checkouts.hidden(part, self._caches.hidden)

    def misfits(self, model: str, dimensions: int, query: Query) -> int:
        """See `Index.misfits`."""
        counts = self._caches.vectors.misfits(model, dimensions)
        return sum(counts.get(part.number, 0) for part in self._parts.of(query)) if counts else 0

    def vectors(self, scope: Scope, ids: Sequence[str], model: str) -> tuple[list[str], Vector]:
        """See `Index.vectors`."""
        from contextd.stores.vectors import stacked, unpack  # noqa: PLC0415 - numpy: 0.13 s

        blobs: dict[str, bytes] = {}
        for part in self._parts.of(Query(scopes=frozenset({scope}))):
            chosen, values = part.asked.of_kinds
            rows = self._database.rows(
                "SELECT docs.id, v.vector FROM docs JOIN vectors v ON v.part = docs.part"
                " AND v.digest = docs.digest AND v.model = ? WHERE docs.part = ?"
                f" AND docs.id IN (SELECT value FROM json_each(?)){chosen}",
                (model, part.number, codec.dumps(list(ids)), *values),
            )
            blobs.update(rows)
        return stacked({id_: unpack([blobs[id_]])[0] for id_ in ids if id_ in blobs})

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """See `Index.pending`."""
        if not model or limit < 1:
            return []
        found: list[Pending] = []
        with self._database.snapshot():
            # Text of people and agents comes before code.
            for part in sorted(self._parts.of(), key=lambda part: FAMILIES.index(part.family)):
                scope = codec.parse_scope(part.scope)
                for kind, id_ in self._waiting(part, model, limit, among):
                    found.append(Pending(kind, id_, scope))
        return found[:limit]

    def _waiting(
        self, part: IndexPart, model: str, limit: int, among: Sequence[str] | None
    ) -> list[tuple[str, str]]:
        """The newest documents of a part without a vector. Once there was none, only newer ones are checked."""
        chosen, values = part.asked.of_kinds
        if among is not None:
            chosen += " AND id IN (SELECT value FROM json_each(?))"
            values = (*values, codec.dumps(list(among)))
        [(clock, floor)] = self._database.rows(
            "SELECT clock, floor FROM parts WHERE no = ?", (part.number,)
        )
        place = (part.number, model, self._database.incarnation)
        settled = self._caches.settled.get(place, -1)
        rows = self._database.rows(
            f"SELECT kind, id FROM docs WHERE part = ? AND seq > ?{chosen} AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.part = docs.part AND v.digest = docs.digest"
            " AND v.model = ?) ORDER BY seq DESC LIMIT ?",
            (part.number, settled if floor <= settled <= clock else -1, *values, model, limit),
        )
        if not rows and not chosen:
            self._caches.settled[place] = clock
        return rows

    def stats(self, model: str, query: Query | None = None) -> IndexStats:
        """See `Index.stats`."""
        documents = pending = 0
        with self._database.snapshot():
            for part in self._parts.of(query):
                chosen, values = part.asked.of_kinds
                documents += self._database.value(
                    "SELECT ifnull(sum(count), 0) FROM doc_counts WHERE part = ? AND field = 'kind'"
                    + chosen.replace("kind", "value"),
                    (part.number, *values),
                )
                if model:
                    pending += len(self._waiting(part, model, _ALL, None))
        return IndexStats(documents, documents - pending if model else 0, pending)


class IndexCaches:
    """In-memory caches of this process: of the index, loaded by the first search (importing numpy takes 0.13
    s), and of recently read records.

    `settled` is, per part, model and incarnation, the clock at which every document had its vector; `hidden`, per part and
    checkout, the documents that only others have.
    """

    def __init__(self, database: Database, tables: Callable[[Database], WordTables]) -> None:
        self._database, self._tables = database, tables
        self.settled: dict[tuple[int, str, object], int] = {}
        self.hidden: dict[tuple[int, int], Known] = {}
        self.records = RecordRows()

    @cached_property
    def vectors(self) -> DenseIndex:
        """The vectors of all parts."""
        from contextd.stores.dense import DenseIndex  # noqa: PLC0415 - numpy: 0.13 s

        return DenseIndex(self._database)

    @cached_property
    def lexicons(self) -> Lexicons:
        """The word statistics of all parts."""
        from contextd.stores.lexicons import Lexicons  # noqa: PLC0415 - numpy: 0.13 s

        return Lexicons(self._database, self._tables(self._database))

    def kept(self) -> Iterator[Kept]:
        """See `Keeper.kept`: records, and vectors and words if a search has loaded them."""
        yield from self.records.kept()
        for name in ("vectors", "lexicons"):
            loaded: DenseIndex | Lexicons | None = vars(self).get(name)
            if loaded is not None:
                yield from loaded.kept()
