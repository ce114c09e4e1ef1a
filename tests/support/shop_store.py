"""A store with a few records, and an embedder small enough to reason about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.query import Document, Query, Vector
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope
from contextd.ports.knowledge import Embedder
from contextd.ports.store import View
from support.stores import opened

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


def view_of(*records: Record, embedder: Embedder | None = None) -> View:
    """What the owner of a store sees that has nothing but these records."""
    return _filled(
        Changes(
            actor="test", knowledge=KnowledgeChanges(records=[Put(one, "add") for one in records])
        ),
        [record_document(one) for one in records],
        embedder or TopicEmbedder(),
    )


def view_of_documents(documents: Sequence[Document], embedder: Embedder) -> View:
    """What the owner of a store sees that has only these documents in its index."""
    return _filled(Changes(knowledge=KnowledgeChanges(documents=documents)), documents, embedder)


def _filled(changes: Changes, documents: Sequence[Document], embedder: Embedder) -> View:
    view = opened("memory://").view(OWNER.grant([SCOPE]))
    if embedder.model:
        rows = embedder.embed([document.text for document in documents])
        vectors = {document.digest: row for document, row in zip(documents, rows, strict=True)}
        knowledge = replace(changes.knowledge, vectors={SCOPE: vectors}, model=embedder.model)
        changes = replace(changes, knowledge=knowledge)
    view.commit(changes)
    return view
