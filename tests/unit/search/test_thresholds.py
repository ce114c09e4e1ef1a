"""Where the lines are drawn: what is relevant enough to be an answer, and alike enough to repeat one."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest

from contextd.domain.documents import record_document
from contextd.domain.query import Query, Vector
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.search.boosts import distinct
from contextd.search.hits import Hit, ScorePart
from contextd.search.search import SearchSource, find
from support.stores import Whole, opened

SHOP = Scope("acme", "web", "shop")
WORDS = "the worker pool is sized from the number of cores and every worker keeps one connection"


class Angle:
    """An embedder for which a question lies along the first axis."""

    model = "angle"

    def embed(self, texts: Sequence[str]) -> Vector:
        return np.array([[1.0, 0.0]] * len(texts), np.float32)


def found(cosine: float, *, strict: bool = False) -> int:
    """How many answers there are when the only record means the question by so much."""
    store = Whole(opened("memory://"), [SHOP])
    record = Record(kind="memory", scope=SHOP, content="Parrots live in kitchens")
    store.put(record)
    vector = np.array([cosine, sqrt(1 - cosine**2)], np.float32)
    digest = record_document(record).digest
    store.commit(vectors={SHOP: {digest: vector}}, model="angle")
    result = find(
        SearchSource(
            store.index, Angle(), lambda ids: {one.id: one for one in store.records.get(ids)}
        ),
        "release schedule",
        Query(scopes=frozenset({SHOP}), kinds=("memory",)),
        strict=strict,
    )
    return len(result.hits)


@pytest.mark.parametrize(("cosine", "answers"), [(0.25, 0), (0.29, 0), (0.31, 1), (0.5, 1)])
def test_a_hit_with_a_cosine_below_three_tenths_is_no_answer(cosine, answers):
    assert found(cosine) == answers


@pytest.mark.parametrize(("cosine", "answers"), [(0.31, 0), (0.39, 0), (0.41, 1)])
def test_a_text_nobody_asked_for_must_mean_it_by_four_tenths(cosine, answers):
    assert found(cosine, strict=True) == answers


def hit(id: str, text: str) -> Hit:
    record = Record(id=id, kind="context", scope=SHOP, content=text)
    return Hit(id, "context", (ScorePart("words", 0.5, 1),), record)


@pytest.mark.parametrize(("changed", "kept"), [(1, 1), (2, 2), (3, 2), (5, 2)])
def test_one_that_differs_in_a_fifth_of_its_word_triples_is_no_repetition(changed, kept):
    words = WORDS.split()
    other = " ".join([*words[:-changed], *(f"word{n}" for n in "abcdefgh"[:changed])])
    assert len(distinct([hit("a", WORDS), hit("b", other)], 10)[0]) == kept
