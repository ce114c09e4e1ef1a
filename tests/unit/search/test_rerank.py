"""The second stage: a model of the user's own has the last word on the order of the first hits."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from contextd.embedders import open_reranker
from contextd.embedders.cross_encoder import CrossEncoder
from contextd.search.hits import Hit, ScorePart
from contextd.search.rerank import RERANKED, reranked
from contextd.search.search import SearchSource, find
from contextd_common.errors import Unavailable
from support.onnx_files import write_cross_encoder
from support.shop_store import QUERY, TopicEmbedder, record, view_of

PLAIN = record("redis is the cache, with a ttl of ten minutes")
GOLD = record("what we evict from the cache is gold, gold and gold")
VIEW = view_of(PLAIN, GOLD)


def ask(**options: object):
    return find(
        SearchSource(
            VIEW.index,
            TopicEmbedder(),
            lambda ids: {r.id: r for r in VIEW.records.get(ids)},
            reranker=options.pop("reranker", None),
        ),
        "redis cache ttl",
        QUERY,
        **options,
    )


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_cross_encoder_judges_pairs_between_zero_and_one(tmp_path: Path, outputs: int):
    judge = open_reranker(str(write_cross_encoder(tmp_path, outputs=outputs)))
    none, one, three = judge.judge("what is gold", ["nothing", "Gold", "gold gold gold"])
    assert 0 < none < 0.5 < one < three < 1
    assert judge.judge("anything", []) == []


def test_its_judgement_orders_and_stands_in_the_explanation(tmp_path: Path):
    assert [hit.id for hit in ask().hits] == [PLAIN.id, GOLD.id]
    judge = open_reranker(str(write_cross_encoder(tmp_path)))
    result = ask(reranker=judge)
    assert [hit.id for hit in result.hits] == [GOLD.id, PLAIN.id]
    assert result.notice == ""
    first = result.hits[0]
    [part] = [part for part in first.parts if part.name == "reranker"]
    assert part.rank == 1
    assert 0.9 < part.raw < 1
    assert sum(part.amount for part in first.parts) == pytest.approx(first.score)
    assert "reranker #1" in result.hits[0].why


def test_a_strict_search_does_not_wait_for_the_reranker(tmp_path: Path):
    judge = open_reranker(str(write_cross_encoder(tmp_path)))
    assert ask(reranker=judge, strict=True).hits == ask(strict=True).hits


def test_only_the_first_are_judged_and_stay_before_the_others():
    class Judge:
        model = "by number"
        seen = 0

        def judge(self, question: str, texts: list[str]) -> list[float]:
            self.seen = len(texts)
            return [int(text) / 100 for text in texts]

    hits = [
        Hit(f"id{i:02}", "context", (ScorePart("words", 1 - i / 100, i + 1),), record(str(i)))
        for i in range(RERANKED + 5)
    ]
    judge = Judge()
    ordered, problem = reranked(hits, "which", judge)
    assert (judge.seen, problem) == (RERANKED, "")
    assert ordered[RERANKED:] == hits[RERANKED:]
    assert {hit.id for hit in ordered[:RERANKED]} == {hit.id for hit in hits[:RERANKED]}


@pytest.mark.parametrize(
    "broken", ["no model", "not a tokenizer", "a model that is none", "bad words"]
)
def test_a_broken_one_is_said_and_the_search_goes_on(tmp_path: Path, broken: str):
    path = write_cross_encoder(tmp_path)
    if broken == "no model":
        path.unlink()
    elif broken == "not a tokenizer":
        (tmp_path / "tokenizer.json").unlink()
    elif broken == "a model that is none":
        path.write_bytes(b"not a model")
    else:
        (tmp_path / "tokenizer.json").write_text("{}")
    judge = open_reranker(str(path))
    with pytest.raises(Unavailable):
        judge.judge("a", ["b"])
    result = ask(reranker=judge)
    assert [hit.id for hit in result.hits] == [hit.id for hit in ask().hits]
    assert result.notice.startswith("not reranked: ")


def test_a_model_that_wants_other_inputs_is_said(tmp_path: Path):
    path = write_cross_encoder(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"attention_mask", b"something_else"))
    with pytest.raises(Unavailable, match="cannot be run"):
        open_reranker(str(path)).judge("a", ["b"])


def a_clock(*, seconds: float):
    """A clock on which each look at it is so many seconds later."""
    ticks = itertools.count()
    return lambda: next(ticks) * seconds


def test_a_model_with_many_numbers_for_a_text_is_no_cross_encoder(tmp_path: Path):
    path = write_cross_encoder(tmp_path, outputs=3)
    with pytest.raises(Unavailable, match="outputs 3 numbers per text"):
        open_reranker(str(path)).judge("a", ["b"])


def test_of_a_slow_model_only_the_first_hits_are_judged_and_it_is_said(tmp_path: Path):
    path = write_cross_encoder(tmp_path)
    judge = CrossEncoder(path, tmp_path / "tokenizer.json", clock=a_clock(seconds=1.5))
    assert len(judge.judge("gold", ["gold"] * 30)) == 3
    hits = [
        Hit(
            f"id{i:02}",
            "context",
            (ScorePart("words", 1 - i / 100, i + 1),),
            record("gold" * (i == 4)),
        )
        for i in range(5)
    ]
    ordered, problem = reranked(hits, "gold", judge)
    assert problem == "only the first 3 were reranked: judge.onnx is slow"
    assert ordered[3:] == hits[3:]


def test_a_model_that_takes_too_long_for_one_text_is_asked_no_more(tmp_path: Path):
    path = write_cross_encoder(tmp_path)
    judge = CrossEncoder(path, tmp_path / "tokenizer.json", clock=a_clock(seconds=9))
    with pytest.raises(Unavailable, match="takes 9 s per text"):
        judge.judge("a", ["b", "c"])
    path.unlink()
    with pytest.raises(Unavailable, match="takes 9 s per text"):
        judge.judge("a", ["b"])
    assert [hit.id for hit in ask(reranker=judge).hits] == [hit.id for hit in ask().hits]


def test_its_tokenizer_may_lie_elsewhere(tmp_path: Path):
    path = write_cross_encoder(tmp_path / "one")
    moved = (tmp_path / "one" / "tokenizer.json").rename(tmp_path / "words.json")
    assert len(open_reranker(str(path), str(moved)).judge("a", ["b", "gold"])) == 2


def test_none_is_chosen_by_default():
    assert open_reranker("") is None
