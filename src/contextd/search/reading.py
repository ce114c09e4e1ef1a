"""The words of texts that are found again and again, counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from contextd.domain.dataclass import dataclass
from contextd.domain.records import Record, digest
from contextd.domain.words import words
from contextd.runtime.caches import Cache
from contextd.search.hits import Texted

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

Said = Callable[[Texted], Words]
"""Gives the words of what a record or another text says: of a record, with its labels."""

SaidOnce = Cache[int, tuple[Texted, Words]]
"""The words of records that a process holds, by which object each is."""


def read(text: str) -> Words:
    """The words of a text."""
    every = words(text)
    return Words(Counter(every), len(every))


def said(content: Texted) -> str:
    """The text a question is compared with: of a record, with its labels and all of its title. Not with what
    stands near: long answers have some words of any question (a third more were given to questions about
    something else).
    """
    if not isinstance(content, Record):
        return content.text
    return "\n".join((content.text, content.labels, *content.beside[:1]))


def read_said(content: Texted) -> Words:
    """The words of what is said."""
    return read(said(content))


def read_said_once(known: SaidOnce, texts: Reading, content: Texted) -> Words:
    """The same, remembered. A store gives the same record again while nothing changed it: to put its text
    together and to name that would cost four times as much as comparing it.
    """
    if not isinstance(content, Record):
        return read_once(texts, content.text)
    before = known.get(id(content))
    # The object is kept with its words, or another one could be made in its place.
    if before is not None and before[0] is content:
        return before[1]
    text = said(content)
    # A record that was used since is another object that says the same.
    found = read_once(texts, text)
    if len(text) <= LONGEST:
        known.put(id(content), (content, found))
    return found


def read_once(known: Reading, text: str) -> Words:
    """The same, remembered for the next search that finds the text."""
    if len(text) > LONGEST:
        return read(text)
    return known.made(digest(text), partial(read, text))
