"""Of a past session that a prompt resembles, only the entries that bear on the prompt are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.clients import CodingClient, chat
from support.desks import Desk

PROBLEM = (
    "The waves of the ferry rollout look random, a boat leaves before the crane it needs. Why?"
)
SETTLED = (
    "Settled for the ferry rollout: a boat leaves in the wave after its deepest crane, tier ascending within a wave, "
    "and canary boats form wave zero. A crane that the plan does not know is ignored."
)
BESIDE = "Who may start the rollout? We agreed that only the two leads may."
LEADS = "Settled: only the two leads start it, tier by tier, and a canary needs a second approval from the plan's owner."
LIKE = "A boat of the ferry rollout leaves before the crane it needs again, please mend the waves"

Opened = Callable[[], CodingClient]


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> Opened:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    return lambda: CodingClient(desk, folder)


def aside(session: CodingClient) -> None:
    """A session in between, so that a briefing does not quote the one before."""
    chat(
        session,
        "Give the header of the page a shadow, please",
        "The header in `src/header.css` has a shadow of two pixels in both themes now.",
    )


def test_unrelated_entries_of_a_session_that_resembles_the_prompt_are_not_injected(
    client: Opened,
) -> None:
    chat(client(), PROBLEM, SETTLED, BESIDE, LEADS)
    aside(client())
    later = client()
    later.starts()
    told = later.asks(LIKE)
    assert "deepest crane" in told
    assert "two leads" not in told


def test_the_entries_that_are_told_are_those_nearest_to_the_prompt(client: Opened) -> None:
    chat(
        client(),
        "Describe how the ferry rollout works: the waves, the berths and the fuel of its boats",
        "The waves of the ferry rollout are planned in `waves.py`: a boat leaves after the crane it needs. "
        "Decision: berths are given by the harbour master, because two boats once shared one. "
        "Decision: fuel is ordered on Mondays, because the depot is closed on Sundays. "
        "Decision: the paint of a boat is renewed in March, because the yard is free then.",
        "Thanks. Which fuel do the boats of the ferry rollout take, and how much of it?",
        "They take marine gas oil: a small boat takes 400 litres, a large one takes 2,600 litres a week. "
        "The tank of a small boat is filled to the mark of 350 litres, so that the fuel may expand on warm days.",
    )
    aside(client())
    later = client()
    later.starts()
    told = later.asks("How much fuel do the boats of the ferry rollout take, in litres?")
    assert "2,600 litres" in told
    assert "paint of a boat" not in told


def test_a_prompt_that_shares_only_what_every_prompt_says_gets_nothing(client: Opened) -> None:
    for number in range(12):
        one = client()
        one.starts()
        one.asks(f"Update the ferry planner, step {number}: sort the boats of the ferry planner")
        one.answers(
            f"Step {number} of the ferry planner is done, and the boats are sorted by pier."
        )
        one.ends()
    later = client()
    later.starts()
    assert (
        later.asks("Update the ferry planner: show the boats of the ferry planner on a map") == ""
    )


def test_an_entry_that_the_window_holds_already_is_not_told_again(client: Opened) -> None:
    chat(client(), PROBLEM, SETTLED)
    aside(client())
    later = client()
    later.starts()
    assert "deepest crane" in later.asks(LIKE)
    chat(client(), f"{PROBLEM} Since Monday.", SETTLED)
    assert "deepest crane" not in later.asks(f"{LIKE}, as they were before")


LOG = """planner.js?v=1a:12 Planner of the ferry rollout loaded
planner.js?v=1a:44 waves: boats leave before the crane they need
planner?boat=7&crane=3:120 rollout of boats started
planner.js?v=1a:90 crane of boat 7 not found"""


def test_a_pasted_log_finds_no_session_that_had_the_same_log(client: Opened) -> None:
    chat(client(), PROBLEM, SETTLED)
    aside(client())
    later = client()
    later.starts()
    assert later.asks(f"still no change:\n{LOG}") == ""
    assert "deepest crane" in later.asks(f"{LIKE}:\n{LOG}")


def test_what_was_edited_for_another_order_is_not_told(client: Opened) -> None:
    chat(
        client(),
        "Make the chart of the ferry rollout twice as tall, and the boats blue",
        "✅ The chart of the ferry rollout should now be twice as tall.\n\n"
        "- Updated `planner.js`: the boats of the rollout are drawn in blue\n"
        "- Added a legend of the boats below the chart of the rollout\n\nPlease refresh the page to see the boats.",
    )
    aside(client())
    later = client()
    later.starts()
    assert later.asks("The boats of the ferry rollout need a filter by harbour in the chart") == ""


def test_a_sentence_about_another_one_is_not_told_alone(client: Opened) -> None:
    chat(
        client(),
        "Each boat of the ferry rollout must have one captain.",
        "Noted.",
        "Ignore that for the ferry rollout of boats. It did not work for the boats of the ferry rollout.",
        "Noted.",
    )
    aside(client())
    later = client()
    later.starts()
    told = later.asks(
        "Add a captain to each boat of the ferry rollout, and a second one on request"
    )
    assert "Ignore that" not in told
    assert "It did not work" not in told


def test_what_the_agent_confirms_of_a_correction_is_told_with_it(client: Opened) -> None:
    chat(
        client(),
        PROBLEM,
        "I'll sort the boats by tier, so that every crane leaves first.",
        "No, canaries go before everything else, whatever their tier says. The boat of a crane never leaves first.",
        "Understood: canaries form group zero before everything else, whatever their tier says, unlike a boat with a crane.",
    )
    aside(client())
    later = client()
    later.starts()
    told = later.asks(LIKE)
    assert "group zero" in told
    assert "sort the boats" not in told


def test_what_goes_wrong_and_what_was_tried_is_not_told_without_its_end(client: Opened) -> None:
    chat(
        client(),
        "The boats of the ferry rollout still leave before their crane, and the waves of the rollout do not show up.",
        "MAJOR PROGRESS on the ferry rollout: ✅ the boats of the rollout reach their crane, ❌ the waves are still missing. "
        "Let me look at the waves of the ferry rollout and at the crane of each boat next, to see what is missing there.",
    )
    aside(client())
    later = client()
    later.starts()
    assert later.asks(LIKE) == ""


def test_what_the_user_wanted_or_missed_in_a_past_session_is_not_told(client: Opened) -> None:
    chat(
        client(),
        "We need to get the boats of the ferry rollout behind their crane, the waves of the rollout can't stay random.",
        "I look at the waves.",
        "I still don't see the waves of the ferry rollout, and no boat waits for its crane.",
        "I look again.",
    )
    aside(client())
    later = client()
    later.starts()
    assert later.asks(LIKE) == ""


@pytest.mark.parametrize(
    "order",
    [
        "Give the ferry rollout a page that lists each boat, its crane and its wave",
        "Can you add a page with each boat of the ferry rollout, its crane and its wave?",
    ],
)
def test_an_order_for_new_work_is_not_told_how_past_sessions_ended(
    client: Opened, order: str
) -> None:
    chat(client(), PROBLEM, SETTLED)
    aside(client())
    later = client()
    later.starts()
    assert later.asks(order) == ""
