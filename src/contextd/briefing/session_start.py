"""What an agent is told when its session begins."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from contextd.briefing.briefing import brief_or_nothing
from contextd.briefing.subagent_briefing import note_for
from contextd.clients import client_named
from contextd.domain.errors import ContextdError
from contextd.domain.sessions import Session
from contextd.imports.transcripts import HEADLESS, transcript_is_headless
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import ALWAYS, PackedBriefing


def opening_for(
    runtime: Runtime, session: Session, marks: Collection[str], transcript: str, prompt: str = ""
) -> PackedBriefing:
    """The briefing of a session that begins. One that a program runs is told like a sub-agent: the rules that
    hold for its task, and nothing of where a person stopped.
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
    """Whether its client says that a program runs a session: in what it told before, in the surroundings of its
    hook, or in its transcript.
    """
    if session.data.get(HEADLESS):
        return True
    row = client_named(session.client)
    if any(mark.startswith(row.program_marks) for mark in marks if row.program_marks):
        return True
    return transcript_is_headless(session, Path(transcript) if transcript else None)
