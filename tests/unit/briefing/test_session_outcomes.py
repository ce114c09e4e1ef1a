"""A prompt like an earlier session gets how that session ended, not the turn that resembles the prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contextd.briefing.prompt_outcomes import PromptOutcomes
from contextd.briefing.session_outcome import SessionOutcome, outcomes, standing_matches
from contextd.domain.kinds import EPISODE
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.search.validity import validities
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient, chat
from support.desks import Desk

PROBLEM = (
    "The waves of the ferry rollout look random, a boat leaves before the crane it needs. Why?"
)
PLAN = (
    "The planner sorts the boats of the ferry rollout by name alone. I'll sort the waves alphabetically within each "
    "harbour and leave the cranes where they are in the plan."
)
REFUSED = "No, alphabetical is not enough: a boat leaves in the wave after its deepest crane."
SETTLED = (
    "Settled for the ferry rollout: a boat leaves in the wave after its deepest crane, tier ascending within a wave, "
    "and canary boats form wave zero. A crane that the plan does not know is ignored."
)
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


def test_a_prompt_gets_what_was_settled_and_not_the_plan_that_was_refused(client: Opened) -> None:
    chat(client(), PROBLEM, PLAN, REFUSED, SETTLED)
    aside(client())
    later = client()
    later.starts()
    told = later.asks(LIKE)
    assert "deepest crane, tier ascending" in told
    assert REFUSED in told
    assert "leave the cranes where they are" not in told
    assert "how session" in told


def test_a_later_session_that_amends_it_comes_first(client: Opened) -> None:
    chat(client(), PROBLEM, PLAN, REFUSED, SETTLED)
    chat(
        client(),
        "Change the wave policy of the ferry rollout: canary boats no longer form wave zero.",
        "Settled for the ferry rollout: a boat leaves in the wave after its deepest crane, and canary boats leave last, "
        "in a wave of their own. A crane that the plan does not know is ignored.",
    )
    aside(client())
    later = client()
    later.starts()
    told = later.asks(LIKE)
    first, _, rest = told.partition("how session")
    assert "canary boats leave last" in first
    assert "canary boats form wave zero" not in first
    assert "canary boats leave last" not in rest


OWN = (
    "Settled for the ferry rollout in this session: a boat leaves in the wave after its deepest crane, and canary boats "
    "leave last, in a wave of their own. A crane that the plan does not know is ignored."
)


@pytest.mark.parametrize(
    ("prompt", "still"),
    [
        ("Write the wave policy of the ferry rollout down in one sentence, please", True),
        ("Revert the wave policy of the ferry rollout: canary boats leave last now.", False),
    ],
    ids=["going on with it", "taking it back"],
)
def test_a_running_session_is_never_told_its_own_words(
    client: Opened, desk: Desk, prompt: str, still: bool
) -> None:
    chat(client(), PROBLEM, PLAN, REFUSED, SETTLED)
    aside(client())
    running = client()
    running.starts()
    running.asks(prompt)
    running.answers(OWN)
    # Its turns are stored while it runs.
    desk.host.work_off()
    told = running.asks(LIKE)
    assert "in a wave of their own" not in told
    assert ("canary boats form wave zero" in told) is still


def test_an_amendment_that_states_the_rule_again_is_told_whole(client: Opened, desk: Desk) -> None:
    chat(client(), PROBLEM, PLAN, REFUSED, SETTLED)
    amended = (
        "Amended wave policy of the ferry rollout, in full: the boats are walked from the deepest crane to the one at "
        "the quay, tier ascending within a wave, a boat that two harbours name keeps the wave of the first harbour that "
        "names it, and the order of the waves is the order in which their first boat was met. A canary boat leaves last, "
        "in a wave of its own, unless the harbour master named it. A crane that the plan does not know is ignored."
    )
    chat(
        client(),
        "Two updates of the wave policy of the ferry rollout: harbours count too, and canary boats leave last.",
        amended,
    )
    runtime = desk.runtime()
    episodes = runtime.view.records.find(runtime.query(EPISODE)).records
    [matched] = [one for one in episodes if "canary boats form wave zero" in one.content]
    told = outcomes(runtime, matched, 200)[0].text
    assert all(sentence in told for sentence in amended.split(". "))


def test_a_session_of_requests_alone_says_nothing(client: Opened) -> None:
    chat(client(), PROBLEM, "Done.", "Show me the file please", "Here it is.")
    aside(client())
    later = client()
    later.starts()
    assert "how session" not in later.asks(LIKE)


def test_an_outcome_taken_back_by_a_later_session_is_not_injected(client: Opened) -> None:
    chat(
        client(),
        "how many workers may the quarry import use?",
        "I made the quarry import run with eight workers, because the disk had room for more load.",
    )
    chat(
        client(),
        "revert the eight workers please, the quarry import stays single-threaded",
        "Understood, I changed it.",
    )
    aside(client())
    later = client()
    later.starts()
    assert "eight workers, because" not in later.asks("how many workers may the quarry import use?")


@pytest.mark.parametrize("taken_back", [False, True])
def test_a_retraction_stands_for_what_it_takes_back_unless_it_was_taken_back_itself(
    desk: Desk, taken_back: bool
) -> None:
    def episode(session: str, prompt: str, **data: Any) -> Record:
        made = Record(
            kind=EPISODE,
            scope=desk.scope,
            title=prompt,
            content="Understood, I changed it.",
            session=session,
            data={"turn": "1", **data},
        )
        desk.put(made, "create")
        return desk.record(made.id)

    mark = {"taken_back": True, "taken_back_by": ["another episode", "No, it was right"]}
    by = episode("s-2", "Revert the eight workers please", **(mark if taken_back else {}))
    plan = episode(
        "s-1", "Use eight workers", taken_back=True, taken_back_by=[by.id, "Revert the eight"]
    )
    runtime = desk.runtime()
    standing = standing_matches(runtime, [plan], validities(runtime, [plan]))
    assert standing == ([] if taken_back else [by])


def test_a_plan_that_its_own_session_took_back_leads_to_what_was_settled(client: Opened) -> None:
    refused = "No, that's wrong: sorting the boats by name alone is not enough, undo it."
    chat(client(), PROBLEM, PLAN, refused, SETTLED)
    aside(client())
    later = client()
    later.starts()
    told = later.asks(PROBLEM)
    assert "deepest crane, tier ascending" in told
    assert "leave the cranes where they are" not in told


def test_an_outcome_is_short_and_leaves_the_problem_out(client: Opened) -> None:
    chat(
        client(),
        PROBLEM,
        PLAN,
        "Why were the waves of the ferry rollout sorted by name at all? " * 3,
        "The planner of the ferry rollout was written for one harbour, where names were enough. "
        * 4,
        REFUSED,
        f"{SETTLED} I ran the tests of the ferry rollout, and all 14 tests passed in both harbours.",
    )
    aside(client())
    later = client()
    later.starts()
    told = later.asks(LIKE)
    assert "deepest crane, tier ascending" in told
    assert "tests passed" not in told
    assert count_tokens(told) <= 200


def test_a_memory_pasted_into_a_prompt_is_not_injected_again(client: Opened, desk: Desk) -> None:
    asking, pasting = client(), client()
    for session in (asking, pasting):
        session.starts()
    fact = "The quarry import keeps its checkpoints in the table `import_marks`, one row for each vein."
    desk("memory_record", title="Quarry import", description="", content=fact, outcome="success")
    question = "Where does the quarry import keep its checkpoints for each vein?"
    assert "import_marks" in asking.asks(question)
    assert "import_marks" not in pasting.asks(f"{question}\n\nQuarry import: {fact}")


def test_no_prompt_waits_for_more_than_four_past_sessions(desk: Desk, monkeypatch) -> None:
    read: list[str] = []
    runtime = desk.runtime()

    def outcomes_of(_: object, matched: Record, *rest: object) -> list[SessionOutcome]:
        read.append(matched.session)
        return []

    monkeypatch.setattr("contextd.briefing.prompt_outcomes.outcomes", outcomes_of)
    told = PromptOutcomes(runtime, Session(scope=desk.scope), LIKE, LIKE)
    for number in range(9):
        matched = Record(kind=EPISODE, scope=desk.scope, content=PLAN, session=f"past {number}")
        assert list(told.lines(matched, 1_000)) == []
    assert read == [f"past {number}" for number in range(4)]


def test_an_outcome_to_which_two_turns_lead_is_told_once(desk: Desk, monkeypatch) -> None:
    settled = Record(kind=EPISODE, scope=desk.scope, content=LIKE, session="later")
    outcome = SimpleNamespace(record=settled, text=LIKE, line=lambda runtime: SETTLED)
    monkeypatch.setattr("contextd.briefing.prompt_outcomes.outcomes", lambda *given: [outcome])
    told = PromptOutcomes(desk.runtime(), Session(scope=desk.scope), LIKE, LIKE)
    lines = [
        line
        for number in range(2)
        for line, _, _ in told.lines(settled.with_(session=f"past {number}"), 1_000)
    ]
    assert len(lines) == 1
