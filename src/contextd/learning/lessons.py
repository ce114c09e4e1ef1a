"""Ask the agent, once a session, for its lessons and about the rules that the user stated in passing: it knows them better
than any heuristic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from contextd.domain.changes import WorkChanges
from contextd.domain.quoting import inline_words
from contextd.domain.records import Record, short_id
from contextd.domain.sessions import Session, SessionChange
from contextd.domain.time import iso, parse_instant
from contextd.learning.changed_rules import as_data, changed_rules
from contextd.learning.statements import keep_in_passing
from contextd.runtime.runtime import Runtime
from contextd.sessions.turns import Turn

LESSONS = (
    "Before you stop: if this session taught something that the next one could not see in the code, "
    "record at most three lessons with contextd's remember (kind `lesson`, a title, one to three sentences, "
    "fields: topic, and when to use it as description), among them what the user corrected. Record nothing if there is nothing. "
    "Then end with one line that begins with `Open:` and says what is left to do, or nothing."
)
"""About 90 tokens and one more model call with the same context; two calls if it records something."""

ASKED = "asked_for_lessons"
"""Session data: when it was asked."""

_CALLS = 5
"""Commands that count as work in a session without an edit."""

_SESSIONS = 50


def question(
    runtime: Runtime, session: Session, turns: Sequence[Turn], moment: Literal["compaction", "end"]
) -> str:
    """What to ask the session's agent now, marked as asked; empty if it was asked before, did no work recently, or today's
    limit is reached.
    """
    session = runtime.view.sessions.get(session.id) or session
    if session.data.get(ASKED) or not turns or not _is_wanted(runtime, moment):
        return ""
    if moment == "end" and not _worked(turns):
        return ""
    passing = _said_in_passing(runtime, session, turns)
    changed = changed_rules(runtime, session, turns, _MOST_CHANGED)
    asked = _asked(runtime, session, as_data(changed) if changed else {})
    runtime.commit(work=WorkChanges(sessions=[asked]))
    return " ".join(filter(None, (LESSONS, passing, _about_changed(changed))))


def _is_wanted(runtime: Runtime, moment: str) -> bool:
    """Whether the settings ask at this moment, within today's limit."""
    if runtime.settings.text("lessons.ask") != moment:
        return False
    most = runtime.settings.number("lessons.per_day")
    asked = [s.data.get(ASKED) for s in runtime.sessions(limit=_SESSIONS)]
    since = runtime.clock.now() - timedelta(days=1)
    return sum(parse_instant(str(at)) > since for at in asked if at) < most


def _worked(turns: Sequence[Turn]) -> bool:
    """Whether a session did some work, and in its last turn too."""
    edits, calls = sum(len(t.files) for t in turns), sum(len(t.commands) for t in turns)
    last = turns[-1]
    return bool(last.files or last.commits or last.commands) and (edits > 0 or calls >= _CALLS)


def _said_in_passing(runtime: Runtime, session: Session, turns: Sequence[Turn]) -> str:
    """The rules that the user stated in passing, as a question; empty if there are none. They are candidates from now on."""
    events = runtime.view.sessions.events(session.id, types=_SAID)
    found = keep_in_passing(runtime, session, turns, events, _MOST)
    listed = " ".join(f"{short_id(one.id)} “{inline_words(one.content)}”" for one in found)
    return _RULES.format(listed) if found else ""


_SAID = ("message", "query")
_MOST = 5
"""Rules that are asked about at once: each is some 25 tokens, and one session in ten has any."""

_RULES = (
    "The user also said, maybe as a rule: {} Judge all in one call of settle_candidates (by tool_call if you do not see it): "
    "`keep_ids` for those that hold in every later session, `reword` (id: text) for those of them that need their context, "
    "`drop_ids` for the rest."
)


_MOST_CHANGED = 3
"""Rules in force that are asked about at once: some 60 tokens each, most of them needless."""

_CHANGED = (
    "Rules in force that the user may have ended or changed: {} In one call of settle_candidates (by tool_call if you do not see "
    "it), the same for all: `drop_ids` for those that hold no longer, `keep_ids` with `reword` (id: text) for those that say "
    "something else from now on. Leave out those that stand as they are."
)


def _about_changed(changed: Sequence[tuple[Record, str, datetime]]) -> str:
    """The question about rules in force, each with the user's words; empty if there are none."""
    listed = " ".join(
        f"{short_id(rule.id)} “{inline_words(rule.content)}” (the user: “{inline_words(words)}”)"
        for rule, words, _ in changed
    )
    return listed and _CHANGED.format(listed)


def _asked(runtime: Runtime, session: Session, data: Mapping[str, object]) -> SessionChange:
    now = iso(runtime.clock.now())
    return SessionChange(id=session.id, data={ASKED: now, **data}, counts={"asked": 1})
