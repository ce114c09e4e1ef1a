"""Inject a way that failed before when a prompt or an edit brings it up again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from contextd.briefing.injected_records import held
from contextd.briefing.session_outcome import turn_of
from contextd.clients.hook_event import ToolUse
from contextd.domain.kinds import EPISODE
from contextd.domain.query import Vector
from contextd.domain.quoting import inline, inline_words
from contextd.domain.records import Record, short_id
from contextd.domain.sessions import Session
from contextd.domain.time import age
from contextd.runtime.runtime import Runtime
from contextd.sessions.dead_ends import (
    DeadEnd,
    corrected,
    dead_ends,
    makes_work,
    subject_words,
)
from contextd.sessions.ledger import ledger_of
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.files.guarded import read_file
from contextd_common.text.tokens import count_tokens

HEADER = "Tried before and given up (from contextd; quoted with source and age):"

FAILED_BEFORE = "this way failed before"
"""The reason for an injected dead end."""

_NEAR, _CLOSE = 0.42, 0.55
"""The lowest cosine between a prompt and a dead end that share several words, and the one where they share little. Of
9,600 pairs of a real prompt and a dead end of another project none passes.
"""

_EDIT_NEAR, _EDIT_CLOSE = 0.25, 0.34
"""The same for an edit. Code is far from prose: of 14,400 such pairs with a real edit 13 pass without the condition
that a word is new to the file.
"""

_QUOTED = 0.8
"""The share of its words by which a text quotes a dead end."""

_CANDIDATES, _READ, _MOST = 40, 1_200, 2
_PER_WAY = 400
"""Bytes of a dead end's text and of its place in the cache."""

_CACHED = 4_000
_LONGEST = 300


def repeated_ways(
    runtime: Runtime, session: Session, prompt: str, budget: int, *, known: str = ""
) -> tuple[str, list[Record]]:
    """The dead ends of other sessions that a prompt brings up again, as text within `budget` tokens, and their
    episodes; none that `known` quotes, and empty without an embedder.
    """
    quoted = subject_words(known)
    asked = subject_words(prompt[:_READ])
    if budget <= 0 or not asked or not runtime.embedder.model:
        return "", []
    try:
        vector = runtime.embedder.embed([prompt[:_READ]])[0]
        near = runtime.view.near(
            vector, runtime.embedder.model, runtime.query(EPISODE), _CANDIDATES
        )
        scored = [
            (score, one, record)
            for record in _others(session, [record for record, _ in near])
            for one, score in dead_ends_like(runtime, record, asked, vector)
            if len(one.words & quoted) < _QUOTED * len(one.words)
        ]
    except (Unavailable, Corrupt):
        return "", []
    scored.sort(key=lambda each: -each[0])
    return _text(runtime, [(one, record) for _, one, record in scored], budget)


def ways_of_edit(
    runtime: Runtime, session: Session | None, use: ToolUse
) -> tuple[str, list[Record]]:
    """The dead ends that an edit brings into a file again, as text, and their episodes: an edit needs words of
    one that the file does not have yet. Empty for commands and without an embedder.
    """
    added = "\n".join((use.content or "", *(new for _, new in use.replacements)))[:_EDIT]
    budget = min(_EDIT_TOKENS, runtime.settings.number("prompt.tokens"))
    if not use.path or not added.strip() or budget <= 0 or not runtime.embedder.model:
        return "", []
    path = runtime.root / use.path
    inside = path.relative_to(runtime.root) if path.is_relative_to(runtime.root) else path
    named = "/".join(inside.parts[-_PARTS:])
    words = subject_words(f"{named}\n{added}")
    try:
        records = runtime.view.sharing([sorted(words)], runtime.query(EPISODE), _CANDIDATES)
        known: set[str] | None = None
        found: list[tuple[float, DeadEnd, Record]] = []
        for record in records if session is None else _others(session, records):
            for one in dead_ends_in(runtime, record):
                shared = words & one.words
                least = _least(one, words, (_EDIT_NEAR, _EDIT_CLOSE), _PER_MORE_OF_CODE)
                if least is None:
                    continue
                known = _words_before(runtime, path, use) if known is None else known
                if not shared - known:
                    continue
                vector = runtime.embedder.embed([f"{named}\n{added[:_COMPARED]}"])[0]
                if (score := float(vector_of_way(runtime, one) @ vector)) >= least:
                    found.append((score, one, record))
    except (Unavailable, Corrupt):
        return "", []
    found.sort(key=lambda each: -each[0])
    return _text(runtime, [(one, record) for _, one, record in found], budget)


_EDIT, _COMPARED, _EDIT_TOKENS, _PARTS = 6_000, 600, 120, 3
_FILE = 200_000
"""Characters of an edit that are read, characters that are embedded, tokens of the answer, the last parts of a path
that name its subject, and bytes of the file that are read.
"""


def _words_before(runtime: Runtime, path: Path, use: ToolUse) -> set[str]:
    """The subject words that a file has before the edit."""
    try:
        data = read_file(path, _FILE, cut=True)
    except (OSError, ValueError):
        data = b""
    before = "\n".join((data.decode("utf-8", "replace"), *(old for old, _ in use.replacements)))
    return set(subject_words(before))


def _others(session: Session, records: Iterable[Record]) -> list[Record]:
    window = held(session)
    return [one for one in records if one.session != session.id and one.id not in window]


def dead_ends_like(
    runtime: Runtime, record: Record, asked: frozenset[str], vector: Vector
) -> list[tuple[DeadEnd, float]]:
    """The dead ends of an episode that are about what a prompt asks, with their cosines."""
    found = []
    for one in dead_ends_in(runtime, record):
        least = _least(one, asked, (_NEAR, _CLOSE), _PER_MORE)
        if least is not None and (score := float(vector_of_way(runtime, one) @ vector)) >= least:
            found.append((one, score))
    return found


def _least(
    one: DeadEnd, words: frozenset[str], bars: tuple[float, float], per_more: int
) -> float | None:
    """Which of two cosines a text with these words needs to be about a dead end; None if no cosine is enough: by
    meaning alone, two orders about the same part of a program look alike. A text shares one word more by chance
    for every `per_more` words it has.
    """
    shared = words & one.words
    if not shared & subject_words(one.text):
        return None
    named, by_chance = bool(shared & one.names), len(words) // per_more
    if len(shared) >= _SHARED + (not named) + by_chance:
        return bars[0]
    return bars[1] if len(shared) >= _SHARED - named + by_chance else None


_PER_MORE, _PER_MORE_OF_CODE = 30, 100


_SHARED = 2
"""Words shared with a dead end, a name of it among them."""


def dead_ends_in(runtime: Runtime, record: Record) -> Sequence[DeadEnd]:
    """The dead ends that an episode has, read once for each of its versions."""
    cache = runtime.organisation.caches.of("dead ends", _CACHED)
    found: Sequence[DeadEnd] = cache.made(
        (record.id, record.updated_at, bool(record.data.get("taken_back"))),
        lambda: _read(runtime, record),
    )
    return found


def _read(runtime: Runtime, record: Record) -> Sequence[DeadEnd]:
    turn = turn_of(record)
    if not turn.taken_back:
        return dead_ends(ledger_of([turn], _LONGEST), turn.prompt)
    before = ledger_of([replace(turn, taken_back=False)], _LONGEST)
    by = runtime.view.records.get([turn.taken_back_by[0]])
    correction = turn_of(by[0]) if by else None
    if correction is None or correction.taken_back or dead_ends(before):
        # Whoever takes back that a way failed has no word on another way.
        return []
    return corrected(turn.prompt, ledger_of([correction], _LONGEST))


def vector_of_way(runtime: Runtime, one: DeadEnd) -> Vector:
    """The embedding of a dead end."""
    cache = runtime.organisation.caches.of(
        "vectors of dead ends", _CACHED, weigh=lambda vector: _PER_WAY + vector.nbytes
    )
    key = (runtime.embedder.model, one.subject)
    found: Vector = cache.made(key, lambda: runtime.embedder.embed([one.subject])[0])
    return found


def _text(
    runtime: Runtime, found: Sequence[tuple[DeadEnd, Record]], budget: int
) -> tuple[str, list[Record]]:
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    quoted: set[str] = set()
    for one, record in found:
        if one.text in quoted or len(chosen) >= _MOST or _works_now(runtime, one, record):
            continue
        since = age(record.created_at, runtime.clock.now())
        source = inline_words(str(record.source))
        mark = f"session {short_id(record.session)} · {source} · {since}"
        line = inline(f"{one.speaker.capitalize()}: {inline_words(one.text)} [{mark}]")
        cost = count_tokens(f"- {line}\n")
        if spent + cost <= budget:
            lines.append(f"- {line}")
            chosen.append(record)
            quoted.add(one.text)
            spent += cost
    return ("\n".join(lines), chosen) if chosen else ("", [])


def _works_now(runtime: Runtime, one: DeadEnd, record: Record) -> bool:
    """Whether a later session made the way work."""
    vector = vector_of_way(runtime, one)
    near = runtime.view.near(vector, runtime.embedder.model, runtime.query(EPISODE), _LATER)
    return any(
        score >= _SAME_WAY
        and later.session != record.session
        and later.created_at > record.created_at
        and not later.data.get("taken_back")
        and not dead_ends_in(runtime, later)
        and (one.names or one.words) & subject_words(later.text)
        and makes_work(later.text)
        for later, score in near
    )


_LATER, _SAME_WAY = 8, 0.52
"""Turns that are looked at, and the lowest cosine between one and a dead end that it may end."""
