"""Group questions without results that ask for the same thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from contextd.domain.query import Vector
from contextd_common.dataclass import dataclass
from contextd_common.text.words import content_words

SAME_WORDS, SAME_MEANING = 0.25, 0.36
"""The average similarity from which two groups are merged: the share of common words without vectors, the
cosine of the vectors with them."""

MOST_WORDS_SAME = 0.5
MOST_QUESTIONS = 120
"""Of more questions, only the most frequent are compared."""

Embed = Callable[[Sequence[str]], Mapping[str, Vector]]
"""The vectors of the texts that have one, by text."""

_LONGEST = 500
ASKING = frozenset(
    content_words(
        """how what where which who when why use used using set setup setting configure configuration config
        process convention policy strategy guideline rule step flow way work get do does handle handled handling
        handles many long fast often need must should make write add new tell show find list explain describe
        please can want know documentation docs info information about"""
    )
)
"""Question words, which do not name the subject of a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A question without results: how often and when last it was asked, if known, and since when it has an
    answer, if it has one.
    """

    question: str
    count: int
    last: datetime | None = None
    answered: datetime | None = None


def cluster(missed: Sequence[Missed], embed: Embed) -> list[list[Missed]]:
    """Group questions that ask for the same thing, most frequent first; deterministic.

    Average linkage: the two most similar groups are merged while they are similar enough.
    """
    asked = sorted(missed, key=lambda one: (-one.count, one.question))[:MOST_QUESTIONS]
    if not asked:
        return []
    alike = _likeness(asked, embed)
    groups = [[i] for i in range(len(asked))]
    np.fill_diagonal(alike, -1.0)
    while len(groups) > 1:
        a, b = sorted(divmod(int(alike.argmax()), len(asked)))
        if alike[a, b] < 1.0:
            break
        one, other = len(groups[a]), len(groups[b])
        merged = (one * alike[a] + other * alike[b]) / (one + other)
        alike[a], alike[:, a] = merged, merged
        alike[a, a] = -1.0
        alike[b], alike[:, b] = -1.0, -1.0
        groups[a] += groups[b]
        groups[b] = []
    found = [[asked[i] for i in sorted(members)] for members in groups if members]
    return sorted(found, key=lambda group: (-sum(one.count for one in group), group[0].question))


def _likeness(asked: Sequence[Missed], embed: Embed) -> npt.NDArray[np.float64]:
    """The similarity of each pair of questions; 1 and more is similar enough."""
    named = [_names(one.question) for one in asked]
    alike = np.zeros((len(asked), len(asked)))
    holders: dict[str, list[int]] = {}
    for i, words in enumerate(named):
        for j in {j for word in words for j in holders.get(word, ())}:
            alike[i, j] = alike[j, i] = len(words & named[j]) / len(words | named[j])
        for word in words:
            holders.setdefault(word, []).append(i)
    rows = embed([one.question for one in asked]) if len(asked) > 1 else {}
    known = [i for i, one in enumerate(asked) if one.question in rows]
    likeness = alike / SAME_WORDS
    if known:
        vectors = np.stack([rows[asked[i].question] for i in known])
        meaning = (vectors @ vectors.T).astype(np.float64) / SAME_MEANING
        both = np.ix_(known, known)
        likeness[both] = np.maximum(meaning, alike[both] / MOST_WORDS_SAME)
    return likeness


def _names(question: str) -> frozenset[str]:
    words = frozenset(content_words(question[:_LONGEST]))
    return words - ASKING or words
