"""Sentences that end or replace a rule, and which of the rules in force one means.

A rule and a sentence are compared by the words that name their subject, and each word by its sign: whether it is
demanded, forbidden, or only says when the rule holds. `We no longer use yarn` ends no rule that forbids yarn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Literal

from contextd.domain.directive_words import FOR_NOW
from contextd.domain.directives import span_of
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
    SAID,
    STATES,
    STOPPED,
    SUPPOSES,
    TURNS,
)
from contextd.domain.replacement_words import (
    ANEW,
    FIRMLY,
    GONE,
    INSTEAD,
    LABEL,
    NARROW,
    REPLACES,
    SWITCHED,
    THEN,
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
    that rule; `replacing` says that it states the next rule as well, of which `beside` has the words, and `firm` that
    the next one is demanded in words of duration.
    """

    act: Act
    words: Mapping[str, Sign]
    first: frozenset[str]
    language: str
    replacing: bool = False
    beside: frozenset[str] = frozenset()
    firm: bool = False


_ACTS: tuple[tuple[Act, ByLanguage], ...] = (
    ("named", NAMED),
    ("said", SAID),
    ("allowed", ALLOWED),
    ("lifted", LIFTED),
    ("stopped", STOPPED),
)

ASKS = regex(r"[?？]\W*$")
_QUOTED = regex(r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|「[^」\n]*」|„[^“\n]{1,300}“")
_CLAUSE = regex(r"[,;:—–、，；：。]")
_LONGEST = 240
"""Characters of a sentence that ends a rule; a longer one tells a story."""

WITHOUT_SPACES = ("ja", "zh")
"""Languages that part no words by spaces: their tokens are pairs of characters."""


def ending_in(sentence: str) -> Ending | None:
    """How a sentence ends a rule, None if it ends none. Questions, suppositions, quotations and orders for a task, a
    session or a branch end nothing.
    """
    text = _QUOTED.sub(" ", sentence)
    if len(text) > _LONGEST or ASKS.search(text) or SUPPOSES.search(text):
        return None
    if FOR_NOW.search(text) or span_of(text) in ("session", "branch"):
        return None
    language = compared_language(text)
    return _replacing(text, language) or _lifting(text, language)


def compared_language(text: str) -> str:
    """The language whose words are compared: names in Latin script do not make a Japanese sentence English."""
    languages = languages_of(text)
    return next((one for one in languages if one in WITHOUT_SPACES), languages[0])


def _replacing(text: str, language: str) -> Ending | None:
    """A sentence that names both what a rule demands and what takes its place."""
    if not SWITCHED.search(text) or NARROW.search(text) or _FILE.search(text):
        return None
    for table in (REPLACES, INSTEAD, GONE):
        found = table.search(text)
        if found is None or _COLON.search(LABEL.sub("", text[: found.start()])):
            continue
        if table is INSTEAD and _is_forbidden(text, found.span(), language):
            continue
        if table is GONE and (NAMED.search(text) or not ANEW.search(text)):
            continue
        name = next(one for one, words in found.groupdict().items() if words)
        words = signed_words(found[name], language)
        if not words or len(words) > _MOST_OF_A_THING:
            continue
        rest = f"{text[: found.start(name)]} {text[found.end(name) :]}"
        return _replacement(text, words, rest, language)
    return None


def _replacement(text: str, words: Mapping[str, Sign], rest: str, language: str) -> Ending:
    """The ending of a sentence that puts what its `rest` names in the place of these words."""
    return Ending(
        "replaced",
        words,
        frozenset(words),
        language,
        replacing=True,
        beside=subject_words(rest, language) - words.keys(),
        firm=bool(FIRMLY.search(text)),
    )


def _is_forbidden(text: str, span: tuple[int, int], language: str) -> bool:
    """Whether a replacement is what a sentence forbids: `never use yarn instead of npm`."""
    if language == "ja":
        rest = _CLAUSE.split(text[span[1] :])[0]
        return bool(FORBIDS.search(rest))
    before = _CLAUSE.split(text[: span[0]])[-1]
    turned = any(turn.lastgroup == "no" for turn in TURNS.matches(before))
    return turned or bool(FORBIDS.search(before))


_MOST_OF_A_THING = 8
"""Words that name what a rule demands; an identifier counts with its parts."""

_FILE = regex(
    r"(?<![\w.])(?!(?:node|next|vue|nuxt|express|three|react|d3)\.js\b)[\w/-]+(?:\.[\w-]+)*"
    r"\.(?:pyi?|tsx?|jsx?|mjs|go|rs|rb|java|kt|cpp|cs|php|swift|md|rst|txt|json|ya?ml|toml|sql|s?css|html|sh|vue|svelte)\b"
)
"""The name of a file: a replacement there is a task."""


def _lifting(text: str, language: str) -> Ending | None:
    for act, table in _ACTS:
        found = table.search(text)
        if found is None or _COLON.search(text[: found.start()]):
            continue
        if act == "allowed" and STATES.match(text):
            continue
        # Where an ending's own words stand a clause may end; those of a named rule are spread over it.
        rest = text if act == "named" else table.sub(" , ", text)
        if act in ("lifted", "stopped"):
            if (stated := _stating(text, found.end(), language)) is not None:
                return stated
            rest = NO_LONGER.sub(" ", rest)
        turn: Sign = -1 if act == "allowed" else 1
        wanted = {word: _sign(sign * turn) for word, sign in signed_words(rest, language).items()}
        clauses = (subject_words(clause, language) for clause in _CLAUSE.split(rest))
        if wanted:
            return Ending(act, wanted, next(filter(None, clauses), frozenset()), language)
    return None


def _stating(text: str, after: int, language: str) -> Ending | None:
    """An ending whose later clause states what holds instead: `Redis is no longer used, we always use cookies`."""
    cuts = [cut for cut in (_CLAUSE.search(text, after), *THEN.matches(text)) if cut]
    cut = min(
        (cut for cut in cuts if cut.start() >= after), key=lambda cut: cut.start(), default=None
    )
    if cut is None or not ANEW.search(text[cut.end() :]):
        return None
    head = NO_LONGER.sub(" ", LIFTED.sub(" , ", STOPPED.sub(" , ", text[: cut.end()])))
    words = signed_words(head, language)
    return _replacement(text, words, text[cut.end() :], language) if words else None


_COLON = regex(r"[:：]")


def subject_words(text: str, language: str) -> frozenset[str]:
    """The words of a text that name its subject. A name in backticks is one even if it is a common word."""
    named = _NAME.findall(text)
    names = {name.casefold() for name in named if not comparable_words(name, "en")}
    names |= {word for name in named for word in comparable_words(name, language)}
    idle = FUNCTION_WORDS.get(language, "").split()
    bare = _LETTERS.sub(
        lambda word: " " if word[0].casefold() in idle else word[0],
        NO_SUBJECT.sub(" ", text, language),
    )
    wide = FUNCTION_CHARACTERS.get(language)
    if wide is not None:
        bare = "".join(" " if letter in wide else letter for letter in bare)
    found = comparable_words(bare, language) if bare.strip() else frozenset[str]()
    if language == "de":
        found = frozenset(_PARTICIPLE.sub(r"\1", word) for word in found)
    return found | names


_PARTICIPLE = regex(r"^ge(\w{4,})t$")
"""`gemockt` is a form of `mocken`, which the stemmer does not know."""

_NAME, _LETTERS = regex(r"`([^`\s]{1,40})`"), regex(r"[^\W\d_]+")


def signed_words(text: str, language: str) -> dict[str, Sign]:
    """The words that name the subject of a text, with their signs. A word with two signs has the first that is not 0."""
    found: dict[str, Sign] = {}
    for part, sign in _parts(text, language):
        for word in subject_words(part, language):
            if not found.get(word):
                found[word] = sign
    return found


def _parts(text: str, language: str) -> Iterator[tuple[str, Sign]]:
    """The parts of a text and what it does with them."""
    for clause in _CLAUSE.split(text):
        condition = CONDITION.match(clause) if language in WITHOUT_SPACES else None
        start, sign = (condition.end() if condition else 0), -1 if FORBIDS.search(clause) else 1
        yield clause[:start], 0
        for turn in TURNS.matches(clause):
            if turn.start() < start:
                continue
            yield clause[start : turn.start()], _sign(sign)
            kind, start = str(turn.lastgroup), turn.end()
            if kind in ("aside", "within"):
                yield turn[0], 0 if kind == "aside" else _sign(-sign)
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

_OF_WIDE = 0.8
"""The same in Chinese and Japanese, where parts of conditions and particles count as words of a rule."""

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
        word for word in ending.words for rule in here if same_word(word, rule.words) is not None
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
    language = compared_language(sentence)
    mine, theirs = signed_words(DENIAL.sub("", sentence), language), signed_words(rule, language)
    shared = [
        (sign, theirs[same]) for word, sign in mine.items() if (same := same_word(word, theirs))
    ]
    return (
        bool(shared)
        and len(shared) >= _COVERED * min(len(mine), len(theirs))
        and all(one * other >= 0 for one, other in shared)
    )


def _score(ending: Ending, rule: SignedRule, having: Mapping[str, int]) -> float:
    """How well a rule fits an ending, from 0 to 1; 0 if it cannot be meant."""
    shared = {
        word: same for word in ending.words if (same := same_word(word, rule.words)) is not None
    }
    if not shared:
        return 0.0
    weights = {word: _part_of_a_word(word) / max(1, having[word]) for word in ending.words}
    fits = clashes = 0.0
    for word, same in shared.items():
        wanted, has = ending.words[word], rule.words[same]
        fits += weights[word] * (wanted == has != 0)
        clashes += weights[word] * (wanted * has < 0)
    # `Use npm, not yarn` demands and forbids: who allows yarn again names what both are for.
    clashes *= ending.act != "allowed"
    if ending.act not in ("named", "said") and (not fits or clashes):
        return 0.0
    if ending.replacing and not _gives_way(ending, rule, shared.values()):
        return 0.0
    if _says_little(ending, rule, set(shared.values())):
        return 0.0
    every = sum(weights.values())
    first = sum(weights[word] for word in ending.first if word in weights)
    covered = sum(weights[word] for word in shared) / every
    of_first = (
        sum(weights[word] for word in shared if word in ending.first) / first if first else 0.0
    )
    least = _COVERED_WIDE if ending.language in WITHOUT_SPACES else _COVERED
    bears = _borne(ending, rule, shared.values())
    borne = sum(map(_part_of_a_word, bears)) / sum(map(_part_of_a_word, rule.words))
    if max(covered, of_first) < least:
        return 0.0
    least_borne = _BORNE[ending.act] * (_OF_WIDE if ending.language in WITHOUT_SPACES else 1)
    if borne < least_borne and not _lifts_a_choice(ending, rule, set(shared.values())):
        return 0.0
    return (
        max(covered, of_first) * sum(weights[word] for word in shared) / every * (0.5 + 0.5 * borne)
    )


def _borne(ending: Ending, rule: SignedRule, shared: Iterable[str]) -> set[str]:
    """The words of a rule that an ending has, those of what takes its place included."""
    beside = (same_word(word, rule.words) for word in ending.beside)
    return {*shared, *filter(None, beside)}


def _lifts_a_choice(ending: Ending, rule: SignedRule, shared: set[str]) -> bool:
    """Whether an ending lifts the very thing that a long rule chooses: `we don't use jest any more`."""
    return ending.act == "lifted" and _chooses(rule, shared, ending.language, next_to=True)


def _part_of_a_word(word: str) -> float:
    """How much of a word a token is: a word in katakana has about three bigrams, one of them with the next word."""
    return 1 / 3 if _KATAKANA.search(word) else 1.0


_KATAKANA = regex(r"[ァ-ヶー]")


def _says_little(ending: Ending, rule: SignedRule, shared: set[str]) -> bool:
    """Whether one word is all that a rule has of an ending that names no rule, and the rule does not choose it: `we don't
    have sessions any more` ends no rule about where sessions are stored.
    """
    if ending.act in ("named", "said", "replaced") or len(rule.words) < _MANY:
        return False
    if len(_borne(ending, rule, shared)) > 1:
        return False
    # A German verb stands far from what it chooses.
    return not _chooses(rule, shared, ending.language, next_to=ending.language != "de")


_MANY = 3
"""Words of a rule of which a single one names too little."""

_SUBJECT, _SUBJECT_WIDE = 0.5, 0.25
"""Least share of a rule's words in a replacement of what it demands without choosing it; a word of Chinese or Japanese text
counts with each of its bigrams.
"""


def _gives_way(ending: Ending, rule: SignedRule, shared: Iterable[str]) -> bool:
    """Whether a rule gives way to a replacement: it chooses what is replaced, or is about what the new rule is about. A
    rule that chooses the new thing is said again.
    """
    old = set(shared)
    new = _borne(ending, rule, ()) - old
    if _chooses(rule, new, ending.language, next_to=True):
        return False
    if _chooses(rule, old, ending.language, next_to=False):
        return True
    least = _SUBJECT_WIDE if ending.language in WITHOUT_SPACES else _SUBJECT
    about = len(old | new) >= max(2, least * len(rule.words))
    return ending.firm and about


_NEAR, _NEAR_AT_THE_END = 14, 45
"""Characters between the verb of a choice and the thing chosen; German puts it at the end."""


def _chooses(rule: SignedRule, words: set[str], language: str, *, next_to: bool) -> bool:
    """Whether a rule chooses one of these words of it: one near the verb of a choice, or the one `next_to` it, which in
    Japanese stands before.
    """
    for found in CHOOSES.matches(rule.text):
        before, after = rule.text[: found.start()], rule.text[found.end() :]
        if language in WITHOUT_SPACES:
            last = _LAST.search(before.rstrip("をはがに")) if next_to and language == "ja" else None
            near = before[-_NEAR:] + found[0] + after[: _NEAR + _WIDE_WORD]
            around = [last[0] if last else after[:_NEXT_WIDE] if next_to else near]
        else:
            limit = _NEAR_AT_THE_END if language == "de" else _NEAR
            purpose = _PURPOSE.match(after)
            skipped = purpose.end() if purpose else 0
            starts = found.end() + skipped if next_to else found.start() - limit
            ends = len(rule.text) if next_to else found.end() + limit
            around = [
                one[0]
                for one in _LETTERS.finditer(rule.text)
                if one.end() > starts and one.start() < ends
            ]
        chosen = filter(None, (subject_words(one, language) for one in around))
        if any(words & one for one in islice(chosen, 1 if next_to else None)):
            return True
    return False


_PURPOSE = regex(
    r"(?:\s+(?:immer|stets|für|bei|beim|zum|zur|in|im)\b(?:\s+(?:die|das|den|der|dem))?(?:\s+[A-ZÄÖÜ][\w-]+)?)+"
)
"""What a thing is chosen for, between the verb and the thing in German."""

_LAST = regex(r"(?:[A-Za-z0-9.+@/_`-]+|[^\s、。はをがに]+)$")
"""The thing before a verb in Japanese."""

_WIDE_WORD, _NEXT_WIDE = 4, 6
"""Characters of a word of Japanese or Chinese text, which no space ends, and of a name behind a verb."""


def same_word(word: str, others: Collection[str]) -> str | None:
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
