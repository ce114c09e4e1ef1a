"""What a session stated, as records: candidates, but for what its source makes sure of."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from contextd.code.git.program import blobs, branch, head
from contextd.domain.errors import Unavailable
from contextd.domain.origins import ORIGINS
from contextd.domain.records import Anchor
from contextd.domain.sessions import Event, Session
from contextd.runtime import Runtime
from contextd.sessions.retractions import takes_back
from contextd.sessions.statements import Statement, statements
from contextd.sessions.turns import turns_of
from contextd.sessions.worth import worth
from contextd.steps.witnesses import seen_again
from contextd.steps.writing import Saved, save_new

_NAMESPACE = uuid.UUID("6f3f6f0e-6a53-5d4c-9d1e-0c0f3a1b7c55")

_SURE = frozenset({"memory_file", "instructions", "answer", "refusal"})
"""Sources whose statements are known at once when they are worth it: an agent wrote them down to be
read again, or the user was asked and said so.
"""

_LATEST = 3
"""Turns whose last words may become records by themselves: what earlier ones found was built on, mended
or dropped since, and stands in their episodes.
"""

_LONGEST = 900
_MOST_READ = 120
_TYPES = {"refusal": "correction", "answer": "decision", "queued": "correction"}


def keep_statements(
    runtime: Runtime,
    session: Session,
    events: Sequence[Event],
    *,
    check: Callable[[], None] = lambda: None,
) -> list[Saved]:
    """Store the statements of a session that are most likely worth knowing. What another session said
    too becomes known.
    """
    most = runtime.settings.number("sessions.discoveries")
    found = _eligible(events)[-_MOST_READ:]
    if not found or not most:
        return []
    texts = [statement.text[:_LONGEST] for statement in found]
    try:
        vectors = runtime.embedder.embed(texts) if runtime.embedder.model else None
    except Unavailable:
        vectors = None
    scored = sorted(
        zip(worth(found, vectors), range(len(found)), strict=True), key=lambda p: (-p[0], p[1])
    )
    saved: list[Saved] = []
    for value, place in scored:
        statement = found[place]
        bar = _SURE_FROM if statement.origin in _SURE else _FROM
        if value < bar or len(saved) == most:
            continue
        check()
        saved.append(_keep(runtime, session, statement, value))
    return saved


_FROM, _SURE_FROM = 0.5, 0.4
"""How likely a statement must be useful and true: even odds; a little less where the source vouches."""


def _eligible(events: Sequence[Event]) -> list[Statement]:
    turns = turns_of(events)
    since = turns[-_LATEST].began if len(turns) >= _LATEST else None
    back = [one.began for one in turns if takes_back(one.prompt)]
    found: list[Statement] = []
    for statement in statements(events):
        late = since is None or statement.at >= since
        if statement.origin in ("assistant", "material", "todo") or (
            statement.origin == "turn_end" and not late
        ):
            continue
        asked = [turn.began for turn in turns if turn.began <= statement.at]
        following = [at for at in back if asked and at > asked[-1]]
        # The turn right after it took it back.
        after = [turn.began for turn in turns if asked and turn.began > asked[-1]][:1]
        if following and after and following[0] == after[0]:
            continue
        found.append(statement)
    return found


def _keep(runtime: Runtime, session: Session, statement: Statement, value: float) -> Saved:
    origin = ORIGINS[statement.origin]
    sure = statement.origin in _SURE
    saved = save_new(
        runtime,
        "discovery",
        content=statement.text[:_LONGEST],
        data={
            "type": _TYPES.get(statement.origin, "fact"),
            "origin": statement.origin,
            "speaker": origin.speaker,
        },
        source=session.client,
        trust="extracted",
        session=session.id,
        confidence=round(0.4 + 0.2 * value, 2),
        anchor=anchor_of(runtime, session),
        ref=statement.event_key,
        id=str(uuid.uuid5(_NAMESPACE, f"{session.id}:{statement.origin}:{statement.text}")),
        candidate=not sure,
    )
    if saved.outcome == "duplicate":
        seen_again(runtime, saved.record, session)
    return saved


def anchor_of(runtime: Runtime, session: Session, files: Sequence[str] = ()) -> Anchor:
    """Where in git something was learned: where the session ended up, if it is still there."""
    if runtime.checkout is None:
        return Anchor(session.commit, session.branch)
    here = branch(runtime.root) == session.branch
    commit = (head(runtime.root) if here else "") or session.commit
    return Anchor(commit, session.branch, blobs(runtime.root, files) if files else {})
