"""The sorts of a session's sentences, and what strikes an entry out."""

from __future__ import annotations

import pytest

from contextd.sessions.ledger import LedgerEntry, chosen, ledger_of, spread, unsaid
from contextd.sessions.ledger_sorts import agents_sort, users_sort
from contextd.sessions.thread import thread_of
from contextd.sessions.turns import turns_of
from support.talks import Talk

ANSWER = "The cache is loaded at the start now, in src/loader.py, before the first request."

USERS = [
    ("make sure all price labels go through format_price", "rule"),
    ("Every new job gets an entry in jobs.md.", "rule"),
    ("use ruff not black when you format", "preference"),
    ("i like it when errors stand beside the field", "preference"),
    ("I'd like to add a second column to the table", "request"),
    ("the free tier allows two workers only", "constraint"),
    ("it has to run offline on the boats", "constraint"),
    ("we already tried a queue for this and it was a nightmare", "refused"),
    ("I don't think a plugin makes sense here.", "refused"),
    ("lets go with option B, the view", "decision"),
    ("we decided to drop the old importer", "decision"),
    ("i found out why: the disk was full", "cause"),
    ("tomorrow we'll do the labels", "next"),
    ("i measured it, 310 ms on the tablet", "number"),
    ("the table is not rendering on my phone", "report"),
    ("i still get the same error when i press save", "report"),
    ("Ok so now I need to find the missing invoices", "request"),
    ("stats:1823 Error: TypeError: cannot read properties", "remark"),
    ("renderContent @ league-view.js:91", "remark"),
    ("Our shop runs in Dublin.", "fact"),
]

AGENTS = [
    ("Added a border to the second column", "change"),
    ("✅ Better error handling for uploads", "change"),
    ("The user wants me to check the importer because it fails.", "remark"),
    ("Let me look at the cause of the error first.", "remark"),
    ("I moved the check into the model instead of the form.", "decision"),
    ("To avoid a second lookup, I put the names into `names.py`.", "decision"),
    ("I'll keep the old reader, since two plugins call it.", "decision"),
    ("Raising the timeout doesn't solve it, the same error shows up.", "refused"),
    ("A lock is not enough here, two processes write.", "refused"),
    ("I removed the cache because it served stale pages.", "refused"),
    ("The reason is that the clock of the container is wrong.", "cause"),
    ("Recall on the test set: 0.91 (was 0.88).", "number"),
    ("The image went from 900 MB to 310 MB.", "number"),
    ("**Next steps:** wire the form to the new parser.", "next"),
    ("You still need to renew the certificate.", "next"),
]


@pytest.mark.parametrize(("sentence", "sort"), USERS)
def test_a_users_sentence_shows_its_sort(sentence: str, sort: str) -> None:
    assert users_sort(sentence) == sort


@pytest.mark.parametrize(("sentence", "sort"), AGENTS)
def test_an_agents_sentence_shows_its_sort(sentence: str, sort: str) -> None:
    assert agents_sort(sentence) == sort


def entries_of(talk: Talk) -> list[LedgerEntry]:
    return ledger_of(turns_of(talk.events))


def test_a_cause_the_agent_found_before_its_last_message_is_an_entry() -> None:
    talk = Talk().asks("why is the report empty")
    talk.answers("Found it: the filter compares the date as text, so nothing matches in January.")
    talk.answers("Let me run the tests of the report once more and see whether all of them pass.")
    talk.answers("The report works again, and its tests pass on my machine and in the pipeline.")
    found = entries_of(talk)
    assert [one.sort for one in found if "as text" in one.text] == ["cause"]
    assert not [one for one in found if "once more" in one.text]


def test_a_guess_is_worth_less_than_a_finding() -> None:
    talk = (
        Talk()
        .asks("why is it slow")
        .answers(
            "The delay might be caused by the index of the orders table in the replica.\n\n"
            "The delay is caused by the index of the orders table in the replica today."
        )
    )
    guess, finding = entries_of(talk)[-2:]
    assert guess.sort == finding.sort == "cause"
    assert guess.worth < finding.worth


def test_a_sentence_that_points_back_stands_with_the_one_before() -> None:
    found = entries_of(Talk().asks("Dates are written day first. Keep it that way everywhere."))
    assert [one.text for one in found] == [
        "Dates are written day first. Keep it that way everywhere."
    ]
    assert found[0].sort == "rule"


def test_a_retraction_about_something_else_leaves_a_rule_of_the_same_turn_in_force() -> None:
    talk = Talk().asks("Always run the linter before a commit. Open the page of the orders.")
    turns = turns_of(talk.answers("Both are done.").events)
    words = "my bad, i checked the endpoint of the wrong customer in the browser"
    turns[0].taken_back, turns[0].taken_back_by = True, ("k", words)
    struck = {one.text: bool(one.struck_by) for one in ledger_of(turns)}
    assert struck["Always run the linter before a commit."] is False
    assert struck["Open the page of the orders."] is True


def test_a_bare_retraction_strikes_out_the_rule_too() -> None:
    turns = turns_of(Talk().asks("Always run the linter before a commit.").answers("Ok.").events)
    turns[0].taken_back, turns[0].taken_back_by = True, ("k", "forget that")
    assert all(one.struck_by for one in ledger_of(turns))


def test_further_entries_of_one_report_are_worth_less() -> None:
    report = "\n".join(f"- The cause of failure {n} is the file part_{n}.csv" for n in range(4))
    worths = [one.worth for one in spread(entries_of(Talk().asks("why").answers(report)))]
    assert len(set(worths)) == 4


@pytest.mark.parametrize(
    ("known", "rest"),
    [
        ("The store listens on port 8081 in the test network.", ""),
        ("The store listens on port 9090 in the test network.", "all"),
        ("The store never listens on port 8081 in the test network.", "all"),
        ("Something else was summed up here.", "all"),
    ],
)
def test_a_summary_says_a_sentence_only_with_its_numbers_and_its_denial(
    known: str, rest: str
) -> None:
    sentence = "The store listens on port 8081 in the test network."
    assert unsaid([sentence], known) == [sentence if rest else ""]


def test_only_what_the_window_does_not_say_is_chosen_of_an_entry() -> None:
    talk = Talk().asks("Prices are integer cents in every table. The boats have no network at sea.")
    kept_texts = chosen(
        entries_of(talk),
        500,
        lambda one, joins: len(one.text),
        known="Prices are integer cents in every table.",
    )
    assert [one.text for one in kept_texts] == ["The boats have no network at sea."]


def test_a_next_step_of_the_last_turns_is_worth_more_than_an_old_one() -> None:
    talk = Talk()
    for n in range(8):
        talk.asks(f"go on with part {n}").answers(
            f"The next step is to wire up part {n} of the form."
        )
    worths = [one.worth for one in spread(entries_of(talk)) if one.sort == "next"]
    assert worths[-1] > worths[0]


def test_a_prompt_that_only_pastes_output_has_no_entry_of_the_user_and_asks_nothing() -> None:
    log = "17:10:05: [Loader] the cache must never be empty\n17:10:06: [Loader] do not retry: it always fails"
    talk = Talk().asks("Load the cache at the start").answers(ANSWER).asks(log).answers(ANSWER)
    turns = turns_of(talk.events)
    assert not [one for one in ledger_of(turns) if one.turn == 1 and one.speaker == "user"]
    thread = thread_of(turns, branch="main")
    assert thread is not None
    assert thread.asked == ("Load the cache at the start",)
