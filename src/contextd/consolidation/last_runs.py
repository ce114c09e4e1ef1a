"""The last consolidation run of a collection."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from contextd.consolidation.collections import CollectionRow
from contextd.consolidation.merge_run import Consolidated
from contextd.domain.changes import Put
from contextd.domain.records import Record, Source
from contextd.domain.scope import Scope
from contextd.knowledge.embedding import with_vectors
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_JOBS = 1_000
_NAMESPACE = uuid.UUID("5a7c6d1e-6a5b-53f1-8b0c-2f6f6d0f4a11")


@dataclass(frozen=True, slots=True)
class ConsolidationRun:
    """When a collection was consolidated, and the result."""

    at: datetime
    counts: Mapping[str, int]


def last_run(runtime: Runtime, row: CollectionRow, scope: Scope) -> ConsolidationRun | None:
    """The last run for a collection of a scope; None if there was none. A run with changes stored a
    record; a scheduled one without changes is known as long as its job.
    """
    found = [run for run in (_recorded(runtime, row, scope), _worked(runtime, row, scope)) if run]
    return max(found, key=lambda run: run.at, default=None)


def note_run(runtime: Runtime, row: CollectionRow, scope: Scope, done: Consolidated) -> None:
    """Store the result of a run; the record's history covers all runs."""
    known = runtime.view.records.get([_id(row, scope)])
    now = runtime.clock.now()
    record = Record(
        id=_id(row, scope),
        kind="consolidation",
        scope=scope,
        content=f"{row.name}: {done.before} → {done.after} records, {done.merged} merges",
        data={"collection": row.name, **done.counts},
        source=Source(agent="contextd", operation=row.job),
        status="archived",
        created_at=known[0].created_at if known else now,
        updated_at=now,
        version=known[0].version if known else 0,
    )
    put = Put(record, "update" if known else "create")
    runtime.commit(knowledge=with_vectors(runtime, [put]))


def _id(row: CollectionRow, scope: Scope) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{scope} {row.name}"))


def _recorded(runtime: Runtime, row: CollectionRow, scope: Scope) -> ConsolidationRun | None:
    for record in runtime.view.records.get([_id(row, scope)]):
        return _run(record.updated_at, record.data)
    return None


def _run(at: datetime, counts: Mapping[str, Any]) -> ConsolidationRun:
    return ConsolidationRun(at, {name: int(counts.get(name) or 0) for name in NO_RUN})


NO_RUN = Consolidated().counts
"""The counts before the first run."""


def _worked(runtime: Runtime, row: CollectionRow, scope: Scope) -> ConsolidationRun | None:
    for job in runtime.view.jobs.list(states=("done",), limit=_JOBS):
        counted = job.name == row.job and job.scope == scope and "items_before" in job.result
        if counted and job.finished_at is not None:
            return _run(job.finished_at, job.result)
    return None
