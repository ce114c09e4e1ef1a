"""Which rule a sentence ends, and which sentences end none."""

from __future__ import annotations

import pytest

from contextd.domain.directives import sentences
from contextd.domain.endings import ending_in, restates, rule_meant
from support.said_endings import ENDINGS, ENDS_NOTHING, REPLACED, RULES
from support.said_replacements import ENDINGS_BY_STRUCTURE, NEAR_MISSES


def meant(text: str, rules: dict[str, str]) -> list[str]:
    """The rules that the sentences of a message end."""
    endings = [found for one in sentences(text) if (found := ending_in(one))]
    return [id for one in endings if (id := rule_meant(one, rules))]


@pytest.mark.parametrize("language", list(ENDINGS))
def test_an_ending_in_any_words_ends_the_rule_it_means(language: str) -> None:
    found = {text: meant(text, RULES[language]) for text, _ in ENDINGS[language]}
    assert found == {text: [rule] for text, rule in ENDINGS[language]}


def test_sentences_that_replace_a_rule_are_recognised_as_replacing() -> None:
    every = [text for rows in ENDINGS.values() for text, _ in rows]
    replacing = {text for text in every if (one := ending_in(text)) and one.replacing}
    assert replacing == REPLACED.keys()


@pytest.mark.parametrize("language", list(ENDINGS_BY_STRUCTURE))
def test_a_replacement_ends_the_old_rule_and_a_permission_the_ban(language: str) -> None:
    found = {}
    for text, *_ in ENDINGS_BY_STRUCTURE[language]:
        endings = [one for sentence in sentences(text) if (one := ending_in(sentence))]
        rules = [rule_meant(one, RULES[language]) for one in endings]
        found[text] = (rules, any(one.replacing for one in endings))
    assert found == {
        text: ([rule], replacing) for text, rule, replacing in ENDINGS_BY_STRUCTURE[language]
    }


@pytest.mark.parametrize("language", list(NEAR_MISSES))
def test_near_misses_of_endings_end_no_rule(language: str) -> None:
    found = {text: meant(text, RULES[language]) for text in NEAR_MISSES[language]}
    assert {text: rules for text, rules in found.items() if rules} == {}


@pytest.mark.parametrize("text", ENDS_NOTHING)
def test_a_task_a_question_and_a_restatement_end_no_rule(text: str) -> None:
    assert meant(text, RULES["en"]) == []


@pytest.mark.parametrize("language", list(RULES))
def test_a_rule_said_again_ends_none(language: str) -> None:
    for rule in RULES[language].values():
        assert meant(rule, RULES[language]) == []
        assert meant(f"No, {rule}", RULES[language]) == []
        assert restates(rule, rule)


def test_two_rules_that_fit_alike_both_hold() -> None:
    rules = {
        "unit": "Always use jest for unit tests.",
        "browser": "Always use jest for browser tests.",
    }
    assert meant("We no longer use jest.", rules) == []
    assert meant("We no longer use jest for browser tests.", rules) == ["browser"]


def test_an_ending_said_again_does_not_end_the_next_best_rule() -> None:
    rules = {"unit": "Always use jest for unit tests."}
    ended = {"run": "Always run the tests before each commit."}
    [ending] = filter(None, [ending_in("Tests no longer have to run before each commit.")])
    assert rule_meant(ending, rules, ended) == ""


def test_a_rule_that_only_mentions_a_thing_is_not_replaced_with_it() -> None:
    rules = {"check": "Run npm audit before a release.", "lock": "Never edit the npm lockfile."}
    assert meant("We switched from npm to pnpm.", rules) == []


def test_a_later_word_restates_a_rule_only_with_the_same_sign() -> None:
    rule = "Never push directly to main."
    assert restates("No, never push to main!", rule)
    assert not restates("Push to main directly.", rule)


@pytest.mark.parametrize(
    ("sentence", "rule", "turned"),
    [
        (
            "From now on all amounts are stored as decimal strings, no longer as integer cents.",
            "From now on all amounts are stored as integer cents.",
            True,
        ),
        ("From now on use pnpm for installs, no longer npm.", "Use npm for installs.", True),
        ("No, never push to main.", "Never push to main.", False),
        ("Never push to main any more.", "Never push to main.", False),
        ("From now on use pnpm, no longer npm.", "Store all amounts as integer cents.", False),
    ],
)
def test_a_new_rule_that_names_what_holds_no_longer_replaces_the_old_one(
    sentence: str, rule: str, turned: bool
) -> None:
    ending = ending_in(sentence)
    replaced = (
        ending is not None and ending.replacing and rule_meant(ending, {"old": rule}) == "old"
    )
    assert replaced is turned
