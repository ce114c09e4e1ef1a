"""Turns: what was asked, what came of it, and what was said last."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from contextd.sessions.turns import turns_of
from support.talks import Talk

ANSWER = "The tax is rounded once, at the end of the basket, in src/price.py."


def test_a_prompt_told_by_hook_and_by_transcript_opens_one_turn() -> None:
    talk = Talk().hooked("Round the tax once").asks("Round the tax once").answers(ANSWER)
    [turn] = turns_of(talk.events)
    assert (turn.prompt, turn.answer) == ("Round the tax once", ANSWER)


def test_a_turn_has_the_same_key_before_and_after_its_transcript_is_read() -> None:
    prompts = ("Round the tax once", "Go on", "Go on")
    live, read = Talk(), Talk()
    for prompt in prompts:
        live.hooked(prompt).told("turn_end", ANSWER, "assistant")
        read.hooked(prompt).asks(prompt).answers(ANSWER).told("turn_end", ANSWER, "assistant")
    before, after = turns_of(live.events), turns_of(read.events)
    assert [turn.key for turn in before] == [turn.key for turn in after]
    assert len({turn.key for turn in before}) == 3


def test_a_short_message_after_a_long_one_is_said_too() -> None:
    talk = Talk().asks("Round the tax once").answers(ANSWER)
    talk.answers("Open issue 7 has the same cause: a float.")
    [turn] = turns_of(talk.events)
    assert turn.answer == ANSWER
    assert turn.earlier == ["Open issue 7 has the same cause: a float."]


def test_the_same_words_in_two_prompts_are_two_turns() -> None:
    talk = Talk().asks("Go on").answers(ANSWER).asks("Go on").answers(ANSWER)
    first, second = turns_of(talk.events)
    assert first.key != second.key


def test_a_prompt_after_one_that_was_broken_off_is_a_turn_of_its_own() -> None:
    talk = Talk().hooked("Round the tax").asks("Round the tax")
    talk.hooked("Round the tax once").asks("Round the tax once").answers(ANSWER)
    assert [turn.prompt for turn in turns_of(talk.events)] == [
        "Round the tax",
        "Round the tax once",
    ]


def test_a_hook_that_tells_of_a_prompt_after_its_answer_opens_no_second_turn() -> None:
    talk = Talk().asks("Round the tax once").answers(ANSWER).hooked("Round the tax once")
    [turn] = turns_of(talk.events)
    assert turn.answer == ANSWER


def test_hooks_that_tell_of_a_transcript_of_another_time_open_no_turns() -> None:
    talk = Talk().asks("Round the tax").answers(ANSWER).asks("Round the tips").answers(ANSWER)
    talk.add("note", "user", "[interrupted]").hooked("Round the tax").hooked("Round the tips")
    for place, event in enumerate(talk.events[-2:]):
        at = event.at + timedelta(minutes=12)
        talk.events[place - 2] = replace(event, at=at)
    assert [turn.prompt for turn in turns_of(talk.events)] == ["Round the tax", "Round the tips"]


def test_a_pasted_part_belongs_to_its_prompt() -> None:
    talk = Talk().asks("Why does this fail?", "m1:0")
    talk.add("note", "user", "TypeError: total is None", "m1:0:material", origin="material")
    talk.answers(ANSWER)
    [turn] = turns_of(talk.events)
    assert turn.prompt == "Why does this fail?"
    assert "TypeError" not in " ".join((turn.prompt, turn.answer, *turn.answers))


def test_words_of_the_user_while_the_agent_works_stay_within_the_turn() -> None:
    talk = Talk().asks("Round the tax once").told("queued", "Use cents, not floats")
    talk.told("refusal", "Do not touch the migration")
    talk.told("answer", "Half up or half even? → half even").answers(ANSWER)
    [turn] = turns_of(talk.events)
    assert turn.answers == [
        "Use cents, not floats",
        "Do not touch the migration",
        "Half up or half even? → half even",
    ]
    assert turn.answer == ANSWER


def test_messages_of_sub_agents_are_left_out_of_a_turn() -> None:
    talk = Talk().asks("Round the tax once").answers(ANSWER)
    talk.add("message", "user", "Search for the rounding", sidechain=True, origin="prompt")
    talk.answers("The sub-agent found nothing at all in the whole of src.", sidechain=True)
    [turn] = turns_of(talk.events)
    assert turn.answer == ANSWER


def test_a_closing_word_does_not_replace_the_answer() -> None:
    talk = Talk().asks("Round the tax once").answers(ANSWER).answers("Noted.").answers("Done.")
    assert turns_of(talk.events)[0].answer == ANSWER


def test_a_later_answer_that_says_something_replaces_the_first() -> None:
    talk = Talk().asks("Round the tax once").answers("I will look at the rounding.").answers(ANSWER)
    assert turns_of(talk.events)[0].answer == ANSWER


def test_the_line_that_says_what_is_open_is_kept_apart_from_the_answer() -> None:
    talk = Talk().asks("Round the tax once").answers(ANSWER)
    talk.answers("Recorded one lesson.\nOpen: the invoice test for 19 %")
    [turn] = turns_of(talk.events)
    assert turn.open == ["the invoice test for 19 %"]
    assert turn.answer == ANSWER


def test_a_turn_tells_files_commands_and_how_its_tests_ended() -> None:
    talk = Talk().asks("Round the tax once").writes("src/price.py").writes("src/price.py")
    talk.runs("pytest -q", "2 failed, 3 passed", 1).answers(ANSWER)
    [failing] = turns_of(talk.events)
    assert (list(failing.files), failing.commands) == (["src/price.py"], [("pytest -q", False)])
    assert failing.failing == "pytest -q"
    talk.asks("Mend it then").runs("pytest -q", "5 passed").answers(ANSWER)
    assert [turn.failing for turn in turns_of(talk.events)] == ["pytest -q", ""]


def test_a_failing_test_and_the_list_go_on_in_the_next_turn() -> None:
    talk = Talk().asks("Round the tax once").runs("pytest -q", "2 failed", 1)
    talk.told("todo", "", "assistant", items=[{"content": "write the test", "status": "pending"}])
    talk.answers(ANSWER).asks("And what about the invoice?").answers(ANSWER)
    last = turns_of(talk.events)[-1]
    assert last.failing == "pytest -q"
    assert last.todo == [("write the test", "pending")]


def test_a_commit_is_told_once_with_its_subject() -> None:
    talk = Talk().asks("Commit it").runs("git commit -m x", "[main 1a2b3c4] Round the tax once")
    talk.told("commit", "Round the tax once\n\nWhy.", "assistant", sha="1a2b3c4d5e6f")
    assert turns_of(talk.events)[0].commits == ["1a2b3c4d Round the tax once"]


def test_a_session_that_goes_on_from_a_summary_begins_with_a_turn() -> None:
    talk = Talk().told("summary", "The tax is rounded; the invoice is open.", "assistant")
    [turn] = turns_of(talk.events)
    assert (turn.prompt, turn.summary) == ("", "The tax is rounded; the invoice is open.")


def test_nothing_said_makes_no_turn() -> None:
    assert turns_of([]) == []
    assert turns_of(Talk().answers(ANSWER).events) == []
