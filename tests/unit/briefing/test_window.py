"""The formula of the score, and what pruning takes and leaves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextd.briefing.window_scoring import (
    FULL,
    TARGET,
    percent,
    pruned,
    recency,
    scored,
    usage_line,
    used,
)
from contextd.domain.context_items import ContextItem, Serving, first_served, together

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def item(source: str, tokens: int = 10, count: int = 1, days: float = 0, **fields) -> ContextItem:
    at = NOW - timedelta(days=days)
    plain = dict(type="file", source=source, tokens=tokens, count=count, first_at=at, last_at=at)
    return ContextItem(**(plain | fields))


@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (15, 0.5), (30, 0.0), (90, 0.0), (-1, 1.0)])  # fmt: skip
def test_recency_falls_from_one_today_to_nothing_at_thirty_days(days, expected):
    assert recency(NOW - timedelta(days=days), NOW) == pytest.approx(expected)


def test_the_score_is_six_tenths_recency_and_four_tenths_access():
    scores = {i.source: i.score for i in scored([item("a", count=4), item("b", count=1, days=15)], NOW)}  # fmt: skip
    assert scores == {"a": 1.0, "b": pytest.approx(0.6 * 0.5 + 0.4 * 0.25)}
    assert scored([], NOW) == []


def test_an_old_item_used_often_outlives_a_recent_one_used_once_only_by_the_formula():
    often, once = scored([item("often", count=10, days=25), item("once", count=1)], NOW)
    assert often.score == pytest.approx(0.6 * 5 / 30 + 0.4)
    assert once.score == pytest.approx(0.6 + 0.04)


def test_serving_counts_once_per_answer_and_keeps_the_most_it_cost():
    pieces = [Serving("file", "a", 30), Serving("module", "a", 5), Serving("file", "a", 20)]
    answer = together(pieces)
    assert answer == [Serving("file", "a", 50), Serving("module", "a", 5)]
    first = first_served(answer[0], NOW)
    assert (first.tokens, first.count) == (50, 1)
    second = first.served_again(10, NOW)
    assert (second.type, second.tokens, second.count) == ("file", 50, 2)


def test_an_archived_item_of_the_window_is_active_again_once_it_is_served():
    archived = item("a", status="archived", reason="window full", days=2)
    back = archived.served_again(1, NOW)
    assert back.last_at == NOW
    assert (back.status, back.reason) == ("active", "")


def test_nothing_is_archived_up_to_four_fifths():
    items = scored([item(str(n)) for n in range(8)], NOW)
    assert pruned(items, 100, NOW) == []


def test_the_seeds_example_goes_from_82_to_64_percent_lowest_scores_first():
    items = [item(f"kept{n}", tokens=16_000, count=5, days=n) for n in range(4)]
    items += [
        item("old-module.md", tokens=6_000, days=25),
        item("legacy-config.ts", tokens=6_000, days=20),
        item("unused-component.tsx", tokens=6_000, days=12),
    ]
    items = scored(items, NOW)
    gone = pruned(items, 100_000, NOW)
    assert percent(used(items), 100_000) == 82
    assert [i.source for i in gone] == ["old-module.md", "legacy-config.ts", "unused-component.tsx"]
    assert gone[0].reason == "window 82% full; score 0.18, used 1×, last 25 days ago"
    assert used(items) - used([g.with_(status="active") for g in gone]) == 64_000


def test_among_equals_the_one_not_used_for_longest_goes_first():
    items = [item("a", tokens=50, score=0.5), item("b", tokens=50, score=0.5, days=1)]
    assert [i.source for i in pruned(items, 100, NOW)] == ["b"]


items_ = st.lists(
    st.builds(
        item,
        st.text(min_size=1, max_size=8),
        tokens=st.integers(0, 500),
        count=st.integers(1, 50),
        days=st.floats(0, 60),
        status=st.sampled_from(["active", "archived"]),
    ),
    max_size=30,
    unique_by=lambda i: i.source,
)


@given(items_, st.integers(100, 2000))
def test_after_pruning_the_window_is_at_most_64_percent_full_and_no_better_item_went(items, room):
    items = scored(items, NOW)
    gone = {i.source for i in pruned(items, room, NOW)}
    kept = [i for i in items if i.source not in gone]
    assert all(0 <= i.score <= 1 for i in items)
    if used(items) <= FULL * room:
        assert gone == set()
    else:
        assert used(kept) <= TARGET * room
        worst_kept = min((i.score for i in kept if i.status == "active"), default=1.0)
        assert all(i.score <= worst_kept for i in items if i.source in gone)


def test_the_use_is_said_as_a_person_reads_it():
    assert usage_line(65_000, 100_000) == "65% (65,000 / 100,000 tokens)"
