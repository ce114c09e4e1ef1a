"""Rules are told in every later session of the real programs: stated in a prompt, recorded by an agent, of a
file and of the person.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

import pytest
from agents import CLAUDE_CODE, HEADLESS, Agent
from scripted_model import Asked, ScriptedModel, Turn
from stage import CONTEXTD, Stage, raised_stage
from test_agents import asked_by
from test_claude_code import asked_on_a_terminal

from support.stated_rules import FROM_AGENT, FROM_FILE, FROM_PERSON, record_rules

SESSIONS = int(os.environ.get("CONTEXTD_RULE_SESSIONS", "3"))
"""Ordinary sessions after the rules were stated; ten before a release."""

FROM_PROMPT = "From now on every article number must begin with RX."
TASK = "Change prices.py so that it does."
RULES = (FROM_PROMPT, FROM_AGENT, FROM_FILE, FROM_PERSON)

STATED = (Turn("The numbers begin with RX now, in the file prices.py."),)
LATER = (Turn("It is renamed."),)

GEMINI = next(agent for agent in HEADLESS if agent.name == "gemini-cli")
Session = Callable[[Agent, Stage, ScriptedModel, str, tuple[Turn, ...]], list[Asked]]


def on_a_terminal(
    agent: Agent, stage: Stage, model: ScriptedModel, prompt: str, turns: tuple[Turn, ...]
) -> list[Asked]:
    """A session as a person has it."""
    return asked_on_a_terminal(stage, model, prompt, turns, "shop")


def without_a_screen(
    agent: Agent, stage: Stage, model: ScriptedModel, prompt: str, turns: tuple[Turn, ...]
) -> list[Asked]:
    """A session that a program has."""
    asked = asked_by(agent, stage, model, prompt, turns, "shop")
    stage.rest()
    return asked


@pytest.mark.parametrize(
    ("agent", "session"),
    [(CLAUDE_CODE, on_a_terminal), (GEMINI, without_a_screen)],
    ids=lambda one: getattr(one, "name", ""),
)
def test_each_rule_is_told_in_every_later_session(
    agent: Agent, session: Session, model: ScriptedModel
) -> None:
    with raised_stage(agent.package) as stage:
        stage.contextd("init", ".")
        stage.greet()
        run = partial(stage.run, str(CONTEXTD), "mcp")
        record_rules(stage.shop, lambda lines: run(stdin=lines))
        agent.configure(stage, model.url)
        stage.connect(agent.name)
        session(agent, stage, model, f"{FROM_PROMPT} {TASK}", STATED)
        told = [
            session(agent, stage, model, f"Rename variable number {number}.", LATER)[0].text
            for number in range(SESSIONS)
        ]
        counts = {rule: [text.count(rule) for text in told] for rule in RULES}
        assert counts == dict.fromkeys(RULES, [1] * SESSIONS)
        for text in told:
            rule_line = next(line for line in text.splitlines() if FROM_PROMPT in line)
            assert TASK not in rule_line
        stage.disconnect(agent.name)
