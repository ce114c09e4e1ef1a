"""Select the directives that a prompt needs, judging each of its parts: a rule matches one topic of several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from contextd.briefing.directive_lines import directive_line, said
from contextd.briefing.injected_records import held
from contextd.domain.confidence import is_sure
from contextd.domain.directives import WORDED, is_directive, sentences
from contextd.domain.generic_texts import USUAL_PROMPTS, USUAL_RULES
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Vector
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.knowledge.client_read_files import reads_itself
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.runtime.runtime import Runtime
from contextd_code.dataclass import dataclass
from contextd_code.errors import Corrupt, Unavailable
from contextd_code.text.regex import regex
from contextd_code.text.tokens import count_tokens
from contextd_code.text.words import IDEOGRAPH, content_words

HEADER = "Rules in force relevant to this (from contextd):"

NEEDED = -0.3
"""The lowest score at which a prompt needs a directive. See ADR 48 for how often prompts reach it."""

_OVER_RULES, _PER_WORD, _PER_LENGTH = 12.0, 0.25, 1.5
"""Weights of the score: the cosine of prompt and directive above that of common rules, the rarity of shared
words, and the logarithm of the prompt's length in words. Rounded from a logistic regression on 124 prompts of
seven projects that need a rule and 600 real prompts that do not.
"""

_NEAREST_RULES = 2
"""How many of the nearest common rules measure a part's distance to rules in general."""

_WIDE_NEEDED, _WIDE_WORDS = 0.6, 2
"""The same thresholds, and the minimum of shared words, for ideographs: the embedder rates any two such texts alike."""

_MOST, _READ_AT_MOST, _JUDGED = 2, 1_000, 64
"""Directives per prompt, documents whose cosines are compared for each part of it, and how many of the
nearest are read.
"""

_PARTS, _READ = 4, 400
"""Parts of a prompt that are embedded, and characters of each: a hook has a time limit."""

_SHORTEST = 8
_CLAUSE = regex(
    r"[;:]\s+|,\s+(?=(?:and|but|then|how|what|where|which|und|aber|et|mais|y|pero)\s)", re.I
)


def needed_directives(
    runtime: Runtime, session: Session, prompt: str, budget: int
) -> tuple[str, list[Record]]:
    """Select the directives that a prompt needs and the agent's window does not contain, as text within
    `budget` tokens and as records; empty without an embedder.
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
    """The sentences of a prompt, and the clauses of sentences with several; questions first."""
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
    """Vectors of common rules, and how many common prompts and rules contain a word."""

    rules: Vector
    having: Mapping[str, int]

    def rarity(self, words: Iterable[str]) -> float:
        """The combined rarity of these words, as the logarithm of their odds."""
        count = 1 + len(USUAL_PROMPTS) + len(USUAL_RULES)
        return sum(log(count / (1 + self.having.get(word, 0))) for word in words)


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
    """The directives that these parts of a prompt need, by id, with their best scores. `length` is the
    penalty for the prompt's length.
    """
    usual = _usual(runtime)
    vectors = runtime.embedder.embed(list(parts))
    close: list[tuple[set[str], bool, dict[str, float]]] = []
    for part, vector in zip(parts, vectors, strict=True):
        words = set(content_words(part))
        wide = IDEOGRAPH.search(part) is not None
        near = _cosines(runtime, vector) if wide else _nearness(runtime, usual, vector)
        # Skip texts that no shared word could lift above the threshold.
        least = _WIDE_NEEDED if wide else NEEDED + length - _PER_WORD * usual.rarity(words)
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
                score += _PER_WORD * usual.rarity(words & said_words) - length
            meant = len(words & said_words) >= _WIDE_WORDS if wide else score >= NEEDED
            if meant and (record.id not in best or score > best[record.id][1]):
                best[record.id] = (record, score)
    return best


def _nearness(runtime: Runtime, usual: _Usual, vector: Vector) -> dict[str, float]:
    """How much nearer each directive is to a part of a prompt than common rules are, by id."""
    nearest = sorted(map(float, usual.rules @ vector))[-_NEAREST_RULES:]
    to_any = sum(nearest) / len(nearest)
    return {id: _OVER_RULES * (cosine - to_any) for id, cosine in _cosines(runtime, vector).items()}


def _cosines(runtime: Runtime, vector: Vector) -> dict[str, float]:
    """The cosine between a vector and each text that may be a directive, by id."""
    now, model = runtime.clock.now(), runtime.embedder.model
    # One search per group, so that many notes cannot displace a policy.
    queries = [runtime.query(*kinds, valid_at=now) for kinds in (kinds_that("directive"), WORDED)]
    dense = runtime.view.index.dense
    return {
        match.id: match.score
        for query in queries
        for match in dense(vector, model, query, _READ_AT_MOST)
    }


def _usual(runtime: Runtime) -> _Usual:
    """The common texts, embedded once per model."""
    cache = runtime.organisation.caches.of("usual texts", 2)
    known: _Usual | None = cache.get(runtime.embedder.model)
    if known is None:
        texts = [set(content_words(text)) for text in (*USUAL_PROMPTS, *USUAL_RULES)]
        having = Counter(word for words in texts for word in words)
        known = _Usual(runtime.embedder.embed(USUAL_RULES), having)
        cache.put(runtime.embedder.model, known)
    return known
