"""Mute records that were injected in several sessions without use: searches still find them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd.domain.directives import is_directive
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.imports.transcripts import HEADLESS
from contextd.sessions.briefing_lines import Line
from contextd.sessions.injection_use import ENOUGH, line_digest, lines_told, told_in_vain


def told_before(latest: Sequence[Session], session: Session | None) -> list[Session]:
    """The latest sessions other than this one that were given context. An open window counts before its
    first prompt; one that was closed without a prompt does not.
    """
    return [
        one
        for one in latest
        if (session is None or one.id != session.id)
        and not one.data.get(HEADLESS)
        and (one.ended_at is None or one.task or one.tool_calls)
    ]


def rested(records: Mapping[str, Record], sessions: Sequence[Session], task: str) -> set[str]:
    """The records that were shown in enough of these sessions without use, except directives and what a
    person wrote; empty if a task asks for them.
    """
    if task.strip():
        return set()
    vain = told_in_vain(sessions)
    return {
        id
        for id, record in records.items()
        if vain[id] >= ENOUGH and record.trust != "human" and not is_directive(record)
    }


def fresh(lines: Sequence[Line], sessions: Sequence[Session]) -> list[Line]:
    """The lines that were not shown in enough of these sessions: all forks of a session begin where it ended,
    and a list of changes stays the same until the next commit.
    """
    counts = lines_told(sessions)
    return [line for line in lines if counts[line_digest(line.text)] < ENOUGH]
