"""Vectors of texts: one at once, for whoever may have it, or all that wait, by a job."""

from __future__ import annotations

from datetime import timedelta

from contextd.domain.changes import NewJob
from contextd.domain.errors import Unavailable
from contextd.domain.query import Vector
from contextd.domain.scope import Scope
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime


def vector_of(runtime: Runtime, scope: Scope, text: str) -> Vector:
    """The vector of a text that lives in a scope. Raises `Unavailable` when there is none to be had."""
    if not runtime.may_embed(scope):
        raise Unavailable(f"{scope} never leaves this machine", "words are compared instead")
    vector: Vector = runtime.embedder.embed([text])[0]
    return vector


def queue_embedding(runtime: Runtime, after: timedelta | None = None) -> str:
    """Have what waits for a vector embedded in the background, now or after a while. Returns the job's id."""
    if after is None:
        jobs = embedding_jobs(runtime)
    else:
        # Under another key, so that it holds up nothing that is wanted sooner.
        due = runtime.clock.now() + after
        jobs = [new_job("embed_pending", runtime.scope, runtime.place, once="later", run_at=due)]
    return runtime.queue(*jobs)[0] if jobs else ""


def embedding_jobs(runtime: Runtime) -> list[NewJob]:
    """The job that embeds what waits for a vector; none where no embedder is in use."""
    if not runtime.embedder.model:
        return []
    return [new_job("embed_pending", runtime.scope, runtime.place, once="")]
