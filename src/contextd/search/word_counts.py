"""Cached word counts of frequently found texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from contextd.domain.records import Record, digest
from contextd.runtime.caches import Cache
from contextd.search.hits import Texted
from contextd_common.dataclass import dataclass
from contextd_common.text.words import words

MOST_READ = 2_000
"""Cached texts per organisation: some 5 kB each, for a text of a hundred words."""

LONGEST = 8_000
"""Longer texts are not cached: they are rare, and one may have as many words as fifty others."""


@dataclass(frozen=True, slots=True)
class Words:
    """How often a text has each of its words, and the total."""

    counts: Mapping[str, int]
    total: int


_PER_WORD, _PER_TEXT = 90, 400
"""Bytes of a word with its count, and of a text with its digest: 5 kB for fifty different words."""


def weight_of(known: Words) -> int:
    """The estimated bytes of a text's words."""
    return _PER_TEXT + _PER_WORD * len(known.counts)


def weight_of_said(known: tuple[Texted, Words]) -> int:
    """The estimated bytes of a record in memory; its words are those of its text."""
    return _PER_TEXT + 2 * len(known[0].text)


Read = Callable[[str], Words]
"""Returns the words of a text."""

Reading = Cache[str, Words]
"""The words of texts by digest."""

Said = Callable[[Texted], Words]
"""Returns the words of a content; for a record, including its labels."""

SaidOnce = Cache[int, tuple[Texted, Words]]
"""The words of records in memory, by object identity."""


def read(text: str) -> Words:
    """The words of a text."""
    every = words(text)
    return Words(Counter(every), len(every))


def said(content: Texted) -> str:
    """The text a query is compared with; of a record, with its labels and full title. Without `near` text:
    long answers share words with any query (a third more unrelated questions got an answer).
    """
    if not isinstance(content, Record):
        return content.text
    return "\n".join((content.text, content.labels, *content.beside[:1]))


def read_said(content: Texted) -> Words:
    """The words of a content."""
    return read(said(content))


def read_said_once(known: SaidOnce, texts: Reading, content: Texted) -> Words:
    """The same, cached. A store returns the same object while a record is unchanged, and building its text
    costs four times as much as comparing it.
    """
    if not isinstance(content, Record):
        return read_once(texts, content.text)
    before = known.get(id(content))
    # The object is kept with its words, so that its identity is not reused.
    if before is not None and before[0] is content:
        return before[1]
    text = said(content)
    # A record that was used since is another object with the same text.
    found = read_once(texts, text)
    if len(text) <= LONGEST:
        known.put(id(content), (content, found))
    return found


def read_once(known: Reading, text: str) -> Words:
    """The same, cached for the next search that finds the text."""
    if len(text) > LONGEST:
        return read(text)
    return known.made(digest(text), partial(read, text))
