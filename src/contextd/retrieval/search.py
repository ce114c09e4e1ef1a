"""From a question to ranked hits: by words and by meaning, fused, weighed, without repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from contextd.domain.errors import Corrupt, Unavailable
from contextd.domain.query import CODE, Match, Query
from contextd.domain.scope import Scope
from contextd.domain.words import content_words, query_words, words
from contextd.ports import Embedder, Index, Vector
from contextd.retrieval.fuse import Fuse, fuse_ranks, fuse_scores
from contextd.retrieval.hits import (
    DENSE,
    LEXICAL,
    Candidate,
    Candidates,
    Hit,
    Hydrate,
    LeftOut,
    Result,
    Texted,
)
from contextd.retrieval.rank import Standing, distinct, in_order, ranked

DEPTH = 100
"""How many documents each way of looking may propose."""

NEAR = 0.30
"""The cosine below which texts have nothing to do with each other. Of questions with an answer,
99.6 % (code) and 93 % (conversations) have it above; of questions about something else, 1 to 8 %
find anything above it (CoSQA and LoCoMo, each asked of the other's texts)."""

COVERED = 0.5
"""The share of a question's content words that shows relevance by itself: 1 % of questions about
something else reach it."""

_MOST_WORDS = 64
_MOST_CHARACTERS = 8_000
_NAMES_CODE = re.compile(r"[a-z][A-Z]|\w_\w|\w\(|\w\.\w|::|`")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the two rankings become one. Weights are for a question in plain language."""

    fuse: Fuse
    lexical: float
    dense: float


PROSE = Recipe(fuse_scores, 1.0, 1.0)
RECIPES: Mapping[str, Recipe] = {CODE: Recipe(fuse_ranks, 1.0, 2.0)}
"""Recipes of kinds that need their own; the others are prose.

Measured: on conversations the mean of scores finds 82 % of turns among ten where rank fusion finds
77 %; on code rank fusion with double weight for meaning finds 83 % where equal weights find 79 %.
"""


def search(
    index: Index, embedder: Embedder, question: str, query: Query, *, limit: int = DEPTH
) -> Candidates:
    """The documents that match a question best, by words and by meaning.

    A question of several lines is asked twice at once: its first line, and all of it. Without
    vectors, because there is no embedder or it fails, the answer is by words and says so.
    """
    question = question[:_MOST_CHARACTERS]
    asked = _askings(question)
    terms = query_words(question)[:_MOST_WORDS]
    if not terms:
        return Candidates((), (), "the question has no words")
    lists = {LEXICAL: _lexical(index, asked, query)}
    recipe = (
        RECIPES[query.kinds[0]] if len(query.kinds) == 1 and query.kinds[0] in RECIPES else PROSE
    )
    notice = "searched by words only: there is no embedder"
    if embedder.model:
        try:
            vector = _vector(embedder, asked)
            lists[DENSE] = index.dense(vector, embedder.model, query, DEPTH)
            notice = ""
        except (Unavailable, Corrupt) as error:
            notice = f"searched by words only: {error.message}"
    fused = recipe.fuse(lists, _weights(recipe, question), DEPTH)
    return Candidates(tuple(fused[:limit]), tuple(terms), notice)


def find(
    index: Index,
    embedder: Embedder,
    question: str,
    query: Query,
    *,
    hydrate: Hydrate,
    limit: int = 10,
    now: datetime | None = None,
    cascade: Iterable[Scope] = (),
    files: Iterable[str] = (),
    strict: bool = False,
) -> Result:
    """What answers a question: at most `limit` hits, best first, or none when nothing is relevant.

    Nothing is relevant when no hit is `NEAR` in meaning or has `COVERED` of the question's content
    words (any content word, when searching by words only). `strict` asks that of every single
    hit: for texts that nobody asked for. `now`, `cascade` and `files` tell from where is asked.
    """
    found = search(index, embedder, question, query, limit=max(30, 3 * limit))
    contents = hydrate([candidate.id for candidate in found.candidates])
    standing = Standing(tuple(cascade), frozenset(files), now)
    gone = [c for c in found.candidates if c.id not in contents]
    present = [(c, contents[c.id]) for c in found.candidates if c.id in contents]
    relevant, far = _relevant(present, question, strict=strict, lexical_only=bool(found.notice))
    hits = in_order(ranked(candidate, content, standing) for candidate, content in relevant)
    kept, left = distinct(hits, limit)
    left += [LeftOut(c.id, c.kind, c.score, "not close enough to the question") for c in far]
    left += [LeftOut(c.id, c.kind, c.score, "no longer there") for c in gone]
    return Result(tuple(kept), tuple(left), found.notice)


def _askings(question: str) -> list[str]:
    first, _, rest = question.strip().partition("\n")
    return [first, question] if first.strip() and rest.strip() else [question]


def _lexical(index: Index, asked: Sequence[str], query: Query) -> list[Match]:
    """Documents by the sum of their BM25 scores over all askings."""
    lists = [index.lexical(query_words(text)[:_MOST_WORDS], query, DEPTH) for text in asked]
    if len(lists) == 1:
        return lists[0]
    kinds = {match.id: match.kind for found in lists for match in found}
    scores = dict.fromkeys(kinds, 0.0)
    for found in lists:
        for match in found:
            scores[match.id] += match.score
    summed = [Match(id_, kinds[id_], score) for id_, score in scores.items()]
    return sorted(summed, key=lambda m: (-round(m.score, 9), m.id))[:DEPTH]


def _vector(embedder: Embedder, asked: Sequence[str]) -> Vector:
    mean: Vector = embedder.embed(asked).mean(axis=0)
    return mean / np.float32(np.linalg.norm(mean) or 1.0)


def _weights(recipe: Recipe, question: str) -> dict[str, float]:
    """A question that names identifiers leans on words as much as on meaning; one that is nothing
    but a name leans on words.
    """
    dense = recipe.dense
    if _NAMES_CODE.search(question):
        dense = min(dense, 1.0)
    if len(question.split()) == 1:
        dense = min(dense, 0.5)
    return {LEXICAL: recipe.lexical, DENSE: dense}


_Pair = tuple[Candidate, Texted]


def _relevant(
    pairs: list[_Pair], question: str, *, strict: bool, lexical_only: bool
) -> tuple[list[_Pair], list[Candidate]]:
    """The pairs that may be given, and the candidates that are too far from the question."""
    asked = frozenset(content_words(question)[:_MOST_WORDS])

    def near(candidate: Candidate) -> bool:
        return candidate.part(DENSE).raw >= NEAR

    def covered(content: Texted) -> bool:
        return bool(asked) and len(asked.intersection(words(content.text))) >= COVERED * len(asked)

    if strict:
        kept = [(c, content) for c, content in pairs if near(c) or covered(content)]
    elif lexical_only:
        kept = pairs if asked else []
    elif any(near(c) for c, _ in pairs) or any(covered(content) for _, content in pairs):
        kept = [(c, content) for c, content in pairs if c.part(LEXICAL).rank or near(c)]
    else:
        kept = []
    ids = {c.id for c, _ in kept}
    return kept, [c for c, _ in pairs if c.id not in ids]


__all__ = ["Hit", "Result", "find", "search"]
