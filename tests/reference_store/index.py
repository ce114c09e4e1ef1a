"""The reference index: examines every document and computes every score by definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.query import (
    CODE,
    EVENT,
    FAMILIES,
    Document,
    Family,
    IndexStats,
    Match,
    Pending,
    Query,
    Vector,
    family_of,
)
from contextd.domain.scope import Scope
from contextd.stores import filters, ranking
from contextd.stores.codec import dumps
from contextd.stores.combined_reads import LocalRankings
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.vectors import check_vectors, pack, stacked, unit, unpack
from contextd_common.text.words import words
from reference_store.space import IndexedDocument, PartKey, Space, State, is_valid_at


class MemoryIndex(LocalRankings):
    """`Index` by brute force, limited to a grant."""

    def __init__(
        self, space: Space, granted: GrantedRows, standing: CheckoutKey | None = None
    ) -> None:
        self._space, self._granted, self._standing = space, granted, standing

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """See `Index.lexical`."""
        asked = filters.asked_tokens(words)
        facets = set(filters.facet_conditions(query))
        seen: dict[Family, list[IndexedDocument]] = {family: [] for family in FAMILIES}
        for (_, family), entries in self._parts(query):
            seen[family] += [entry for entry in entries if self._allows(entry, query, facets)]
        found = [row for entries in seen.values() for row in _scored(asked, entries)]
        return ranking.best(found, limit, ranking.DECIMALS_OF_BM25)

    def _parts(self, query: Query | None = None) -> Iterator[tuple[PartKey, list[IndexedDocument]]]:
        """The whole parts of the requested scopes."""
        with self._space.lock:
            parts = [(part, [*mine.values()]) for part, mine in self._space.state.entries.items()]
        for part, entries in sorted(parts, key=lambda row: FAMILIES.index(row[0][1])):
            asked = query is None or (
                part[0] in query.scopes and (part[1] != "code" or query.code_of in (None, part[0]))
            )
            if entries and asked:
                hidden = self._hidden(*part) if query is not None else set()
                yield part, [entry for entry in entries if entry.document.id not in hidden]

    def _hidden(self, scope: Scope, family: Family) -> set[str]:
        """The chunks that only other checkouts have."""
        state = self._space.state
        place, own, others = state.place(scope, self._standing), set[str](), set[str]()
        for (where, _), file in state.files.items() if family == "code" else ():
            if where.scope == scope:
                (own if where == place else others).update(chunk.id for chunk in file.chunks)
        return others - own

    def _sees(self, document: Document) -> bool:
        return self._granted.reads(document.scope, document.kind)

    def _allows(self, entry: IndexedDocument, query: Query, facets: set[str]) -> bool:
        document = entry.document
        return (
            _is_of_kind(entry, query)
            and self._sees(document)
            and (not query.statuses or document.status in query.statuses)
            and facets <= entry.facets
            and document.confidence >= query.min_confidence
            and (
                query.valid_at is None
                or is_valid_at(document.valid_from, document.valid_to, query.valid_at)
            )
        )

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """See `Index.dense`."""
        asked = unit(vector)
        facets = set(filters.facet_conditions(query))
        found: list[tuple[str, str, float]] = []
        for part, entries in self._parts(query):
            for entry in entries:
                row = self._space.state.vectors.get((part, entry.digest, model))
                if row is None or row.shape != asked.shape:
                    continue
                if self._allows(entry, query, facets):
                    document = entry.document
                    found.append((document.id, document.kind, float(np.dot(row, asked))))
        return ranking.best(found, limit, ranking.DECIMALS_OF_COSINE)

    def misfits(self, model: str, dimensions: int, query: Query) -> int:
        """See `Index.misfits`."""
        known = self._space.state.vectors
        rows = [
            known.get((part, entry.digest, model))
            for part, entries in self._parts(query)
            for entry in entries
        ]
        return sum(row is not None and len(row) != dimensions for row in rows)

    def vectors(self, scope: Scope, ids: Sequence[str], model: str) -> tuple[list[str], Vector]:
        """See `Index.vectors`."""
        part: PartKey = (scope, "records")
        with self._space.lock:
            mine, known = self._space.state.entries.get(part, {}), self._space.state.vectors
            found = {
                id_: known[part, mine[id_].digest, model]
                for id_ in ids
                if id_ in mine
                and self._sees(mine[id_].document)
                and (part, mine[id_].digest, model) in known
            }
        return stacked(found)

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """See `Index.pending`."""
        if not model or limit < 1:
            return []
        found: list[Pending] = []
        for part, entries in self._parts():
            newest = sorted(entries, key=lambda entry: -entry.seq)
            found += [
                Pending(entry.document.kind, entry.document.id, part[0])
                for entry in newest
                if self._sees(entry.document)
                and (among is None or entry.document.id in among)
                and (part, entry.digest, model) not in self._space.state.vectors
            ]
        return found[:limit]

    def stats(self, model: str, query: Query | None = None) -> IndexStats:
        """See `Index.stats`."""
        there = [
            (part, entry)
            for part, entries in self._parts(query)
            for entry in entries
            if self._sees(entry.document) and (query is None or _is_of_kind(entry, query))
        ]
        total, vectors = len(there), self._space.state.vectors
        waiting = sum((part, entry.digest, model) not in vectors for part, entry in there)
        return IndexStats(total, total - waiting, waiting) if model else IndexStats(total, 0, 0)


def _is_of_kind(entry: IndexedDocument, query: Query) -> bool:
    kind = entry.document.kind
    return kind in query.kinds if query.kinds else kind not in (CODE, EVENT)


def _scored(
    asked: Sequence[str], entries: Sequence[IndexedDocument]
) -> list[tuple[str, str, float]]:
    """The documents with a query word, and their scores among all of them."""
    held = {word: sum(entry.has(word) for entry in entries) for word in asked}
    most = ranking.COMMON_SHARE * len(entries)
    if len(entries) > ranking.COMMON_FROM:
        held = {word: count for word, count in held.items() if count <= most} or held
    mean = sum(entry.length for entry in entries) / max(1, len(entries))
    found: list[tuple[str, str, float]] = []
    for entry in entries:
        if not any(entry.has(word) for word in held):
            continue
        score = 0.0
        for word, count in held.items():
            weight = ranking.idf(len(entries), count)
            frequency = entry.text[word] + ranking.NEAR_WEIGHT * entry.near[word]
            score += ranking.bm25(frequency, entry.length, mean, weight)
        found.append((entry.document.id, entry.document.kind, score))
    return found


def checked(document: Document) -> None:
    """Raise `Invalid` for a document whose texts cannot be stored."""
    facets = filters.facets_of(document)
    dumps([document.id, document.kind, document.status, document.text, document.near, facets])


def put(state: State, documents: Sequence[Document]) -> None:
    """Insert or replace documents by id; unchanged ones keep their place."""
    for document in {(d.scope, family_of(d.kind), d.id): d for d in documents}.values():
        part = document.scope, family_of(document.kind)
        mine = state.entries.setdefault(part, {})
        known = mine.get(document.id)
        if known is not None and _same(known.document, document):
            continue
        text, near = words(document.text), words(document.near)
        facets = filters.facets_of(document)
        mine[document.id] = IndexedDocument(
            document,
            document.digest,
            state.next_seq(),
            Counter(text),
            Counter(near),
            len(text) + len(near),
            frozenset(facets),
        )


def _same(one: Document, other: Document) -> bool:
    def looks(document: Document) -> tuple[Any, ...]:
        return (
            document.kind,
            document.status,
            float(document.confidence),
            document.valid_from,
            document.valid_to,
            document.text,
            words(document.near),
            filters.facets_of(document),
        )

    return looks(one) == looks(other)


def forget(state: State, scope: Scope, ids: Sequence[str]) -> None:
    """Remove these documents; unknown ids are ignored."""
    for family in FAMILIES:
        mine = state.entries.get((scope, family), {})
        for id_ in ids:
            mine.pop(id_, None)


def unpacked(vectors: Mapping[str, Vector], model: str) -> dict[str, Vector]:
    """Vectors rounded to the stored precision. Raises `Invalid`."""
    check_vectors(vectors, model)
    return {text: unpack([pack(vector)])[0] for text, vector in vectors.items()}


def keep_vectors(state: State, scope: Scope, vectors: Mapping[str, Vector], model: str) -> None:
    """Store vectors for the documents of a scope with these texts."""
    for family in FAMILIES:
        part: tuple[Scope, Family] = (scope, family)
        present = {entry.digest for entry in state.entries.get(part, {}).values()}
        for text in present & vectors.keys():
            state.vectors[part, text, model] = vectors[text]
