"""The directives that a prompt needs: judged on each part of it, since a rule bears on one thing of several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from contextd.briefing.directives import directive_line, said
from contextd.briefing.told_records import held
from contextd.domain.confidence import is_sure
from contextd.domain.dataclass import dataclass
from contextd.domain.directives import WORDED, is_directive, sentences
from contextd.domain.errors import Corrupt, Unavailable
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Vector
from contextd.domain.records import Record
from contextd.domain.regex import regex
from contextd.domain.sessions import Session
from contextd.domain.tokens import count_tokens
from contextd.domain.usual_texts import USUAL_PROMPTS, USUAL_RULES
from contextd.domain.words import content_words
from contextd.knowledge.anchoring import from_elsewhere, standings
from contextd.knowledge.read_by_client import reads_itself
from contextd.runtime.runtime import Runtime

HEADER = "Rules in force that bear on this (from contextd):"

NEEDED = 1.0
"""The score of `_nearness` from which a prompt needs a directive. See ADR 48 for the figures."""

_OVER_PROMPTS, _OVER_RULES, _PER_WORD, _PER_LENGTH = 6.0, 9.0, 0.25, 1.3
"""Weights of the score: the cosine of prompt and directive over that of usual prompts and over that of usual
rules, the rarity of shared words, and the logarithm of the prompt's length in words. Fitted by logistic
regression to 65 prompts that need one of 92 rules and 300 real prompts that need none.
"""

_NEAREST_RULES = 2
"""How many of the usual rules nearest to a part say how near it is to any rule."""

_WIDE_NEEDED, _WIDE_WORDS = 0.6, 2
"""The same, and the words they must share, for ideographs: the embedder takes any two such texts for alike."""

_MOST, _READ_AT_MOST = 2, 1_000
"""Directives that one prompt gets, and documents whose cosines are looked at for each part of it."""

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
    """What is near to anything: the mean vector of usual prompts, the vectors of usual rules, and how many of
    these texts have a word.
    """

    prompts: Vector
    rules: Vector
    having: Mapping[str, int]

    def rarity(self, words: Iterable[str]) -> float:
        """How rare these words are together, as the logarithm of their odds."""
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
        least = _WIDE_NEEDED if wide else NEEDED + length - _PER_WORD * usual.rarity(words)
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
            shared = words & said_words
            score = near[record.id] + (0.0 if wide else _PER_WORD * usual.rarity(shared) - length)
            meant = len(shared) >= _WIDE_WORDS if wide else score >= NEEDED
            if meant and (record.id not in best or score > best[record.id][1]):
                best[record.id] = (record, score)
    return best


def _nearness(runtime: Runtime, usual: _Usual, vector: Vector) -> dict[str, float]:
    """How much nearer than usual each directive is to a part of a prompt, by id. The bar of a directive is its
    own: one that is near to usual prompts has to be nearer to this one.
    """
    # Linear in the directive's vector, so that one search ranks by the score itself.
    asked = (_OVER_PROMPTS + _OVER_RULES) * vector - _OVER_PROMPTS * usual.prompts
    nearest = sorted(map(float, usual.rules @ vector))[-_NEAREST_RULES:]
    to_any = _OVER_RULES * sum(nearest) / len(nearest)
    norm = float((asked @ asked) ** 0.5)
    return {id: norm * cosine - to_any for id, cosine in _cosines(runtime, asked).items()}


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
        texts = [*USUAL_PROMPTS, *USUAL_RULES]
        vectors = runtime.embedder.embed(texts)
        having = Counter(word for text in texts for word in set(content_words(text)))
        count = len(USUAL_PROMPTS)
        known = _Usual(vectors[:count].mean(0), vectors[count:], having)
        cache.put(runtime.embedder.model, known)
    return known
