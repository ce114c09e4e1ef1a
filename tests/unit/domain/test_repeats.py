"""Two rules say the same in other words, or only nearly."""

from __future__ import annotations

import pytest

from contextd.domain.repeats import Similarity, said_before

SAME = [
    ("Avoid using mocks.", "We should never use mocks, please."),
    ("I'd like to avoid using mocks and stubs as much as possible.", "Never use mocks."),
    ("Never delete files without asking me.", "Always ask me before you delete a file."),
    ("Run the tests before each commit.", "Before every commit always run the tests."),
    ("Keep functions under 40 lines.", "Functions must always be shorter than 40 lines."),
    ("Never use hardcoded colors.", "Hardcoded colors must never be used."),
    ("Always answer in Spanish.", "From now on respond in Spanish."),
    ("Antworte immer auf Deutsch.", "Bitte antworte ab jetzt auf Deutsch."),
    ("Réponds toujours en français.", "Dorénavant, réponds en français."),
    ("Responde siempre en español.", "A partir de ahora responde en español."),
    ("コメントは必ず日本語で書く", "コメントは常に日本語で書いてください"),
    ("代码注释必须用英文", "以后代码注释都用英文写。"),
]

OTHER = [
    ("Always use pnpm.", "Always use npm."),
    ("Always use semicolons.", "Never use semicolons."),
    ("Use yarn instead of npm.", "Use npm instead of yarn."),
    ("Keep functions under 40 lines.", "Keep functions under 60 lines."),
    ("Coverage is at least 80 percent.", "Coverage is at most 80 percent."),
    ("Put new endpoints into src/api/.", "Put new endpoints into src/routes/."),
    ("Always use tabs for indentation.", "Always use spaces for indentation."),
    ("Run the tests before each commit.", "Run the tests after each commit."),
    ("Prefer composition over inheritance.", "Prefer inheritance over composition."),
    ("Never push to main.", "Never push to main unless I ask."),
    ("Never force push.", "Never push."),
    ("Never write tests.", "Never remove tests."),
    ("Use mocks in unit tests.", "Only use mocks in unit tests."),
    ("No magic numbers in code.", "Use magic numbers in code."),
    ("Always ask if the tests fail.", "Always ask unless the tests fail."),
    ("Write more emojis always.", "Write fewer emojis always."),
    ("Copy data from staging to production.", "Copy data from production to staging."),
    ("Never log tokens.", "Never store tokens."),
    ("Antworte immer auf Deutsch.", "Antworte immer auf Englisch."),
    ("Ne fais jamais de commit.", "Fais toujours un commit."),
    ("Nunca hagas commit sin permiso.", "Haz siempre commit sin permiso."),
    ("コメントは必ず日本語で書く", "コメントは必ず英語で書く"),
    ("勝手にコミットしない", "勝手にコミットする"),
    ("修改前必须先问我", "修改后必须先问我"),
]


def near(_text: str, _rule: str) -> float:
    return 1.0


def far(_text: str, _rule: str) -> float:
    return 0.8


@pytest.mark.parametrize("similarity", [None, near])
@pytest.mark.parametrize(("rule", "again"), SAME)
def test_the_same_in_other_words_is_a_repeat(
    rule: str, again: str, similarity: Similarity | None
) -> None:
    rules = {"rule": rule, "other": "Always keep the changelog sorted by version."}
    assert said_before(again, rules, similarity) == "rule"
    assert said_before(rule, {"again": again}, similarity) == "again"


@pytest.mark.parametrize(("rule", "other"), OTHER)
def test_an_opposite_and_a_narrower_rule_are_no_repeats_however_near(rule: str, other: str) -> None:
    assert said_before(other, {"rule": rule}, near) == ""
    assert said_before(rule, {"other": other}, near) == ""


def test_a_rule_that_says_more_is_a_repeat_only_if_it_is_near() -> None:
    rules = {"rule": "Never use mock data in production."}
    more = "Never use mock data in production environments."
    found = [said_before(more, rules, one) for one in (near, far, None)]
    assert found == ["rule", "", ""]


def test_two_rules_that_fit_equally_are_both_left_alone() -> None:
    rules = {"one": "Never use mocks.", "two": "Avoid mocks always."}
    assert said_before("We should not use mocks.", rules, near) == ""
