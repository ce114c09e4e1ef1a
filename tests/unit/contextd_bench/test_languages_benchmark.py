"""Every language reaches seven tenths of the English figures, without more false positives."""

from __future__ import annotations

import io

import pytest

from contextd_bench import languages
from contextd_bench.whole_prompts import (
    CHANGES,
    RULES,
    SORTS,
    ended_rules,
    judged,
    kept_rules,
    questioned_rule,
)
from contextd_common.text.languages import LANGUAGES

MEANING = ("ended", "replaced", "said again")
"""The sections whose prompts name the rule that they mean."""


def test_each_language_has_the_same_number_of_sentences_of_each_sort() -> None:
    counts = {
        (name, len(rows)) for one in LANGUAGES for name, rows in languages.sections(one).items()
    }
    assert {count for _, count in counts} == {60}


def test_every_language_reaches_its_share_of_english() -> None:
    out = io.StringIO()
    assert languages.run(out)
    rows = len(languages.JUDGEMENTS) + len(SORTS) + len(CHANGES)
    assert out.getvalue().count("\n| ") == 1 + rows * len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_prompt_that_means_a_rule_names_one_of_five_or_more(language: str) -> None:
    sections = languages.sections(f"{language}_prompts")
    rules = {name for name, _ in sections[RULES]}
    assert len(rules) >= 5
    assert {rule for name in MEANING for _, rule in sections[name]} <= rules
    assert all(len(sections[sort.section]) >= 8 for sort in SORTS.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_prompt_in_any_words_means_a_rule_or_ends_nothing(language: str) -> None:
    sections = languages.sections(f"{language}_changes")
    rules = dict(sections[RULES])
    assert {rule for name in ("ended", "replaced") for _, rule in sections[name]} <= set(rules)
    assert {rule for _, rule in sections["ends nothing"]} == {""}


def test_a_rule_that_a_prompt_ends_is_not_asked_about_as_well() -> None:
    rules = {"jest": "We always use jest for unit tests.", "pad": "Never use tabs for indents."}
    assert questioned_rule("We switched from jest to vitest.", rules) == ""
    assert questioned_rule("The ban on tabs for indents was too strict.", rules) == "pad"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_prompt_stands_in_two_sections(language: str) -> None:
    prompts = [
        row[0]
        for name, rows in languages.sections(f"{language}_prompts").items()
        if name != RULES
        for row in rows
    ]
    assert len(prompts) == len(set(prompts))


def test_a_prompt_is_judged_as_the_product_reads_it() -> None:
    rules = {"pad": "Never use tabs.", "jest": "We always use jest for unit tests."}
    assert kept_rules("Fix the header. From now on always use spaces.") == [
        "From now on always use spaces."
    ]
    assert kept_rules("> From now on always use spaces.\n\nDo you agree?") == []
    assert ended_rules("We switched from jest to vitest.", rules) == {"jest": True}
    assert ended_rules("Do we still use jest for unit tests?", rules) == {}


def test_a_false_alarm_is_counted_among_the_prompts_that_say_nothing() -> None:
    rules = {"jest": "We always use jest for unit tests."}
    sections = {
        "ended": [("We no longer use jest for unit tests.", "jest")],
        "replaced": [("Make the header blue.", "jest")],
    }
    assert judged(SORTS["rule ended"], sections, rules) == ([True], [False])
    assert judged(SORTS["rule replaced"], sections, rules) == ([False], [False])
