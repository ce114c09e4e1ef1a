"""Recognise the same fact in several forms: in a message, in a record learned from it, in an episode.

Texts are compared sentence by sentence, so that a negation or a number in one keeps them apart.
"""

from __future__ import annotations

import re

from contextd.domain.query import EVENT
from contextd.domain.records import Record
from contextd.search.hits import Hit
from contextd_common.dataclass import dataclass

ALIKE = 0.8
"""Share of a sentence's word triples that another one must contain to say the same."""

COVERED = 0.5
"""Share of a longer text that must be repeated; below it, the text says more than the shorter one."""

NEAR = 0.8
"""How close, by score, a record must be to its source message to be shown instead."""

_COMPARED = 4_000
_SHORTEST = 5
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
_WORD = re.compile(r"\w+(?:'\w+)?")
_DECISIVE = re.compile(r"\d|^(?:not|never|no|without|avoid|cannot|\w+n't)$")


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: int
    triples: frozenset[tuple[str, ...]]
    decisive: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """The text of a hit, and its session; empty if none."""

    session: str
    sentences: tuple[_Sentence, ...]


def told_by(hit: Hit) -> Told:
    """A hit prepared for comparison."""
    content = hit.content
    session = hit.id.partition("#")[0] if hit.kind == EVENT else ""
    session = content.session if isinstance(content, Record) else session
    return Told(session, tuple(_sentences(hit.text)) if session else ())


def repeats(later: Told, earlier: Told) -> bool:
    """Whether a hit adds little or nothing to a better one of its session."""
    if not later.session or later.session != earlier.session:
        return False
    return _share(later, earlier) >= ALIKE or (
        _share(earlier, later) >= ALIKE and _share(later, earlier, within=True) >= COVERED
    )


def is_said_by(record: Told, message: Told) -> bool:
    """Whether a message contains everything a record says."""
    same = bool(record.session) and record.session == message.session
    return same and _share(record, message) >= ALIKE


def _sentences(text: str) -> list[_Sentence]:
    found = []
    for part in _SENTENCE.split(text[:_COMPARED]):
        words = _WORD.findall(part.casefold())
        if len(words) < _SHORTEST:
            continue
        triples = frozenset(zip(words, words[1:], words[2:], strict=False))
        decisive = tuple(sorted(word for word in words if _DECISIVE.search(word)))
        found.append(_Sentence(len(words), triples, decisive))
    return found


def _share(of: Told, by: Told, *, within: bool = False) -> float:
    """The share of a text's words in sentences that the other text repeats; with `within`, in sentences
    contained in longer ones.
    """
    total = sum(one.words for one in of.sentences)
    shared_words = sum(
        one.words
        for one in of.sentences
        if any(_says(one, other) or (within and _says(other, one)) for other in by.sentences)
    )
    return shared_words / total if total else 0.0


def _says(one: _Sentence, other: _Sentence) -> bool:
    """Whether `other` contains everything `one` says."""
    if one.decisive != other.decisive:
        return False
    return len(one.triples & other.triples) >= ALIKE * len(one.triples)
