"""The context for a new session."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from contextd.briefing.briefing import brief_or_nothing
from contextd.briefing.subagent_briefing import note_for
from contextd.clients import client_named
from contextd.domain.sessions import Session
from contextd.imports.transcripts import HEADLESS, transcript_is_headless
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import ALWAYS, PackedBriefing
from contextd_common.errors import ContextdError


def opening_for(
    runtime: Runtime, session: Session, marks: Collection[str], transcript: str, prompt: str = ""
) -> PackedBriefing:
    """The briefing of a new session. A session that a program runs gets a sub-agent's briefing: the rules for
    its task, without the point where a person stopped.
    """
    if not is_headless(session, marks, transcript):
        budget = runtime.settings.number("briefing.tokens")
        return brief_or_nothing(runtime, budget=budget, task=session.task, session=session)
    try:
        text, rules = note_for(runtime, session, prompt)
    except ContextdError:
        return PackedBriefing("", 0)
    why = {rule.id: (ALWAYS, "a rule, for a session that a program runs") for rule in rules}
    return PackedBriefing(text, 0, ids=list(why), why=why)


def is_headless(session: Session, marks: Collection[str], transcript: str) -> bool:
    """Whether a program runs the session, according to its client: by an earlier event, by the environment of
    its hook, or by its transcript.
    """
    if session.data.get(HEADLESS):
        return True
    row = client_named(session.client)
    if any(mark.startswith(row.program_marks) for mark in marks if row.program_marks):
        return True
    return transcript_is_headless(session, Path(transcript) if transcript else None)
