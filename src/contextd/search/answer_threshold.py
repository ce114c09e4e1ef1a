"""Decide whether the code found answers the question.

A weighted sum of a few signals must reach a threshold. Weights and threshold are fitted
(`tools/fit_answered.py`) on commit subjects, used as queries on their own repository and on others. Text that
is far from everything here is no answer, and a short question has lower similarities than a long one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, log1p

from contextd.search.file_ranking import rareness
from contextd.search.hits import DENSE
from contextd.search.query_words import OVERLAP, Asked, Pair
from contextd.search.ranking_weights import weights
from contextd_code.values.source import Chunk
from contextd_common.text.words import words

SIGNALS = ("meaning", "relevance", "named", "rare", "length")
"""The best cosine; the best relevance of any piece, and of one whose path or symbol the question names;
the largest share of the question's words in one piece, weighted by rarity; and the logarithm of the
number of words.
"""

LEAST = "least"
"""The name of the threshold among the weights."""


def is_answered(pairs: Sequence[Pair], asked: Asked) -> bool:
    """Whether one of these pieces of code is worth showing."""
    counts, values = weights("answered"), answer_signals(pairs, asked)
    return sum(counts[name] * values[name] for name in SIGNALS) >= counts[LEAST]


def answer_signals(pairs: Sequence[Pair], asked: Asked) -> Mapping[str, float]:
    """The values of `SIGNALS` for the pieces found."""
    placed = [_placed(pair, asked) for pair in pairs]
    shared = [asked.shared_with(content.text) for _, content in pairs]
    cosines = [candidate.part(DENSE).raw for candidate, _ in pairs]
    relevances = [
        cosine + OVERLAP * len(some) / (asked.count + 1)
        for cosine, some in zip(cosines, shared, strict=True)
    ]
    named = [value for value, place in zip(relevances, placed, strict=True) if place]
    return {
        "meaning": max(cosines, default=0.0),
        "relevance": max(relevances, default=0.0),
        "named": max(named, default=0.0),
        "rare": _most_covered(
            [some | place for some, place in zip(shared, placed, strict=True)], asked
        ),
        "length": log1p(asked.count),
    }


def is_named(pair: Pair, asked: Asked) -> bool:
    """Whether the question has a word of this piece's path or name."""
    return bool(_placed(pair, asked))


def _placed(pair: Pair, asked: Asked) -> frozenset[str]:
    content = pair[1]
    if not isinstance(content, Chunk):
        return frozenset()
    return asked.words.intersection(words(f"{content.path} {content.symbol}"))


def _most_covered(held: Sequence[set[str]], asked: Asked) -> float:
    """The largest share of the query's words in one piece; a word that none has counts as the rarest."""
    rare = rareness(held)
    unknown = log(1 + (len(held) + 0.5) / 0.5)
    whole = sum(rare.get(word, unknown) for word in asked.words)
    return max((sum(rare[word] for word in some) for some in held), default=0.0) / (whole or 1.0)
