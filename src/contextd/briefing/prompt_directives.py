"""The directives that a prompt needs: judged on each part of it, since a rule bears on one thing of several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from contextd.briefing.directive_lines import directive_line, said
from contextd.briefing.injected_records import held
from contextd.domain.confidence import is_sure
from contextd.domain.dataclass import dataclass
from contextd.domain.directives import WORDED, is_directive, sentences
from contextd.domain.errors import Corrupt, Unavailable
from contextd.domain.generic_texts import USUAL_PROMPTS, USUAL_RULES
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Vector
from contextd.domain.records import Record
from contextd.domain.regex import regex
from contextd.domain.sessions import Session
from contextd.domain.tokens import count_tokens
from contextd.domain.topics import topics
from contextd.domain.words import content_words
from contextd.knowledge.client_read_files import reads_itself
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.runtime.runtime import Runtime

HEADER = "Rules in force that bear on this (from contextd):"

NEEDED = -0.3
"""The score from which a prompt needs a directive: 2.3 of 100 real prompts of other projects reach it. See ADR 48."""

_OVER_RULES, _PER_WORD, _PER_TOPIC, _PER_LENGTH = 12.0, 0.25, 0.7, 1.5
"""Weights of the score: the cosine of prompt and directive over that of usual rules, the rarity of shared words
and of the rarest topic that they share in other words, and the logarithm of the prompt's length in words. Rounded
from a logistic regression on 124 prompts that need a rule of seven projects and 600 real prompts that need none.
"""

_NEAREST_RULES = 2
"""How many of the usual rules nearest to a part say how near it is to any rule."""

_WIDE_NEEDED, _WIDE_WORDS = 0.6, 2
"""The same, and the words they must share, for ideographs: the embedder takes any two such texts for alike."""

_MOST, _READ_AT_MOST, _JUDGED = 2, 1_000, 64
"""Directives that one prompt gets, documents whose cosines are looked at for each part of it, and how many of
these, the nearest, are read.
"""

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


@dataclass(frozen=True, slots=True)
class _Usual:
    """The vectors of usual rules, and how many usual prompts and rules have a word or touch a topic."""

    rules: Vector
    having: Mapping[str, int]
    touching: Mapping[int, int]

    def rarity(self, words: Iterable[str]) -> float:
        """How rare these words are together, as the logarithm of their odds."""
        return sum(_rarity(self.having.get(word, 0)) for word in words)

    def rarest(self, shared: Iterable[int]) -> float:
        """How rare the rarest of these topics is; 0 without one."""
        return max((_rarity(self.touching.get(topic, 0)) for topic in shared), default=0.0)


def _rarity(count: int) -> float:
    return log((1 + len(USUAL_PROMPTS) + len(USUAL_RULES)) / (1 + count))


def _near(runtime: Runtime, session: Session, prompt: str) -> list[Record]:
    parts = parts_of(prompt)
    if not runtime.embedder.model or not parts:
        return []
    try:
        scores = _scores(runtime, parts, _PER_LENGTH * log(1 + len(prompt.split())))
    except (Unavailable, Corrupt):
        return []
    records = [record for record, _ in scores.values()]
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
    return sorted(needed, key=lambda record: -scores[record.id][1])


def _scores(
    runtime: Runtime, parts: Sequence[str], length: float
) -> dict[str, tuple[Record, float]]:
    """The directives that these parts of a prompt need, by id, each with its best score. `length` is what the
    length of the prompt takes from it.
    """
    usual = _usual(runtime)
    vectors = runtime.embedder.embed(list(parts))
    close: list[tuple[set[str], bool, dict[str, float]]] = []
    for part, vector in zip(parts, vectors, strict=True):
        words = set(content_words(part))
        wide = _IDEOGRAPH.search(part) is not None
        near = _cosines(runtime, vector) if wide else _nearness(runtime, usual, vector)
        # What no shared word could lift over the bar is not read.
        least = _WIDE_NEEDED if wide else NEEDED + length - _alike(usual, words, words)
        least = max([least, *sorted(near.values())[-_JUDGED:][:1]])
        close.append((words, wide, {id: score for id, score in near.items() if score >= least}))
    ids = {id: None for _, _, near in close for id in near}
    best: dict[str, tuple[Record, float]] = {}
    for record in runtime.view.records.get(list(ids)) if ids else []:
        if not is_directive(record):
            continue
        said_words = set(content_words(said(record)))
        for words, wide, near in close:
            if record.id not in near:
                continue
            score = near[record.id]
            if not wide:
                score += _alike(usual, words, said_words) - length
            meant = len(words & said_words) >= _WIDE_WORDS if wide else score >= NEEDED
            if meant and (record.id not in best or score > best[record.id][1]):
                best[record.id] = (record, score)
    return best


def _alike(usual: _Usual, words: set[str], others: set[str]) -> float:
    """What shared words, and a topic shared in other words, add to the score. With the same words twice: the
    most that they could add.
    """
    shared = words & others
    touched = topics(words)
    if words is not others:
        touched = (touched & topics(others)) - topics(shared)
    return _PER_WORD * usual.rarity(shared) + _PER_TOPIC * usual.rarest(touched)


def _nearness(runtime: Runtime, usual: _Usual, vector: Vector) -> dict[str, float]:
    """How much nearer than usual rules each directive is to a part of a prompt, by id."""
    nearest = sorted(map(float, usual.rules @ vector))[-_NEAREST_RULES:]
    to_any = sum(nearest) / len(nearest)
    return {id: _OVER_RULES * (cosine - to_any) for id, cosine in _cosines(runtime, vector).items()}


def _cosines(runtime: Runtime, vector: Vector) -> dict[str, float]:
    """The cosine of a vector and of each text that may be a directive, by id."""
    now, model = runtime.clock.now(), runtime.embedder.model
    # One search for each group, so that no number of notes hides a policy.
    queries = [runtime.query(*kinds, valid_at=now) for kinds in (kinds_that("directive"), WORDED)]
    dense = runtime.view.index.dense
    return {
        match.id: match.score
        for query in queries
        for match in dense(vector, model, query, _READ_AT_MOST)
    }


def _usual(runtime: Runtime) -> _Usual:
    """The usual texts, embedded once for each model."""
    cache = runtime.organisation.caches.of("usual texts", 2)
    known: _Usual | None = cache.get(runtime.embedder.model)
    if known is None:
        texts = [set(content_words(text)) for text in (*USUAL_PROMPTS, *USUAL_RULES)]
        having = Counter(word for words in texts for word in words)
        touching = Counter(topic for words in texts for topic in topics(words))
        known = _Usual(runtime.embedder.embed(USUAL_RULES), having, touching)
        cache.put(runtime.embedder.model, known)
    return known
