"""The reference index: every document looked at, every score computed from its definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from contextd.domain.query import Document, IndexStats, Match, Pending, Query
from contextd.domain.words import words
from contextd.ports import Vector
from contextd.stores import filters, ranking
from contextd.stores.codec import dumps
from contextd.stores.memory_space import Entry, Space
from contextd.stores.vectors import check_vectors, pack, unit, unpack


class MemoryIndex:
    """`Index` by brute force."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def put(self, documents: Sequence[Document], vectors: Mapping[str, Vector], model: str) -> None:
        """See `Index.put`."""
        prepared = {document.id: _words_of(document) for document in documents}
        with self._space.lock:
            state = self._space.state
            for document in documents:
                text, near, facets = prepared[document.id]
                length = len(text) + len(near) + 3 + len(facets)
                state.entries[document.id] = Entry(
                    document,
                    document.digest,
                    state.next_seq(),
                    Counter(text),
                    Counter(near),
                    length,
                    frozenset(facets),
                )
            self.attach(vectors, model)

    def delete(self, ids: Iterable[str]) -> None:
        """See `Index.delete`."""
        with self._space.lock:
            for id_ in ids:
                self._space.state.entries.pop(id_, None)

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """See `Index.lexical`."""
        asked = filters.asked_tokens(words)
        with self._space.lock:
            entries = list(self._space.state.entries.values())
            common = self._space.state.common
        asked = [word for word in asked if word not in common] or asked
        if not asked or not entries:
            filters.facet_conditions(query)
            return []
        mean = sum(entry.length for entry in entries) / len(entries)
        weights = {
            word: ranking.idf(len(entries), sum(entry.has(word) for entry in entries))
            for word in asked
        }
        scored = []
        for entry in self._allowed(entries, query):
            score = 0.0
            for word, weight in weights.items():
                frequency = entry.text[word] + ranking.NEAR_WEIGHT * entry.near[word]
                score += ranking.bm25(frequency, entry.length, mean, weight)
            if any(entry.has(word) for word in asked):
                scored.append((entry.document.id, entry.document.kind, score))
        return ranking.best(scored, limit, ranking.DECIMALS_OF_BM25)

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """See `Index.dense`."""
        asked = unit(vector)
        with self._space.lock:
            entries = self._allowed(list(self._space.state.entries.values()), query)
            kept = self._space.state.vectors
            found = [(entry, kept.get((entry.digest, model))) for entry in entries]
        return ranking.best(
            (
                (entry.document.id, entry.document.kind, float(np.dot(row, asked)))
                for entry, row in found
                if row is not None and row.shape == asked.shape
            ),
            limit,
            ranking.DECIMALS_OF_COSINE,
        )

    def _allowed(self, entries: Iterable[Entry], query: Query) -> list[Entry]:
        facets = set(filters.facet_conditions(query))
        return [
            entry
            for entry in entries
            if entry.document.scope in query.scopes
            and (
                entry.document.kind in query.kinds
                if query.kinds
                else entry.document.kind not in filters.NOT_RECORDS
            )
            and (not query.statuses or entry.document.status in query.statuses)
            and facets <= entry.facets
            and entry.document.confidence >= query.min_confidence
            and (
                query.valid_at is None
                or filters.is_valid_at(
                    entry.document.valid_from, entry.document.valid_to, query.valid_at
                )
            )
        ]

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """See `Index.pending`."""
        if not model:
            return []
        with self._space.lock:
            state = self._space.state
            asked = state.entries.keys() if among is None else set(among) & state.entries.keys()
            entries = [state.entries[id_] for id_ in asked]
            waiting = [e for e in entries if (e.digest, model) not in state.vectors]
        waiting.sort(key=lambda entry: -entry.seq)
        documents = [entry.document for entry in waiting[: max(0, limit)]]
        return [Pending(document.kind, document.id, document.scope) for document in documents]

    def attach(self, vectors: Mapping[str, Vector], model: str) -> None:
        """See `Index.attach`."""
        check_vectors(vectors, model)
        rows = {digest: unpack([pack(v)])[0] for digest, v in vectors.items()}
        with self._space.lock:
            for digest, row in rows.items():
                self._space.state.vectors[digest, model] = row

    def refresh(self) -> None:
        """See `Index.refresh`."""
        with self._space.lock:
            state = self._space.state
            counts: Counter[str] = Counter()
            for entry in state.entries.values():
                counts.update(entry.text.keys() | entry.near.keys())
            least = ranking.COMMON_SHARE * len(state.entries)
            enough = len(state.entries) > ranking.COMMON_FROM
            state.common = {w: None for w, n in counts.items() if enough and n > least}

    def stats(self, model: str) -> IndexStats:
        """See `Index.stats`."""
        with self._space.lock:
            state = self._space.state
            total = len(state.entries)
            done = sum((e.digest, model) in state.vectors for e in state.entries.values())
        return IndexStats(total, done, total - done) if model else IndexStats(total, 0, 0)

    def clear(self) -> None:
        """See `Index.clear`."""
        with self._space.lock:
            state = self._space.state
            state.entries, state.vectors, state.common = {}, {}, {}


def _words_of(document: Document) -> tuple[list[str], list[str], tuple[str, ...]]:
    facets = filters.facets_of(document)
    dumps([document.id, document.kind, document.status, document.text, document.near, facets])
    return words(document.text), words(document.near), facets
