"""The durable job that runs after a session.

Every step is idempotent, so that it can run again after a crash: events have keys, records have derived ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta

from contextd.briefing.anti_pattern_proposals import propose_anti_patterns
from contextd.briefing.context_file import LEDGER, ledger_lines, write_context_md
from contextd.briefing.prepared_briefings import keep_ready
from contextd.domain.changes import KnowledgeChanges, WorkChanges
from contextd.domain.documents import message_documents
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.validity import ENDINGS
from contextd.imports.transcripts import (
    HEADLESS,
    catch_up,
    is_prompt,
    is_still_written,
    missing_transcript,
    note_missing,
)
from contextd.jobs.table import Task, new_job
from contextd.knowledge.embedding import queue_embedding
from contextd.knowledge.writing import Saved
from contextd.learning.client_session_matching import bound, is_unbound
from contextd.learning.corroboration import judge_use
from contextd.learning.ended_rules import end_late_rules, end_rules, endings_said
from contextd.learning.episodes import keep_turns, taken_back_later
from contextd.learning.statements import keep_statements
from contextd.projects.checkout_shape import SHAPE, rescan_if_changed
from contextd.remedies.learned_fixes import keep_remedies
from contextd.remedies.session_errors import ERRORS, errors_met, kept
from contextd.runtime.runtime import Runtime
from contextd.sessions.session_summary import fold
from contextd.sessions.turns import Turn, live_line
from contextd.skills.learning import judge_skills, propose_skills
from contextd.skills.procedures import PROCEDURES


def learn_session(runtime: Runtime, task: Task) -> Mapping[str, object]:
    """Learn from an ended session: episodes, statements, recurring errors, use of injected context; then
    CONTEXT.md.
    """
    session = runtime.view.sessions.get(str(task.arguments["session_id"]))
    if session is None:
        return {"skipped": "the session was deleted"}
    if session.status == "withdrawn":
        return {"skipped": "its import was undone"}
    if is_unbound(session):
        session = bound(runtime, session)
    imported = catch_up(runtime, session, check=task.hold.check)
    session = runtime.view.sessions.get(session.id) or session
    history = runtime.view.sessions.events(session.id)
    if _is_early(runtime, session, history, task):
        return {"waiting": "its client has not finished the transcript yet"}
    events = live_line(history)
    if (change := fold(session, events)) is not None:
        committed = runtime.commit(work=WorkChanges(sessions=[change]))
        session = committed.sessions.get(session.id, session)
    task.hold.keep({"imported": imported})
    if session.data.get(HEADLESS):
        runtime.commit(work=WorkChanges(sessions=[SessionChange(id=session.id, completed=True)]))
        return {"imported": imported, "learned": 0, "skipped": "a program ran this session"}
    turns = keep_turns(runtime, session, history)
    task.hold.check()
    learned = _statements_kept(runtime, session, turns, events, task)
    taken_back_later(runtime, session)
    errors = errors_met(events)
    recurred = keep_remedies(runtime, session, errors)
    used = judge_use(runtime, session, events)
    helped = judge_skills(runtime, session)
    procedures, proposed = propose_skills(runtime, session, turns)
    failed_ways = propose_anti_patterns(runtime, session)
    task.hold.check()
    _index_messages(runtime, session, events)
    outcomes = Counter(saved.outcome for saved in learned)
    added = outcomes["added"] + outcomes["inbox"] + recurred
    data = {
        ERRORS: kept(errors),
        PROCEDURES: procedures,
        LEDGER: ledger_lines(runtime, turns),
        ENDINGS: endings_said(turns, events),
        SHAPE: rescan_if_changed(runtime, session),
    }
    # Not completed if its client resumed it meanwhile: the store checks.
    done = SessionChange(id=session.id, completed=True, counts={"learned": added}, data=data)
    runtime.commit(work=WorkChanges(sessions=[done]))
    write_context_md(runtime)
    keep_ready(runtime)
    return {
        "imported": imported,
        "episodes": len(turns),
        "learned": added,
        "known_before": outcomes["duplicate"],
        "remedies": recurred,
        "use": dict(used),
        "skills": {"helped": helped, "proposed": proposed},
        "failed_ways": failed_ways,
    }


def _statements_kept(
    runtime: Runtime, session: Session, turns: Sequence[Turn], events: Sequence[Event], task: Task
) -> list[Saved]:
    """Store the statements of a session, after the endings of earlier rules and before those of its own rules."""
    end_rules(runtime, session, turns, events)
    session = runtime.view.sessions.get(session.id) or session
    learned = keep_statements(runtime, session, turns, events, check=task.hold.check)
    end_rules(runtime, session, turns, events)
    end_late_rules(runtime, [saved.record for saved in learned if saved.outcome == "added"])
    return learned


_WAITS = (timedelta(seconds=2), timedelta(seconds=10), timedelta(minutes=1))
"""Copilot CLI finishes its transcript after its last hook: within a second on an idle machine."""


def _is_early(runtime: Runtime, session: Session, events: Sequence[Event], task: Task) -> bool:
    """Whether the transcript of a session with a prompt is still missing; the job is then queued again.
    After the last wait, learning uses the hook events.
    """
    unbound = is_unbound(session)
    if not unbound and not (session.data.get("hooked") and any(map(is_prompt, events))):
        return False
    missing = not unbound and bool(missing_transcript(session))
    if not (unbound or missing or is_still_written(session, events)):
        return False
    waited = int(task.arguments.get("waited", 0))
    # A client that has not written it by then never will, so old sessions do not wait.
    quiet = runtime.clock.now() - session.last_seen_at
    if waited >= len(_WAITS) or quiet > _WAITS[-1]:
        if missing:
            note_missing(runtime, session)
        return False
    arguments = {**task.arguments, "waited": waited + 1}
    due = runtime.clock.now() + _WAITS[waited]
    again = new_job(
        "learn_session",
        session.scope,
        runtime.place,
        arguments,
        once=f"{session.id}:{waited + 1}",
        run_at=due,
    )
    runtime.commit(work=WorkChanges(jobs=[again]))
    return True


def _index_messages(runtime: Runtime, session: Session, events: Sequence[Event]) -> None:
    """Index the messages of a session without a transcript; with one, its episodes hold the same in a
    tenth of the space.
    """
    if session.data.get("transcript"):
        return
    messages = [event for event in events if event.type == "message"]
    documents = message_documents(session.scope, session.id, messages)
    if documents:
        runtime.commit(
            knowledge=KnowledgeChanges(documents=documents, model=runtime.embedder.model)
        )
        queue_embedding(runtime)
