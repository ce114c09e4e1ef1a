"""What happens after a session: import, extract, enrich, distil, hand off. One durable job.

Every step may run again after a crash: events have keys, records have ids of their own, and
project.yaml only takes what it does not have.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contextd.code.git.program import blobs, branch, head
from contextd.code.project.project_yaml import ModuleLearning, enrich
from contextd.domain.documents import message_documents
from contextd.domain.errors import NotFound
from contextd.domain.records import Anchor
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.governance.judgement import repeats
from contextd.governance.redact import redact
from contextd.interop.clients import client_named
from contextd.interop.importers import IMPORTERS, Importer, importer_for
from contextd.jobs.table import Task
from contextd.runtime import Runtime
from contextd.sessions.distil import Item, distil
from contextd.sessions.enrich import Place, additions
from contextd.sessions.extract import Finding, extract
from contextd.sessions.track import fold
from contextd.steps.handoff import write_context_md
from contextd.steps.model import project_model
from contextd.steps.scanning import queue_embedding
from contextd.steps.writing import Saved, save_new

ENRICH_FROM = 0.6
"""How sure a finding must be to go into project.yaml, which people read and commit."""

_NAMESPACE = uuid.UUID("6f3f6f0e-6a53-5d4c-9d1e-0c0f3a1b7c55")


def learn_session(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Learn from a session that ended: discoveries, memories, project.yaml and CONTEXT.md."""
    session = runtime.view.sessions.get(str(task.arguments["session_id"]))
    if session is None:
        return {"skipped": "the session is gone"}
    imported = import_transcript(runtime, session, task)
    session = runtime.view.sessions.get(session.id) or session
    events = runtime.view.sessions.events(session.id)
    change = fold(session, events)
    if change is not None:
        done = runtime.commit(sessions=[change])
        session = done.sessions.get(session.id, session)
    task.hold.keep({"imported": imported})
    findings = extract(events, limit=runtime.settings.number("sessions.discoveries"))
    learned: list[Saved] = []
    for finding in findings:
        task.hold.check()
        learned.append(_keep_finding(runtime, session, finding))
    task.hold.keep({"imported": imported, "discoveries": len(findings)})
    changes = enrich_model(runtime, session, findings)
    items = distil(session, events, findings, session.outcome)
    for item in items:
        task.hold.check()
        learned.append(_keep_item(runtime, session, item))
    task.hold.check()
    index_messages(runtime, session, events)
    added = [saved for saved in learned if saved.outcome in ("added", "inbox")]
    # Not completed when its client resumed it while it was learned from: the store looks.
    ending = SessionChange(id=session.id, completed=True, counts={"learned": len(added)})
    runtime.commit(sessions=[ending])
    write_context_md(runtime)
    return {
        "imported": imported,
        "learned": len(added),
        "known_before": sum(saved.outcome == "duplicate" for saved in learned),
        "rejected": [saved.reason for saved in learned if saved.outcome == "rejected"],
        "project_yaml": changes,
    }


def import_transcript(runtime: Runtime, session: Session, task: Task) -> dict[str, int]:
    """Read what is new in the client's transcript into the session's events."""
    path = Path(str(session.data.get("transcript", "")))
    importer = _importer(session, path) if path.is_file() else None
    if importer is None:
        return {}
    offset = int(session.data.get("transcript_offset", 0))
    counts: Counter[str] = Counter()
    while True:
        batch = importer.read(path, offset, redact=lambda text: _clean(runtime, text))
        offset = batch.next_offset
        task.hold.check()
        change = SessionChange(
            id=session.id, events=batch.events, data={"transcript_offset": offset}
        )
        done = runtime.commit(sessions=[change])
        counts.update(batch.counts)
        counts["new"] += len(done.events.get(session.id, ()))
        if batch.done:
            return dict(counts)


def _importer(session: Session, path: Path) -> Importer | None:
    """What reads the transcripts of the session's client; None where nothing does: then what the hooks
    saw is learned from.
    """
    try:
        name = client_named(session.client).transcripts
    except NotFound:
        return importer_for(path)
    return IMPORTERS.get(name)


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
    if runtime.checkout is None:
        return Anchor(session.commit, session.branch)
    here = branch(runtime.root) == session.branch
    commit = (head(runtime.root) if here else "") or session.commit
    return Anchor(commit, session.branch, blobs(runtime.root, files) if files else {})


def enrich_model(runtime: Runtime, session: Session, findings: Sequence[Finding]) -> list[str]:
    """Add what was found to the modules of project.yaml. Returns the changes in words."""
    model = project_model(runtime)
    if model is None or not findings or runtime.checkout is None:
        return []
    places = [
        Place(module.name, (*module.paths, *(f.path for f in module.key_files)), module.description)
        for module in model.modules.values()
    ]
    sure = [finding for finding in findings if finding.confidence >= ENRICH_FROM]
    extra = additions(sure, places, session_id=session.id, now=runtime.clock.now())
    entries = [
        ModuleLearning(
            module=one.module,
            section=one.section,
            text=one.text,
            solution=one.solution,
            session_id=one.session_id,
            discovered_at=one.discovered_at,
        )
        for one in extra
    ]
    path = runtime.checkout.project_yaml
    if not entries:
        return []
    return enrich(
        path,
        entries,
        same=repeats,
        now=runtime.clock.now(),
        scrub=lambda text: _clean(runtime, text)[0],
    )


def index_messages(runtime: Runtime, session: Session, events: Sequence[Event]) -> None:
    """Make a session's messages searchable: by words now, by meaning in the background."""
    messages = [event for event in events if event.type == "message"]
    documents = message_documents(session.scope, session.id, messages)
    if documents:
        runtime.commit(documents=documents, model=runtime.embedder.model)
        queue_embedding(runtime)
