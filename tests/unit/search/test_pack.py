"""Hits fit into the budget, with their citations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contextd.search.hits import Hit, ScorePart
from contextd_bench.pack import cite, pack
from contextd_code.values.source import Chunk
from contextd_common.text.tokens import count_tokens
from support.shop_store import record

TEXT = st.text(alphabet=st.sampled_from("ab cD_9.,!?\n\té漢—"), max_size=400)


def hit(text: str, id: str | None = None, **fields: object) -> Hit:
    content = record(text, **fields)
    return Hit(id or content.id, "context", (ScorePart("words", 0.5, 1),), content)


@given(st.lists(TEXT, max_size=8), st.integers(0, 400))
def test_a_pack_never_exceeds_its_budget_and_accounts_for_every_hit(texts: list[str], budget: int):
    hits = [hit(text, f"id{i}") for i, text in enumerate(texts)]
    packed = pack(hits, budget)
    assert packed.tokens == count_tokens(packed.text) <= budget
    told = [item.id for item in packed.items] + [left.id for left in packed.left_out]
    assert sorted(told) == sorted(h.id for h in hits)


def test_the_lines_between_items_are_part_of_the_budget():
    hits = [hit(f"{number} is odd.", f"id{number}") for number in range(9)]
    for budget in range(120):
        assert count_tokens(pack(hits, budget).text) <= budget


def test_every_item_carries_its_citation():
    one = hit("Use redis.", confidence=0.8, trust="human")
    assert cite(one) == f"[context {one.id[:8]}, by human, confidence 0.8]"
    assert pack([one], 100).text == f"{cite(one)} Use redis."


def test_a_chunk_is_cited_by_its_whole_id():
    chunk = Chunk(id="src/a.py:1-2", path="src/a.py", start_line=1, end_line=2, text="x = 1")
    assert cite(Hit(chunk.id, "code", (), chunk)) == "[code src/a.py:1-2]"


def test_a_long_hit_is_shortened_at_a_sentence_and_marked():
    sentence = "The queue is drained before the worker stops. "
    item = pack([hit(sentence * 40)], 120).items[0]
    assert item.shortened
    assert item.text.endswith("stops. …")
    assert item.tokens <= 120


def test_a_hit_without_room_makes_way_for_a_shorter_one():
    packed = pack([hit("word " * 500, "long"), hit("Short.", "short")], 30)
    assert [item.id for item in packed.items] == ["short"]
    assert [(left.id, left.reason) for left in packed.left_out] == [
        ("long", "no room in 30 tokens")
    ]


def test_repeats_and_what_was_given_before_are_left_out():
    hits = [hit("Same text", "a"), hit("Same  text", "b"), hit("Other", "c"), hit("More", "d")]
    packed = pack(hits, 200, shown_ids={"c"}, most=1)
    assert [item.id for item in packed.items] == ["a"]
    assert {left.id: left.reason for left in packed.left_out} == {
        "b": "repeats a",
        "c": "already given",
        "d": "below the limit",
    }


def test_a_text_without_a_seam_is_not_cut_in_the_middle():
    packed = pack([hit("word " * 500, "long")], 60)
    assert packed.items == ()
    assert packed.left_out[0].reason == "no room in 60 tokens"
