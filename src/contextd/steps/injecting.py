"""What is added to a prompt: the few things known that bear on it, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.errors import Corrupt, Unavailable
from contextd.domain.kinds import EPISODE, kinds_that
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.domain.time import age
from contextd.domain.tokens import count_tokens
from contextd.domain.words import content_words
from contextd.runtime import Runtime
from contextd.sessions.briefing import BEARING
from contextd.steps.anchoring import from_elsewhere, standings
from contextd.steps.briefing import quoted
from contextd.steps.episodes import shown
from contextd.steps.remedy_telling import ITS_ERROR, remedy_for
from contextd.steps.witnesses import FLOOR

HEADER = "Relevant Memory (from contextd; recorded facts, quoted with source and age):"

NEAR = 0.58
"""The cosine from which something bears on a prompt: of three projects' real prompts, replayed against
their earlier sessions, 12 in a hundred reach it with something that says enough.
"""

_SAYS_ENOUGH = 150
"""Characters of an episode below which it tells that something was done (`All tests pass.`), not what."""

_ALIKE_WORDS = 0.15
"""The share of a prompt's content words that a text must have too: meaning alone takes any two orders to
the same program for alike.
"""

_READ, _CANDIDATES = 1_200, 24
_SHORTEST, _LONGEST = 20, 700
"""Characters: what is shorter than the first, such as `go on`, says nothing that memory could be about;
of an episode as many as the second are quoted.
"""


def bearing_on(
    runtime: Runtime, session: Session, prompt: str, given: str
) -> tuple[str, dict[str, tuple[int, str]], list[Record]]:
    """What is told with a prompt, the tier and reason of each record in it, and those records: first the fix
    of an error that it brings, then what else bears on it. `given` is the prompt with what editors and
    reminders put around it: an error may stand there.
    """
    fix, fixed = remedy_for(runtime, session, max(prompt, given, key=len), quoted=True)
    text, records = relevant(runtime, session, prompt, told=fixed, spent=count_tokens(fix))
    why = {record.id: (BEARING, ITS_ERROR) for record in fixed}
    why |= {record.id: (BEARING, "like the prompt") for record in records}
    return "\n\n".join(filter(None, (fix, text))), why, [*fixed, *records]


def relevant(
    runtime: Runtime,
    session: Session,
    prompt: str,
    *,
    told: Sequence[Record] = (),
    spent: int = 0,
) -> tuple[str, list[Record]]:
    """The text to add to a prompt, and the records in it; empty when in doubt, and without an embedder:
    shared words alone do not make two tasks alike. `told` was added to it already, in `spent` tokens.
    """
    budget = runtime.settings.number("prompt.tokens") - spent
    most = runtime.settings.number("injection.experiences")
    if budget <= 0 or most <= 0 or len(prompt.strip()) < _SHORTEST:
        return "", []
    records = _near(runtime, session, prompt[:_READ])
    standing = standings(runtime, records)
    hidden = from_elsewhere(runtime, standing) | held(session) | {record.id for record in told}
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    for record in records:
        if record.id in hidden or len(chosen) == most:
            continue
        note = standing[record.id].note if record.id in standing else ""
        line = "- " + _line(record, runtime, note)
        cost = count_tokens(line + "\n")
        if spent + cost <= budget:
            lines.append(line)
            chosen.append(record)
            spent += cost
    return ("\n".join(lines), chosen) if chosen else ("", [])


LOST = "injected_before_compaction"
"""Where a session keeps what it was told and its agent's window no longer holds."""


def held(session: Session) -> set[str]:
    """The records that the agent's window still holds, as far as the session knows."""
    return set(session.injected) - set(map(str, session.data.get(LOST, ())))


def _line(record: Record, runtime: Runtime, note: str) -> str:
    if record.kind != EPISODE:
        return quoted(record, runtime, note)
    since = age(record.updated_at, runtime.clock.now())
    marks = f"episode {record.id[:8]} · {record.source} · {since}" + (f" · {note}" if note else "")
    return f"{shown(record, _LONGEST)} [{marks}]"


def _near(runtime: Runtime, session: Session, prompt: str) -> list[Record]:
    """What means nearly the same as the prompt, nearest first."""
    embedder = runtime.embedder
    kinds = tuple(dict.fromkeys((*kinds_that("recalled"), *kinds_that("briefed"))))
    now = runtime.clock.now()
    query: Query = runtime.query(*kinds, valid_at=now)
    if not embedder.model:
        return []
    try:
        [vector] = embedder.embed([prompt])
        near = runtime.view.index.dense(vector, embedder.model, query, _CANDIDATES)
    except (Unavailable, Corrupt):
        return []
    close = {match.id: match.score for match in near if match.score >= NEAR}
    records = runtime.view.records.get(list(close))
    asked = set(content_words(prompt))
    return [
        record
        for record in sorted(records, key=lambda r: -close[r.id])
        if record.session != session.id and _may_be_told(record) and _shares(asked, record)
    ]


def _may_be_told(record: Record) -> bool:
    if record.kind == EPISODE:
        asks = record.content.rstrip().endswith(("?", "？"))
        return (
            not record.data.get("taken_back") and not asks and len(record.content) >= _SAYS_ENOUGH
        )
    return record.confidence >= FLOOR or record.trust == "human"


def _shares(asked: set[str], record: Record) -> bool:
    return len(asked & set(content_words(record.text))) >= _ALIKE_WORDS * len(asked)
