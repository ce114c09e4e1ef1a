"""A rule that a second session states in other words, through the hooks of a client."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextd.domain.records import Record
from support.clients import CodingClient
from support.desks import Desk
from support.repositories import committed

FIRST = "Never use mocks in the tests."
AGAIN = "From now on avoid mocks in tests, please."
PASSING = "The amounts in the ledger must be whole cents."
PASSING_AGAIN = "Amounts in the ledger must always be whole cents."
ANSWER = "The totals are the sum of the rounded lines, and the basket adds the tax once."


def said(desk: Desk, folder: Path, *prompts: str, session: CodingClient | None = None) -> None:
    one = session or CodingClient(desk, folder)
    one.starts("resume" if session else "startup")
    for prompt in prompts:
        one.asks(prompt)
        one.edits("src/price.ts")
        one.answers(ANSWER)
    one.ends()


def rules(desk: Desk) -> list[Record]:
    query = desk.runtime().query("discovery", level="project", statuses=("active", "candidate"))
    found = desk.view.records.find(query).records
    return [one for one in found if one.data.get("speaker") == "user"]


def test_it_is_one_rule_that_is_surer_and_keeps_both_wordings(desk: Desk, tmp_path: Path) -> None:
    said(desk, tmp_path, FIRST)
    [before] = rules(desk)
    said(desk, tmp_path, AGAIN)
    [rule] = rules(desk)
    assert (rule.id, rule.content) == (before.id, FIRST)
    assert rule.confidence > before.confidence
    [*_, last] = desk.view.records.history(rule.id)
    assert last.reason.startswith("said again in session")
    assert last.reason.endswith(AGAIN)


def test_a_candidate_becomes_a_rule(desk: Desk, tmp_path: Path) -> None:
    said(desk, tmp_path, PASSING)
    assert [one.status for one in rules(desk)] == ["candidate"]
    said(desk, tmp_path, PASSING_AGAIN)
    [rule] = rules(desk)
    assert (rule.content, rule.status, rule.data["type"]) == (PASSING, "active", "rule")


@pytest.mark.parametrize("times", [1, 2])
def test_a_session_counts_once_however_often_and_in_how_many_words(
    desk: Desk, tmp_path: Path, times: int
) -> None:
    said(desk, tmp_path, FIRST)
    said(desk, tmp_path, *[AGAIN, "We should never use mocks in tests."] * times)
    [rule] = rules(desk)
    assert rule.confidence == pytest.approx(0.75)


def test_the_same_session_and_its_resumption_are_no_second_witness(
    desk: Desk, tmp_path: Path
) -> None:
    first = CodingClient(desk, tmp_path)
    said(desk, tmp_path, PASSING, session=first)
    said(desk, tmp_path, PASSING_AGAIN, session=first)
    assert {one.status for one in rules(desk)} == {"candidate"}


def test_a_candidate_said_in_passing_is_a_rule_once_the_same_session_demands_it(
    desk: Desk, tmp_path: Path
) -> None:
    said(desk, tmp_path, PASSING, f"From now on: {PASSING_AGAIN}")
    assert "active" in {one.status for one in rules(desk)}


@pytest.mark.parametrize(
    "other",
    [
        "Always use mocks in the tests.",
        "Never use mocks in the benchmarks.",
        "Never remove mocks in the tests.",
    ],
)
def test_an_opposite_or_another_rule_is_a_rule_of_its_own(
    desk: Desk, tmp_path: Path, other: str
) -> None:
    said(desk, tmp_path, FIRST)
    said(desk, tmp_path, other)
    reasons = [change.reason for one in rules(desk) for change in desk.view.records.history(one.id)]
    assert other in {one.content for one in rules(desk)}
    assert not [one for one in reasons if one.startswith("said again")]


def test_another_project_is_no_second_witness(desk: Desk, tmp_path: Path) -> None:
    there = desk.at(committed(tmp_path / "wiki", {"a.py": "x = 1\n"}))
    said(desk, tmp_path, PASSING)
    said(there, tmp_path, PASSING_AGAIN)
    assert len(rules(there)) == 1
    assert [one.status for one in rules(desk)] == ["candidate"]
