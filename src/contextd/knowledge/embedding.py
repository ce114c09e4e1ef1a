"""Embed texts: one at once for a caller that may write, or all pending ones in a job."""

from __future__ import annotations

from datetime import timedelta

from contextd.domain.changes import NewJob
from contextd.domain.query import Vector
from contextd.domain.scope import Scope
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime
from contextd_code.errors import Unavailable


def vector_of(runtime: Runtime, scope: Scope, text: str) -> Vector:
    """Return the vector of a text that belongs to a scope. Raises `Unavailable` when no vector can be made."""
    if not runtime.may_embed(scope):
        raise Unavailable(f"{scope} never leaves this machine", "words are compared instead")
    vector: Vector = runtime.embedder.embed([text])[0]
    return vector


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
