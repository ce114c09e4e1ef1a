"""Fusing two rankings into one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.domain.query import Match
from contextd.search.rank_fusion import RANK_CONSTANT, fuse_ranks, fuse_scores

EVEN = {"a": 1.0, "b": 1.0}
FUSES = pytest.mark.parametrize("fuse", [fuse_ranks, fuse_scores])


def matches(*ids: str, scores: tuple[float, ...] = ()) -> list[Match]:
    given_scores = scores or tuple(float(len(ids) - i) for i in range(len(ids)))
    return [Match(id_, "context", score) for id_, score in zip(ids, given_scores, strict=True)]


lists = st.lists(st.sampled_from("pqrstuv"), unique=True, max_size=7).map(lambda ids: matches(*ids))


@FUSES
def test_first_everywhere_scores_one(fuse):
    best = fuse({"a": matches("x", "y"), "b": matches("x", "z")}, EVEN, 100)[0]
    assert best.id == "x"
    assert best.score == pytest.approx(1.0)


@FUSES
def test_each_component_keeps_its_rank_and_score(fuse):
    found = fuse({"a": matches("x", "y"), "b": matches("y", scores=(0.7,))}, EVEN, 100)
    y = next(candidate for candidate in found if candidate.id == "y")
    assert (y.part("a").rank, y.part("a").raw) == (2, 1.0)
    assert (y.part("b").rank, y.part("b").raw) == (1, 0.7)
    assert next(c for c in found if c.id == "x").part("b").rank == 0


@FUSES
@given(a=lists, b=lists)
def test_every_document_comes_once_in_order_within_zero_and_one(fuse, a, b):
    found = fuse({"a": a, "b": b}, EVEN, 3)
    assert sorted(c.id for c in found) == sorted({m.id for m in (*a, *b)})
    scores = [c.score for c in found]
    assert scores == sorted(scores, reverse=True) or len({round(s, 9) for s in scores}) < len(
        scores
    )
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores)


@FUSES
def test_one_list_alone_keeps_its_order(fuse):
    assert [c.id for c in fuse({"a": matches("z", "y", "x")}, EVEN, 100)] == ["z", "y", "x"]


def test_ranks_are_fused_by_the_published_formula():
    found = fuse_ranks({"a": matches("x", "y"), "b": matches("y")}, {"a": 1.0, "b": 2.0}, 100)
    k = RANK_CONSTANT
    expected = (1 / (k + 2) + 2 / (k + 1)) * (k + 1) / 3
    assert next(c for c in found if c.id == "y").score == pytest.approx(expected)


def test_a_document_missing_from_a_full_list_scores_like_its_last():
    full = {"a": matches("x", "y", scores=(4.0, 2.0)), "b": matches("z", "x", scores=(1.0, 0.5))}
    z = next(c for c in fuse_scores(full, EVEN, 2) if c.id == "z")
    assert z.score == pytest.approx(0.5 * 2 / 4 + 0.5)
    z = next(c for c in fuse_scores(full, EVEN, 3) if c.id == "z")
    assert z.score == pytest.approx(0.5)


def test_scores_below_zero_add_nothing():
    found = fuse_scores({"a": matches("x", "y", scores=(0.5, -0.5))}, EVEN, 100)
    assert [c.score for c in found] == pytest.approx([1.0, 0.0])


def test_a_list_without_a_positive_score_decides_nothing():
    assert fuse_scores({"a": matches("x", scores=(0.0,))}, EVEN, 100)[0].score == 0.0


@FUSES
def test_nothing_found_gives_nothing(fuse):
    assert fuse({"a": [], "b": []}, EVEN, 100) == []


@FUSES
@given(a=lists, b=lists, limit=st.integers(0, 8))
def test_a_limit_gives_the_beginning_of_all(fuse, a, b, limit):
    every = fuse({"a": a, "b": b}, EVEN, 3)
    assert fuse({"a": a, "b": b}, EVEN, 3, limit) == every[:limit]


@given(a=lists, b=lists, weight=st.floats(0.1, 3))
def test_the_mean_of_scores_is_what_its_definition_says(a, b, weight):
    """Written down once more, without a care for time."""
    weights = {"a": weight, "b": 1.0}
    expected: dict[str, float] = {}
    for id_ in {match.id for match in (*a, *b)}:
        for name, found in (("a", a), ("b", b)):
            scores = {match.id: match.score for match in found}
            last = found[-1].score if len(found) >= 3 else 0.0
            if found:
                share = weights[name] / (weight + 1.0) * scores.get(id_, last) / found[0].score
                expected[id_] = expected.get(id_, 0.0) + share
    fused = fuse_scores({"a": a, "b": b}, weights, 3)
    assert {one.id: one.score for one in fused} == pytest.approx(expected)
    assert [one.id for one in fused] == sorted(
        expected, key=lambda id_: (-round(expected[id_], 9), id_)
    )
