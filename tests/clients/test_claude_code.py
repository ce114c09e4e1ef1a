"""Claude Code, as a person has it: on a terminal, from one session to the next and after a reboot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import sleep

import pytest
from agents import CLAUDE_CODE
from screen import screen
from scripted_model import Asked, ScriptedModel, Turn, scripted_model
from stage import ASIDE, NEXT_DOOR, Stage, raised_stage
from talks import FIRST, HINT, LATER, LEDGER, MISTAKE, QUESTION, briefings

REBOOTS = int(os.environ.get("CONTEXTD_REBOOTS", "3"))
"""How often the machine is started anew; twenty before a release."""

AT_ONCE = {"remember", "context_search"}
"""The tools that are not deferred where hooks brief the session."""


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with scripted_model() as running:
        yield running


@pytest.fixture(scope="module")
def stage(model: ScriptedModel) -> Iterator[Stage]:
    with raised_stage(CLAUDE_CODE.package) as raised:
        raised.know()
        CLAUDE_CODE.configure(raised, model.url)
        raised.connect(CLAUDE_CODE.name)
        yield raised


def asked_on_a_terminal(
    stage: Stage, model: ScriptedModel, prompt: str, turns: tuple[Turn, ...], place: str
) -> list[Asked]:
    """The requests of a session that a person opens with a prompt and leaves after the last answer. The
    first may go out before any server is connected: on a terminal nobody waits for them.
    """
    model.begin(turns)
    environment = {
        **stage.environment,
        **CLAUDE_CODE.environment(stage, model.url),
        "TERM": "xterm-256color",
    }
    with screen([*CLAUDE_CODE.command, prompt], getattr(stage, place), environment) as shown:
        shown.wait(lambda: len(model.asked) >= len(turns), "its model was asked")
        # The end of the turn is told to contextd, too, before the person leaves.
        sleep(2)
        shown.type("/exit")
        shown.process.wait(60)
    stage.rest()
    return model.asked


def test_a_second_session_knows_what_the_first_was_told_and_the_neighbour_does_not(
    stage: Stage, model: ScriptedModel
) -> None:
    first = asked_on_a_terminal(stage, model, QUESTION, FIRST, "shop")
    assert briefings(first[0]) == 1
    assert ASIDE in first[0].text
    assert MISTAKE in first[1].text
    assert HINT in first[1].text
    later = asked_on_a_terminal(stage, model, "Go on with it.", LATER, "shop")
    assert briefings(later[0]) == 1
    assert QUESTION in later[0].text
    assert LEDGER in later[1].text
    beside = asked_on_a_terminal(stage, model, "Go on with it.", LATER, "bakery")
    assert NEXT_DOOR in beside[0].text
    for asked in beside:
        assert LEDGER not in asked.text
        assert QUESTION not in asked.text
        assert ASIDE not in asked.text


@pytest.mark.parametrize("time", range(REBOOTS))
def test_the_first_request_after_a_reboot_has_the_tools(
    stage: Stage, model: ScriptedModel, time: int
) -> None:
    stage.reboot()
    model.begin((LATER[-1],))
    done = stage.run(
        *CLAUDE_CODE.command[:-1],
        "-p",
        "--",
        "Go on with it.",
        environment=CLAUDE_CODE.environment(stage, model.url),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first = model.asked[0]
    # A program runs it: where a person stopped is not told.
    assert briefings(first) == 0
    listed = {tool.name.removeprefix("mcp__contextd__") for tool in first.tools}
    assert listed >= AT_ONCE
    assert NEXT_DOOR not in first.text


def test_the_first_request_of_a_person_after_a_reboot_has_the_briefing(
    stage: Stage, model: ScriptedModel
) -> None:
    stage.reboot()
    [first, *_] = asked_on_a_terminal(stage, model, "Go on with it.", LATER, "shop")
    assert briefings(first) == 1


def test_it_is_left_as_it_was_though_it_wrote_its_own_files(stage: Stage) -> None:
    stage.disconnect(CLAUDE_CODE.name)
