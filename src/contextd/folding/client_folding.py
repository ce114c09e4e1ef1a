"""Measure folding done by a client: sub-agents and restarted windows."""

from __future__ import annotations

from pathlib import Path

from contextd.domain.changes import WorkChanges
from contextd.domain.savings import Saving
from contextd.domain.sessions import Session, SessionChange
from contextd.folding.savings_log import note_saving
from contextd.imports.importers.claude_windows import (
    compactions,
    first_and_last,
    rows_with,
    taken_in,
)
from contextd.runtime.runtime import Runtime
from contextd_common.text.tokens import count_tokens

COMPACTED = "compaction_to_measure"
"""Marks a session whose window was compacted, until its next request was measured."""


def measure_subagent(
    runtime: Runtime, session: Session, agent: str, path: str, result: str
) -> None:
    """Count a sub-agent's tokens against the result in its client's window; once, when it first stops."""
    if not agent or not path:
        return
    tokens, last = taken_in(Path(path))
    result_tokens = count_tokens(result or last)
    if tokens:
        _note(
            runtime,
            session,
            Saving("subagent", "sub-agent", max(tokens, result_tokens), result_tokens),
            agent,
        )


def measure_compactions(runtime: Runtime, session: Session, transcript: str) -> None:
    """Count a session's compactions once each, by the client's own figures."""
    path = transcript or str(session.data.get("transcript") or "")
    if not session.data.get(COMPACTED) or not path:
        return
    found = list(compactions(rows_with(Path(path), '"usage"', "compact_boundary")))
    for one in found:
        tokens_after = min(one.before, one.after)
        _note(runtime, session, Saving("reset", "compaction", one.before, tokens_after), one.id)
    if found:
        change = SessionChange(id=session.id, data={COMPACTED: False})
        runtime.aside().commit(work=WorkChanges(sessions=[change]))


def measure_resumption(runtime: Runtime, left: str, key: str, restored: int) -> None:
    """Count a session resumed from a checkpoint in a new window: the size of the session it `left`, by its
    client's figures, against a fresh window and what was `restored`. Nothing is saved while the old
    session continues, because its window still exists.
    """
    session = runtime.view.sessions.get(left)
    path = str(session.data.get("transcript") or "") if session is not None else ""
    if session is None or session.ended_at is None or not path:
        return
    first, last = first_and_last(Path(path))
    start_tokens = first + restored
    if last > start_tokens:
        note_saving(runtime, Saving("reset", "resumption", last, start_tokens), f"resumed:{key}")


def _note(runtime: Runtime, session: Session, saving: Saving, key: str) -> None:
    aside = runtime.aside()
    aside.trace.session = session.id
    note_saving(aside, saving, f"{saving.source}:{key}")
