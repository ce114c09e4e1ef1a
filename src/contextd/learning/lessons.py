"""Asking the agent for what the session taught: no rule can tell as well as the one who did the work."""

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
"""About 80 tokens, and one more call of the model on what it holds already; where it records something,
two.
"""

ASKED = "asked_for_lessons"
"""When a session was asked."""

_CALLS = 5
"""So many commands without an edit make a session one that did something."""

_SESSIONS = 50


def lessons_wanted(runtime: Runtime, moment: Literal["compaction", "end"]) -> bool:
    """Whether lessons are asked for at such a moment, and were not too often today."""
    if runtime.settings.text("lessons.ask") != moment:
        return False
    most = runtime.settings.number("lessons.per_day")
    here = frozenset({runtime.scope})
    asked = [s.data.get(ASKED) for s in runtime.view.sessions.find(here, limit=_SESSIONS)]
    since = runtime.clock.now() - timedelta(days=1)
    return sum(parse_instant(str(at)) > since for at in asked if at) < most


def lessons_due(runtime: Runtime, session: Session, turns: Sequence[Turn]) -> bool:
    """Whether a session is to be asked now: it did something, just now too, and was not asked before."""
    session = runtime.view.sessions.get(session.id) or session
    if session.data.get(ASKED) or not turns:
        return False
    edits, calls = sum(len(t.files) for t in turns), sum(len(t.commands) for t in turns)
    lately = turns[-1].files or turns[-1].commits or turns[-1].commands
    return bool(lately) and (edits > 0 or calls >= _CALLS) and lessons_wanted(runtime, "end")


def asked_for_lessons(runtime: Runtime, session: Session) -> SessionChange:
    """What asking leaves in a session."""
    return SessionChange(id=session.id, data={ASKED: iso(runtime.clock.now())}, counts={"asked": 1})
