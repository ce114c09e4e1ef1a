"""Learn about skills from sessions: whether one helped, and which sequences of steps to propose."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress

from contextd.domain.changes import Put
from contextd.domain.records import STATUSES, Record
from contextd.domain.sessions import Session
from contextd.knowledge.embedding import with_vectors
from contextd.knowledge.session_proposals import proposed_by
from contextd.knowledge.writing import change
from contextd.runtime.runtime import Runtime
from contextd.sessions.turns import Turn
from contextd.skills.procedures import PROCEDURES, Procedure, procedures_of, returned
from contextd_common.errors import Stale

SESSIONS = 3
"""Sessions in which a sequence of steps must have succeeded before it is proposed as a skill."""

_LOOKED_AT, _MOST = 200, 2_000
_NAMESPACE = uuid.UUID("c9a1bb52-61f7-5b62-8a0e-9a4be0b5b1de")
_PART = 0.5
"""Share of common steps from which two sequences count as one proposal: both proposals of 94 sessions were
the same routine with a different last step.
"""


def judge_skills(runtime: Runtime, session: Session) -> int:
    """Count skills that were served in a session that succeeded as helpful; return how many."""
    if session.outcome != "success":
        return 0
    served = [item.source for item in runtime.view.sessions.items(session.id)]
    helped = 0
    reason = f"helped in session {session.id[:8]}"
    for record in runtime.view.records.get(served):
        mine = runtime.caller.may("write", record.scope, "skills")
        counted = record.kind == "skill" and record.usage_count and mine
        if not counted or any(
            one.reason == reason for one in runtime.view.records.history(record.id)[-20:]
        ):
            continue
        after = record.with_(helpful=record.helpful + 1)
        with suppress(Stale):
            change(runtime, record, after, action="feedback", reason=reason)
            helped += 1
    return helped


def propose_skills(
    runtime: Runtime, session: Session, turns: Sequence[Turn]
) -> tuple[list[str], int]:
    """Propose sequences of steps that succeeded in `SESSIONS` sessions as skills in the inbox. Returns the
    keys of this session's sequences, and the number of proposals.
    """
    found = procedures_of(turns)
    keys = [one.key for one in found]
    if not found or not runtime.caller.may("write", runtime.scope, "skills"):
        return keys, 0
    before = runtime.view.sessions.find(frozenset({session.scope}), limit=_LOOKED_AT)
    others = [one.data.get(PROCEDURES) for one in before if one.id != session.id]
    again = returned(found, others, SESSIONS)
    if not again:
        return keys, 0
    query = runtime.query("skill", level="project", statuses=STATUSES, limit=_MOST)
    known = list(runtime.view.records.find(query).records)
    made = [
        _proposal(runtime, session, one, times)
        for one, times in again
        if not any(_alike(one, record) for record in known)
    ]
    distinct: list[Record] = []
    for record in made:
        if not any(_overlap(record, other) for other in distinct):
            distinct.append(record)
    if distinct:
        puts = [
            Put(record, "create", f"succeeded in {SESSIONS} sessions or more")
            for record in distinct
        ]
        runtime.commit(knowledge=with_vectors(runtime, puts))
    return keys, len(distinct)


def _proposal(runtime: Runtime, session: Session, one: Procedure, times: int) -> Record:
    name = "-".join(dict.fromkeys(word for step in one.steps for word in step.split()[:2]))
    name = "".join(letter if letter.isalnum() else "-" for letter in name.lower())[:60].strip("-")
    step_chain = " → ".join(one.steps)
    return proposed_by(
        runtime,
        session,
        id=str(uuid.uuid5(_NAMESPACE, f"{session.scope}:{one.key}")),
        kind="skill",
        title=name,
        content=f"Steps that succeeded together in {times} sessions: {step_chain}",
        data={
            "name": name,
            "steps": [f"run `{command}`" for command in one.commands],
            "source_sessions": [session.id],
        },
    )


def _alike(one: Procedure, record: Record) -> bool:
    """Whether a similar sequence was proposed before, with any outcome."""
    return _share(set(one.steps), record) >= _PART


def _overlap(one: Record, other: Record) -> bool:
    steps = set(one.content.partition(": ")[2].split(" → "))
    return _share(steps, other) >= _PART


def _share(steps: set[str], record: Record) -> float:
    known = set(record.content.partition(": ")[2].split(" → "))
    together = steps | known
    return len(steps & known) / len(together) if together else 0.0
