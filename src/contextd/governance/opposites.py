"""Words that say the opposite of each other, and which of them a sentence uses."""

from __future__ import annotations

import re

_ROWS = (
    (
        "enabled?|enables|enabling|turn(?:ed)? on",
        "disabled?|disables|disabling|turn(?:ed)? off",
    ),
    ("allow(?:s|ed)?|permit(?:s|ted)?", "forbid(?:s|den)?|disallow(?:s|ed)?|den(?:y|ies|ied)"),
    ("prefer(?:s|red)?|recommend(?:s|ed)?", "avoid(?:s|ed)?|discourage[sd]?"),
    ("before", "after"),
    ("required?|requires|mandatory|must", "optional"),
    ("synchronous(?:ly)?", "asynchronous(?:ly)?"),
    ("true", "false"),
    ("on", "off"),
    ("opt-in|opt in", "opt-out|opt out"),
    ("soft", "hard"),
    ("tabs", "spaces"),
    ("single", "double"),
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
    ("asleep|sleeping", "awake"),
)
_PATTERNS = tuple(tuple(re.compile(rf"\b(?:{side})\b", re.I) for side in row) for row in _ROWS)
_ANY = re.compile(rf"\b(?:{'|'.join(side for row in _ROWS for side in row)})\b", re.I)


def poles(text: str) -> dict[int, tuple[int, str]]:
    """Row → (side, the words) for every pair of opposites of which the text uses one side only."""
    found: dict[int, tuple[int, str]] = {}
    if not _ANY.search(text):
        return found
    for row, (one, other) in enumerate(_PATTERNS):
        left, right = one.search(text), other.search(text)
        if left and not right:
            found[row] = (0, left[0])
        elif right and not left:
            found[row] = (1, right[0])
    return found
