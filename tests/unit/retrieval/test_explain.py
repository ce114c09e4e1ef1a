"""A search can account for every score and every loss."""

from __future__ import annotations

import json

import pytest
from shop_store import QUERY, SCOPE, TopicEmbedder, record, view_of

from contextd.domain.time import parse_instant
from contextd.search.boosts import Standpoint
from contextd.search.explain import explained, explanation
from contextd.search.hits import LeftOut, Lost, Result
from contextd.search.search import SearchSource, find

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
    hits = explanation(result)["hits"]
    assert len(hits) == 2
    for hit in hits:
        assert sum(part["amount"] for part in hit["parts"]) == pytest.approx(hit["score"])


def test_the_account_is_plain_data_with_rank_and_score_per_component(result: Result):
    account = json.loads(json.dumps(explanation(result)))
    words = account["hits"][0]["parts"][0]
    assert (words["name"], words["rank"]) == ("words", 1)
    assert words["raw"] > 0


def test_what_lost_is_told_with_its_reason(result: Result):
    packed_out = [LeftOut("x", "context", 0.1, "no room in 10 tokens")]
    reasons = [left["reason"] for left in explanation(result, packed_out)["left_out"]]
    assert reasons == ["no room in 10 tokens", "below the limit"]


def test_the_text_names_each_hit_its_sum_and_the_losers(result: Result):
    lines = explained(result).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"1. context {result.hits[0].id[:8]} {result.hits[0].score:.3f} = ")
    assert "helpful 2 of 2 times" in lines[0]
    assert lines[2].endswith("below the limit")


def test_an_empty_result_says_so():
    lost = tuple(LeftOut(str(i), "context", 0.0, "far") for i in range(7))
    text = explained(Result((), Lost(lost), "searched by words only"))
    assert text.startswith("no results")
    assert "and 2 more" in text
    assert text.endswith("(searched by words only)")
