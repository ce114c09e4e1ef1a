"""Conditions on typed fields mean the same in every store, whatever is stored and asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores import STORES
from contextd_common.errors import Invalid, TooLarge
from support.examples import drawn
from support.stores import Whole, address, opened
from support.strategies import AWKWARD, EPOCH, SCOPES

HERE = frozenset({SCOPES[2]})

numbers = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1, 0.1, 0.5, 1.0, -0.0, 1e300, 5e-324]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**63), 2**63 - 1),
)
strings = st.one_of(
    st.sampled_from(["", "a", "A", "b", "ab", "1", "true", "null", "ä", "日本", *AWKWARD]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, strings)
names = st.sampled_from(["a", "b", "größe", "x-y", "atom", "type", "contextType"])
stored = st.one_of(
    scalars,
    st.sampled_from([10**30, -(10**30), 10**400]),
    st.lists(st.one_of(scalars, st.lists(scalars, max_size=1)), max_size=3),
    st.dictionaries(names, scalars, max_size=2),
)
data = st.one_of(
    st.dictionaries(names, stored, max_size=3),
    st.dictionaries(names, stored, max_size=4).map(lambda fields: {"structuredData": fields}),
    st.builds(lambda value: {"structuredData": value}, stored),
)
tests = st.builds(
    Compare,
    st.one_of(names.map(lambda n: (n,)), names.map(lambda n: ("structuredData", n))),
    st.sampled_from(["=", "=", ">", ">=", "<", "<="]),
    scalars,
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    tests,
    lambda part: st.one_of(
        st.builds(Not, part),
        st.builds(AllOf, st.lists(part, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(part, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module", params=[False, pytest.param(True, marks=pytest.mark.long)])
def stores(request, tmp_path_factory) -> Iterator[list[Whole]]:
    folder = tmp_path_factory.mktemp("stores")
    here = [scheme for scheme in STORES if scheme != "postgresql" or request.param]
    whole = [Whole(opened(address(scheme, folder))) for scheme in here]
    yield whole
    for store in whole:
        store.close()


numbered = count()


@settings(max_examples=drawn(100), deadline=None, derandomize=True)
@given(
    stored=st.lists(data, min_size=1, max_size=8),
    asked=st.lists(conditions, min_size=1, max_size=8),
)
def test_every_store_finds_the_same_records_for_any_condition(stores, stored, asked):
    place = Scope("acme", "web", f"example-{next(numbered)}")
    records = [
        Record(
            id=f"{place.project}-{number}",
            kind="context",
            scope=place,
            content="text",
            data=fields,
            created_at=EPOCH + timedelta(hours=number),
        )
        for number, fields in enumerate(stored)
    ]
    views = [store.store.view(OWNER.grant([place])) for store in stores]
    for view in views:
        view.commit(
            Changes(
                knowledge=KnowledgeChanges(records=[Put(record, "write") for record in records])
            )
        )
    for condition in asked:
        query = Query(scopes=frozenset({place}), filter=condition)
        found = [[r.id for r in view.records.find(query).records] for view in views]
        assert all(ids == found[0] for ids in found[1:]), condition
        counted = [sum(view.records.count(query).values()) for view in views]
        assert counted == [len(found[0])] * len(views)


def put(store, **fields) -> None:
    store.put(Record(kind="context", scope=SCOPES[2], content="text", data=fields))


def matches(store, condition: Condition) -> bool:
    return bool(store.records.find(Query(scopes=HERE, filter=condition)).records)


def test_a_comparison_keeps_to_the_type_of_its_value(store):
    put(store, n=1, yes=True, text="1", list=[2, "x"], map={"a": 1}, empty=[])
    true = [
        Compare(("n",), "=", 1.0),
        Compare(("n",), ">=", 1),
        Compare(("yes",), "=", True),
        Compare(("text",), "=", "1"),
        Compare(("text",), "<", "2"),
        Compare(("list",), "=", "x"),
        Compare(("list",), ">", 1),
        Compare(("absent",), "=", None),
        Compare(("map", "a"), "=", 1),
        AllOf(()),
        Not(AnyOf(())),
    ]
    false = [
        Compare(("n",), "=", "1"),
        Compare(("n",), "=", True),
        Compare(("yes",), "=", 1),
        Compare(("yes",), ">", 0),
        Compare(("text",), "=", 1),
        Compare(("text",), "<", 2),
        Compare(("map",), "=", 1),
        Compare(("empty",), "=", None),
        Compare(("absent",), "<", 1),
        Compare(("absent",), "<=", None),
    ]
    assert [matches(store, condition) for condition in true] == [True] * len(true)
    assert [matches(store, condition) for condition in false] == [False] * len(false)


def test_a_condition_and_its_negation_split_the_records(store):
    for value in (1, "x", None, [1, 2], {"a": 1}, True):
        put(store, n=value)
    put(store)
    for value in (1, "x", None, True):
        condition = Compare(("n",), "=", value)
        sides = [Query(scopes=HERE, filter=c) for c in (condition, Not(condition))]
        assert sum(store.records.count(side)["context"] for side in sides) == 7


@pytest.mark.parametrize("name", ['a"b', "a.b", "", "$", "x' OR 1=1 --", "a\x00"])
def test_a_path_with_a_name_that_is_none_is_refused(store, name):
    with pytest.raises(Invalid) as refusal:
        matches(store, Compare((name,), "=", "x"))
    assert refusal.value.hint


def test_a_condition_no_store_could_answer_is_refused(store):
    deep: Condition = Compare(("n",), "=", 1)
    for _ in range(1000):
        deep = Not(deep)
    wide = AnyOf(tuple(Compare(("n",), "=", n) for n in range(5000)))
    for condition in (deep, wide):
        with pytest.raises(TooLarge):
            matches(store, condition)
    for value in (float("nan"), float("inf"), 2**70, "\ud800"):
        with pytest.raises(Invalid):
            matches(store, Compare(("n",), "=", value))


def test_the_largest_allowed_condition_is_answered(store):
    put(store, n=3)
    deep: Condition = AnyOf(tuple(Compare(("structuredData", "n"), "=", n) for n in range(400)))
    for _ in range(17):
        deep = Not(deep)
    assert matches(store, deep)


def test_an_index_refuses_a_condition_instead_of_ignoring_it(store):
    with pytest.raises(Invalid):
        store.index.lexical(["a"], Query(scopes=HERE, filter=AllOf(())), 5)


@pytest.mark.long
def test_an_address_for_each_store_is_known(tmp_path: Path):
    assert [address(scheme, tmp_path) for scheme in STORES]
