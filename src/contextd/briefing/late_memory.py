"""Say once that memory was late for a prompt, and what it found, if its hook gave up before the answer.

Such a hook leaves its event in the spool. A hook that its client ended leaves nothing, so nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from contextd.briefing.injected_records import LOST, held
from contextd.briefing.injection_tiers import reasons_of, tiers_of
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

NOTICE = "Memory was late for the previous prompt: contextd did not answer within its time limit."
FOUND, NOTHING = "It would have added:", "It had nothing to add."

ANSWERED = "answered_prompt"
"""Session data: the last prompt that was answered, as `[key, when, records, key of the injection]`."""

LATE = "late_prompt"
"""Session data: the last prompt whose hook gave up: `key`, `at`, and what was found, unless it was `said`."""

UNSEEN = "unseen_injections"
"""Session data: the keys of the last injections that no agent saw."""

_Why = Mapping[str, tuple[int, str]]
_SAME_PROMPT = timedelta(minutes=1)
"""How far apart two hooks of one prompt give up at most; the same words later are another prompt."""

_MOST_UNSEEN = 20

_RECENT = timedelta(minutes=10)
"""How long ago a hook gave up whose prompt is still looked at: a day's spool would take minutes."""

Finding = Callable[[Session], tuple[str, _Why]]
"""Looks for records relevant to the prompt, for a session with this data."""


@dataclass(frozen=True, slots=True)
class LateMemory:
    """The notice of a late prompt, with the tier and reason of its records, and the session data that marks it as
    shown; all empty if no prompt was late.
    """

    text: str
    why: _Why
    records: Sequence[Record]
    data: Mapping[str, Any]


def answered(key: str, at: datetime, ids: Sequence[str], injection: str) -> dict[str, Any]:
    """What a session stores when a prompt is answered."""
    return {ANSWERED: [key, at.isoformat(), list(ids), injection]}


def is_given_up(session: Session, key: str, at: datetime) -> bool:
    """Whether the hook of a prompt gave up before its answer was begun: its event was read from the spool first."""
    late = session.data.get(LATE) or {}
    return bool(late) and late["key"] == key and at <= _at(late["at"])


def went_late(
    session: Session, key: str, at: datetime, now: datetime, find: Finding
) -> dict[str, Any]:
    """What a session stores when the hook of a prompt gave up at `at`; empty if a later prompt was answered already,
    or if another hook of the same prompt gave up before.
    """
    before = session.data.get(LATE) or {}
    if before and before["key"] == key and abs(_at(before["at"]) - at) < _SAME_PROMPT:
        return {}
    last, answered_at, ids, injection = session.data.get(ANSWERED) or ("", at.isoformat(), (), "")
    if last != key and _at(answered_at) > at:
        return {}
    session_data: dict[str, Any] = {}
    if last == key and at - _at(answered_at) < _SAME_PROMPT:
        # The answer that came too late was stored as told.
        lost = dict.fromkeys((*session.data.get(LOST, ()), *ids))
        unseen = [*session.data.get(UNSEEN, ()), injection] if injection else []
        session_data = {LOST: list(lost), UNSEEN: unseen[-_MOST_UNSEEN:]}
    late: dict[str, Any] = {"key": key, "at": at.isoformat()}
    if now - at < _RECENT:
        text, why = find(session.with_(data={**session.data, **session_data}))
        late |= {"text": text, "why": tiers_of(why)}
    return {**session_data, LATE: late}


def late_memory(runtime: Runtime, session: Session, budget: int) -> LateMemory:
    """The notice of the late prompt of a session, once. It includes the context that was found within `budget` tokens and
    while its records still hold.
    """
    late = session.data.get(LATE) or {}
    if not late or late.get("said"):
        return LateMemory("", {}, [], {})
    shown = {LATE: {"key": late["key"], "at": late["at"], "said": True}}
    text = late.get("text")
    if not text:
        return LateMemory(NOTICE if text is None else f"{NOTICE} {NOTHING}", {}, [], shown)
    why = reasons_of(late["why"])
    records = runtime.view.records.get(list(why))
    holds = len(records) == len(why) and all(map(_holds, records))
    if not holds or set(why) & held(session):
        return LateMemory(NOTICE, {}, [], shown)
    found = f"{NOTICE} {FOUND}\n{text}"
    if count_tokens(found) > budget:
        return LateMemory(NOTICE, {}, [], shown)
    return LateMemory(found, why, records, shown)


def _holds(record: Record) -> bool:
    return record.status == "active" and not record.data.get("taken_back")


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)
