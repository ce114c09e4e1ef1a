"""Tell the next session once which rules the user ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from contextd.briefing.directive_lines import said
from contextd.domain.quoting import inline
from contextd.domain.records import Record, short_id
from contextd.domain.sessions import Session
from contextd.domain.validity import ENDED_RULES
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import Line
from contextd.sessions.injection_use import line_digest, lines_told
from contextd_common.text.words import one_line

_RULE, _WORDS = 140, 100
_WEIGHT = 45.0
"""More than where the work stands: it is told once and changes what the agent must do."""

_MOST = 5


def ended_lines(
    runtime: Runtime, sessions: Sequence[Session], session: Session | None
) -> list[Line]:
    """A line for each rule that the user ended in one of the latest sessions of the project other than this one, unless
    it was told before or the ending was undone.
    """
    named = list(_named(sessions, session))
    if not named:
        return []
    records = {one.id: one for one in runtime.view.records.get([id for id, _ in named])}
    counts = lines_told(sessions)
    texts = dict.fromkeys(
        _text(records[id], words)
        for id, words in named
        if id in records and records[id].status == "superseded"
    )
    new = [text for text in texts if not counts[line_digest(text)]]
    return [Line(text, weight=_WEIGHT) for text in new[:_MOST]]


def _named(sessions: Sequence[Session], session: Session | None) -> Iterator[tuple[str, str]]:
    for one in sessions:
        if session is None or one.id != session.id:
            yield from ((str(id), str(words)) for id, words, *_ in one.data.get(ENDED_RULES, ()))


def _text(record: Record, words: str) -> str:
    rule, by = (
        inline(one_line(text, most)) for text, most in ((said(record), _RULE), (words, _WORDS))
    )
    return (
        f"ended: {rule} (the user: {by}) [undo with `contextd records undo {short_id(record.id)}`]"
    )
