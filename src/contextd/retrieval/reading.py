"""The words of texts that are found again and again, counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from contextd.caches import Cache
from contextd.domain.dataclass import dataclass
from contextd.domain.records import digest
from contextd.domain.words import words

MOST_READ = 2_000
"""Texts whose words are remembered for an organisation: some 5 kB each, for a text of a hundred words."""

LONGEST = 8_000
"""Characters above which a text is read anew: few are, and one may have as many words as fifty others."""


@dataclass(frozen=True, slots=True)
class Words:
    """How often a text has each of its words, and how many they are together."""

    counts: Mapping[str, int]
    total: int


Read = Callable[[str], Words]
"""Gives the words of a text."""

Reading = Cache[str, Words]
"""The words of texts by digest."""


def read(text: str) -> Words:
    """The words of a text."""
    every = words(text)
    return Words(Counter(every), len(every))


def read_once(known: Reading, text: str) -> Words:
    """The same, remembered for the next search that finds the text."""
    if len(text) > LONGEST:
        return read(text)
    return known.made(digest(text), partial(read, text))
