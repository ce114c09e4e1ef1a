"""Looking after a store: status, health, history, backup, rebuilding what is derived."""

from __future__ import annotations

import os
import platform
import shutil
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from contextd import __version__
from contextd.domain.documents import message_documents, record_document
from contextd.domain.errors import ContextdError, Invalid
from contextd.domain.kinds import KINDS
from contextd.domain.query import Query
from contextd.domain.records import STATUSES, Change, Record
from contextd.domain.time import iso
from contextd.operations.core import FilePath, operation
from contextd.operations.embedding import embedding_rate
from contextd.steps.finding import find_records, resolve
from contextd.operations.hooks import Current
from contextd.operations.location import ORGANISATION
from contextd.operations.network import network_findings
from contextd.operations.scanning import queue_embedding, scan_project
from contextd.steps.location import ORGANISATION
from contextd.steps.scanning import queue_embedding, scan_project
from contextd.operations.schema_files import schema_health
from contextd.operations.tracking import connected_session
from contextd.steps.writing import change, save_new
from contextd.runtime import Runtime

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Status:
    """How contextd stands in this project."""

    version: str
    home: str
    project: str
    records: dict[str, int]
    indexed: int
    vectors: int
    pending: int
    files: int
    active_sessions: int
    jobs: dict[str, int]
    problems: list[str] = field(default_factory=list[str])
    percent: int = 100
    per_second: float = 0.0
    seconds_left: int | None = None

    def as_text(self) -> str:
        """A line per fact."""
        known = (
            ", ".join(f"{n} {kind}" for kind, n in sorted(self.records.items())) or "nothing yet"
        )
        rate = f" ({self.per_second:.0f} a second" if self.pending and self.per_second else ""
        rate += (
            f", about {max(1, round(self.seconds_left / 60))} min left)"
            if rate and self.seconds_left is not None
            else ""
        )
        lines = [
            f"contextd {self.version}",
            f"Project: {self.project or 'none here'}",
            f"Known: {known}",
            f"Code: {self.files} files",
            f"Index: {self.indexed} texts, {self.percent}% with vectors, {self.pending} waiting{rate}",
            f"Sessions: {self.active_sessions} active",
        ]
        if self.jobs:
            lines.append("Jobs: " + ", ".join(f"{n} {state}" for state, n in self.jobs.items()))
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


@operation("GET /api/status", audience="owner")
def status(runtime: Runtime) -> Status:
    """Show what is stored and indexed, and what is running."""
    store = runtime.store
    stats = store.index.stats(runtime.embedder.model)
    jobs: dict[str, int] = {}
    for item in store.jobs.list(limit=200):
        jobs[item.state] = jobs.get(item.state, 0) + 1
    failed = [
        f"job {j.name} failed: {j.error}" for j in store.jobs.list(states=("failed",), limit=5)
    ]
    rate = embedding_rate(runtime)
    here = runtime.project is not None
    scopes = frozenset({runtime.scope}) if here else frozenset()
    return Status(
        version=__version__,
        home=str(runtime.settings.home),
        project=str(runtime.scope) if here else "",
        records=store.records.count(runtime.query(*KINDS)) if here else {},
        indexed=stats.documents,
        vectors=stats.vectors,
        pending=stats.pending,
        files=len(store.files.stamps(runtime.scope)) if here else 0,
        active_sessions=len(store.sessions.find(scopes, statuses=("active",))) if here else 0,
        jobs=jobs,
        problems=failed,
        percent=100 * stats.vectors // stats.documents if stats.documents else 100,
        per_second=round(rate, 1),
        seconds_left=round(stats.pending / rate) if rate else None,
    )


@dataclass(frozen=True, slots=True)
class Check:
    """One thing doctor tried. `complete` is false when a part of it could not be looked at; `ok` then
    speaks of the rest.
    """

    name: str
    ok: bool
    detail: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Health:
    """Every check and whether all passed."""

    ok: bool
    checks: list[Check]

    def as_text(self) -> str:
        """A ✓ or ✗ per check, a ? for one that was not complete."""
        return "\n".join(f"{_mark(c)} {c.name}: {c.detail}" for c in self.checks)


def _mark(check: Check) -> str:
    if not check.ok:
        return "✗"
    return "✓" if check.complete else "?"


@operation("GET /api/doctor", audience="owner")
def doctor(runtime: Runtime) -> Health:
    """Check the store, the index, the embedder, the network and capture, by trying them."""
    checks = [
        _try("python", lambda: f"{platform.python_version()} on {platform.system()}"),
        _try("store", lambda: _sound(runtime)),
        _try("embedder", lambda: _embeds(runtime)),
        network(),
        _try("disk", lambda: _room(runtime)),
        _try("schema", lambda: schema_health(runtime)),
    ]
    if runtime.project is not None:
        checks.append(_try("canary", lambda: canary(runtime)))
        checks.append(_try("capture", lambda: _captures(runtime)))
    return Health(all(check.ok for check in checks), checks)


def canary(runtime: Runtime) -> str:
    """Write, recall and delete a record through the real path. Raises when a step fails."""
    word = f"canary{uuid.uuid4().hex[:12]}"
    saved = save_new(
        runtime, "context", content=f"{word} checks that memory works", tags=["canary"], gate=False
    ).record
    try:
        found = find_records(runtime, word, ("context",), limit=3)
        if saved.id not in [hit.record.id for hit in found.hits]:
            raise Invalid("a record just written was not found", "run `contextd reindex`")
    finally:
        change(runtime, saved.with_(status="deleted"), action="delete", reason="canary")
    again = find_records(runtime, word, ("context",), limit=3)
    if saved.id in [hit.record.id for hit in again.hits]:
        raise Invalid("a deleted record is still found", "run `contextd reindex`")
    return "written, recalled and deleted"


def _try(name: str, probe: Any) -> Check:
    try:
        return Check(name, True, probe())
    except ContextdError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return Check(name, False, error.message + hint)


def _sound(runtime: Runtime) -> str:
    problems = runtime.view.check()
    if problems:
        raise Invalid("; ".join(problems), "run `contextd reindex`, or `contextd restore` a backup")
    stats = runtime.view.index.stats(runtime.embedder.model)
    return f"sound; {stats.documents} texts indexed, {stats.pending} waiting for vectors"


def _embeds(runtime: Runtime) -> str:
    if not runtime.embedder.model:
        return "none chosen: search goes by words only"
    shape = runtime.embedder.embed(["does it work"]).shape
    return f"{runtime.embedder.model} makes vectors of {shape[1]} dimensions"


def _room(runtime: Runtime) -> str:
    free = shutil.disk_usage(runtime.settings.home).free
    if free < 200_000_000:
        raise Invalid(f"only {free // 1_000_000} MB free", "make room: writes will fail soon")
    return f"{free // 1_000_000_000} GB free"


def network() -> Check:
    """Whether anything in this process could report to somebody, by looking."""
    findings = network_findings()
    return Check(
        "network",
        all(finding.ok is not False for finding in findings),
        f"process {os.getpid()}: " + "; ".join(finding.text for finding in findings),
        all(finding.ok is not None for finding in findings),
    )


def _captures(runtime: Runtime) -> str:
    found = runtime.view.sessions.find(
        frozenset({runtime.scope}), statuses=("completed", "archived")
    )
    recent = [s for s in found if s.data.get("hooked")][:3]
    if not recent:
        return "no session was captured by hooks yet"
    if len(recent) == 3 and not any(
        runtime.view.sessions.events(s.id, types=("message",), limit=1) for s in recent
    ):
        raise Invalid("the last 3 sessions captured nothing", "run `contextd install claude-code`")
    return f"the last {len(recent)} sessions were captured"


@dataclass(frozen=True, slots=True)
class BackedUp:
    """Where a backup was written."""

    path: str
    bytes: int


@operation("POST /api/backup", effect="write", audience="owner")
def backup(runtime: Runtime, path: FilePath = "") -> BackedUp:
    """Write a consistent copy of the store while it goes on working.

    Args:
        path: The file to write; one with the time in its name, in the home, when empty.
    """
    stamp = runtime.clock.now().strftime("%Y%m%dT%H%M%SZ")
    default = runtime.settings.home / "backups" / f"{ORGANISATION}-{stamp}.db"
    target = Path(path).expanduser() if path else default
    if target.exists():
        raise Invalid(f"{target} exists", "choose another name; a backup never overwrites")
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    runtime.view.backup(target)
    return BackedUp(str(target), target.stat().st_size)


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What was rebuilt."""

    records: int
    messages: int
    files: int
    pending: int

    def as_text(self) -> str:
        """Counts in a sentence."""
        return f"rebuilt: {self.records} records, {self.messages} messages, {self.files} files; {self.pending} wait for vectors"


@operation("POST /api/reindex", effect="write", audience="owner", idempotent=True)
def reindex(runtime: Runtime) -> Reindexed:
    """Rebuild everything derived: words, vectors, the code index."""
    store, model = runtime.store, runtime.embedder.model
    projects = store.projects.all()
    records = messages = files = 0
    store.index.clear()
    for project in projects:
        records += _reindex_records(runtime, project.scope.cascade)
        for session in store.sessions.find(frozenset({project.scope}), limit=100_000):
            events = [
                e for e in store.sessions.events(session.id, types=("message",)) if e.text.strip()
            ]
            store.index.put(message_documents(session.scope, session.id, events), {}, model)
            messages += len(events)
        roots = [Path(root) for root in project.roots if Path(root).is_dir()]
        if roots:
            there = replace(runtime, project=project, root=roots[-1])
            files += scan_project(there, incremental=False).files
    store.index.refresh()
    queue_embedding(runtime)
    return Reindexed(records, messages, files, store.index.stats(model).pending)


def _reindex_records(runtime: Runtime, scopes: Any) -> int:
    store, count, cursor = runtime.store, 0, ""
    while True:
        page = store.records.find(
            Query(scopes=frozenset(scopes), statuses=STATUSES, limit=_PAGE, cursor=cursor)
        )
        documents = [record_document(record) for record in page.records]
        store.index.put(documents, {}, runtime.embedder.model)
        count, cursor = count + len(documents), page.cursor
        if not cursor:
            return count


@operation("GET /api/sessions/current", audience="system")
def session_current(runtime: Runtime) -> Current:
    """Show the session of this connection."""
    session = connected_session(runtime)
    if session is None and runtime.project is not None:
        found = runtime.view.sessions.find(
            frozenset({runtime.scope}), statuses=("active",), limit=1
        )
        session = found[0] if found else None
    if session is None:
        return Current(None)
    return Current(
        {
            "id": session.id,
            "client": session.client,
            "task": session.task,
            "started_at": iso(session.started_at),
            "topics": list(session.topics),
            "files": [{"path": f.path, "count": f.count} for f in session.files],
            "tool_calls": session.tool_calls,
            "tokens_served": session.tokens_served,
        }
    )


