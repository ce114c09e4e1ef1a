"""What `Survey` and `Contradictions` promise."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contextd.domain.awareness import Contradiction
from contextd.domain.changes import Put
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.usage import ByProducts, Observation, RecordUse
from support.clocks import Ticking
from support.examples import drawn
from support.stores import EVERY_STORE, Whole, address, opened
from support.strategies import EPOCH, SCOPES, records

SHOP = SCOPES[2]
HERE = frozenset({SHOP})
ASKED = Query(scopes=HERE)


def made(store: Whole, id: str, *, day: int = 0, **fields: object) -> Record:
    at = EPOCH + timedelta(days=day)
    values = dict(kind="context", scope=SHOP, content="text", created_at=at, updated_at=at)
    record = Record(id=id, **(values | fields))  # type: ignore[arg-type]
    store.put(record)
    return record.with_(version=1)


def pair(one: str, other: str, reason: str = "why", hours: int = 0) -> Contradiction:
    at = EPOCH + timedelta(hours=hours)
    return Contradiction(a=one, b=other, kind="polarity", reason=reason, found_at=at)


def test_a_tally_counts_per_kind_and_type_with_first_last_recent_and_stale(store):
    for day in (0, 5, 10):
        made(store, f"dec-{day}", day=day, data={"contextType": "decision"})
    made(store, "plain", day=3)
    made(store, "odd-type", day=3, data={"contextType": 7})
    made(store, "lesson", day=4, kind="memory")
    made(store, "gone", day=4, kind="memory", status="deleted")
    made(store, "elsewhere", scope=SCOPES[3])
    recent, stale = EPOCH + timedelta(days=10), EPOCH + timedelta(days=5)
    told = store.survey.tally(ASKED, recent=recent, stale=stale)
    assert [(t.kind, t.type, t.count, t.recent, t.stale) for t in told] == [
        ("context", "", 2, 0, 2),
        ("context", "decision", 3, 1, 1),
        ("memory", "", 1, 0, 1),
    ]
    assert (told[1].oldest, told[1].newest) == (EPOCH, EPOCH + timedelta(days=10))
    assert store.survey.tally(Query(scopes=frozenset()), recent=recent, stale=stale) == []


def test_one_type_in_several_scopes_is_one_row_of_a_tally(store):
    made(store, "here", day=2)
    made(store, "above", day=1, scope=SCOPES[0])
    [told] = store.survey.tally(
        Query(scopes=frozenset({SHOP, SCOPES[0]})), recent=EPOCH, stale=EPOCH
    )
    assert (told.count, told.oldest) == (2, EPOCH + timedelta(days=1))


def test_first_gives_the_stalest_the_most_used_and_the_most_rated(store):
    old = made(store, "old", day=0, usage_count=4)
    used = made(store, "used", day=1, usage_count=9, helpful=1)
    loved = made(store, "loved", day=2, usage_count=5, helpful=2, unhelpful=1)
    made(store, "archived", day=0, usage_count=50, helpful=9, status="archived")
    assert store.survey.first(ASKED, "stalest", 2) == [old, used]
    assert store.survey.first(ASKED, "most_used", 5) == [used, loved]
    assert store.survey.first(ASKED, "most_rated", 5) == [loved, used]
    assert store.survey.first(ASKED, "stalest", 0) == []


def test_touching_a_record_moves_it_among_the_most_used(store):
    made(store, "often")
    for _ in range(5):
        assert store.survey.first(ASKED, "most_used", 5) == []
        store.upkeep.note(ByProducts(uses=[RecordUse(SHOP, "often")]))
    assert [r.id for r in store.survey.first(ASKED, "most_used", 5)] == ["often"]


def test_a_pair_is_kept_once_whichever_way_round_and_takes_the_new_reason(store):
    made(store, "aaaa")
    made(store, "bbbb")
    store.commit(disagree=[pair("bbbb", "aaaa"), pair("aaaa", "aaaa")])
    store.commit(disagree=[pair("aaaa", "bbbb", "another reason", hours=5)])
    assert store.contradictions.find(HERE) == [pair("aaaa", "bbbb", "another reason")]
    assert store.contradictions.of("bbbb") == store.contradictions.of("aaaa")
    store.commit(agree=[("bbbb", "aaaa"), ("no", "body")])
    assert store.contradictions.of("aaaa") == []


def test_a_pair_may_be_stored_with_the_record_that_makes_it(store):
    made(store, "aaaa")
    new = Put(replace(made(store, "cccc"), id="bbbb", version=0), "create")
    store.commit(records=[new], disagree=[pair("aaaa", "bbbb")])
    assert store.contradictions.find(HERE) == [pair("aaaa", "bbbb")]


def test_a_pair_is_seen_only_where_both_records_may_be(store):
    made(store, "aaaa")
    made(store, "bbbb", scope=SCOPES[3])
    store.commit(disagree=[pair("aaaa", "bbbb")])
    assert store.contradictions.find(HERE) == []
    assert len(store.contradictions.find(HERE | {SCOPES[3]})) == 1


def test_a_pair_is_resolved_while_a_record_is_not_active_and_open_again_after_undo(store):
    made(store, "aaaa")
    gone = made(store, "bbbb")
    store.commit(disagree=[pair("aaaa", "bbbb")])
    store.put(gone.with_(status="superseded"), action="resolve")
    assert store.contradictions.find(HERE) == []
    assert [p.state for p in store.contradictions.find(HERE, states=())] == ["resolved"]
    store.undo("bbbb")
    assert [p.state for p in store.contradictions.find(HERE)] == ["open"]
    store.undo("bbbb")
    assert store.contradictions.find(HERE, states=()) == []


def test_a_dismissed_pair_stays_dismissed_when_it_is_found_again(store):
    made(store, "aaaa")
    made(store, "bbbb")
    store.commit(disagree=[pair("aaaa", "bbbb")])
    assert store.decide("bbbb", "aaaa", "dismissed", "both hold")
    store.commit(disagree=[pair("aaaa", "bbbb")])
    [found] = store.contradictions.find(HERE, states=("dismissed",))
    assert (found.state, found.note) == ("dismissed", "both hold")
    assert store.decide("aaaa", "bbbb", "open")
    assert store.contradictions.find(HERE) == [pair("aaaa", "bbbb")]
    assert not store.decide("aaaa", "cccc", "dismissed", "")
    assert not store.decide("aaaa", "cccc", "open")


def test_pairs_come_latest_found_first_and_no_more_than_asked_for(store):
    for letter in "abcd":
        made(store, letter * 4)
    store.commit(
        disagree=[
            pair("aaaa", "bbbb"),
            pair("cccc", "dddd", hours=2),
            pair("aaaa", "cccc", hours=2),
        ]
    )
    told = [(p.a, p.b) for p in store.contradictions.find(HERE, limit=2)]
    assert told == [("aaaa", "cccc"), ("cccc", "dddd")]


def test_the_usage_summary_counts_per_agent(store):
    logged = [
        Observation(at=EPOCH, action="read", operation="x", agent=agent, scope=SHOP)
        for agent in ("one", "two", "one", "")
    ]
    store.upkeep.note(ByProducts(observations=logged))
    assert store.observations.summary(HERE).agent_frequency == {"one": 2, "two": 1}


@pytest.mark.parametrize("scheme", [one for one in EVERY_STORE if one != "memory"])
@settings(
    max_examples=drawn(30), deadline=None, derandomize=True, suppress_health_check=[*HealthCheck]
)
@given(kept=st.lists(records(), max_size=8), by=st.sampled_from(["stalest", "most_rated"]))
def test_any_records_are_surveyed_as_the_reference_does(scheme, tmp_path_factory, kept, by):
    reference = Whole(opened("memory://", Ticking()))
    other = Whole(opened(address(scheme, tmp_path_factory.mktemp("survey")), Ticking()))
    try:
        for number, record in enumerate(kept):
            record = record.with_(helpful=number % 3, unhelpful=number % 2)
            for store in (reference, other):
                store.put(record)
        for statuses in (("active",), ()):
            query = Query(scopes=frozenset(SCOPES), statuses=statuses)
            stale = EPOCH + timedelta(hours=20)
            told = [s.survey.tally(query, recent=stale, stale=stale) for s in (reference, other)]
            assert told[0] == told[1]
            first = [s.survey.first(query, by, 3) for s in (reference, other)]
            assert first[0] == first[1]
    finally:
        other.close()
