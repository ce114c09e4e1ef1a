"""Giving vectors to what is searchable by words only."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from contextd.code.index.scan import documents
from contextd.domain.documents import message_documents, record_document
from contextd.domain.query import CODE, EVENT, Document, Pending
from contextd.domain.scope import Scope
from contextd.operations.background import Task, job
from contextd.operations.scanning import queue_embedding
from contextd.operations.writing import embed_documents
from contextd.runtime import Runtime

_BATCH = 16
_SLICE_SECONDS = 2.0


@job
def embed_pending(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Give vectors to what is searchable by words only: files of open sessions first, then the newest.

    A second or two at a time: the rest is queued again, so that other jobs get their turn.
    """
    index, model, done = runtime.store.index, runtime.embedder.model, 0
    began = time.monotonic()
    until = began + _SLICE_SECONDS
    first = _in_use(runtime) if model else []
    while model:
        pending = index.pending(model, _BATCH, first) if first else []
        if not pending:
            first, pending = [], index.pending(model, _BATCH)
        if not pending:
            break
        if time.monotonic() > until:
            queue_embedding(runtime)
            break
        found = hydrate_documents(runtime, pending)
        vectors = embed_documents(runtime, found)
        gone = {one.id for one in pending} - {document.id for document in found}
        if gone:
            index.delete(gone)
        if not vectors and not gone:
            break
        index.attach(vectors, model)
        done += len(vectors)
    return {"embedded": done, "seconds": round(time.monotonic() - began, 3)}


def _in_use(runtime: Runtime) -> list[str]:
    """The chunks of the files that open sessions work on."""
    if runtime.project is None:
        return []
    store, scope = runtime.store, runtime.scope
    working = store.sessions.find(frozenset({scope}), statuses=("active",))
    paths = dict.fromkeys(access.path for session in working for access in session.files)
    known = (store.files.get(scope, path) for path in paths)
    return [chunk.id for file in known if file is not None for chunk in file.chunks]


def embedding_rate(runtime: Runtime) -> float:
    """Texts per second of the latest rounds of embedding; 0.0 when none is known."""
    rounds = [
        job.result
        for job in runtime.store.jobs.list(states=("done",), limit=200)
        if job.name == "embed_pending" and job.result.get("embedded")
    ][:10]
    seconds = sum(float(one.get("seconds", 0)) for one in rounds)
    return sum(int(one["embedded"]) for one in rounds) / seconds if seconds else 0.0


def hydrate_documents(runtime: Runtime, pending: Sequence[Pending]) -> list[Document]:
    """The documents behind what is pending, in whichever scope, made from canonical data; those that
    nothing stands behind any more are left out.
    """
    store = runtime.store
    record_ids = [one.id for one in pending if one.kind not in (CODE, EVENT)]
    found = [record_document(record) for record in store.records.get(record_ids)]
    chunks_by_scope: dict[Scope, set[str]] = {}
    for one in pending:
        if one.kind == CODE:
            chunks_by_scope.setdefault(one.scope, set()).add(one.id)
    for scope, chunk_ids in chunks_by_scope.items():
        for path in dict.fromkeys(chunk.path for chunk in store.files.chunks(list(chunk_ids))):
            file = store.files.get(scope, path)
            if file is not None:
                found += [d for d in documents(scope, file) if d.id in chunk_ids]
    asked = {one.id for one in pending if one.kind == EVENT}
    for session_id in dict.fromkeys(id.partition("#")[0] for id in asked):
        session = store.sessions.get(session_id)
        if session is not None:
            messages = store.sessions.events(session_id, types=("message",))
            docs = message_documents(session.scope, session_id, messages)
            found += [d for d in docs if d.id in asked]
    return found
