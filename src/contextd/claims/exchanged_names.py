"""Recognise a sentence that was stated again with another name in it: "Run `make test` first", "Run `tox` first".

Undated, such sentences may both hold, so this is no contradiction. Of two that are months apart the later one counts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from contextd.claims.phrases import READINGS
from contextd_common.text.regex import regex

LONG_ENOUGH = 12
"""Words from which on two sentences that differ in one name say the same of another thing. In 19 projects' documentation,
70 of 95 rewritten sentences with one exchanged name are as long. Of 500 pairs that stand beside each other, 41 are, most
of them in lists of three and more.
"""

_LONGEST_NAME = 3
"""Words of an exchanged name."""

_MOST = 6
"""Sentences of a text that are compared."""

_SENTENCE = regex(r"(?<=[.!?])\s+|\n+")
_WORD = regex(r"`[^`]*`|[\w.+#@/:=<>~^%()$*-]+")
_NAME = regex(r"`.+|\w+\(\)\W?|.*(?:[a-z0-9][A-Z]|\w[-_./#:]\w|\$\w).*|v?\d[\w.,+-]*|[A-Z]\w+.*")
_ADDS = regex(r"(?:add|new|introduce|support|fix|allow)", re.I)
"""A report of something additional replaces nothing."""


def exchanged_name(later: str, earlier: str) -> str:
    """Return `old → new` if a sentence of the later text is one of the earlier text with another name, else nothing."""
    for here in _sentences(later):
        for there in _sentences(earlier):
            if abs(len(here) - len(there)) <= _LONGEST_NAME and here != there:
                found = _exchanged(here, there)
                if found:
                    return found
    return ""


def _exchanged(here: tuple[str, ...], there: tuple[str, ...]) -> str:
    shorter = min(len(here), len(there))
    start = 0
    while start < shorter and here[start] == there[start]:
        start += 1
    end = 0
    while end < shorter - start and here[-1 - end] == there[-1 - end]:
        end += 1
    new, old = here[start : len(here) - end], there[start : len(there) - end]
    if not (0 < len(new) <= _LONGEST_NAME and 0 < len(old) <= _LONGEST_NAME):
        return ""
    if not all(any(_NAME.fullmatch(word) for word in span) for span in (new, old)):
        return ""
    return f"{' '.join(old)} → {' '.join(new)}"


@lru_cache(maxsize=READINGS)
def _sentences(text: str) -> tuple[tuple[str, ...], ...]:
    found = (tuple(_WORD.findall(part)) for part in _SENTENCE.split(text) if not _ADDS.match(part))
    return tuple(words for words in found if len(words) >= LONG_ENOUGH)[:_MOST]
