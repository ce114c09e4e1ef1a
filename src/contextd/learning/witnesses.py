"""Knowledge by evidence: what was said once is a candidate; a second witness makes it known, and what is
shown again and again without use becomes a candidate again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from contextd.domain.confidence import FLOOR, START, apply
from contextd.domain.directives import force_of, is_directive
from contextd.domain.errors import Stale
from contextd.domain.kinds import EPISODE
from contextd.domain.records import Record, short_id
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.knowledge.writing import change
from contextd.learning.testimony import SAID_AGAIN, TOLD
from contextd.runtime.runtime import Runtime
from contextd.sessions.use import ENOUGH, USED, texts_after, told_in_vain, was_used

PRAISED = ", which its agent says went well"
"""How the reason ends for which a record that was used is trusted more by its agent's word as well."""

DROPPED = "drop by"
"""How the reason begins for which a candidate was archived."""

_TRUSTED = frozenset({"human"})
"""What a person wrote stays until a person takes it back: nothing shows whether a rule was obeyed."""


def seen_again(
    runtime: Runtime, record: Record, session: Session, *, at: datetime, ref: str = ""
) -> bool:
    """Make a candidate known that another session says too, at another time: a transcript that was
    resumed or forked tells again what its first session told. Whether it was one. A directive that is said
    again counts at least as much as on its first day.
    """
    same = record.session in ("", session.id) or (ref and ref == record.source.ref)
    rises = record.status == "candidate" or (record.status == "active" and is_directive(record))
    reason = f"{SAID_AGAIN}{short_id(session.id)}"
    if not rises or same or at <= record.created_at or _is_noted(runtime, record, reason):
        return False
    sure = apply(max(record.confidence, START[record.trust]), "seen_again")
    confidence = sure if is_directive(record) else apply(record.confidence, "seen_again")
    after = as_rule(record).with_(status="active", confidence=confidence)
    with suppress(Stale):
        change(runtime, record, after, action="signal", reason=reason)
    return True


def judge_use(runtime: Runtime, session: Session, events: Sequence[Event]) -> Mapping[str, int]:
    """Trust what a session was told more where it shows in what was done, less where it does not; what
    sinks below `FLOOR`, or was told in `ENOUGH` sessions in vain, is a candidate from then on. Each session
    counts once. Directives, what a person wrote and what holds beyond the project only rise: nothing shows
    whether a rule was obeyed, and one project does not speak for others.
    """
    counts = {"used": 0, "unused": 0, "demoted": 0}
    worked = any(event.type == "tool_call" for event in events)
    after = texts_after(events)
    records = [one for one in runtime.view.records.get(list(after)) if one.kind != EPISODE]
    of_use = {one.id for one in records if was_used(one.text, after[one.id])}
    if of_use:
        runtime.commit(sessions=[SessionChange(id=session.id, data={USED: sorted(of_use)})])
    vain = told_in_vain(_latest(runtime))
    for record in records:
        used = record.id in of_use
        did = any(step.strip() for step in after[record.id])
        if not did or record.status != "active" or _judged(runtime, record, session):
            continue
        tired = vain[record.id] >= ENOUGH
        spared = record.trust in _TRUSTED or record.scope != session.scope or is_directive(record)
        if not used and (spared or not (worked or tired)):
            # Where people only talked, nothing shows that it was of no use.
            continue
        signal = "used" if used else "unused"
        counts[signal] += 1
        confidence = apply(record.confidence, signal)
        praised = used and session.outcome == "success"
        if praised:
            confidence = apply(confidence, "self_judgment")
        sinks = confidence < FLOOR or (tired and not used)
        counts["demoted"] += sinks
        status = "candidate" if sinks else record.status
        reason = _reason(signal, session) + (PRAISED if praised else "")
        with suppress(Stale):
            moved = record.with_(confidence=confidence, status=status)
            change(runtime, record, moved, action="signal", reason=reason)
    return counts


def as_rule(record: Record) -> Record:
    """The record as a rule, where a user said it as one in passing: said again or confirmed it is one."""
    if record.data.get("speaker") != "user" or not force_of(record.content):
        return record
    return record.with_(data={**record.data, "type": "rule"})


def _is_noted(runtime: Runtime, record: Record, reason: str) -> bool:
    return any(one.reason == reason for one in runtime.view.records.history(record.id))


TOLD_IN = 60
"""The latest sessions that are looked through for what was told in vain."""


def _latest(runtime: Runtime) -> list[Session]:
    """The latest sessions in which something was asked or done."""
    found = runtime.view.sessions.find(frozenset({runtime.scope}), limit=TOLD_IN)
    return [one for one in found if one.task or one.tool_calls]


def _reason(signal: str, session: Session) -> str:
    return f"{signal}{TOLD}{short_id(session.id)}"


def _judged(runtime: Runtime, record: Record, session: Session) -> bool:
    reasons = tuple(_reason(signal, session) for signal in ("used", "unused"))
    history = runtime.view.records.history(record.id)[-20:]
    return any(one.reason.startswith(reasons) for one in history)
