"""What moves a hit besides the question, and what counts as a repeat."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.domain.records import Anchor
from contextd.search.boosts import RECENCY, Standpoint, distinct, in_order, ranked
from contextd.search.hits import Candidate, Hit, ScorePart
from contextd_code.values.source import Chunk
from support.shop_store import SCOPE, record

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLAIN = Standpoint()


def candidate(score: float = 0.5, id: str = "a", kind: str = "context") -> Candidate:
    return Candidate(id, kind, (ScorePart("words", score, 1, 3.0),))


def boost(
    name: str, standing: Standpoint = PLAIN, kind: str = "context", **fields: object
) -> float:
    hit = ranked(candidate(kind=kind), record("text", kind=kind, **fields), standing)
    return next((part.amount for part in hit.parts if part.name == name), 0.0)


def test_confidence_raises_and_lowers():
    assert boost("confidence", confidence=0.9) > 0 > boost("confidence", confidence=0.2)
    assert boost("confidence", confidence=0.6) == 0


def test_confidence_counts_as_it_is_today_not_as_it_was_stored():
    half_a_year_ago = NOW - timedelta(days=180)
    old = {"created_at": half_a_year_ago, "updated_at": half_a_year_ago}
    assert boost("confidence", Standpoint(now=NOW), **old, confidence=0.6) == pytest.approx(-0.03)


def test_helpful_reports_raise_and_unhelpful_ones_lower():
    assert boost("usefulness") == 0
    assert boost("usefulness", helpful=3) > boost("usefulness", helpful=1) > 0
    assert boost("usefulness", unhelpful=3) < 0


def test_nearer_scopes_rank_higher():
    standing = Standpoint(cascade=SCOPE.cascade)
    project, team, org = (boost("nearness", standing, scope=s) for s in SCOPE.cascade)
    assert project > team > org > 0
    assert boost("nearness", standing, scope=type(SCOPE)("elsewhere")) == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"anchor": Anchor(paths={"src/a.py": "blob"})},
        {"data": {"affected_files": ["src/a.py", "b.py"]}},
        {"data": {"file": "src/a.py"}},
    ],
)
def test_records_about_the_files_at_hand_rank_higher(fields):
    assert boost("files", Standpoint(files=frozenset({"src/a.py"})), **fields) > 0
    assert boost("files", Standpoint(files=frozenset({"other.py"})), **fields) == 0


def test_recency_adds_at_most_two_hundredths():
    assert RECENCY <= 0.02
    standing = Standpoint(now=NOW)
    assert boost("recency", standing, updated_at=NOW) == pytest.approx(RECENCY)
    month_old = NOW - timedelta(days=31)
    assert boost("recency", standing, updated_at=month_old) == 0


def test_the_weight_of_a_kind_scales_the_match():
    assert boost("kind", kind="discovery", data={"type": "rule"}) == pytest.approx(-0.05)
    assert boost("kind", kind="not_built_in") == 0


def test_code_has_no_boosts():
    chunk = Chunk(id="a", path="a.py", start_line=1, end_line=2, text="x = 1")
    assert ranked(candidate(kind="code"), chunk, PLAIN).parts == candidate(kind="code").parts


@given(
    score=st.floats(0, 1),
    confidence=st.floats(0, 1),
    helpful=st.integers(0, 50),
    unhelpful=st.integers(0, 50),
    days=st.integers(0, 100),
)
def test_a_score_is_the_sum_of_its_parts_and_boosts_stay_small(
    score: float, confidence: float, helpful: int, unhelpful: int, days: int
):
    content = record(
        "text",
        confidence=confidence,
        helpful=helpful,
        unhelpful=unhelpful,
        updated_at=NOW - timedelta(days=days),
    )
    standing = Standpoint(SCOPE.cascade, frozenset({"a.py"}), NOW)
    hit = ranked(candidate(score), content, standing)
    assert hit.score == pytest.approx(sum(part.amount for part in hit.parts))
    assert abs(hit.score - score) <= 0.25


def hit(id: str, text: str, score: float = 0.5) -> Hit:
    return Hit(id, "context", (ScorePart("words", score, 1),), record(text))


LONG = "the worker pool is sized from the number of cores and every worker keeps one connection"


def test_a_near_copy_is_left_out_and_the_best_kept():
    copy = LONG + " open"
    hits = in_order([hit("low", copy, 0.3), hit("high", LONG, 0.9)])
    kept, left = distinct(hits, 10)
    assert [one.id for one in kept] == ["high"]
    assert [(one.id, one.reason) for one in left] == [("low", "repeats high")]


@pytest.mark.parametrize(
    "other",
    [
        LONG.replace("one connection", "not one connection"),
        LONG + " 30",
        "the cache is sized from the memory of the host",
    ],
)
def test_texts_that_may_contradict_or_differ_are_both_kept(other: str):
    assert len(distinct([hit("a", LONG), hit("b", other)], 10)[0]) == 2


def test_case_and_spacing_do_not_make_a_difference():
    assert len(distinct([hit("a", "Ship it"), hit("b", "ship   IT")], 10)[0]) == 1


def test_texts_of_three_words_repeat_each_other_only_when_all_are_the_same():
    assert len(distinct([hit("a", "Ship the parcel"), hit("b", "ship the parcel!")], 10)[0]) == 1
    assert len(distinct([hit("a", "Ship the parcel"), hit("b", "Weigh every crate")], 10)[0]) == 2


def test_equal_scores_are_ordered_by_id():
    assert [h.id for h in in_order([hit("b", "y"), hit("a", "x")])] == ["a", "b"]


def test_a_hit_says_in_words_why_it_is_there():
    content = record("text", helpful=3, confidence=0.9)
    assert (
        ranked(candidate(), content, PLAIN).why == "words #1, confidence 0.9, helpful 3 of 3 times"
    )


def test_of_many_reasons_the_two_that_count_most_are_told_and_all_kept():
    many = [
        ScorePart(name, amount)
        for name, amount in zip("abcd", (0.02, -0.3, 0.1, 0.005), strict=True)
    ]
    one = ranked(candidate(), record("text"), PLAIN).plus(many)
    assert one.why == "words #1, b, c"
    assert {"a", "b", "c", "d"} <= {part.name for part in one.parts}
    # Where a way of looking did not find it, its part says how little that is held against it.
    assert "meaning" not in one.plus([ScorePart("meaning", 0.2)]).why


def test_a_negation_keeps_texts_apart_and_a_word_that_ends_like_one_does_not():
    rest = "in the rope before the sail goes up and the boat leaves the harbour in the morning"
    rest += " with the tide, so that it holds until we are back and the sail comes down"
    texts = [f"tie a knot {rest}", f"tie a loop {rest}", f"tie not {rest}", f"(never) tie {rest}"]
    hits = [
        Hit(str(n), "context", (ScorePart("words", 1 - n / 10),), record(text))
        for n, text in enumerate(texts)
    ]
    kept, left = distinct(hits, 9)
    assert [hit.id for hit in kept] == ["0", "2", "3"]
    assert [one.id for one in left] == ["1"]


def test_a_record_of_a_later_moment_is_as_recent_as_one_of_now():
    standing = Standpoint(now=NOW)
    later = boost("recency", standing, updated_at=NOW + timedelta(days=20))
    assert later == boost("recency", standing, updated_at=NOW) == RECENCY
