"""Words that take something back, in many languages, and words that only look like it."""

from __future__ import annotations

import pytest

from contextd.sessions.retractions import mark_taken_back, takes_back
from contextd.sessions.turns import Turn, turns_of
from support.talks import Talk

TAKING_BACK = {
    "en": ["No, use cents.", "Scratch that, keep floats.", "Actually, we round half up.",
           "I was wrong about the port, it is 8080.", "Undo that.", "Never mind the export.",
           "I mixed up the ports: it is 8080.", "I messed up, we use pnpm.", "I got it wrong.",
           "Forget the rule about lodash.", "We dropped the rule that tests run offline.", "You don't have to run make any more."],
    "de": ["Nein, nimm Cent.", "Das war falsch, wir runden kaufmännisch.", "Mach das rückgängig."],
    "fr": ["Non, utilise des centimes.", "Je me suis trompé de port.", "Annule ça."],
    "es": ["Me equivoqué de puerto.", "Olvida eso.", "Ya no usamos Redis."],
    "it": ["Mi sbaglio, il porto è 8080.", "Annulla la modifica.", "Ho sbagliato porta."],
    "pt": ["Me enganei na porta.", "Esquece isso.", "Não usamos Redis mais."],
    "nl": ["Nee, gebruik centen.", "Mijn fout, de poort is 8080.", "We gebruiken Redis niet meer."],
    "ja": ["いや、セントを使って。", "ポートを間違えました。", "それは取り消して。"],
    "zh": ["不对，用分。", "我说错了，端口是8080。", "撤销刚才的改动。"],
    "ko": ["아니, 센트로 해줘.", "포트를 잘못 말했어.", "그건 취소해줘."],
}  # fmt: skip

HARMLESS = [
    "Do not forget the rule about lodash.",
    "Never drop the rule that tests run offline.",
    "The button does not work any more.",
    "No problem, go on.",
    "No worries, take the time you need.",
    "No rush with the export.",
    "No need to mend the invoice.",
    "No idea why it fails, please look.",
    "No questions from me, go on.",
    "No tests yet; please write some.",
    "No errors this time, please commit.",
    "There is nothing wrong with it, ship it.",
    "Nothing wrong here, go on with the invoice.",
    "What is wrong with the total?",
    "Is that wrong, or is it meant so?",
    "Stop the dev server when you are done.",
    "Non-null assertions are banned by the linter.",
    "Add an undo button to the editor.",
    "The undo stack loses the last entry; find out why.",
    "Write a migration that can be reverted.",
    "No, it's fine as it is.",
    "No colon after the name?",
    "No-op handlers are allowed.",
    "How do I undo that, what is the opposite of `go env -w A=b.c/d`?",
    "Not only the invoice, the receipt as well.",
    "Show a wrong password as an error.",
    "Kein Problem, mach weiter.",
    "Pas de problème, continue.",
    "Sin problema, sigue.",
    "問題ありません。続けて。",
    "没问题，继续。",
    "문제 없어, 계속해.",
    "Round the tax once, at the end of the basket.",
    "Thanks, that works now.",
    "I messed up branches, please cherry-pick the last commit onto main.",
    "I messed up my local checkout, how do I get a clean one?",
    "I said wrong numbers are to be shown in red.",
    "Add a note about Node 20 to the README.",
]


@pytest.mark.parametrize("words", [words for said in TAKING_BACK.values() for words in said])
def test_words_that_take_something_back_are_known_in_ten_languages(words: str) -> None:
    assert takes_back(words)


@pytest.mark.parametrize("words", HARMLESS)
def test_harmless_words_take_nothing_back(words: str) -> None:
    assert not takes_back(words)


def talk(*prompts: str) -> list[Turn]:
    told = Talk()
    for prompt in prompts:
        told.asks(prompt).answers(f"I did what was wanted: {prompt}")
    return turns_of(told.events)


def test_the_turn_right_before_is_taken_back_and_those_that_are_alike() -> None:
    turns = talk("Store amounts as floats", "Write the README", "Rename the module", "Scratch that")
    likeness = {0: 0.6, 1: 0.3, 2: 0.3}
    assert mark_taken_back(turns, lambda earlier, later: likeness[earlier]) == [3]
    assert [turn.taken_back for turn in turns] == [True, False, True, False]


def test_a_turn_about_something_else_stays() -> None:
    turns = talk("Write the README", "No, the other port: 8080")
    mark_taken_back(turns, lambda earlier, later: 0.1)
    assert not turns[0].taken_back


def test_a_retraction_does_not_reach_turns_long_before_it() -> None:
    turns = talk("Store amounts as floats", "a one", "b two", "c three", "d four", "Scratch that")
    mark_taken_back(turns, lambda earlier, later: 1.0)
    assert [turn.taken_back for turn in turns] == [False, True, True, True, True, False]


def test_nothing_taken_back_asks_for_no_likeness() -> None:
    def never(earlier: int, later: int) -> float:
        raise AssertionError

    assert mark_taken_back(talk("Store amounts as cents", "Go on"), never) == []


def test_words_said_while_the_agent_works_take_back_too() -> None:
    told = Talk().asks("Store amounts as floats").answers("They are floats in src/price.py now.")
    told.asks("Write the README").told("queued", "wait, scratch that: amounts are cents")
    turns = turns_of(told.events)
    assert mark_taken_back(turns, lambda earlier, later: 1.0) == [1]
    assert turns[0].taken_back
