"""Propose a way that failed in two sessions, or that the user refused, as an anti-pattern for review."""

from __future__ import annotations

import uuid

from contextd.briefing.dead_end_injection import dead_ends_in, dead_ends_like, vector_of_way
from contextd.domain.changes import Put
from contextd.domain.kinds import EPISODE
from contextd.domain.records import STATUSES, Record, short_id
from contextd.domain.sessions import Session
from contextd.knowledge.embedding import with_vectors
from contextd.knowledge.session_proposals import proposed_by
from contextd.runtime.runtime import Runtime
from contextd.sessions.dead_ends import DeadEnd, refuses
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.text.words import one_line

_TWICE = 2
_CANDIDATES, _TITLE = 40, 90
_KNOWN = 0.8
"""The cosine from which an anti-pattern that a person recorded already states a way."""

_NAMESPACE = uuid.UUID("5d0c2f0e-3f1b-5c43-9f0e-7a1f4e6f2b90")


def propose_anti_patterns(runtime: Runtime, session: Session) -> int:
    """Propose the ways of a session that the user refused or that failed in another session too, and return how
    many. They wait in the inbox. A proposal has the id of the first time its way failed, so one that was rejected
    is not made again. Nothing without an embedder.
    """
    if not runtime.embedder.model:
        return 0
    query = runtime.query(EPISODE, level="project", session=session.id)
    puts: dict[str, Put] = {}
    try:
        for episode in runtime.view.records.find(query).records:
            for one in dead_ends_in(runtime, episode):
                put = _proposal(runtime, session, episode, one)
                if put is not None:
                    puts.setdefault(put.record.id, put)
    except (Unavailable, Corrupt):
        return 0
    known = {record.id for record in runtime.view.records.get(list(puts))}
    fresh = [put for id, put in puts.items() if id not in known]
    if fresh:
        runtime.commit(knowledge=with_vectors(runtime, fresh))
    return len(fresh)


def _proposal(runtime: Runtime, session: Session, episode: Record, one: DeadEnd) -> Put | None:
    before = _failed_before(runtime, session, one)
    times = len({record.session for _, record in before}) + 1
    refused = refuses(one)
    if not (refused or times >= _TWICE) or _is_known(runtime, one):
        return None
    each = sorted([(one, episode), *before], key=lambda pair: pair[1].created_at)
    first, where = each[0]
    reason = "the user refused it" if refused else f"it failed in {times} sessions"
    happened = [
        f"{record.created_at:%Y-%m-%d}, session {short_id(record.session)}, {way.speaker}: {way.text}"
        for way, record in each
    ]
    record = proposed_by(
        runtime,
        session,
        id=str(uuid.uuid5(_NAMESPACE, f"{where.id}:{first.text}")),
        kind="anti_pattern",
        title=one_line(one.about or one.text, _TITLE),
        content=one.text + (f"\nWhen not to: {one.about}" if one.about else ""),
        data={
            "category": "failed way",
            "what_happened": "\n".join(dict.fromkeys(happened)),
            "source_incident": ", ".join(dict.fromkeys(short_id(r.session) for _, r in each)),
        },
    )
    return Put(record, "create", reason)


def _failed_before(
    runtime: Runtime, session: Session, one: DeadEnd
) -> list[tuple[DeadEnd, Record]]:
    """The dead ends of other sessions that are about the same way."""
    vector = vector_of_way(runtime, one)
    near = runtime.view.near(vector, runtime.embedder.model, runtime.query(EPISODE), _CANDIDATES)
    return [
        (other, record)
        for record, _ in near
        if record.session != session.id
        for other, _ in dead_ends_like(runtime, record, one.words, vector)
    ]


def _is_known(runtime: Runtime, one: DeadEnd) -> bool:
    query = runtime.query("anti_pattern", statuses=STATUSES)
    near = runtime.view.near(vector_of_way(runtime, one), runtime.embedder.model, query, 1)
    return any(
        score >= _KNOWN and record.source.operation != "learn_session" for record, score in near
    )
