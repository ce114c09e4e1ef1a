"""Clusters around the record that stays; and records that are united and parted again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contextd.consolidation.clusters import Judging, clusters
from contextd.consolidation.merging import into, parted, united
from contextd.domain.records import Record
from contextd.domain.scope import Scope

HERE = Scope("acme", "web", "shop")


def record(id: str, content: str = "text", **fields) -> Record:
    return Record(id=id, kind="remediation", scope=HERE, content=content, **fields)


def judging(opposed: set[frozenset[str]], others: set[frozenset[str]] = frozenset()) -> Judging:
    def same(one: Record, other: Record) -> str:
        pair = frozenset((one.id, other.id))
        return "" if pair in opposed or pair in others else "the same"

    def against(one: Record, other: Record) -> bool:
        return frozenset((one.id, other.id)) in opposed

    return Judging(lambda record: record.confidence, same, against)


def all_near(count: int) -> list[list[tuple[int, float]]]:
    return [[(j, 0.9) for j in range(count) if j != i] for i in range(count)]


def ids(found) -> list[list[str]]:
    return [[one.id for one in cluster.records] for cluster in found]


def test_the_best_stays_and_the_opposite_of_any_member_stays_out() -> None:
    records = [
        record(name, name, confidence=c)
        for name, c in zip("abcd", (0.9, 0.8, 0.7, 0.6), strict=True)
    ]
    assert ids(clusters(records, all_near(4), judging(set()))) == [["a", "b", "c", "d"]]
    opposed = {frozenset("bd")}
    assert ids(clusters(records, all_near(4), judging(opposed))) == [["a", "b", "c"]]
    opposed = {frozenset("ac"), frozenset("bc")}
    assert ids(clusters(records, all_near(4), judging(opposed))) == [["a", "b", "d"]]


def test_nothing_joins_by_way_of_something_else() -> None:
    records = [
        record(name, name, confidence=c) for name, c in zip("abc", (0.9, 0.8, 0.7), strict=True)
    ]
    near = [[(1, 0.9)], [(0, 0.9), (2, 0.9)], [(1, 0.9)]]
    assert ids(clusters(records, near, judging(set()))) == [["a", "b"]]
    others = {frozenset("ab")}
    assert ids(clusters(records, near, judging(set(), others))) == [["b", "c"]]


def test_a_pin_is_not_handed_on() -> None:
    keeper, pinned = record("a", "one", tags=("db",)), record("b", "two", tags=("pinned", "pool"))
    assert united(keeper, [pinned], 0.05).tags == ("db", "pool")
    both = united(keeper.with_(tags=("pinned",)), [pinned], 0.05)
    assert both.tags == ("pinned", "pool")


texts = st.lists(st.sampled_from(["pool full", "503", "timeout", "reset"]), max_size=3)
made = st.builds(
    lambda content, symptoms, tags, confidence, count: record(
        "", content, tags=tuple(dict.fromkeys(tags)), confidence=confidence,
        data={"problem": content, "solution": "s", "symptoms": symptoms, "occurrence_count": count},
    ),
    st.sampled_from(["one", "two", "three"]), texts, texts,
    st.sampled_from([0.2, 0.5, 0.8, 1.0]), st.integers(1, 5),
)  # fmt: skip


@given(st.lists(made, min_size=2, max_size=5))
def test_a_merge_of_records_can_be_undone_and_keeps_later_edits(records: list[Record]) -> None:
    keeper, *others = [one.with_(id=f"id-{n}") for n, one in enumerate(records)]
    after = united(keeper, others, 0.05)
    assert after.confidence >= keeper.confidence
    assert after.data["merged_from"] == [one.id for one in others]
    assert parted(after.with_(usage_count=3), keeper, after) == (keeper.with_(usage_count=3), False)
    edited = after.with_(title="edited")
    back, was_edited = parted(edited, keeper, after)
    assert was_edited
    assert back.title == "edited"
    assert "merged_from" not in back.data
    assert back.data["occurrence_count"] == keeper.data["occurrence_count"]
    assert set(back.tags) == set(keeper.tags)
    assert set(back.data.get("symptoms", ())) <= set(keeper.data["symptoms"])


@given(st.lists(made, min_size=2, max_size=5))
def test_nothing_that_was_said_is_lost(records: list[Record]) -> None:
    keeper, *others = [one.with_(id=f"id-{n}") for n, one in enumerate(records)]
    after = united(keeper, others, 0.05)
    told = {after.content, after.data["problem"], *after.data.get("wordings", ())}
    assert {one.content for one in others} <= told
    known = {*after.data.get("symptoms", ()), after.data["problem"], after.content}
    assert {symptom for one in records for symptom in one.data["symptoms"]} <= known
    merged = into(others[0], keeper, archived=True)
    assert (merged.status, merged.canonical_id) == ("merged", keeper.id)
