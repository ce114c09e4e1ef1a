"""A store with a few records, and an embedder small enough to reason about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from contextd.domain.documents import record_document
from contextd.domain.query import Query
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope
from contextd.ports import Embedder, Store, Vector
from contextd.stores import open_store

SCOPE = Scope("local", "default", "shop")
QUERY = Query(scopes=frozenset({SCOPE}))

TOPICS: Mapping[str, Sequence[str]] = {
    "cache": ("cache", "redis", "ttl", "evict"),
    "login": ("login", "password", "sign", "token"),
    "deploy": ("deploy", "release", "ship", "rollout"),
}


class TopicEmbedder:
    """One dimension per topic; texts about none of them are strangers to each other."""

    model = "topics"

    def embed(self, texts: Sequence[str]) -> Vector:
        rows = np.zeros((len(texts), len(TOPICS) + 50), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for axis, marks in enumerate(TOPICS.values()):
                row[axis] = sum(text.casefold().count(mark) for mark in marks)
            if not row.any():
                row[len(TOPICS) + int(digest(text), 16) % 50] = 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def record(text: str, **fields: object) -> Record:
    return Record(**{"kind": "context", "scope": SCOPE, "content": text, **fields})  # type: ignore[arg-type]


def store_of(*records: Record, embedder: Embedder | None = None) -> Store:
    embedder = embedder or TopicEmbedder()
    store = open_store("memory://")
    documents = [record_document(one) for one in records]
    vectors = embedder.embed([document.text for document in documents])
    store.index.put(
        documents,
        {document.digest: row for document, row in zip(documents, vectors, strict=True)},
        embedder.model,
    )
    for one in records:
        store.records.put(one, actor="test", action="add")
    return store
