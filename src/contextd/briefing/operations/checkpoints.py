"""Checkpoints: save the state of a session to continue from it later."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import Annotated

from contextd.briefing.briefing import quoted_in
from contextd.briefing.recap import recap
from contextd.domain.details import RENDERED
from contextd.domain.limits import Id, OptionalId, Text
from contextd.domain.quoting import inline, quotation, settled
from contextd.domain.records import new_id, short_id
from contextd.domain.time import iso
from contextd.domain.validity import TAKEN_BACK
from contextd.folding.client_folding import measure_resumption
from contextd.folding.session_subtasks import all_of
from contextd.knowledge.writing import Provenance, RecordText, save_new
from contextd.redaction.redact import redact
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd.search.state_events import rests_of
from contextd.sessions.handles import session_named
from contextd.sessions.retractions import mark_as_stored
from contextd.sessions.session_binding import new_session, open_session, session_of
from contextd.sessions.turns import turns_of
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """A saved context."""

    checkpoint_id: str
    session_id: str

    def as_text(self) -> str:
        """Both ids."""
        checkpoint, session = short_id(self.checkpoint_id), short_id(self.session_id)
        return f"checkpoint {checkpoint} of session {session}"


@operation("POST /api/checkpoints", effect="write", profile="standard")
def session_checkpoint(
    runtime: Runtime, text: Text, tags: list[str] | None = None, session_id: OptionalId = ""
) -> Checkpointed:
    """Save a checkpoint to resume from later or after a context reset.

    Args:
        text: What was done, what is open, what comes next.
        tags: Words to filter by.
        session_id: The session; the connection's one when empty.
    """
    if session_id:
        session = session_named(runtime, session_id)
    else:
        found = session_of(runtime)
        session = found or new_session(runtime, external_id=new_id())
        if found is None:
            open_session(runtime, session)
    decisions = _decisions(runtime, session.started_at)
    # Redact before the title is cut: a truncated token would not be recognised.
    clean_summary = redact(text, runtime.redaction_key).text
    saved = save_new(
        runtime,
        RecordText(
            "checkpoint",
            title=" ".join(clean_summary.split())[:80],
            content=text,
            tags=tags or (),
            data={
                "session_id": session.id,
                "files": [f.path for f in session.files][-20:],
                "decisions": decisions,
                "task": session.task,
            },
        ),
        Provenance(session=session.id),
        gate=False,
    )
    runtime.trace.wrote([saved.record.id], type="checkpoint")
    return Checkpointed(saved.record.id, session.id)


@dataclass(frozen=True, slots=True)
class Resumed:
    """A session that continues from a checkpoint."""

    session_id: str
    restored_context: Annotated[str, RENDERED]
    checkpoint_id: str = ""
    files: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The restored context."""
        return f"session {short_id(self.session_id)}\n{self.restored_context}"


@operation("POST /api/checkpoints/{id}/resume", effect="write", profile="standard")
def session_resume(runtime: Runtime, id: Id) -> Resumed:
    """Start a session from a checkpoint: summary, files, decisions since then.

    Args:
        id: The checkpoint's id, or its first characters.
    """
    record = resolve(runtime, id, "checkpoint")
    files = [str(path) for path in record.data.get("files", ())]
    session = new_session(
        runtime,
        task=str(record.data.get("task", "")) or record.title,
        external_id=new_id(),
        data={"resumed_from": record.id},
    )
    runtime.trace.session = session.id
    open_session(runtime, session)
    lines = ["# Restored from a checkpoint of " + iso(record.created_at), quotation(record.content)]
    if files:
        lines.append(inline("Files then in use: " + ", ".join(files)))
    decisions = [*record.data.get("decisions", ()), *_decisions(runtime, record.created_at)]
    if decisions:
        lines += ["Decisions:", *(f"- {inline(decision)}" for decision in dict.fromkeys(decisions))]
    left = str(record.data.get("session_id", ""))
    lines += _under_way(runtime, left)
    lines += _so_far(runtime, left, "\n".join(lines))
    text = settled("\n".join(lines))
    tokens = count_tokens(text)
    # It is counted in the new session, which the end of this call opens.
    runtime.later("saving", lambda: measure_resumption(runtime, left, session.id, tokens))
    runtime.trace.read([record.id], type="checkpoint")
    runtime.trace.gave += quoted_in([record.id], tokens)
    runtime.trace.own_texts.append(text)
    return Resumed(session.id, text, record.id, files)


def _so_far(runtime: Runtime, left: str, known: str) -> list[str]:
    """What that session stated, until now, as after a compaction; without what `known` says, what was taken
    back since, and states that have ended since.
    """
    session = runtime.view.sessions.get(left) if left else None
    if session is None:
        return []
    turns = turns_of(runtime.view.sessions.events(session.id))
    mark_as_stored(turns, session.data.get(TAKEN_BACK, ()))
    found = recap(turns, None, runtime.settings.number("compaction.tokens"), window=known)
    found = rests_of(runtime, found, session.last_seen_at)
    return ["Stated in that session:", *(f"- {inline(line)}" for line in found)] if found else []


def _under_way(runtime: Runtime, left: str) -> list[str]:
    """The subtask that was still running when its session ended."""
    session = runtime.view.sessions.get(left) if left else None
    latest = all_of(runtime, session)[-1:] if session is not None else []
    return [
        f"A subtask was under way: {inline(one.description)}. Its task: {inline(one.prompt[:500])}"
        for one in latest
        if one.is_open
    ]


def _decisions(runtime: Runtime, since: datetime) -> list[str]:
    query = runtime.query("discovery", where={"type": "decision"}, limit=10)
    found = runtime.view.records.find(query).records
    return [record.content for record in found if record.created_at >= since]
