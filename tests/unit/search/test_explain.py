"""A search can account for every score and every loss."""

from __future__ import annotations

import pytest

from contextd.domain.time import parse_instant
from contextd.search.boosts import Standpoint
from contextd.search.hits import Result
from contextd.search.search import SearchSource, find
from support.shop_store import QUERY, SCOPE, TopicEmbedder, record, view_of

RECORDS = [
    record("redis cache ttl is ten minutes", helpful=2, confidence=0.9),
    record("the redis cache is warmed at start"),
    record("the cache of the office fridge", kind="discovery", data={"type": "rule"}),
]


@pytest.fixture(scope="module")
def result() -> Result:
    view = view_of(*RECORDS)
    return find(
        SearchSource(
            view.index, TopicEmbedder(), lambda ids: {r.id: r for r in view.records.get(ids)}
        ),
        "redis cache ttl",
        QUERY,
        limit=2,
        standing=Standpoint(SCOPE.cascade, now=parse_instant("2026-03-01")),
    )


def test_the_parts_of_every_hit_sum_to_its_score(result: Result):
    assert len(result.hits) == 2
    for hit in result.hits:
        assert sum(part.amount for part in hit.parts) == pytest.approx(hit.score)


def test_every_part_has_its_rank_and_raw_score(result: Result):
    words = result.hits[0].parts[0]
    assert (words.name, words.rank) == ("words", 1)
    assert words.raw > 0


def test_a_part_says_why(result: Result):
    assert "helpful 2 of 2 times" in [part.why for part in result.hits[0].parts]


def test_hits_left_out_of_a_search_are_listed_with_their_reason(result: Result):
    assert [left.reason for left in result.left_out] == ["below the limit"]
