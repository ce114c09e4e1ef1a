"""Embed texts: those of a change in its commit, or all pending ones in a job."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta

from contextd.domain.changes import KnowledgeChanges, NewJob, Put, Removal, WorkChanges
from contextd.domain.documents import record_document
from contextd.domain.query import Document, Vector
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Unavailable

_AT_ONCE = 16
"""New texts of a file embedded during the call, which takes a tenth of a second. Others are only found by words
until a background job embeds them: a hook must not wait for a long file.
"""

_log = logging.getLogger(__name__)


def vector_of(runtime: Runtime, scope: Scope, text: str) -> Vector:
    """Return the vector of a text that belongs to a scope. Raises `Unavailable` when no vector can be made."""
    if not runtime.may_embed(scope):
        raise Unavailable(f"{scope} never leaves this machine", "words are compared instead")
    vector: Vector = runtime.embedder.embed([text])[0]
    return vector


def embed_documents(
    runtime: Runtime, documents: Sequence[Document]
) -> dict[Scope, dict[str, Vector]]:
    """A vector per distinct text, by scope and digest; empty when the embedder is missing or broken."""
    known = [one for one in documents if runtime.may_embed(one.scope)]
    texts = {one.digest: one.text for one in known}
    if not runtime.embedder.model or not texts:
        return {}
    try:
        rows = runtime.embedder.embed(list(texts.values()))
    except Unavailable as error:
        _log.warning("not embedded, lexical only: %s", error.message)
        return {}
    vectors = dict(zip(texts, rows, strict=True))
    found: dict[Scope, dict[str, Vector]] = {}
    for one in known:
        found.setdefault(one.scope, {})[one.digest] = vectors[one.digest]
    return found


def with_vectors(
    runtime: Runtime, puts: Sequence[Put | Removal], records: Iterable[Record] | None = None
) -> KnowledgeChanges:
    """The changes with the vectors of `records`, by default of all changed ones."""
    meant = [put.record for put in puts] if records is None else records
    vectors = embed_documents(runtime, [record_document(record) for record in meant])
    return KnowledgeChanges(records=puts, vectors=vectors, model=runtime.embedder.model)


def commit_file_records(runtime: Runtime, puts: Sequence[Put]) -> list[Record]:
    """Commit the records of a changed file. Return those that are active, if they were few enough to be
    embedded at once; of many, a job makes the vectors.
    """
    active = [put.record for put in puts if put.record.status == "active"]
    soon = len(active) <= _AT_ONCE
    runtime.commit(
        knowledge=with_vectors(runtime, puts, active if soon else ()),
        work=WorkChanges(jobs=[] if soon else embedding_jobs(runtime)),
    )
    return active if soon else []


def queue_embedding(runtime: Runtime, after: timedelta | None = None) -> str:
    """Queue a job that embeds pending texts, now or after a while. Return the job's id."""
    if after is None:
        jobs = embedding_jobs(runtime)
    else:
        # Under another key, so that it does not delay an earlier job.
        due = runtime.clock.now() + after
        jobs = [new_job("embed_pending", runtime.scope, runtime.place, once="later", run_at=due)]
    return runtime.queue(*jobs)[0] if jobs else ""


def embedding_jobs(runtime: Runtime) -> list[NewJob]:
    """The job that embeds pending texts; None without an embedder."""
    if not runtime.embedder.model:
        return []
    return [new_job("embed_pending", runtime.scope, runtime.place, once="")]
