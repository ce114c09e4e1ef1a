"""Scanning a project: files into the index, facts into project.yaml."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contextd.code.architecture import architecture, project_type
from contextd.code.modules import modules as find_modules
from contextd.code.project_model import KeyFile
from contextd.code.project_yaml import ModuleFacts, ProjectFacts, merge_scan
from contextd.code.scan import ScanReport, documents, scan
from contextd.code.stack import detect
from contextd.code.walk import Walk, walk
from contextd.domain.documents import event_id, message_documents, record_document
from contextd.domain.query import CODE, EVENT, Document
from contextd.governance.redact import redact
from contextd.operations.background import Task, job
from contextd.operations.core import operation
from contextd.operations.handoff import write_context_md
from contextd.operations.writing import embed_documents
from contextd.runtime import Runtime

_BATCH = 16
_SLICE_SECONDS = 2.0
_FILES_AT_ONCE = 250

Progress = Callable[[str, int, int], None]
"""Told (what, done, of how many) as work goes on."""


def scan_project(
    runtime: Runtime,
    *,
    below: str = "",
    incremental: bool = True,
    walked: Walk | None = None,
    progress: Progress | None = None,
) -> ScanReport:
    """Bring files and lexical index up to date; vectors follow in the background.

    Some files and their documents are one transaction: after a crash a file is either known and
    indexed, or looked at again; and no other writer waits for long.
    """
    store, scope, model = runtime.store, runtime.scope, runtime.embedder.model
    report = scan(
        runtime.checkout,
        store.files,
        scope,
        walked=walked,
        below=below,
        incremental=incremental,
        progress=progress,
        redact=lambda text: redact(text, runtime.redaction_key).text,
    )
    if report.removed or report.stale_chunks:
        with store.transaction():
            store.files.remove(scope, report.removed)
            store.index.delete(report.stale_chunks)
    for start in range(0, len(report.changed), _FILES_AT_ONCE):
        some = report.changed[start : start + _FILES_AT_ONCE]
        docs = [d for f in some if f.path not in report.same_text for d in documents(scope, f)]
        with store.transaction():
            store.files.put(scope, some)
            store.index.put(docs, {}, model)
    if report.changed or report.removed:
        store.index.refresh()
        queue_embedding(runtime)
    return report


def queue_embedding(runtime: Runtime) -> str:
    """Have what is pending embedded in the background. Returns the job's id."""
    if not runtime.embedder.model:
        return ""
    queued = runtime.store.jobs.enqueue(
        "embed_pending", {"project": str(runtime.scope)}, unique_key=f"embed:{runtime.scope}"
    )
    runtime.sinks.wake()
    return queued


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
        gone = {id for _, id in pending} - {document.id for document in found}
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


def hydrate_documents(runtime: Runtime, wanted: Sequence[tuple[str, str]]) -> list[Document]:
    """The documents behind (kind, id) pairs, made from canonical data; gone ones are left out."""
    store = runtime.store
    chunk_ids = [id for kind, id in wanted if kind == CODE]
    record_ids = [id for kind, id in wanted if kind not in (CODE, EVENT)]
    found = [record_document(record) for record in store.records.get(record_ids)]
    paths = dict.fromkeys(chunk.path for chunk in store.files.chunks(chunk_ids))
    for path in paths:
        file = store.files.get(runtime.scope, path)
        if file is not None:
            found += [d for d in documents(runtime.scope, file) if d.id in set(chunk_ids)]
    sessions = dict.fromkeys(id.partition("#")[0] for kind, id in wanted if kind == EVENT)
    asked = {id for kind, id in wanted if kind == EVENT}
    for session_id in sessions:
        session = store.sessions.get(session_id)
        if session is not None:
            messages = store.sessions.events(session_id, types=("message",))
            docs = message_documents(session.scope, session_id, messages)
            found += [d for d in docs if d.id in asked]
    return found


def message_hits(runtime: Runtime, ids: Sequence[str]) -> dict[str, Any]:
    """Messages by their index id."""
    found: dict[str, Any] = {}
    for id in ids:
        session_id, _, seq = id.partition("#")
        events = runtime.store.sessions.events(session_id, after=int(seq) - 1, limit=1)
        if events and event_id(session_id, events[0].seq) == id:
            found[id] = events[0]
    return found


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` found and wrote."""

    project: str
    name: str
    type: str
    stack: list[str]
    runtime: str
    package_manager: str
    architecture: str
    reason: str
    modules: list[str]
    files: int
    code_files: int
    changed: int
    skipped: list[str]
    written: list[str]
    pending: int
    changes: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The ✓ lines, and what to do next."""
        found = " + ".join(self.stack[:6]) or "no known framework"
        lines = [
            f"✓ Scanned {self.files} files ({self.code_files} parsed)",
            f"✓ Detected: {found}",
        ]
        tools = ", ".join(part for part in (self.runtime, self.package_manager) if part)
        lines += [f"✓ Runtime: {tools}"] if tools else []
        lines.append(f"✓ {self.type}, {self.architecture}: {self.reason}")
        named = ", ".join(self.modules[:12]) + (" …" if len(self.modules) > 12 else "")
        count = len(self.modules)
        lines.append(
            f"✓ Found {count} module{'s' * (count != 1)}: {named}"
            if count
            else "✓ No modules found"
        )
        lines += [f"✓ Wrote {path}" for path in self.written] or ["✓ project.yaml is up to date"]
        dense = f"; {self.pending} get vectors in the background" if self.pending else ""
        lines.append(f"✓ Searchable now: {self.changed} files indexed{dense}")
        if self.skipped:
            shown = "; ".join(self.skipped[:5])
            more = f" and {len(self.skipped) - 5} more" if len(self.skipped) > 5 else ""
            lines.append(f"! Skipped: {shown}{more}")
        lines.append(
            "✓ Context initialised. Next: `contextd install claude-code` connects an agent."
        )
        return "\n".join(lines)


@operation("POST /api/init", effect="write", audience="owner", idempotent=True)
def init(runtime: Runtime) -> Initialised:
    """Scan the repository, write .context/project.yaml and CONTEXT.md, and index the code.

    A second run merges: comments, hand edits and learned knowledge stay.
    """
    return initialise(runtime)


@operation("POST /api/scan", effect="write", audience="owner", idempotent=True)
def scan_(runtime: Runtime) -> Initialised:
    """Scan again and bring project.yaml and the index up to date."""
    return initialise(runtime)


def initialise(runtime: Runtime, progress: Progress | None = None) -> Initialised:
    """Scan, model and index the checkout."""
    root = runtime.checkout
    walked = walk(root)
    report = scan_project(runtime, walked=walked, progress=progress)
    facts, reason = project_facts(runtime, walked)
    yaml_path = root / ".context" / "project.yaml"
    merged = merge_scan(yaml_path, facts, now=runtime.clock.now())
    written = [".context/project.yaml"] if merged.changed else []
    if write_context_md(runtime):
        written.append(".context/CONTEXT.md")
    stats = runtime.store.index.stats(runtime.embedder.model)
    files = runtime.store.files.all(runtime.scope)
    return Initialised(
        project=str(runtime.scope),
        name=facts.name,
        type=facts.type,
        stack=list(facts.stack),
        runtime=facts.runtime,
        package_manager=facts.package_manager,
        architecture=facts.pattern,
        reason=reason,
        modules=[module.name for module in facts.modules],
        files=len(walked.files),
        code_files=sum(1 for file in files if file.symbols or file.imports),
        changed=len(report.changed),
        skipped=[f"{path} ({why})" for path, why in report.skipped],
        written=written,
        pending=stats.pending,
        changes=list(merged.lines),
    )


def project_facts(runtime: Runtime, walked: Walk) -> tuple[ProjectFacts, str]:
    """What a scan says of the project, and the reason for its architecture."""
    root = runtime.checkout
    paths = [file.path for file in walked.files]

    def text_of(path: str) -> str:
        try:
            return (root / path).read_text("utf-8", errors="replace")
        except OSError:
            return ""

    stack = detect(root, paths, text_of)
    kind, shape = project_type(paths, stack), architecture(paths, stack)
    files = runtime.store.files.all(runtime.scope)
    modules = [
        ModuleFacts(
            name=module.name,
            description=module.description,
            key_files=tuple(KeyFile(file.path, file.role) for file in module.key_files),
            dependencies=tuple(module.dependencies),
        )
        for module in find_modules(files)
    ]
    facts = ProjectFacts(
        name=runtime.project.name if runtime.project else root.name,
        id=_own_id(runtime),
        type=kind.value,
        stack=tuple(stack.labels),
        runtime=stack.runtime,
        package_manager=stack.package_manager,
        pattern=shape.value,
        description=shape.reason,
        modules=tuple(modules),
    )
    return facts, f"{kind.reason} {shape.reason}"


def _own_id(runtime: Runtime) -> str:
    """The id project.yaml keeps where there is no git to tell one project from another."""
    identity = runtime.project.identity if runtime.project else ""
    if identity.startswith("id:"):
        return identity.removeprefix("id:")
    return str(uuid.uuid4()) if identity.startswith("path:") else ""
