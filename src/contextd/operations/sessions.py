"""A session's life: start, log, checkpoint, resume, end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from contextd.code.git.program import branch, head, repository
from contextd.domain.errors import Invalid
from contextd.domain.records import new_id
from contextd.domain.sessions import Event, Session
from contextd.domain.time import iso
from contextd.domain.tokens import count_tokens
from contextd.governance.redact import redact
from contextd.operations.briefing import brief
from contextd.operations.core import operation
from contextd.operations.finding import resolve
from contextd.operations.handoff import changes_since, sessions_with_work, time_sense
from contextd.operations.projects import in_project
from contextd.operations.tracking import (
    check_daily,
    connected_session,
    ensure_session,
    session_named,
    watch_idle,
)
from contextd.operations.window import quoted_in, take
from contextd.operations.writing import save_new
from contextd.runtime import Runtime
from contextd.sessions.clock import gap_in_words


@dataclass(frozen=True, slots=True)
class Started:
    """A new session and what it starts with."""

    session_id: str
    injected: list[str]
    briefing: str
    tokens: int
    remaining_budget: int
    time: dict[str, Any]
    external_changes: list[str]

    def as_text(self) -> str:
        """The session id and the briefing."""
        return f"session {self.session_id}\n{self.briefing}"


@operation("POST /api/sessions", effect="write", profile="core")
def session_start(
    runtime: Runtime,
    project: str | None = None,
    task_description: str = "",
    budget: int | None = None,
    all_branches: bool = False,
) -> Started:
    """Start a session: returns its id and a briefing for your task. Pass the id to later calls.

    Args:
        project: The project's name; the one you stand in when empty.
        task_description: What you are about to do.
        budget: Tokens the briefing may take at most.
        all_branches: Unmerged branches too.
    """
    if budget is not None and budget < 0:
        raise Invalid(f"budget is {budget}", "choose 0 or more tokens")
    runtime = in_project(runtime, project)
    session = connected_session(runtime)
    if session is None or not session.data.get("hooked"):
        session = open_session(runtime, task=task_description, external_id=new_id())
    elif task_description:
        # The client's hooks follow this session already: it only gets its task.
        task = redact(task_description, runtime.redaction_key).text[:500]
        session = session.with_(task=task)
        runtime.store.sessions.save(session)
    return started(runtime, session, budget, all_branches=all_branches)


def started(
    runtime: Runtime, session: Session, budget: int | None, *, all_branches: bool = False
) -> Started:
    """Brief a session that just began and remember what was injected into it."""
    total = runtime.settings.number("injection.tokens") if budget is None else budget
    room = min(total, runtime.settings.number("briefing.tokens")) if budget is None else total
    packed = brief(
        runtime, budget=room, task=session.task, session=session, all_branches=all_branches
    )
    now = runtime.clock.now()
    event = Event(
        type="injection", key=new_id(), at=now, text=packed.text, data={"records": packed.ids}
    )
    with runtime.store.transaction():
        runtime.store.sessions.append(session.id, [event])
        runtime.store.sessions.save(
            session.with_(
                injected=tuple(dict.fromkeys((*session.injected, *packed.ids))),
                tokens_served=session.tokens_served + packed.tokens,
            )
        )
    runtime.trace.read(packed.ids, type="briefing")
    take(runtime, session, quoted_in(packed.ids, packed.tokens))
    before = [s for s in sessions_with_work(runtime) if s.id != session.id]
    last = before[0] if before else None
    awareness = time_sense(runtime, session, before)
    return Started(
        session_id=session.id,
        injected=packed.ids,
        briefing=packed.text,
        tokens=packed.tokens,
        remaining_budget=max(0, total - packed.tokens),
        time={
            "now": iso(now),
            "last_interaction": iso(last.ended_at or last.last_seen_at) if last else None,
            "gap": gap_in_words(awareness.gap),
            "pattern": awareness.pattern,
            "hint": awareness.hint,
        },
        external_changes=list(changes_since(runtime, last)),
    )


def open_session(
    runtime: Runtime,
    *,
    task: str = "",
    external_id: str = "",
    client: str = "",
    data: Mapping[str, Any] | None = None,
) -> Session:
    """Save a new active session of the project, anchored at the checkout's commit and branch."""
    now = runtime.clock.now()
    repo = repository(runtime.root) if runtime.root else None
    session = Session(
        scope=runtime.scope,
        client=client or runtime.client,
        external_id=external_id,
        cwd=str(runtime.root or ""),
        task=redact(task, runtime.redaction_key).text[:500],
        started_at=now,
        last_seen_at=now,
        commit=head(repo.root) if repo else "",
        branch=branch(repo.root) if repo else "",
        data=dict(data or {}),
    )
    with runtime.store.transaction():
        runtime.store.sessions.save(session)
        watch_idle(runtime)
        check_daily(runtime)
    runtime.sinks.wake()
    return session


@dataclass(frozen=True, slots=True)
class Logged:
    """How much of a session is on record."""

    session_id: str
    events: int
    redacted: int = 0


@operation("POST /api/sessions/{session_id}/log", effect="write", profile="standard")
def session_log(
    runtime: Runtime, session_id: str, role: Literal["user", "assistant"], text: str
) -> Logged:
    """Add a message to the session's record, for clients without hooks. Learning reads it at the end.

    Args:
        session_id: The id session_start gave.
        role: Who said it.
        text: What was said.
    """
    session = session_named(runtime, session_id)
    clean = redact(text, runtime.redaction_key)
    now = runtime.clock.now()
    event = Event(type="message", key=new_id(), at=now, role=role, text=clean.text)
    with runtime.store.transaction():
        added = runtime.store.sessions.append(session.id, [event])
        runtime.store.sessions.save(session.with_(last_seen_at=now))
    return Logged(session.id, added[-1].seq, len(clean.findings))


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """A saved context."""

    checkpoint_id: str
    session_id: str


@operation("POST /api/checkpoints", effect="write", profile="standard")
def session_checkpoint(
    runtime: Runtime, summary: str, tags: list[str] | None = None, session_id: str = ""
) -> Checkpointed:
    """Save where you are, to go on from there later or after a context reset.

    Args:
        summary: What was done, what is open, what comes next.
        tags: Words to filter by.
        session_id: The session; the connection's one when empty.
    """
    session = session_named(runtime, session_id) if session_id else ensure_session(runtime)
    decisions = _decisions(runtime, session)
    saved = save_new(
        runtime,
        "checkpoint",
        title=" ".join(summary.split())[:80],
        content=summary,
        tags=tags,
        data={
            "session_id": session.id,
            "files": [f.path for f in session.files][-20:],
            "decisions": decisions,
            "task": session.task,
        },
        session=session.id,
        gate=False,
    )
    runtime.trace.wrote([saved.record.id], type="checkpoint")
    return Checkpointed(saved.record.id, session.id)


@dataclass(frozen=True, slots=True)
class Resumed:
    """A session that goes on from a checkpoint."""

    session_id: str
    restored_context: str
    checkpoint_id: str = ""
    files: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The restored context."""
        return f"session {self.session_id}\n{self.restored_context}"


@operation("POST /api/checkpoints/{checkpoint_id}/resume", effect="write", profile="standard")
def session_resume(runtime: Runtime, checkpoint_id: str) -> Resumed:
    """Start a session that goes on from a checkpoint: summary, files, decisions since then.

    Args:
        checkpoint_id: The checkpoint's id, or its first characters.
    """
    record = resolve(runtime, checkpoint_id, "checkpoint")
    files = [str(path) for path in record.data.get("files", ())]
    session = open_session(
        runtime,
        task=str(record.data.get("task", "")) or record.title,
        external_id=new_id(),
        data={"resumed_from": record.id},
    )
    lines = ["# Restored from a checkpoint of " + iso(record.created_at), record.content]
    if files:
        lines.append("Files then in use: " + ", ".join(files))
    decisions = [*record.data.get("decisions", ()), *_decisions(runtime, session, record)]
    if decisions:
        lines += ["Decisions:", *(f"- {decision}" for decision in dict.fromkeys(decisions))]
    runtime.trace.read([record.id], type="checkpoint")
    text = "\n".join(lines)
    take(runtime, session, quoted_in([record.id], count_tokens(text)))
    return Resumed(session.id, text, record.id, files)


@dataclass(frozen=True, slots=True)
class Ended:
    """A session that is over; learning from it runs in the background."""

    session_id: str
    memories_extracted: int
    job_id: str = ""
    note: str = ""

    def as_text(self) -> str:
        """What happens now."""
        return f"session {self.session_id} ended. {self.note}"


_ASK = (
    "If it taught something that rules cannot see, record up to three lessons with memory_record: "
    "title, when to use it and when not, one to three sentences."
)


@operation("POST /api/sessions/end", effect="write", profile="core")
def session_end(
    runtime: Runtime,
    session_id: str = "",
    outcome: Literal["success", "failure", "partial"] | None = None,
    distill: bool = True,
) -> Ended:
    """End the session; contextd learns from it in the background.

    Args:
        session_id: The id session_start gave; the connection's session when empty.
        outcome: How the task went.
        distill: Whether to learn from it.
    """
    session = session_named(runtime, session_id) if session_id else connected_session(runtime)
    if session is None:
        raise Invalid("there is no session to end", "pass the session_id session_start gave")
    runtime.caller.require("write", session.scope)
    job = close_session(runtime, session, outcome=outcome or "", learn=distill)
    count = len([r for r in _learned(runtime, session) if r])
    return Ended(session.id, count, job, _ASK if distill else "")


def close_session(
    runtime: Runtime,
    session: Session,
    *,
    outcome: str = "",
    learn: bool = True,
    transcript: str = "",
) -> str:
    """Mark a session over and queue the learning in one transaction. Returns the job's id.

    Ending a session twice is harmless: what was learned once is not learned again.
    """
    now = runtime.clock.now()
    with runtime.store.transaction():
        ended = session.with_(
            ended_at=session.ended_at or now,
            last_seen_at=now,
            outcome=outcome or session.outcome,
            status=session.status if learn else "completed",
            data={**session.data, **({"transcript": transcript} if transcript else {})},
        )
        runtime.store.sessions.save(ended)
        if not learn:
            return ""
        job = runtime.store.jobs.enqueue(
            "learn_session", {"session_id": session.id}, unique_key=f"learn:{session.id}"
        )
    runtime.sinks.wake()
    return job


def _learned(runtime: Runtime, session: Session) -> list[str]:
    query = runtime.query("memory", "discovery", "remediation", "anti_pattern", session=session.id)
    return [record.id for record in runtime.store.records.find(query).records]


def _decisions(runtime: Runtime, session: Session, since: Any = None) -> list[str]:
    query = runtime.query("discovery", where={"type": "decision"}, limit=10)
    found = runtime.store.records.find(query).records
    start = since.created_at if since is not None else session.started_at
    return [record.content for record in found if record.created_at >= start]
