"""Which records are compared, and which of two to keep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from contextd.claims.contradiction_search import LARGEST_BLOCK, candidates, compare_all, propose
from contextd.domain.records import Record
from contextd.domain.scope import Scope

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sketch:
    keys: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    poles: frozenset[tuple[str, int]] = frozenset()


def sketch(words: str, side: int, key: str = "") -> Sketch:
    return Sketch(frozenset({key} - {""}), frozenset(words.split()), frozenset({("denial", side)}))


def record(**fields: object) -> Record:
    values = dict(kind="context", scope=Scope("acme"), content="x", created_at=NOW, updated_at=NOW)
    return Record(**(values | fields))  # type: ignore[arg-type]


def test_records_are_compared_when_they_share_a_key_or_words_from_opposite_sides():
    outlines = [
        sketch("retry upload", 0),
        sketch("retry upload", 1),
        sketch("retry upload", 0),
        sketch("colour theme", 0, key="port"),
        sketch("listen api", 0, key="port"),
    ]
    assert set(candidates(outlines)) == {(0, 1), (1, 2), (3, 4)}


def test_the_number_of_comparisons_grows_with_the_records_not_with_their_square():
    outlines = [sketch("same words here", number % 2, key="one key") for number in range(2_000)]
    assert len(set(candidates(outlines))) < 2_000 * LARGEST_BLOCK


def test_every_pair_is_compared_once_and_only_what_disagrees_is_told():
    one, other = record(id="a"), record(id="b")
    compared = []

    def compare(x: Record, y: Record) -> tuple[str, str] | None:
        compared.append((x.id, y.id))
        return "value", "5 / 6"

    found = list(
        compare_all([one, other], lambda r: sketch("a b", int(r.id == "b"), "key"), compare)
    )
    assert (found, compared) == ([("a", "b", "value", "5 / 6")], [("a", "b")])


@pytest.mark.parametrize(
    ("a", "b", "keep", "reason"),
    [
        ({"tags": ("pinned",)}, {"trust": "human"}, "a", "it is pinned"),
        ({"updated_at": NOW + timedelta(days=9)}, {"trust": "human"}, "b", "a person said it"),
        ({"data": {"verified": True}}, {"helpful": 9}, "a", "its outcome is verified"),
        ({}, {"updated_at": NOW + timedelta(days=1)}, "b", "it is newer"),
        ({"helpful": 1}, {"helpful": 3, "unhelpful": 3}, "a", "it helped more often"),
        ({"confidence": 0.5}, {"confidence": 0.9}, "b", "it is at least as sure"),
    ],
)
def test_the_proposal_follows_the_order_of_what_counts(a, b, keep, reason):
    made = propose(record(**a), record(**b))
    assert (made.keep, made.reason) == (keep, reason)
