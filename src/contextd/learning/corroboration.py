"""Corroboration: a statement from one session is a candidate, a second session makes it known, and
repeated injection without use makes it a candidate again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from contextd.domain.changes import WorkChanges
from contextd.domain.confidence import FLOOR, START, apply
from contextd.domain.directives import force_of, is_directive
from contextd.domain.kinds import EPISODE
from contextd.domain.records import Record, short_id
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.knowledge.writing import change
from contextd.learning.command_outcomes import command_outcome
from contextd.learning.evidence_counts import SAID_AGAIN, TOLD
from contextd.runtime.runtime import Runtime
from contextd.sessions.injection_use import (
    ENOUGH,
    USED,
    injected_at,
    texts_after,
    told_in_vain,
    was_used,
)
from contextd_common.errors import Stale

DROPPED = "drop by"
"""The beginning of the reason for archiving a candidate."""

_TRUSTED = frozenset({"human"})
"""A person's record stays until a person takes it back, since compliance with a rule cannot be observed."""


def seen_again(
    runtime: Runtime, record: Record, session: Session, *, at: datetime, ref: str = ""
) -> bool:
    """Make a candidate known if another session states it independently; return whether it was one. A
    resumed or forked transcript repeats its parent and does not count. A repeated directive keeps at
    least its initial confidence. The record was said first and last when the two sessions say, whichever was read
    first.
    """
    at = min(at, runtime.clock.now())
    same = record.session in ("", session.id) or (ref and ref == record.source.ref)
    rises = record.status == "candidate" or (record.status == "active" and is_directive(record))
    reason = f"{SAID_AGAIN}{short_id(session.id)}"
    if same or not _is_another(record, at) or _is_noted(runtime, record, reason):
        return False
    if _is_copied(runtime, record, at, ref):
        return False
    dated = _dated(record, at)
    if not rises:
        if dated != record:
            with suppress(Stale):
                change(runtime, record, dated, action="signal", reason=reason)
        return False
    sure = apply(max(record.confidence, START[record.trust]), "seen_again")
    confidence = sure if is_directive(record) else apply(record.confidence, "seen_again")
    after = as_rule(dated).with_(status="active", confidence=confidence)
    with suppress(Stale):
        change(runtime, record, after, action="signal", reason=reason)
    return True


def judge_use(runtime: Runtime, session: Session, events: Sequence[Event]) -> Mapping[str, int]:
    """Raise the confidence of injected records whose commands came out as said, lower that of unused ones. Records below
    `FLOOR`, or injected in `ENOUGH` sessions without use, become candidates. Each session counts once.
    Directives, people's records and wider scopes are only raised: compliance cannot be observed, and
    one project does not decide for others.
    """
    counts = {"used": 0, "unused": 0, "demoted": 0}
    worked = any(event.type == "tool_call" for event in events)
    after, since = texts_after(events), injected_at(events)
    records = [one for one in runtime.view.records.get(list(after)) if one.kind != EPISODE]
    of_use = {one.id for one in records if was_used(one.text, after[one.id])}
    if of_use:
        runtime.commit(
            work=WorkChanges(sessions=[SessionChange(id=session.id, data={USED: sorted(of_use)})])
        )
    vain = told_in_vain(_latest(runtime))
    for record in records:
        used = record.id in of_use
        did = any(step.strip() for step in after[record.id])
        if not did or record.status != "active" or _judged(runtime, record, session):
            continue
        tired = vain[record.id] >= ENOUGH
        spared = record.trust in _TRUSTED or record.scope != session.scope or is_directive(record)
        if not used and (spared or not (worked or tired)):
            # In a session of conversation only, nothing shows disuse.
            continue
        outcome = command_outcome(record.text, events, since[record.id])
        used = outcome != "refuted" and (used or bool(outcome))
        counts["used" if used else "unused"] += 1
        signal = outcome or ("used" if used else "unused")
        confidence = apply(record.confidence, signal)
        sinks = confidence < FLOOR or (tired and not used)
        counts["demoted"] += sinks
        status = "candidate" if sinks else record.status
        reason = _reason(signal, session)
        with suppress(Stale):
            moved = record.with_(confidence=confidence, status=status)
            change(runtime, record, moved, action="signal", reason=reason)
    return counts


def as_rule(record: Record) -> Record:
    """The record as a rule if a user stated it in passing: repetition or confirmation makes it one."""
    if record.data.get("speaker") != "user" or not force_of(record.content):
        return record
    return record.with_(data={**record.data, "type": "rule"})


def _is_another(record: Record, at: datetime) -> bool:
    """Whether words at this time are other ones than those a record was learned from. Records of versions that did not
    keep when something was said are as old as their learning.
    """
    return at > record.created_at or (record.arrived_at is not None and at < record.created_at)


def _is_copied(runtime: Runtime, record: Record, at: datetime, ref: str) -> bool:
    """Whether words are those of the session that a record was learned from, in a copy of its transcript."""
    first = runtime.view.sessions.get(record.session) if ref else None
    if first is None or not first.started_at <= at <= first.last_seen_at:
        return False
    return any(event.key == ref for event in runtime.view.sessions.events(first.id))


def _dated(record: Record, at: datetime) -> Record:
    """A record that was said at this time too."""
    if record.trust != "extracted":
        return record
    first, last = min(record.created_at, at), max(record.updated_at, at)
    return record.with_(created_at=first, valid_from=first, updated_at=last)


def _is_noted(runtime: Runtime, record: Record, reason: str) -> bool:
    return any(one.reason == reason for one in runtime.view.records.history(record.id))


TOLD_IN = 60
"""Recent sessions that are examined for injections without use."""


def _latest(runtime: Runtime) -> list[Session]:
    """The latest sessions with a request or an action."""
    found = runtime.sessions(limit=TOLD_IN)
    return [one for one in found if one.task or one.tool_calls]


def _reason(signal: str, session: Session) -> str:
    return f"{signal}{TOLD}{short_id(session.id)}"


def _judged(runtime: Runtime, record: Record, session: Session) -> bool:
    reasons = tuple(_reason(signal, session) for signal in ("used", "unused", "proved", "refuted"))
    history = runtime.view.records.history(record.id)[-20:]
    return any(one.reason.startswith(reasons) for one in history)
