"""Withdraw what was learned from turns that the user rewound later, and bring it back when the conversation does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contextd.domain.changes import Put, WorkChanges
from contextd.domain.kinds import EPISODE, kinds_that
from contextd.domain.records import PRESENT, Change, Record, short_id
from contextd.domain.rewinds import is_rewind
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.knowledge.embedding import with_vectors
from contextd.runtime.runtime import Runtime
from contextd.sessions.turns import Turn, live_line
from contextd_common.dataclass import dataclass
from contextd_common.text.words import unpunctuated

WITHDRAWN = "rewound in session "
"""The beginning of the reason for withdrawing a record."""

_HOLDS_AGAIN = "what ended it was rewound in session "
_TAKEN_UP = "its conversation was taken up again in session "
_MARKS = ("taken_back", "taken_back_by")
_RESTORED = "restored_by_rewinds"
"""Session data: the records that rewinds restored, for the case that the conversation returns."""

_PAGE, _TASK_KEPT = 200, 300


@dataclass(frozen=True, slots=True)
class FollowedTurns:
    """A session's history and its live line, its turns with the ids of their episodes."""

    history: Sequence[Event]
    turns: Sequence[tuple[str, Turn]]


def follow_line(runtime: Runtime, session: Session, followed: FollowedTurns) -> None:
    """Archive the records of turns that the user rewound, and restore what those turns ended. Do the reverse for
    turns that the conversation took up again. What a person brought back with undo stays.
    """
    if not any(event.type == "note" and is_rewind(event.data) for event in followed.history):
        return
    mine = list(_learned(runtime, session))
    gone_ids = _gone(mine, followed)
    moved = (_moved(runtime, session, one, one.id in gone_ids) for one in mine)
    puts = [put for put in moved if put is not None]
    left_ids = gone_ids | {id for id, turn in followed.turns if turn.left}
    puts += _ended_by(runtime, session, left_ids, {one.id for one in mine} - gone_ids)
    restored = [put.record.id for put in puts if put.reason.startswith(_HOLDS_AGAIN)]
    change = SessionChange(id=session.id, task=_task(session, [turn for _, turn in followed.turns]))
    if restored:
        ids = dict.fromkeys((*session.data.get(_RESTORED, ()), *restored))
        change = replace(change, data={_RESTORED: list(ids)})
    work = WorkChanges(sessions=[change] if restored or change.task != session.task else [])
    if puts or work.sessions:
        runtime.commit(knowledge=with_vectors(runtime, puts), work=work)


def _learned(runtime: Runtime, session: Session) -> Iterator[Record]:
    """What was learned from a session, with what was archived."""
    statuses = (*PRESENT, "archived")
    kinds = (EPISODE, "discovery")
    query = runtime.query(
        *kinds, level="project", session=session.id, statuses=statuses, limit=_PAGE
    )
    return (one for one in runtime.every(query) if one.trust == "extracted")


def _gone(records: Sequence[Record], followed: FollowedTurns) -> set[str]:
    """The ids of records that only rewound turns speak of."""
    live = live_line(followed.history)
    live_text = unpunctuated("\n".join(event.text for event in live))
    left_keys = {event.key for event in followed.history} - {event.key for event in live}
    episodes = {id for id, turn in followed.turns if turn.left}
    return {
        one.id
        for one in records
        if one.id in episodes
        or (one.source.ref in left_keys and unpunctuated(one.content) not in live_text)
    }


def _moved(runtime: Runtime, session: Session, record: Record, is_gone: bool) -> Put | None:
    archived = record.status == "archived"
    if archived == is_gone:
        return None
    history, here = runtime.view.records.history(record.id), short_id(session.id)
    if is_gone:
        reason = f"{WITHDRAWN}{here}: the user went back to before it was said"
        after = record.with_(status="archived")
        return None if _was_undone(history) else Put(after, "withdraw", reason)
    last = history[-1]
    if last.before is None or not last.reason.startswith(WITHDRAWN):
        return None
    return Put(record.with_(status=last.before.status), "restore", _TAKEN_UP + here)


def _was_undone(history: Sequence[Change]) -> bool:
    """Whether a person undid an earlier withdrawal."""
    undone = {one.undoes for one in history}
    return any(one.seq in undone for one in history if one.reason.startswith(WITHDRAWN))


def _ended_by(runtime: Runtime, session: Session, left: set[str], live: set[str]) -> Iterator[Put]:
    """Restore what rewound turns replaced or took back; end it again if they are live again."""
    here = short_id(session.id)
    kinds = tuple({*kinds_that("compared"), "discovery"})
    query = runtime.query(*kinds, level="project", statuses=("superseded",), limit=_PAGE)
    for one in runtime.every(query):
        if one.canonical_id not in left:
            continue
        ended = runtime.view.records.history(one.id)[-1].before
        if ended is not None and ended.status in PRESENT:
            yield Put(ended.with_(version=one.version), "restore", _HOLDS_AGAIN + here)
    marked = runtime.query(
        EPISODE, level="project", statuses=PRESENT, where={"taken_back": True}, limit=_PAGE
    )
    for one in runtime.every(marked):
        if (one.data.get("taken_back_by") or ("",))[0] in left:
            data = {name: value for name, value in one.data.items() if name not in _MARKS}
            yield Put(one.with_(data=data), "restore", _HOLDS_AGAIN + here)
    for one in runtime.view.records.get([str(id) for id in session.data.get(_RESTORED, ())]):
        last = runtime.view.records.history(one.id)[-1]
        before = last.before if last.reason == _HOLDS_AGAIN + here else None
        if before is not None and before.canonical_id in live:
            yield Put(before.with_(version=one.version), "resolve", _TAKEN_UP + here)


def _task(session: Session, turns: Sequence[Turn]) -> str:
    """The task of a session, without a first prompt that was rewound."""
    prompts = [(" ".join(turn.prompt.split()), turn.left) for turn in turns]
    of_left = any(is_left and text.startswith(session.task) for text, is_left in prompts)
    live = [text for text, is_left in prompts if not is_left and text]
    if not session.task or not of_left or not live:
        return session.task
    return session.task if any(t.startswith(session.task) for t in live) else live[0][:_TASK_KEPT]
