"""Asking the agent for its lessons: once per session, after some work, not too often a day."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.clients import CodingClient
from support.desks import Desk, Home

DONE = "The basket is rounded once in `src/price.ts`, half even, and that is tested with seven baskets."

Opened = Callable[[], CodingClient]


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> Opened:
    return lambda: CodingClient(desk, tmp_path)


def worked(session: CodingClient) -> CodingClient:
    session.starts()
    session.asks("Round the total of the basket once")
    session.edits("src/price.ts")
    return session


def is_asked(answer: dict[str, object]) -> bool:
    return answer.get("decision") == "block" and "contextd's remember" in str(answer.get("reason"))


def test_lessons_are_asked_for_once_in_a_session_that_did_something(client: Opened) -> None:
    session = worked(client())
    assert is_asked(session.answers(DONE))
    assert session.stops("Noted.", again=True) == {}
    session.asks("And the receipts")
    session.edits("src/receipt.ts")
    assert session.answers(DONE) == {}


def test_a_session_that_only_talked_is_not_asked(client: Opened) -> None:
    session = client()
    session.starts()
    session.asks("How is the total of the basket rounded?")
    assert session.answers(DONE) == {}


def test_a_turn_that_only_talked_is_not_the_moment(client: Opened) -> None:
    session = client()
    session.starts()
    for number in range(5):
        session.runs(f"grep -rn round{number} src")
    session.asks("How is the total of the basket rounded?")
    assert session.answers(DONE) == {}


def test_an_agent_that_was_kept_on_already_is_let_go(client: Opened) -> None:
    session = worked(client())
    assert session.stops(DONE, again=True) == {}


def test_lessons_can_be_turned_off(desk: Desk, client: Opened) -> None:
    desk.configure("lessons:\n  ask: never\n")
    session = worked(client())
    assert session.answers(DONE) == {}
    assert "contextd's remember" not in session.starts("compact")


def test_lessons_can_be_asked_for_after_a_compaction_only(desk: Desk, client: Opened) -> None:
    desk.configure("lessons:\n  ask: compaction\n")
    session = worked(client())
    assert session.answers(DONE) == {}
    session.hook("PreCompact", trigger="auto")
    told = session.starts("compact")
    assert "contextd's remember" in told
    assert "contextd's remember" not in session.starts("resume")


def test_they_are_asked_for_though_the_summary_of_the_client_says_the_whole_session(
    desk: Desk, client: Opened
) -> None:
    desk.configure("lessons:\n  ask: compaction\n")
    session = worked(client())
    session.answers(DONE)
    summary = f"The user asked: Round the total of the basket once. {DONE} Files: src/price.ts"
    session.hook("PostCompact", trigger="auto", compact_summary=summary)
    assert "contextd's remember" in session.starts("compact")


def test_no_more_than_so_many_a_day_are_asked(desk: Desk, client: Opened, home: Home) -> None:
    desk.configure("lessons:\n  per_day: 2\n")
    asked = [is_asked(worked(client()).answers(DONE)) for _ in range(3)]
    assert asked == [True, True, False]
    home.clock.move(hours=25)
    assert is_asked(worked(client()).answers(DONE))


def test_open_work_is_read_from_the_answer_to_the_question_for_lessons(client: Opened) -> None:
    session = worked(client())
    assert is_asked(session.answers(DONE))
    session.writes_down("assistant", [{"type": "text", "text": "Open: round the credit notes"}])
    session.stops("Open: round the credit notes", again=True)
    session.ends()
    briefing = client().starts()
    assert "Open: round the credit notes" in briefing
    assert "half even" in briefing
