"""Update the code index and the vectors, on demand and in the background."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from contextd.codebase.freshness import refreshed
from contextd.codebase.index_documents import documents_behind
from contextd.codebase.scanning import scan_project
from contextd.codebase.symbol_weights import keep_weights
from contextd.domain.changes import CodeChange, KnowledgeChanges
from contextd.domain.scope import Scope
from contextd.jobs.table import Task
from contextd.knowledge.embedding import embed_documents, queue_embedding
from contextd.redaction.cutting import quoted
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound

_BATCH = 16
"""Texts embedded in one batch: larger ones cost more in memory than they gain in the model."""

_SLICE_SECONDS = 2.0
"""Seconds that one job embeds before other jobs of its lane get their turn."""

_AGAIN = timedelta(minutes=15)
"""Seconds after which an embedder that returned nothing is tried again."""


@dataclass(frozen=True, slots=True)
class Indexing:
    """The result of a scan."""

    job_id: str
    files: int
    changed: int
    pending: int

    def as_text(self) -> str:
        """Counts in a sentence."""
        dense = f"; {self.pending} pieces get vectors in the background" if self.pending else ""
        return f"{self.files} files known, {self.changed} changed and indexed{dense}"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # A name that is too long raises another error than a missing file; both mean "no such file".
        return False


@operation(
    "POST /api/code/index", effect="write", profile="standard", idempotent=True, needs="checkout"
)
@in_steps
def codebase_index(runtime: Runtime, path: str | None = None, incremental: bool = True) -> Indexing:
    """Bring the code index up to date after many files changed.

    Args:
        path: Only below this folder; everything when empty.
        incremental: Only read changed files.
    """
    below = path.strip("/") if path else ""
    if below and not _exists(runtime.root / below):
        raise NotFound(f"{quoted(path, 200)} does not exist here", "give a folder of the project")
    report = scan_project(runtime, below=below, incremental=incremental)
    keep_weights(runtime)
    job = queue_embedding(runtime)
    stats = runtime.view.index.stats(runtime.embedder.model)
    runtime.trace.wrote([], type="code", action="update")
    changed = report.put + len(report.removed)
    return Indexing(job, report.files, changed, stats.pending)


def refresh_index(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Bring the code index up to date with a checkout in which many files changed."""
    root = Path(str(task.arguments.get("root", "")))
    project = runtime.project
    if project is None or str(root) not in project.roots or not root.is_dir():
        return {"skipped": "the checkout is gone"}
    report = refreshed(runtime.standing_in(project, root), task.hold.check)
    return {"changed": report.changed_count, "removed": len(report.removed)}


def drop_lost_checkouts(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Drop the code index of a checkout whose folder is gone; daily. The only one stays: its drive may be away."""
    known = runtime.files.checkouts(runtime.scope)
    lost_roots = [one.root for one in known if one.root and not Path(one.root).is_dir()]
    if len(lost_roots) == len(known):
        lost_roots = lost_roots[:-1]
    task.hold.check()
    if lost_roots:
        runtime.commit(code=[CodeChange(scope=runtime.scope, lost_roots=lost_roots)])
    return {"dropped": len(lost_roots)}


def embed_pending(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Embed chunks that have no vector yet: files of open sessions first, then the newest.

    It runs a second or two at a time and queues the rest, so that other jobs get their turn.
    """
    if runtime.embedder.sends_to:
        runtime = runtime.leaving()
    index, model, done = runtime.view.index, runtime.embedder.model, 0
    began = time.monotonic()
    first = _in_use(runtime) if model else []
    while model:
        pending = index.pending(model, _BATCH, first) if first else []
        if not pending:
            first, pending = [], index.pending(model, _BATCH)
        if not pending:
            break
        if time.monotonic() - began > _SLICE_SECONDS:
            queue_embedding(runtime)
            break
        documents = documents_behind(runtime, pending)
        vectors = embed_documents(runtime, documents)
        there = {(document.scope, document.id) for document in documents}
        orphans: dict[Scope, list[str]] = {}
        for one in pending:
            if (one.scope, one.id) not in there:
                orphans.setdefault(one.scope, []).append(one.id)
        if not vectors and not orphans:
            queue_embedding(runtime, after=_AGAIN)
            break
        task.hold.check()
        runtime.commit(knowledge=KnowledgeChanges(vectors=vectors, model=model, forget=orphans))
        done += len({digest for mine in vectors.values() for digest in mine})
    return {"embedded": done, "seconds": round(time.monotonic() - began, 3)}


def _in_use(runtime: Runtime) -> list[str]:
    """The chunks of the files that open sessions work on."""
    working = runtime.sessions(statuses=("active",))
    paths = dict.fromkeys(access.path for session in working for access in session.files)
    files = runtime.code_index.get(list(paths))
    return [chunk.id for file in files for chunk in file.chunks]
