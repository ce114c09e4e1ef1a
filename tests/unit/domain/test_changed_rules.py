"""Which rule in force a message may end or change."""

from __future__ import annotations

import pytest

from contextd.domain.changed_rules import ComparedRules, rule_in_question

RULES = {
    "store": "We keep sessions in Redis.",
    "squash": "Always squash your commits before opening a pull request.",
    "reviewer": "Anything touching billing needs Marta as a reviewer.",
    "abdeckung": "Die Testabdeckung darf nicht unter 80 % fallen.",
    "ramas": "Crea siempre una rama aparte para cada tarea.",
}


def in_question(text: str) -> str:
    found = rule_in_question(text, ComparedRules(RULES))
    return found.id if found is not None else ""


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Our sessions live in Postgres now, the Redis box is gone.", "store"),
        ("That squash requirement before a pull request? Gone.", "squash"),
        ("Fix the typo. Billing changes get another reviewer than Marta from today.", "reviewer"),
        ("Die 80 % Testabdeckung sind Geschichte.", "abdeckung"),
        ("No sigas creando una rama por tarea.", "ramas"),
    ],
)
def test_the_rule_that_a_message_shares_most_with_is_in_question(text: str, rule: str) -> None:
    assert in_question(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "Add a button to the settings page.",
        "Should sessions still be kept in Redis?",
        "Always squash your commits before you open a pull request!",
        "For now keep sessions out of Redis until I have fixed the box.",
        "",
    ],
)
def test_another_subject_a_question_a_repetition_and_an_order_for_now_put_none_in_question(
    text: str,
) -> None:
    assert in_question(text) == ""


def test_only_the_rules_that_are_named_are_in_question() -> None:
    rules = ComparedRules(RULES)
    said = "Our sessions live in Postgres now, the Redis box is gone."
    assert rule_in_question(said, rules, {"squash"}) is None
    found = rule_in_question(said, rules, {"squash", "store"})
    assert found is not None
    assert (found.id, found.sentence) == ("store", said)


def test_without_rules_nothing_is_in_question() -> None:
    assert rule_in_question("Sessions live in Postgres now.", ComparedRules({})) is None
