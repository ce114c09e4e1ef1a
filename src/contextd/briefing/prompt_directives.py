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
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.knowledge.told_here import is_told_here
from contextd.policies.touched_paths import NOTHING, TouchedPaths, is_beside
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.text.languages import languages_of
from contextd_common.text.regex import regex
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import IDEOGRAPH, comparable_words, weight

HEADER = "Rules in force relevant to this (from contextd):"

NEEDED = 0.6
"""The lowest score at which a prompt needs a directive. See ADR 48 for how often prompts reach it."""

_OVER_RULES_WIDE = 4.0
"""The same weight of the cosine for ideographs, which the embedder hardly tells apart."""

_NEEDED_ELSEWHERE = -0.8
"""The same for a directive in another language than English: of 17 prompts that touch a rule, 8 to 11 get it in
each of five languages, and of 210 other prompts 2 to 10 get one.
"""

_NEEDED_BY_QUESTION = -1.2
"""The same for an English question about what to do here. Such a question asks for rules, and is itself as near to
rules in general as to the one it asks for, which lowers its score.
"""

_ASKS_WHAT_TO_DO = regex(
    r"(?!.*\bwhy\b).*\b(?:how (?:do|should|can|would|long|many)|where (?:do|does|should|can)|what (?:do|should|must|now|next|else)"
    r"|which|(?:can|could|do) (?:i|we|you|this|it)|may|should|must|shall|allowed|needs?|needed)\b.*\?",
    re.I | re.DOTALL,
)

_OVER_RULES, _PER_WORD, _PER_LENGTH = 12.0, 0.25, 1.5
"""Weights of the score: the cosine of prompt and directive above that of common rules, the rarity of shared
words, and the logarithm of the prompt's length in words. Rounded from a logistic regression on 124 prompts of
seven projects that need a rule and 600 real prompts that do not.
"""

_NEAREST_RULES = 2
"""How many of the nearest common rules measure a part's distance to rules in general."""

_MOST, _READ_AT_MOST, _JUDGED = 2, 1_000, 64
"""Directives per prompt, documents whose cosines are compared for each part of it, and how many of the
nearest are read.
"""

_PARTS, _READ = 4, 400
"""Parts of a prompt that are embedded, and characters of each: a hook has a time limit."""

_SHORTEST = 8
_CLAUSE = regex(
    r"[;:]\s+|,\s+(?=(?:and|but|then|how|what|where|which|und|aber|dann|wie|was|wo|et|mais|puis|comment|o[ùu]|y|pero|luego|c[óo]mo|d[óo]nde)\s)"
    r"|[；：]|[，、](?=(?:然后|但|再|怎么|什么|哪|それから|でも|どう|どこ|何))",
    re.I,
)


def needed_directives(
    runtime: Runtime, session: Session, prompt: str, budget: int, *, touched: TouchedPaths = NOTHING
) -> tuple[str, list[Record]]:
    """Select the directives that a prompt needs and the agent's window does not contain, as text within
    `budget` tokens and as records; empty without an embedder. Those for other files than the `touched` ones are
    left out.
    """
    if budget <= 0 or not runtime.settings.flag("injection.tier0"):
        return "", []
    lines, spent = [HEADER], count_tokens(HEADER)
    chosen: list[Record] = []
    for record in _near(runtime, session, prompt):
        if is_beside(record, touched):
            continue
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
            yield from (one[:_READ] for one in clauses if weight(one) >= _SHORTEST)
        elif weight(sentence) >= _SHORTEST:
            yield sentence[:_READ]


@dataclass(frozen=True, slots=True)
class _Usual:
    """Vectors of the common rules of a language, and how many of its common prompts and rules contain a word."""

    rules: Vector
    having: Mapping[str, int]
    count: int

    def rarity(self, words: Iterable[str]) -> float:
        """The combined rarity of these words, as the logarithm of their odds."""
        return sum(log((1 + self.count) / (1 + self.having.get(word, 0))) for word in words)

    def to_any(self, vector: Vector) -> float:
        """How near a vector is to rules in general, in this language."""
        nearest = sorted(map(float, self.rules @ vector))[-_NEAREST_RULES:]
        return sum(nearest) / len(nearest)


def _near(runtime: Runtime, session: Session, prompt: str) -> list[Record]:
    parts = parts_of(prompt)
    if not runtime.embedder.model or not parts:
        return []
    try:
        scores = _scores(runtime, parts, _PER_LENGTH * log(1 + _words(prompt)))
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
        and is_told_here(runtime, record)
    ]
    return sorted(needed, key=lambda record: -scores[record.id][1])


def _words(prompt: str) -> float:
    """The length of a prompt in words; a word of ideographs has about two."""
    return len(prompt.split()) + len(IDEOGRAPH.findall(prompt)) / 2


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a prompt: its words and how near it is to rules in general, by language, its cosine with the
    texts that may be needed, by id, and the score at which it needs one in English.
    """

    words: Mapping[str, frozenset[str]]
    to_any: Mapping[str, float]
    cosines: Mapping[str, float]
    needed: float

    def above(self, id: str, text: str) -> float:
        """How much nearer a text is than common rules of its language are."""
        levels = [self.to_any[one] for one in languages_of(text) if one in self.to_any]
        above = self.cosines[id] - max(levels or self.to_any.values())
        return (_OVER_RULES_WIDE if IDEOGRAPH.search(text) else _OVER_RULES) * above


def _scores(
    runtime: Runtime, parts: Sequence[str], length: float
) -> dict[str, tuple[Record, float]]:
    """The directives that these parts of a prompt need, by id, with their best scores. `length` is the
    penalty for the prompt's length.
    """
    vectors = runtime.embedder.embed(list(parts))
    read = [_part(runtime, *one, length) for one in zip(parts, vectors, strict=True)]
    ids = {id: None for part in read for id in part.cosines}
    best: dict[str, tuple[Record, float]] = {}
    for record in runtime.view.records.get(list(ids)) if ids else []:
        if not is_directive(record):
            continue
        text = said(record)
        language = _main_language(text)
        usual, rule_words = _usual(runtime, language), comparable_words(text, language)
        for part in read:
            if record.id not in part.cosines:
                continue
            needed = part.needed if language == "en" else _NEEDED_ELSEWHERE
            shared = part.words.get(language, part.words["en"]) & rule_words
            score = part.above(record.id, text) - length + _PER_WORD * usual.rarity(shared)
            if score >= needed and (record.id not in best or score > best[record.id][1]):
                best[record.id] = (record, score)
    return best


def _part(runtime: Runtime, text: str, vector: Vector, length: float) -> _Part:
    # Rules may be in English where prompts are not.
    spoken = dict.fromkeys(one for one in (*languages_of(text), "en") if one in USUAL_RULES)
    usual = {language: _usual(runtime, language) for language in spoken}
    to_any = {language: one.to_any(vector) for language, one in usual.items()}
    words = {language: comparable_words(text, language) for language in usual}
    # Skip texts that no shared word could lift above the threshold.
    rarest = max(one.rarity(words[language]) for language, one in usual.items())
    needed = _NEEDED_BY_QUESTION if _ASKS_WHAT_TO_DO.fullmatch(text) else NEEDED
    lowest = min(needed, _NEEDED_ELSEWHERE)
    least = min(to_any.values()) + (lowest + length - _PER_WORD * rarest) / _OVER_RULES
    cosines = _cosines(runtime, vector)
    least = max([least, *sorted(cosines.values())[-_JUDGED:][:1]])
    near = {id: cosine for id, cosine in cosines.items() if cosine >= least}
    return _Part(words, to_any, near, needed)


def _main_language(text: str) -> str:
    """The language of a text that has common rules; English where it is unknown."""
    return next((one for one in languages_of(text) if one in USUAL_RULES), "en")


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


def _usual(runtime: Runtime, language: str) -> _Usual:
    """The common texts of a language, embedded once per model."""
    cache = runtime.organisation.caches.of("usual texts", 2 * len(USUAL_RULES))
    key = f"{runtime.embedder.model} {language}"
    known: _Usual | None = cache.get(key)
    if known is None:
        texts = (*USUAL_PROMPTS[language].splitlines(), *USUAL_RULES[language].splitlines())
        having = Counter(word for text in texts for word in comparable_words(text, language))
        rules = runtime.embedder.embed(USUAL_RULES[language].splitlines())
        known = _Usual(rules, having, len(texts))
        cache.put(key, known)
    return known
