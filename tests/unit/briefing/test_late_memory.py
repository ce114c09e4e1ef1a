"""A prompt whose hook gave up: the next answer to that session says so once, and tells what was found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd.briefing.late_memory import FOUND, NOTHING, NOTICE
from support.clients import CodingClient
from support.desks import Desk

PROMPT = "Why are the totals of a basket off by one cent?"
ANSWER = (
    "Each line of the basket was rounded by itself in `src/price.ts`, so two lines could lose a cent. "
    "The basket total is rounded once now, half even, and `lineTotal` keeps the exact value."
)
LIKE = "The totals of a basket are off by a cent again, why?"
OTHER = "Translate the welcome screen of the mobile app into Danish, please."
THIRD = "Give the footer of the page a darker shade of grey, please."

Opened = Callable[[], CodingClient]


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> Opened:
    """Opens sessions of a project in which a past one settled something, two sessions ago."""
    folder = tmp_path / "transcripts"
    folder.mkdir()

    def opened() -> CodingClient:
        return CodingClient(desk, folder)

    past = opened()
    past.starts()
    past.asks(PROMPT)
    past.answers(ANSWER)
    past.asks("Give the header of the page a shadow, please")
    past.answers("The header in `src/header.css` has a shadow of two pixels in both themes now.")
    past.ends()
    return opened


def spooled(session: CodingClient, prompt: str, ago: timedelta = timedelta()) -> None:
    """The event of a hook that gave up, as the spool hands it in."""
    at = (datetime.now(UTC) - ago).isoformat()
    assert session.told("UserPromptSubmit", prompt=prompt, contextd_spooled_at=at) == ""


def gives_up(session: CodingClient, prompt: str, *, answered_late: bool) -> None:
    """A prompt whose hook gives up; the daemon may have answered it after that, to nobody."""
    if answered_late:
        session.told("UserPromptSubmit", prompt=prompt)
    spooled(session, prompt)
    session.writes_down("user", prompt)


@pytest.mark.parametrize("answered_late", [True, False], ids=["answered too late", "not at all"])
def test_the_next_prompt_says_once_that_memory_was_late_and_what_it_found(
    client: Opened, answered_late: bool
) -> None:
    session = client()
    session.starts()
    gives_up(session, LIKE, answered_late=answered_late)
    told = session.asks(OTHER)
    assert told.count(NOTICE) == 1
    assert FOUND in told
    assert "half even" in told
    assert session.asks(THIRD) == ""


def test_a_briefing_says_it_if_it_comes_first(client: Opened) -> None:
    session = client()
    session.starts()
    gives_up(session, LIKE, answered_late=True)
    session.answers(
        "I look at the totals of the basket in `src/price.ts` now, and at each line of it."
    )
    session.hook("PreCompact", trigger="auto")
    told = session.starts("compact")
    assert told.count(NOTICE) == 1
    assert "half even" in told
    assert NOTICE not in session.asks(OTHER)


def test_a_late_memory_that_found_nothing_is_named_alone(client: Opened) -> None:
    session = client()
    session.starts()
    gives_up(session, OTHER, answered_late=True)
    assert session.asks(THIRD) == f"{NOTICE} {NOTHING}"


def test_neither_a_session_beside_it_nor_another_project_hears_of_it(
    client: Opened, desk: Desk, tmp_path: Path
) -> None:
    elsewhere = CodingClient(desk.at(tmp_path / "elsewhere"), tmp_path / "transcripts")
    elsewhere.desk.root.mkdir(exist_ok=True)
    elsewhere.desk.as_owner("init")
    first, second = client(), client()
    for one in (first, second, elsewhere):
        one.starts()
    gives_up(first, LIKE, answered_late=False)
    assert NOTICE not in second.asks(OTHER)
    assert NOTICE not in elsewhere.asks(OTHER)
    assert NOTICE in first.asks(OTHER)


def test_a_resumed_session_says_it_once(client: Opened) -> None:
    session = client()
    session.starts()
    session.asks(OTHER)
    session.answers("The welcome screen greets in Danish now, and `strings.da.json` has its texts.")
    gives_up(session, LIKE, answered_late=False)
    session.ends()
    assert NOTICE not in client().starts()
    session.starts("resume")
    assert session.asks(THIRD).count(NOTICE) == 1
    session.ends()
    session.starts("resume")
    assert NOTICE not in session.asks("Give the sidebar of the page a border of two pixels, please")


def test_an_event_that_comes_twice_is_said_once(client: Opened) -> None:
    session = client()
    session.starts()
    gives_up(session, LIKE, answered_late=False)
    spooled(session, LIKE)
    assert NOTICE in session.asks(OTHER)
    spooled(session, LIKE, timedelta(seconds=5))
    assert NOTICE not in session.asks(THIRD)


def test_a_prompt_before_one_that_was_answered_is_not_named(client: Opened) -> None:
    session = client()
    session.starts()
    session.asks(OTHER)
    spooled(session, LIKE, timedelta(minutes=2))
    assert NOTICE not in session.asks(THIRD)


def test_a_hook_that_its_client_ended_leaves_nothing_to_say(client: Opened) -> None:
    session = client()
    session.starts()
    # The daemon answers a connection that is closed; no hook is left that could spool the event.
    session.told("UserPromptSubmit", prompt=LIKE)
    assert NOTICE not in session.asks(OTHER)


def test_a_late_answer_leaves_out_records_deleted_since_the_prompt(
    client: Opened, desk: Desk
) -> None:
    session = client()
    session.starts()
    gives_up(session, LIKE, answered_late=False)
    found = desk.as_owner("list_records", kind="episode")["records"]
    desk.as_owner("delete_record", id=next(one["id"] for one in found if "basket" in one["title"]))
    told = session.asks(OTHER)
    assert NOTICE in told
    assert "half even" not in told


def test_a_late_memory_stays_within_the_budget_of_a_prompt(client: Opened, desk: Desk) -> None:
    session = client()
    session.starts()
    gives_up(session, LIKE, answered_late=False)
    desk.configure("prompt:\n  tokens: 40\n")
    assert session.asks(OTHER) == NOTICE


def test_an_old_prompt_is_named_without_a_search_for_it(client: Opened) -> None:
    session = client()
    session.starts()
    spooled(session, LIKE, timedelta(hours=3))
    assert session.asks(OTHER) == NOTICE


def test_a_prompt_that_is_handled_after_its_hook_gave_up_says_nothing_to_nobody(
    client: Opened,
) -> None:
    session = client()
    session.starts()
    # The daemon reads the spool before it comes to the event that it received in time.
    spooled(session, LIKE, -timedelta(seconds=2))
    assert session.asks(LIKE) == ""
    assert NOTICE in session.asks(OTHER)
