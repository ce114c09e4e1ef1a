"""Filters as callers write them: what they mean, and every mistake at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.domain.conditions import holds
from contextd.domain.kind import Field
from contextd.schema.filter import MOST_DEPTH, parse_filter
from contextd.stores.filters import check_condition
from contextd_common.errors import Invalid
from support.examples import drawn

FIELDS = {
    "what": Field(),
    "tags": Field("string[]"),
    "n": Field("number"),
    "done": Field("boolean"),
    "level": Field("enum", values=("high", "low")),
}


def met(filter: dict, **data) -> bool:
    condition = parse_filter(filter, FIELDS)
    return condition is None or holds(condition, data)


def refusal(filter: dict) -> list[str]:
    with pytest.raises(Invalid) as error:
        parse_filter(filter, FIELDS)
    assert error.value.hint
    return error.value.details["problems"]


def test_an_empty_filter_asks_for_nothing():
    assert parse_filter({}, FIELDS) is None


def test_equality_containment_and_several_keys_together():
    data = {"what": "x", "tags": ["a", "b"], "n": 2}
    assert met({"what": "x", "tags": "a"}, **data)
    assert met({"tags": ["a", "b"]}, **data)
    assert not met({"tags": ["a", "c"]}, **data)
    assert not met({"what": "x", "n": 3}, **data)
    assert met({"done": None}, **data)


def test_operators_of_one_field_must_all_hold():
    assert met({"n": {"$gt": 1, "$lt": 3}}, n=2)
    assert not met({"n": {"$gt": 1, "$lt": 2}}, n=2)
    assert met({"what": {"$gte": "b"}}, what="b")


def test_negations_count_what_is_missing_as_different():
    assert met({"n": {"$ne": 2}})
    assert met({"n": {"$nin": [1, 2]}})
    assert met({"n": {"$not": {"$gt": 1}}})
    assert not met({"n": {"$gt": 1}})


def test_groups_nest():
    asked = {"$or": [{"n": 1}, {"$and": [{"n": {"$gt": 5}}, {"$not": {"what": "x"}}]}]}
    assert met(asked, n=1)
    assert met(asked, n=6, what="y")
    assert not met(asked, n=6, what="x")


@pytest.mark.parametrize(
    ("filter", "part"),
    [
        ({"whta": 1}, "did you mean 'what'?"),
        ({"n": {"$gtt": 1}}, "did you mean '$gt"),
        ({"$an": []}, "did you mean '$and'?"),
        ({"$gt": 3}, "belongs to a field"),
        ({"n": "2"}, "must be a number"),
        ({"n": True}, "must be a number"),
        ({"done": 1}, "must be true or false"),
        ({"done": {"$gt": True}}, "compares numbers or strings"),
        ({"what": 3}, "must be a string"),
        ({"what": ["a"]}, "use $in"),
        ({"n": {"$in": []}}, "requires a non-empty list"),
        ({"n": {"$in": 3}}, "requires a non-empty list"),
        ({"$or": {}}, "requires a non-empty list"),
        ({"$or": [3]}, "is not a filter"),
        ({"n": {}}, "no operator given"),
        ({"n": {"$in": [{}]}}, "compare with"),
        ({"n": float("inf")}, "compare with"),
        ({"n": 2**70}, "64 bits"),
    ],
)
def test_a_mistake_is_named_with_what_was_meant(filter, part):
    assert part in refusal(filter)[0]


def test_all_mistakes_are_named_at_once():
    assert len(refusal({"whta": 1, "n": "x", "$or": [{"done": 3}]})) == 3


def test_a_filter_nested_without_end_is_refused():
    deep: dict = {"n": 1}
    for _ in range(500):
        deep = {"$not": deep}
    assert "nested more than" in refusal(deep)[0]


json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(
            st.sampled_from(["what", "n", "tags", "$and", "$or", "$not", "$gt", "$in", "$ne", "x"]),
            part,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=drawn(400), deadline=None, derandomize=True)
@given(
    filter=st.dictionaries(st.sampled_from([*FIELDS, "$and", "$or", "$not", "y"]), json, max_size=3)
)
def test_any_filter_is_either_answered_by_every_store_or_refused(filter):
    try:
        condition = parse_filter(filter, FIELDS)
    except Invalid:
        return
    check_condition(condition)
    assert condition is None or holds(condition, {"n": 1}) in (True, False)


def test_the_deepest_filter_that_is_read_is_one_the_stores_take():
    deep: dict = {"n": {"$nin": [1, 2]}}
    for _ in range(MOST_DEPTH - 1):
        deep = {"$and": [deep, {"what": "x"}]}
    check_condition(parse_filter(deep, FIELDS))
    assert met(deep, n=3, what="x")
