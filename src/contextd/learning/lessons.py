"""Ask the agent for a session's lessons, since it knows them better than any heuristic."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from contextd.domain.sessions import Session, SessionChange
from contextd.domain.time import iso, parse_instant
from contextd.runtime.runtime import Runtime
from contextd.sessions.turns import Turn

LESSONS = (
    "Before you stop: if this session taught something that the next one could not see in the code, "
    "record at most three lessons with contextd's remember (kind `lesson`, a title, one to three sentences, "
    "fields: topic, and when to use it as description), among them what the user corrected. Record nothing if there is nothing. "
    "Then end with one line that begins with `Open:` and says what is left to do, or nothing."
)
"""About 80 tokens and one more model call with the same context; two calls if it records something."""

ASKED = "asked_for_lessons"
"""Session data: when it was asked."""

_CALLS = 5
"""Commands that count as work in a session without an edit."""

_SESSIONS = 50


def lessons_wanted(runtime: Runtime, moment: Literal["compaction", "end"]) -> bool:
    """Whether lessons are asked for at this moment, within today's limit."""
    if runtime.settings.text("lessons.ask") != moment:
        return False
    most = runtime.settings.number("lessons.per_day")
    asked = [s.data.get(ASKED) for s in runtime.sessions(limit=_SESSIONS)]
    since = runtime.clock.now() - timedelta(days=1)
    return sum(parse_instant(str(at)) > since for at in asked if at) < most


def lessons_due(runtime: Runtime, session: Session, turns: Sequence[Turn]) -> bool:
    """Whether to ask a session now: it did some work recently and was not asked before."""
    session = runtime.view.sessions.get(session.id) or session
    if session.data.get(ASKED) or not turns:
        return False
    edits, calls = sum(len(t.files) for t in turns), sum(len(t.commands) for t in turns)
    lately = turns[-1].files or turns[-1].commits or turns[-1].commands
    return bool(lately) and (edits > 0 or calls >= _CALLS) and lessons_wanted(runtime, "end")


def asked_for_lessons(runtime: Runtime, session: Session) -> SessionChange:
    """What asking stores in a session."""
    return SessionChange(id=session.id, data={ASKED: iso(runtime.clock.now())}, counts={"asked": 1})
