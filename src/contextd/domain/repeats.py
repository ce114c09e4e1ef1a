"""Whether two rules say the same in other words: a second session's wording, compared with the few rules that are kept.

A wrong repeat makes a law of a candidate and keeps a new rule out, so the words decide. A similarity of vectors only
settles what they leave open: `use tabs` and `use spaces` are nearer to each other than most repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from contextd.domain.ending_words import DENIAL
from contextd.domain.endings import WITHOUT_SPACES, Sign, signed_words
from contextd.domain.repeat_words import (
    AFTER,
    ALIKE,
    AT_LEAST,
    AT_MOST,
    EXCEPT,
    FEWER,
    FILLS,
    IDLE,
    ONLY,
    ORDERED,
    REMOVES,
    SUBJECT_FIRST,
    TOO_WIDE,
)
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import languages_of
from contextd_common.text.regex import regex

Similarity = Callable[[str, str], float]
"""The similarity of two texts, corrected for a language that the embedder hardly knows."""

_FIXED = regex(
    r"`[^`\n]+`|[\w.~*-]*/[\w./*-]+|\B\.\w+|\b[\w-]+\.[a-z]{1,5}\b|(?<![\w-])--?[a-z][\w-]+|\b\w*\d[\w.]*\b|\b\w+_\w+\b"
)
"""Numbers, paths, options and names: two rules that differ in one are two rules."""

_LEAST, _LEAST_ALONE = 0.66, 0.85
"""Least share of the longer rule's words that the shorter one has, with a similarity and without one."""

_SHARED, _SHARED_ALONE = 2, 4
"""Least number of words that such rules share."""

_NEAR = 0.85
"""Least similarity of two rules of which one says more. Below it one rule often narrows the other: `PascalCase for
names` and `for class names` have 0.83.
"""


_BOUNDS = (AFTER, ONLY, REMOVES, EXCEPT, FEWER)


@dataclass(frozen=True, slots=True)
class _Sense:
    """A rule as it is compared: its words with their signs, and what must be equal."""

    words: Mapping[str, Sign]
    fixed: frozenset[str]
    bounds: tuple[bool, ...]


def said_before(text: str, rules: Mapping[str, str], similarity: Similarity | None) -> str:
    """The id of the one rule that `text` says again in any words; empty if none does, or two equally. `rules` are texts
    by id. Without a `similarity` the words alone decide, and fewer repeats are found.
    """
    senses: dict[str, _Sense] = {}
    scored = []
    for id, rule in rules.items():
        language = _shared_language(text, rule)
        if language:
            if language not in senses:
                senses[language] = _sense(text, language)
            mine = senses[language]
            scored.append((_sameness(text, mine, rule, language, similarity), id))
    scored.sort(reverse=True)
    if not scored or not scored[0][0] or (len(scored) > 1 and scored[1][0] == scored[0][0]):
        return ""
    return scored[0][1]


def _sameness(
    text: str, mine: _Sense, rule: str, language: str, similarity: Similarity | None
) -> float:
    """How surely two rules say the same, from 0 to 1; 0 if one may say something else."""
    theirs = _sense(rule, language)
    if mine.fixed != theirs.fixed or mine.bounds != theirs.bounds:
        return 0.0
    shared = mine.words.keys() & theirs.words.keys()
    if not _agree([(mine.words[word], theirs.words[word]) for word in shared]):
        return 0.0
    extra, missing = mine.words.keys() - shared, theirs.words.keys() - shared
    if not shared or (extra and missing):
        return 0.0  # Something else stands in the place of a word.
    ordered = ORDERED.search(text) or ORDERED.search(rule)
    if ordered and _order(text, shared) != _order(rule, shared):
        return 0.0
    if not extra and not missing:
        wide = set(TOO_WIDE.get(language, "").split())
        return 1.0 if len(shared) > 1 or not shared & wide or -1 in mine.words.values() else 0.0
    # A condition, an exception or a further ban narrows a rule.
    longer = mine.words if extra else theirs.words
    signs = {longer[word] for word in extra or missing}
    covered = len(shared) / len(longer)
    if not signs <= {longer[word] for word in shared} or 0 in signs:
        return 0.0
    if similarity is None:
        return covered if covered >= _LEAST_ALONE and len(shared) >= _SHARED_ALONE else 0.0
    near = covered >= _LEAST and len(shared) >= _SHARED and similarity(text, rule) >= _NEAR
    return covered if near else 0.0


def _order(text: str, words: Set[str]) -> list[str]:
    """Words in the order in which a text names them: `prefer A over B` is not `prefer B over A`."""
    folded = text.casefold()
    return sorted(words, key=lambda word: (_place(folded, word), word))


def _place(text: str, stem: str) -> int:
    """Where a word with this stem begins; the last letter of a stem may be none of the word."""
    return next((at for size in range(5, 2, -1) if (at := text.find(stem[:size])) >= 0), len(text))


def _agree(signs: list[tuple[Sign, Sign]]) -> bool:
    """Whether shared words are demanded and forbidden alike. `Never delete without asking` is `ask before deleting`."""
    asks = any(one == other == 1 for one, other in signs)
    return all(one == other or (asks and {one, other} == {0, -1}) for one, other in signs)


def _shared_language(text: str, rule: str) -> str:
    known = languages_of(rule)
    shared = [one for one in languages_of(text) if one in known]
    return next((one for one in shared if one in WITHOUT_SPACES), shared[0] if shared else "")


def _sense(text: str, language: str) -> _Sense:
    denial = DENIAL.match(text)
    # `No, never …` denies what was before; `no magic numbers` is the rule itself.
    denies = denial is not None and _PAUSE.search(denial[0])
    bare = FILLS.sub(" ", text[denial.end() :] if denial is not None and denies else text)
    first = SUBJECT_FIRST.search(bare)
    if first is not None:
        named = {name: words for name, words in first.groupdict().items() if words}
        no, subject = (
            next(words for name, words in named.items() if name.startswith(key))
            for key in ("no", "subject")
        )
        bare = f"{no} {subject} {bare[first.end() :]}"
    idle, alike = IDLE.get(language, "").split(), ALIKE.get(language, {})
    words: dict[str, Sign] = {}
    for word, sign in signed_words(bare, language).items():
        name = alike.get(word, word)
        if word not in idle and not words.get(name):
            words[name] = sign
    fixed = frozenset(one.strip("`.").casefold() for one in _FIXED.findall(bare))
    bounds = tuple(bool(table.search(bare)) for table in _BOUNDS)
    sides = (
        (bool(AT_LEAST.search(bare)), bool(AT_MOST.search(bare))) if _NUMBER.search(bare) else ()
    )
    return _Sense(words, fixed, bounds + sides)


_NUMBER, _PAUSE = regex(r"\d"), regex(r"[,.:!、，]")
