"""Repair or rebuild derived data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from contextd.codebase.index_documents import documents_behind
from contextd.codebase.scanning import scan_project
from contextd.domain.changes import CodeChange, KnowledgeChanges
from contextd.domain.documents import code_documents, message_documents, record_document
from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.domain.scope import Scope
from contextd.domain.upkeep import Ages, Balance, Repair
from contextd.jobs.table import Task
from contextd.knowledge.embedding import queue_embedding
from contextd.ports.upkeep import Upkeep
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Corrupt, Unavailable

_AT_ONCE = 2_000
"""Rows repaired per commit: some tenths of a second without other writers."""

_MOST_SESSIONS = 100_000


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What was rebuilt."""

    records: int
    messages: int
    files: int
    pending: int

    def as_text(self) -> str:
        """Counts in a sentence."""
        return (
            f"rebuilt: {self.records} records, {self.messages} messages, {self.files} files; "
            f"{self.pending} awaiting vectors"
        )


@operation("POST /api/reindex", effect="write", audience="owner", idempotent=True, needs="upkeep")
@in_steps
def reindex(runtime: Runtime) -> Reindexed:
    """Rebuild all derived data: words, vectors, the code index."""
    runtime.sinks.settle()
    _drop_misfits(runtime)
    records = messages = files = pending = 0
    done: set[Scope] = set()
    projects, everywhere = runtime.projects(), runtime.everywhere()
    joined = {scope for project in projects for scope in project.parts}
    for project in projects:
        there = runtime.standing_in(project)
        for scope in project.cascade:
            if scope not in done:
                done.add(scope)
                # A part may write nothing wider than itself.
                records += _records_anew(everywhere, scope)
        messages += _messages_anew(there)
        # The code of a joined project is indexed for the project that its checkouts write to.
        if project.scope not in joined:
            files += _files_anew(there)
        queue_embedding(there)
        pending += there.view.index.stats(runtime.embedder.model).pending
    return Reindexed(records, messages, files, pending)


def _files_anew(runtime: Runtime) -> int:
    """Rebuild the code index of a project, from its checkout if it has one; return the number of its files."""
    if runtime.checkout is None:
        return _code_anew(runtime)
    return scan_project(runtime, incremental=False).files


def _drop_misfits(runtime: Runtime) -> None:
    """Delete vectors of another length than the model's: another model had the same name."""
    assert runtime.upkeep is not None
    if runtime.embedder.model:
        with suppress(Unavailable):
            dimensions = runtime.embedder.embed(["how long is a vector"]).shape[1]
            runtime.upkeep.drop_vectors(runtime.embedder.model, dimensions)


def _records_anew(runtime: Runtime, scope: Scope) -> int:
    """Rebuild the index of a scope's records; return their number."""
    assert runtime.upkeep is not None
    runtime.upkeep.rebuild(scope)
    query = Query(scopes=frozenset({scope}), statuses=STATUSES, limit=_AT_ONCE)
    count = 0
    for page in runtime.pages(query):
        documents = [record_document(record) for record in page]
        if documents:
            runtime.commit(knowledge=KnowledgeChanges(documents=documents))
        count += len(documents)
    return count


def _messages_anew(runtime: Runtime) -> int:
    """Rebuild the index of the project's messages; return their number."""
    view, count = runtime.view, 0
    for session in view.sessions.find(frozenset({runtime.scope}), limit=_MOST_SESSIONS):
        events = view.sessions.events(session.id, types=("message",))
        documents = message_documents(session.scope, session.id, events)
        if documents:
            runtime.commit(knowledge=KnowledgeChanges(documents=documents))
        count += len(documents)
    return count


def _code_anew(runtime: Runtime) -> int:
    """Rebuild the index of the project's stored code; return the number of files."""
    files = runtime.view.files
    if files is None:
        return 0
    paths = list(files.of(runtime.scope).stamps())
    for start in range(0, len(paths), _AT_ONCE):
        some = files.of(runtime.scope).get(paths[start : start + _AT_ONCE])
        documents = [one for file in some for one in code_documents(runtime.scope, file)]
        runtime.commit(knowledge=KnowledgeChanges(documents=documents))
    return len(paths)


def mend_index(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Repair inconsistencies of a project: missing or obsolete documents, incomplete files, wrong event
    counts.
    """
    upkeep, scope = runtime.upkeep, task.scope
    if upkeep is None or scope is None:
        return {}
    balance = upkeep.balance([scope])
    mended, found = 0, [text for one in balance for text in one.problems]
    if runtime.scope == scope and any(map(_mostly_gone, balance)):
        # An upgrade may empty the index, and no count shows which messages are missing.
        mended += _messages_anew(runtime)
    before = Repair()
    while True:
        task.hold.check()
        repair = upkeep.unbalanced(scope, _AT_ONCE)
        if repair.is_empty or repair == before:
            break
        _mend(runtime, upkeep, scope, repair, task.hold.check)
        mended += len(repair.missing) + len(repair.surplus)
        mended += len(repair.files) + len(repair.sessions)
        before = repair
    anew = not repair.is_empty or _problems(upkeep, scope)
    if anew:
        _all_anew(runtime, scope, task.hold.check)
    if mended or anew:
        queue_embedding(runtime)
    if problems := _problems(upkeep, scope):
        raise Corrupt("; ".join(problems), "restore a backup: rebuilding the index changed nothing")
    return {"mended": mended, "made_anew": bool(anew), "found": found}


def _mostly_gone(balance: Balance) -> bool:
    indexed = balance.record_documents + balance.code_documents
    return 2 * indexed < balance.records + balance.chunks


def _problems(upkeep: Upkeep, scope: Scope) -> list[str]:
    return [text for one in upkeep.balance([scope]) for text in one.problems]


def _all_anew(runtime: Runtime, scope: Scope, check: Callable[[], None]) -> None:
    """Rebuild the index of a scope from the stored data, because the wrong rows cannot be identified."""
    _records_anew(runtime, scope)
    check()
    if runtime.scope == scope:
        _messages_anew(runtime)
        check()
        _code_anew(runtime)


def _mend(
    runtime: Runtime, upkeep: Upkeep, scope: Scope, repair: Repair, check: Callable[[], None]
) -> None:
    documents = documents_behind(runtime, repair.missing)
    there = {document.id for document in documents}
    # A document without a source is obsolete, even if its words are missing.
    orphan_ids = [one.id for one in repair.surplus]
    orphan_ids += [one.id for one in repair.missing if one.id not in there]
    half = [CodeChange(scope=scope, remove=repair.files)] if repair.files else []
    runtime.commit(
        knowledge=KnowledgeChanges(
            documents=documents, forget={scope: orphan_ids} if orphan_ids else {}
        ),
        code=half,
    )
    if repair.files and runtime.checkout is not None:
        scan_project(runtime, check=check)
    if repair.sessions:
        upkeep.recount_sessions(scope, repair.sessions)


def retire_old_rows(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Delete rows older than the retention settings allow; daily."""
    upkeep = runtime.upkeep
    if upkeep is None:
        return {}
    ages = Ages(
        jobs=_before(runtime, "retention.jobs_days"),
        events=_before(runtime, "retention.events_days"),
        changes=_before(runtime, "retention.history_days"),
        handed_out=_before(runtime, "retention.handed_out_days"),
        calls=_before(runtime, "retention.answers_days"),
        originals=_before(runtime, "retention.originals_days"),
    )
    return upkeep.retire(ages)


def _before(runtime: Runtime, setting: str) -> datetime | None:
    days = runtime.settings.number(setting)
    return runtime.clock.now() - timedelta(days=days) if days else None
