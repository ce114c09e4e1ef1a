"""The directives that a prompt needs: judged on each part of it, since a rule bears on one thing of several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from contextd.domain.confidence import is_sure
from contextd.domain.directives import WORDED, is_directive, sentences
from contextd.domain.errors import Corrupt, Unavailable
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.regex import regex
from contextd.domain.sessions import Session
from contextd.domain.tokens import count_tokens
from contextd.domain.words import content_words
from contextd.runtime import Runtime
from contextd.steps.anchoring import from_elsewhere, standings
from contextd.steps.directives import directive_line, said
from contextd.steps.held import held
from contextd.steps.read_by_client import reads_itself

HEADER = "Rules in force that bear on this (from contextd):"

NEEDED = 0.45
"""The cosine of a part of a prompt and a directive from which the prompt needs it. Chosen with 15 rules, 30
prompts written for them and 400 real prompts; on 15 other rules 5 of 30 such prompts reach it (none reaches 0.58
as a whole), and 9 of 400 real prompts of other projects. At 0.40 four times as many real prompts did.
"""

_WIDE_NEEDED, _WIDE_WORDS = 0.6, 2
"""The same, and the words they must share, for ideographs: the embedder takes any two such texts for alike."""

_MOST, _CANDIDATES = 2, 12
_PARTS, _READ = 4, 400
"""Parts of a prompt that are embedded, and characters of each: a hook has a budget."""

_SHORTEST = 8
_CLAUSE = regex(
    r"[;:]\s+|,\s+(?=(?:and|but|then|how|what|where|which|und|aber|et|mais|y|pero)\s)", re.I
)
_IDEOGRAPH = regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def needed_directives(
    runtime: Runtime, session: Session, prompt: str, budget: int
) -> tuple[str, list[Record]]:
    """The directives that a prompt needs and its agent's window does not hold, as text within `budget`
    tokens and as records; none without an embedder.
    """
    if budget <= 0 or not runtime.settings.flag("injection.tier0"):
        return "", []
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    for record in _near(runtime, session, prompt):
        line = "- " + directive_line(record, runtime)
        cost = count_tokens(line + "\n")
        if spent + cost <= budget and len(chosen) < _MOST:
            lines.append(line)
            chosen.append(record)
            spent += cost
    return ("\n".join(lines), chosen) if chosen else ("", [])


def parts_of(prompt: str) -> list[str]:
    """The sentences of a prompt, and the clauses of those that have several; the questions first."""
    found = list(dict.fromkeys(_parts(prompt)))
    found.sort(key=lambda part: not part.endswith(("?", "？")))
    return found[:_PARTS]


def _parts(prompt: str) -> Iterator[str]:
    for sentence in sentences(prompt):
        clauses = [one.strip() for one in _CLAUSE.split(sentence)]
        if len(clauses) > 1:
            yield from (one[:_READ] for one in clauses if len(one) >= _SHORTEST)
        elif len(sentence) >= _SHORTEST:
            yield sentence[:_READ]


def _near(runtime: Runtime, session: Session, prompt: str) -> list[Record]:
    embedder, parts = runtime.embedder, parts_of(prompt)
    if not embedder.model or not parts:
        return []
    kinds = tuple(dict.fromkeys((*kinds_that("directive"), *WORDED)))
    query = runtime.query(*kinds, valid_at=runtime.clock.now())
    try:
        scores = _scores(runtime, parts, query)
    except (Unavailable, Corrupt):
        return []
    records = [
        record
        for record in runtime.view.records.get(list(scores))
        if is_directive(record) and _is_meant(record, *scores[record.id])
    ]
    hidden = held(session) | from_elsewhere(runtime, standings(runtime, records))
    now = runtime.clock.now()
    needed = [
        record
        for record in records
        if record.id not in hidden
        and record.session != session.id
        and is_sure(record, now)
        and not reads_itself(runtime, record)
    ]
    return sorted(needed, key=lambda record: -scores[record.id][0])


def _scores(runtime: Runtime, parts: Sequence[str], query: Query) -> dict[str, tuple[float, str]]:
    """How near each record comes to a part of the prompt, and which."""
    found: dict[str, tuple[float, str]] = {}
    vectors = runtime.embedder.embed(list(parts))
    for part, vector in zip(parts, vectors, strict=True):
        for match in runtime.view.index.dense(vector, runtime.embedder.model, query, _CANDIDATES):
            if match.score >= NEEDED and match.score > found.get(match.id, (0.0, ""))[0]:
                found[match.id] = (match.score, part)
    return found


def _is_meant(record: Record, score: float, part: str) -> bool:
    shared = len(set(content_words(part)) & set(content_words(said(record))))
    if _IDEOGRAPH.search(part):
        return score >= _WIDE_NEEDED and shared >= _WIDE_WORDS
    return shared > 0
