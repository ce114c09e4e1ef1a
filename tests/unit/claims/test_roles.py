"""Texts that repeat each other, texts that only look like it, and those that say the opposite."""

from __future__ import annotations

import pytest

from contextd.claims.contradiction_test import contradiction, outline
from contextd.claims.roles import converse, exchange, same_roles
from contextd.claims.write_gate import Draft, GateLookup, Verdict, admit
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd_bench.contradiction_pairs import repeats


def _typed_after(known: str, text: str) -> Verdict:
    """The verdict on a text a person types while the vectors say that it is what is known."""
    record = Record(kind="memory", scope=Scope("local"), content=known, trust="human")
    look = GateLookup(
        served=lambda _: set(), by_hash=lambda _: None, similar=lambda _: [(record, 0.99)]
    )
    return admit(Draft(kind="memory", content=text, trust="human"), look)


@pytest.mark.parametrize(("one", "other"), repeats()["S"])
def test_the_same_in_other_words_that_change_nothing_is_a_duplicate(one: str, other: str) -> None:
    assert same_roles(one, other)
    assert same_roles(other, one)
    assert _typed_after(one, other).outcome == "duplicate"
    assert contradiction(one, other) is None


@pytest.mark.parametrize(("one", "other"), repeats()["D"])
def test_statements_that_only_look_alike_are_both_kept(one: str, other: str) -> None:
    assert not same_roles(one, other)
    assert not same_roles(other, one)
    assert _typed_after(one, other).outcome == "add"
    assert _typed_after(other, one).outcome == "add"


@pytest.mark.parametrize(("one", "other"), repeats()["D"])
def test_an_exchange_alone_is_no_contradiction(one: str, other: str) -> None:
    assert exchange(one, other) is None
    assert exchange(other, one) is None


@pytest.mark.parametrize(("one", "other"), repeats()["C"])
def test_the_opposite_is_kept_and_said_to_be_one(one: str, other: str) -> None:
    for known, text in ((one, other), (other, one)):
        verdict = _typed_after(known, text)
        assert verdict.outcome == "add"
        assert verdict.existing is not None
        assert "contradicts" in verdict.reason
    assert outline(one).keys & outline(other).keys


def test_the_reason_of_an_exchange_names_both() -> None:
    found = contradiction(
        "Always install with pnpm, never npm", "Always install with npm, never pnpm"
    )
    assert found is not None
    assert found.reason == "pnpm, never npm / npm, never pnpm"


def test_an_exchange_in_one_sentence_of_many_is_seen() -> None:
    one = "The gateway is written in Go. Start the broker before the workers. It has two replicas."
    assert exchange(one, "Ask Ada first. Start the workers before the broker.")


def test_before_and_after_with_the_words_exchanged_say_the_same() -> None:
    one, other = "Run migrations before the deploy", "Run the deploy after migrations"
    assert converse(one, other)
    assert contradiction(one, other) is None
    assert not converse(one, "Run migrations after the deploy")
    assert contradiction(one, "Run migrations after the deploy")


def test_a_statement_and_its_longer_form_are_both_kept() -> None:
    known = "Retry the payment webhook three times, then park the event in the dead letter queue"
    assert _typed_after(known, f"{known} of its tenant").outcome == "add"
    assert _typed_after(f"{known} of its tenant", known).outcome == "add"
