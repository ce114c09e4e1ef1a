"""Pairs of opposite words, and the side a sentence uses."""

from __future__ import annotations

import re
from functools import lru_cache

from contextd.claims.phrases import Phrases
from contextd_common.text.regex import regex

_ROWS = (
    (
        "enabled?|enables|enabling|(?:turn|switch)(?:ed)? on",
        "disabled?|disables|disabling|(?:turn|switch)(?:ed)? off",
    ),
    ("before", "after"),
    ("required|mandatory|must", "optional"),
    ("synchronous(?:ly)?", "asynchronous(?:ly)?"),
    ("true", "false"),
    (
        r"(?:set to|is|are|:|=) on(?=[\s.,]*$|\s+(?:in|for|by|during)\b)",
        r"(?:set to|is|are|:|=) off(?=[\s.,]*$|\s+(?:in|for|by|during)\b)",
    ),
    ("opt-in|opt in", "opt-out|opt out"),
    ("soft", "hard"),
    ("tabs", "spaces"),
    ("single", "double"),
    ("optimistic(?:ally)?", "pessimistic(?:ally)?"),
    ("explicit(?:ly)?", "implicit(?:ly)?"),
    ("internal(?:ly)?", "external(?:ly)?"),
    ("plural", "singular"),
    ("physical(?:ly)?", "logical(?:ly)?|virtual(?:ly)?"),
    ("hash(?:ed|es)?|encrypted", "plain[ -]?text|clear[ -]?text"),
    ("expos(?:e[sd]?|ing)|show(?:s|n)?", "hid(?:e|es|den|ing)"),
    ("accept(?:s|ed)?", "reject(?:s|ed)?|refused?"),
    ("preserv(?:e[sd]?|ing)", "strip(?:s|ped)?"),
    ("immediate(?:ly)?|at once", "lazily|later|with a delay"),
    ("start(?:s|ed|ing)?", "stop(?:s|ped|ping)?"),
    ("everyone|everybody|anyone|anybody|all users", "only"),
    ("upper[ -]?case", "lower[ -]?case"),
    ("inclusive", "exclusive"),
    ("camelCase|camel case", "snake_case|snake case|kebab-case"),
    ("public", "private"),
    ("mutable", "immutable"),
    ("stateful", "stateless"),
    ("lazy|lazily", "eager(?:ly)?"),
    ("manual(?:ly)?", "automatic(?:ally)?"),
    ("static(?:ally)?", "dynamic(?:ally)?"),
    ("strict", "lenient|loose"),
    ("ascending", "descending"),
    ("composition", "inheritance"),
    ("monorepo", "polyrepo|multirepo"),
    ("monolith", "microservices"),
    ("rebase", "merge"),
    ("squash(?:ed)?", "merge commits?"),
    ("keep|kept|retain(?:ed)?", "removed?|delete[sd]?|dropped|discard(?:ed)?"),
    ("include[sd]?", "exclude[sd]?"),
    ("succeeds?|passes|passing", "fails?|failing"),
    ("increase[sd]?|raised?", "decrease[sd]?|lower(?:ed)?|reduced?"),
    ("adding|adds?|added", "removing|removes?|removed"),
    ("full", "empty"),
    ("near|close to", "far (?:from|to|away)"),
    ("open(?:s|ed|ing)?", "clos(?:e[sd]?|ing)"),
    ("day|daytime", "night"),
)
_PATTERNS = tuple(tuple(regex(rf"\b(?:{side})\b", re.I) for side in row) for row in _ROWS)
# Phrases first, or their first words would be found alone.
_SIDES = sorted((side for row in _ROWS for side in row), key=lambda side: " " not in side)
_ANY = Phrases(
    rf"\b(?:{'|'.join(_SIDES)})\b",
    """enable enabled enables enabling on disable disabled disables disabling off before after
    required mandatory must optional synchronous synchronously asynchronous asynchronously
    true false opt soft hard tabs spaces single double optimistic optimistically
    pessimistic pessimistically explicit explicitly implicit implicitly internal
    internally external externally plural singular physical physically logical logically
    virtual virtually hash hashed hashes encrypted plain plaintext clear cleartext expose
    exposed exposes exposing show shows shown hide hides hiden hidden hiding hid accept
    accepts accepted reject rejects rejected refuse refused preserve preserved preserves
    preserving strip strips stripped immediate immediately once lazily later delay start
    starts started starting stop stops stopped stopping everyone everybody anyone anybody
    users only upper uppercase lower lowercase inclusive exclusive camelcase camel snake
    kebab public private mutable immutable stateful stateless lazy eager eagerly manual
    manually automatic automatically static statically dynamic dynamically strict lenient
    loose ascending descending composition inheritance monorepo polyrepo multirepo
    monolith microservices rebase merge squash squashed keep kept retain retained remove
    removed delete deleted deletes dropped discard discarded include included includes
    exclude excluded excludes succeed succeeds passes passing fail fails failing increase
    increased increases raise raised decrease decreased decreases lowered reduce reduced
    adding add adds added removing removes full empty near close far open opens opened
    opening closes closed closing clos day daytime night""",
)


def poles(text: str) -> dict[int, tuple[int, str]]:
    """Row → (side, the words) for every pair of opposites of which the text uses one side only."""
    found: dict[int, tuple[int, str]] = {}
    both: set[int] = set()
    for phrase in _ANY.findall(text):
        for row, side in _places(phrase.casefold()):
            if found.setdefault(row, (side, phrase))[0] != side:
                both.add(row)
    return {row: pole for row, pole in found.items() if row not in both}


@lru_cache(maxsize=5_000)
def _places(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(
        (row, side)
        for row, sides in enumerate(_PATTERNS)
        for side, pattern in enumerate(sides)
        if pattern.search(text)
    )
