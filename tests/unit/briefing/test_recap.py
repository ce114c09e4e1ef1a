"""What an agent holds again after a compaction."""

from __future__ import annotations

from contextd.briefing.recap import recap
from contextd.runtime.caches import Cache
from contextd.sessions.ledger import EntriesOfTurns
from contextd.sessions.thread import thread_of
from contextd.sessions.turns import Turn, turns_of
from contextd_common.text.tokens import count_tokens
from support.talks import Talk

RULE = "Amounts are always cents, never floats."


def long_session(turns: int) -> list[Turn]:
    talk = Talk().asks(RULE).answers("Understood: every amount in src/price.py is in cents now.")
    for n in range(turns):
        talk.asks(f"Now move the field number {n} of the invoice over")
        talk.answers(f"Field {n} is stored in `src/invoice_{n}.py` and read by `load_{n}`.")
    return turns_of(talk.events)


def told(turns: list[Turn], budget: int) -> list[str]:
    return recap(turns, thread_of(turns, branch="main"), budget)


def test_a_rule_said_early_survives_within_the_budget() -> None:
    lines = told(long_session(6), 600)
    assert f"User: {RULE}" in lines
    assert sum(count_tokens(f"- {line}\n") for line in lines) <= 600


def test_the_status_comes_first_and_then_the_session_in_its_order() -> None:
    lines = told(long_session(6), 600)
    assert lines[0].startswith("Asked last: Now move the field number 5")
    found = [line for line in lines if line.startswith("Agent: ")]
    assert [n for n in range(5) if any(f"invoice_{n}" in line for line in found)] == [0, 1, 2, 3, 4]
    assert found == sorted(found, key=lambda line: line.replace("Understood", "A"))


def test_a_decision_of_the_first_turn_outlives_thirty_turns_of_chatter() -> None:
    talk = (
        Talk()
        .asks("The importer is slow")
        .answers(
            "I went with memory mapping instead of a worker pool, because four workers each held a copy of the palette."
        )
    )
    for n in range(30):
        talk.asks(f"Please show me page {n} of the manual again").answers(
            f"Here is page {n}. It describes the menu and shows three pictures of it, one for each window."
        )
    assert any("worker pool" in line for line in told(turns_of(talk.events), 600))


def test_the_sentences_of_one_passage_share_a_line() -> None:
    prompt = "Prices are integer cents in every table\nThe boats have no network at sea"
    talk = (
        Talk()
        .asks(prompt)
        .answers("Both are noted in `docs/rules.md` because the tax depends on it.")
    )
    assert recap(turns_of(talk.events), None, 600) == [
        "User: Prices are integer cents in every table; The boats have no network at sea",
        "Agent: Both are noted in `docs/rules.md` because the tax depends on it.",
    ]


def test_the_clients_summary_is_read_once_for_all_lines_and_said_by_none() -> None:
    turns = long_session(5)
    known = "Field 1 is stored in `src/invoice_1.py` and read by `load_1`."
    cache: EntriesOfTurns = Cache(10)
    first = recap(turns, None, 600, window=known, known_turns=cache)
    assert first == recap(turns, None, 600, window=known, known_turns=cache)
    assert first == recap(turns, None, 600, window=known)
    assert known not in "\n".join(first)
    turns[2].answer = "Field 2 was given up because the printer has no room for it."
    again = recap(turns, None, 600, window=known, known_turns=cache)
    assert any("printer has no room" in line for line in again)


def test_the_recap_does_not_repeat_the_summary_of_the_client() -> None:
    turns = long_session(2)
    lines = recap(turns, None, 600, window=f"1. Primary request\n{RULE}\nNothing else.")
    assert RULE not in "\n".join(lines)
    assert any("invoice_1" in line for line in lines)


def test_nothing_is_told_twice() -> None:
    lines = told(long_session(3), 600)
    asked = [line for line in lines if "field number 2" in line]
    assert len(asked) == 1
    assert len(lines) == len(set(lines))


def test_the_recap_leaves_out_turns_that_the_user_took_back() -> None:
    turns = long_session(2)
    turns[0].taken_back = True
    assert RULE not in "\n".join(told(turns, 600))


def test_a_retraction_strikes_out_what_it_names_and_nothing_else_of_the_turn() -> None:
    talk = (
        Talk()
        .asks("Use the blue button for orders. Prices are always integer cents.")
        .answers("Both are done.")
    )
    turns = turns_of(talk.events)
    turns[0].taken_back, turns[0].taken_back_by = True, ("k", "No, the blue button was wrong")
    text = "\n".join(told(turns, 600))
    assert "integer cents" in text
    assert "User: Use the blue button" not in text


def test_a_summary_that_was_handed_over_is_told_again() -> None:
    talk = Talk().told(
        "summary", "The store is SQLite.\nThe tax is rounded half even.", "assistant"
    )
    talk.asks("Go on with the invoice").answers("The invoice reads the store through `load_all`.")
    text = "\n".join(told(turns_of(talk.events), 600))
    assert "The store is SQLite." in text
    assert "half even" in text


def test_no_budget_and_no_session_give_no_lines() -> None:
    assert told(long_session(3), 0) == []
    assert recap([], None, 600) == []


def test_the_status_leaves_out_what_the_clients_summary_says() -> None:
    talk = Talk().asks("Move the labels of the invoice\nThe boats have no network at sea")
    turns = turns_of(talk.answers("The labels are in `labels.py` now.").events)
    thread = thread_of(turns, branch="main")
    lines = recap(turns, thread, 600, window="- The boats have no network at sea")
    assert any("Move the labels" in line for line in lines)
    assert "no network" not in "\n".join(lines)
