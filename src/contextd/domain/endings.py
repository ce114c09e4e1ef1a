"""Sentences that end or replace a rule, and which of the rules in force one means.

A rule and a sentence are compared by the words that name their subject, and each word by its sign: whether it is
demanded, forbidden, or only says when the rule holds. `We no longer use yarn` ends no rule that forbids yarn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from contextd.domain.directive_words import FOR_NOW
from contextd.domain.directives import force_of, span_of
from contextd.domain.ending_words import (
    ALLOWED,
    CHOOSES,
    CONDITION,
    DENIAL,
    FORBIDS,
    LIFTED,
    NAMED,
    NO_LONGER,
    NO_SUBJECT,
    REPLACES,
    SAID,
    STOPPED,
    SUPPOSES,
    SWITCHED,
    TURNS,
)
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import (
    FUNCTION_CHARACTERS,
    FUNCTION_WORDS,
    ByLanguage,
    languages_of,
)
from contextd_common.text.regex import regex
from contextd_common.text.words import comparable_words

Act = Literal["named", "said", "lifted", "stopped", "allowed", "replaced"]
"""How a sentence ends a rule: it names the rule, takes back what was said, lifts a duty, orders to stop, lifts a ban, or
puts something in the place of what the rule demands.
"""

Sign = Literal[-1, 0, 1]
"""What a text does with a word: forbids, names as a condition, demands."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A sentence that ends a rule: the words of what it ends, the same of its first clause, and the sign that they have in
    that rule; `replacing` says that it states the next rule as well.
    """

    act: Act
    words: Mapping[str, Sign]
    first: frozenset[str]
    language: str
    replacing: bool = False


_ACTS: tuple[tuple[Act, ByLanguage], ...] = (
    ("named", NAMED),
    ("said", SAID),
    ("allowed", ALLOWED),
    ("lifted", LIFTED),
    ("stopped", STOPPED),
)

_ASKS = regex(r"[?？]\W*$")
_QUOTED = regex(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|「[^」\n]*」|„[^“\n]{1,300}“")
_CLAUSE = regex(r"[,;:—–、，；：。]")
_LONGEST = 240
"""Characters of a sentence that ends a rule; a longer one tells a story."""

_WIDE = ("ja", "zh")


def ending_in(sentence: str) -> Ending | None:
    """How a sentence ends a rule, None if it ends none. Questions, suppositions, quotations and orders for a task, a
    session or a branch end nothing.
    """
    text = _QUOTED.sub(" ", sentence)
    if len(text) > _LONGEST or _ASKS.search(text) or SUPPOSES.search(text):
        return None
    if FOR_NOW.search(text) or span_of(text) in ("session", "branch"):
        return None
    language = _language(text)
    return _replacing(text, language) or _lifting(text, language)


def _language(text: str) -> str:
    """The language whose words are compared: names in Latin script do not make a Japanese sentence English."""
    languages = languages_of(text)
    return next((one for one in languages if one in _WIDE), languages[0])


def _replacing(text: str, language: str) -> Ending | None:
    found = REPLACES.search(text)
    if found is None or not SWITCHED.search(text) or ":" in text[: found.start()]:
        return None
    groups = found.groupdict()
    old = next((words for name, words in groups.items() if name.startswith("old") and words), "")
    words = _words(old, language)
    if not words or len(words) > _MOST_OF_A_THING:
        return None
    return Ending("replaced", dict.fromkeys(words, 1), words, language, replacing=True)


_MOST_OF_A_THING = 5
"""Words that name a thing in `from X to Y`; an identifier counts with its parts."""


def _lifting(text: str, language: str) -> Ending | None:
    for act, table in _ACTS:
        found = table.search(text)
        if found is None or _COLON.search(text[: found.start()]):
            continue
        # Where an ending's own words stand a clause may end; those of a named rule are spread over it.
        rest = text if act == "named" else table.sub(" , ", text)
        rest = NO_LONGER.sub(" ", rest) if act in ("lifted", "stopped") else rest
        turn: Sign = -1 if act == "allowed" else 1
        wanted = {word: _sign(sign * turn) for word, sign in signed_words(rest, language).items()}
        clauses = (_words(clause, language) for clause in _CLAUSE.split(rest))
        if wanted:
            return Ending(act, wanted, next(filter(None, clauses), frozenset()), language)
    return None


_COLON = regex(r"[:：]")


def _words(text: str, language: str) -> frozenset[str]:
    """The words of a text that name its subject. A name in backticks is one even if it is a common word."""
    names = {name for name in _NAME.findall(text.casefold()) if not comparable_words(name, "en")}
    idle = FUNCTION_WORDS.get(language, "").split()
    bare = _LETTERS.sub(
        lambda word: " " if word[0].casefold() in idle else word[0], NO_SUBJECT.sub(" ", text)
    )
    wide = FUNCTION_CHARACTERS.get(language)
    if wide is not None:
        bare = "".join(" " if letter in wide else letter for letter in bare)
    found = comparable_words(bare, language) if bare.strip() else frozenset[str]()
    return found | names


_NAME, _LETTERS = regex(r"`([^`\s]{1,40})`"), regex(r"[^\W\d_]+")


def turns_a_word(sentence: str, rule: str) -> bool:
    """Whether a sentence states a new rule and what of this one no longer holds: `as strings, no longer as cents`."""
    if force_of(sentence) != "stated" or not NO_LONGER.search(sentence):
        return False
    language = _language(sentence)
    mine, theirs = signed_words(sentence, language), signed_words(rule, language)
    shared = mine.keys() & theirs.keys()
    turned = any(mine[word] == -theirs[word] != 0 for word in shared)
    return turned and len(shared) >= _COVERED * len(theirs)


def signed_words(text: str, language: str) -> dict[str, Sign]:
    """The words that name the subject of a text, with their signs. A word with two signs has the first that is not 0."""
    found: dict[str, Sign] = {}
    for part, sign in _parts(text, language):
        for word in _words(part, language):
            if not found.get(word):
                found[word] = sign
    return found


def _parts(text: str, language: str) -> Iterator[tuple[str, Sign]]:
    """The parts of a text and what it does with them."""
    for clause in _CLAUSE.split(text):
        condition = CONDITION.match(clause) if language in _WIDE else None
        start, sign = (condition.end() if condition else 0), -1 if FORBIDS.search(clause) else 1
        yield clause[:start], 0
        for turn in TURNS.matches(clause):
            if turn.start() < start:
                continue
            yield clause[start : turn.start()], _sign(sign)
            kind, start = str(turn.lastgroup), turn.end()
            if kind == "aside":
                yield turn[0], 0
            else:
                sign = {"no": -1, "when": 0, "on": 1, "flip": 1 if sign < 0 else -1}[kind]
        yield clause[start:], _sign(sign)


def _sign(number: int) -> Sign:
    return 1 if number > 0 else -1 if number < 0 else 0


@dataclass(frozen=True, slots=True)
class SignedRule:
    """A rule in force as an ending is compared with it."""

    id: str
    text: str
    words: Mapping[str, Sign]


_COVERED, _COVERED_WIDE = 0.6, 0.5
"""Least share of an ending's words that a rule has; words that several rules have count less. A bigram of two words of
Chinese or Japanese text belongs to neither, hence the lower one.
"""

_BORNE = {
    "named": 0.15,
    "said": 0.15,
    "lifted": 0.3,
    "allowed": 0.3,
    "stopped": 0.5,
    "replaced": 0.0,
}
"""Least share of a rule's words in an ending. `Stop running the tests` is mostly an order for the turn."""

_BEHIND = 0.75
"""The second-best rule has at most this share of the score of the best one: a wrong ending is worse than none."""


def rule_meant(
    ending: Ending, texts: Mapping[str, str], ended: Mapping[str, str] | None = None
) -> str:
    """The id of the one rule in force that an ending means; empty if none bears enough of its words, if two do, or if a
    rule that ended before bears more. `texts` are those of the rules in force by id, `ended` those of ended ones.
    """
    here, former = (
        [SignedRule(id, text, signed_words(text, ending.language)) for id, text in some.items()]
        for some in (texts, ended or {})
    )
    having = Counter(
        word for word in ending.words for rule in here if _same(word, rule.words) is not None
    )
    scored = sorted(((_score(ending, rule, having), rule.id) for rule in here), reverse=True)
    if not scored or not scored[0][0]:
        return ""
    best, id = scored[0]
    second = scored[1][0] if len(scored) > 1 else 0.0
    said_before = any(_score(ending, rule, having) > best for rule in former)
    return id if second <= _BEHIND * best and not said_before else ""


def restates(sentence: str, rule: str) -> bool:
    """Whether a sentence says again what a rule says, in other words: most of its words with the same signs."""
    language = _language(sentence)
    mine, theirs = signed_words(DENIAL.sub("", sentence), language), signed_words(rule, language)
    shared = [(sign, theirs[same]) for word, sign in mine.items() if (same := _same(word, theirs))]
    return (
        bool(shared)
        and len(shared) >= _COVERED * min(len(mine), len(theirs))
        and all(one * other >= 0 for one, other in shared)
    )


def _score(ending: Ending, rule: SignedRule, having: Mapping[str, int]) -> float:
    """How well a rule fits an ending, from 0 to 1; 0 if it cannot be meant."""
    shared = {word: same for word in ending.words if (same := _same(word, rule.words)) is not None}
    if not shared:
        return 0.0
    weights = {word: 1 / max(1, having[word]) for word in ending.words}
    fits = clashes = 0.0
    for word, same in shared.items():
        wanted, has = ending.words[word], rule.words[same]
        fits += weights[word] * (wanted == has != 0)
        clashes += weights[word] * (wanted * has < 0)
    if ending.act not in ("named", "said") and (not fits or clashes):
        return 0.0
    if ending.act == "replaced" and not _chooses(rule, shared.values(), ending.language):
        return 0.0
    every = sum(weights.values())
    first = sum(weights[word] for word in ending.first if word in weights)
    covered = sum(weights[word] for word in shared) / every
    of_first = (
        sum(weights[word] for word in shared if word in ending.first) / first if first else 0.0
    )
    least = _COVERED_WIDE if ending.language in _WIDE else _COVERED
    borne = len(set(shared.values())) / max(1, len(rule.words))
    if max(covered, of_first) < least or borne < _BORNE[ending.act]:
        return 0.0
    return (
        max(covered, of_first) * sum(weights[word] for word in shared) / every * (0.5 + 0.5 * borne)
    )


_NEAR, _NEAR_AT_THE_END = 14, 45
"""Characters between the verb of a choice and the thing chosen; German puts it at the end."""


def _chooses(rule: SignedRule, words: Iterable[str], language: str) -> bool:
    found = CHOOSES.search(rule.text)
    if found is None:
        return False
    near = _NEAR_AT_THE_END if language == "de" else _NEAR
    around = rule.text[max(0, found.start() - near) : found.end() + near].casefold()
    return any(word in around for word in words)


def _same(word: str, others: Mapping[str, Sign]) -> str | None:
    """The word of a rule that is this one, or that it abbreviates."""
    if word in others:
        return word
    return next((other for other in others if _abbreviates(word, other)), None)


def _abbreviates(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    whole = len(short) >= 4 and long.startswith(short) and len(short) >= 0.6 * len(long)
    return whole or _SHORT.get(short) in (long, long[:6])


_SHORT = {
    short: long
    for long, shorts in {
        "document": "doc docs", "config": "cfg conf", "reposi": "repo", "databa": "db", "enviro": "env", "depend": "deps dep",
        "javasc": "js", "typesc": "ts", "python": "py", "postgr": "pg", "kubern": "k8s", "pull": "pr",
    }.items()
    for short in shorts.split()
}  # fmt: skip
"""Abbreviations that are no beginnings of a stem long enough, with the first six letters of what they stand for."""
