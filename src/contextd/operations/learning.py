"""What happens after a session: import, extract, enrich, distil, hand off. One durable job.

Every step may run again after a crash: events have keys, records have ids of their own, and
project.yaml only takes what it does not have.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from contextd.code.git.program import blobs, branch, head
from contextd.code.project.project_yaml import Addition, enrich
from contextd.domain.documents import message_documents
from contextd.domain.records import Anchor
from contextd.domain.sessions import Event, Session
from contextd.governance.redact import redact
from contextd.interop.importers import importer_for
from contextd.operations.background import Task, job
from contextd.operations.freshness import rest
from contextd.operations.handoff import write_context_md
from contextd.operations.projects import project_model
from contextd.operations.scanning import queue_embedding
from contextd.operations.sessions import close_session
from contextd.operations.tracking import watch_idle
from contextd.operations.writing import Saved, save_new
from contextd.runtime import Runtime
from contextd.sessions.distil import Item, distil
from contextd.sessions.enrich import Place, additions
from contextd.sessions.extract import Finding, extract
from contextd.sessions.track import fold

ENRICH_FROM = 0.6
"""How sure a finding must be to go into project.yaml, which people read and commit."""

_NAMESPACE = uuid.UUID("6f3f6f0e-6a53-5d4c-9d1e-0c0f3a1b7c55")


@job
def learn_session(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Learn from a session that ended: discoveries, memories, project.yaml and CONTEXT.md."""
    session = runtime.store.sessions.get(str(task.arguments["session_id"]))
    if session is None:
        return {"skipped": "the session is gone"}
    imported = import_transcript(runtime, session)
    session = runtime.store.sessions.get(session.id) or session
    events = runtime.store.sessions.events(session.id)
    session = fold(session, events)
    if session.ended_at is not None:
        session = _ended_with(session, events)
    runtime.store.sessions.save(session)
    task.keep({"imported": imported})
    findings = extract(events, limit=runtime.settings.number("sessions.discoveries"))
    learned = [_keep_finding(runtime, session, finding) for finding in findings]
    task.keep({"imported": imported, "discoveries": len(findings)})
    changes = enrich_model(runtime, session, findings)
    items = distil(session, events, findings, session.outcome)
    learned += [_keep_item(runtime, session, item) for item in items]
    index_messages(runtime, session, events)
    added = [saved for saved in learned if saved.outcome in ("added", "inbox")]
    _complete(runtime, session, len(added))
    write_context_md(runtime)
    rest(runtime)
    return {
        "imported": imported,
        "learned": len(added),
        "known_before": sum(saved.outcome == "duplicate" for saved in learned),
        "rejected": [saved.reason for saved in learned if saved.outcome == "rejected"],
        "project_yaml": changes,
    }


def _complete(runtime: Runtime, session: Session, learned: int) -> None:
    """Mark the session completed, unless its client resumed it while it was learned from."""
    latest = runtime.store.sessions.get(session.id) or session
    over = latest.ended_at is not None
    runtime.store.sessions.save(
        latest.with_(
            status="completed" if over else "active",
            data={**latest.data, "learned": learned + int(latest.data.get("learned", 0))},
        )
    )


def _ended_with(session: Session, events: Sequence[Event]) -> Session:
    """The session, over when the last thing happened in it: a transcript may be an old one."""
    happened = [event.at for event in events if event.type != "injection"]
    return session.with_(ended_at=max(happened)) if happened else session


def import_transcript(runtime: Runtime, session: Session) -> dict[str, int]:
    """Read what is new in the client's transcript into the session's events."""
    path = str(session.data.get("transcript", ""))
    if not path or not Path(path).is_file():
        return {}
    importer = importer_for(Path(path))
    offset = int(session.data.get("transcript_offset", 0))
    counts: Counter[str] = Counter()
    while True:
        batch = importer.read(Path(path), offset, redact=lambda text: _clean(runtime, text))
        offset = batch.next_offset
        with runtime.store.transaction():
            new = runtime.store.sessions.append(session.id, batch.events)
            current = runtime.store.sessions.get(session.id) or session
            data = {**current.data, "transcript_offset": offset}
            runtime.store.sessions.save(current.with_(data=data))
        counts.update(batch.counts)
        counts["new"] += len(new)
        if batch.done:
            return dict(counts)


def _clean(runtime: Runtime, text: str) -> tuple[str, int]:
    redacted = redact(text, runtime.redaction_key)
    return redacted.text, len(redacted.findings)


def _keep_finding(runtime: Runtime, session: Session, finding: Finding) -> Saved:
    data = {
        "type": finding.type,
        "module": finding.module,
        "solution": finding.solution,
        "sentence": finding.sentence[:1000],
        "speaker": finding.speaker,
        "file": finding.file,
    }
    return save_new(
        runtime,
        "discovery",
        content=finding.content,
        data={key: value for key, value in data.items() if value},
        source=session.client,
        trust="extracted",
        session=session.id,
        confidence=min(0.5, finding.confidence) if finding.speaker != "user" else 0.6,
        anchor=anchor_of(runtime, session, [finding.file] if finding.file else []),
        ref=finding.event_key,
        id=str(uuid.uuid5(_NAMESPACE, f"{session.id}:{finding.type}:{finding.content}")),
    )


def _keep_item(runtime: Runtime, session: Session, item: Item) -> Saved:
    files = [str(path) for path in item.data.get("affected_files", ())]
    return save_new(
        runtime,
        item.kind,
        title=item.title,
        content=item.content,
        data=item.data,
        tags=item.tags,
        source=session.client,
        trust="extracted",
        session=session.id,
        anchor=anchor_of(runtime, session, files),
        id=str(uuid.uuid5(_NAMESPACE, f"{session.id}:{item.kind}:{item.title}")),
    )


def anchor_of(runtime: Runtime, session: Session, files: Sequence[str]) -> Anchor:
    """Where in git something was learned: where the session ended up, if it is still there."""
    if runtime.root is None:
        return Anchor(session.commit, session.branch)
    here = branch(runtime.root) == session.branch
    commit = (head(runtime.root) if here else "") or session.commit
    return Anchor(commit, session.branch, blobs(runtime.root, files) if files else {})


def enrich_model(runtime: Runtime, session: Session, findings: Sequence[Finding]) -> list[str]:
    """Add what was found to the modules of project.yaml. Returns the changes in words."""
    model = project_model(runtime)
    if model is None or not findings or runtime.root is None:
        return []
    places = [
        Place(module.name, (*module.paths, *(f.path for f in module.key_files)), module.description)
        for module in model.modules.values()
    ]
    sure = [finding for finding in findings if finding.confidence >= ENRICH_FROM]
    extra = additions(sure, places, session_id=session.id, now=runtime.clock.now())
    entries = [
        Addition(
            module=one.module,
            section=one.section,
            text=one.text,
            solution=one.solution,
            session_id=one.session_id,
            discovered_at=one.discovered_at,
        )
        for one in extra
    ]
    path = runtime.root / ".context" / "project.yaml"
    return enrich(path, entries, now=runtime.clock.now()) if entries else []


def index_messages(runtime: Runtime, session: Session, events: Sequence[Event]) -> None:
    """Make a session's messages searchable: by words now, by meaning in the background."""
    messages = [event for event in events if event.type == "message" and event.text.strip()]
    if not messages:
        return
    docs = message_documents(session.scope, session.id, messages)
    runtime.store.index.put(docs, {}, runtime.embedder.model)
    queue_embedding(runtime)


@job
def end_idle_sessions(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """End sessions without activity, and archive completed ones after a week."""
    now, settings = runtime.clock.now(), runtime.settings
    limit = timedelta(minutes=settings.number("sessions.timeout_minutes"))
    sessions = runtime.store.sessions
    scopes = frozenset(project.scope for project in runtime.store.projects.all())
    over = sessions.find(scopes, statuses=("active",), seen_before=now - limit, limit=1000)
    for session in over:
        if session.ended_at is None:
            close_session(runtime, session)
    week = timedelta(days=settings.number("sessions.archive_days"))
    old = sessions.find(scopes, statuses=("completed",), seen_before=now - week, limit=1000)
    for session in old:
        sessions.save(session.with_(status="archived"))
    if sessions.find(scopes, statuses=("active",), limit=1):
        watch_idle(runtime)
    rest(runtime)
    return {"ended": len(over), "archived": len(old)}
