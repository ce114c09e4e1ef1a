"""Rules are told in every later session of the real programs: stated in a prompt, recorded by an agent, of a
file and of the person.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping

import pytest
from agents import CLAUDE_CODE, HEADLESS, Agent
from scripted_model import Asked, ScriptedModel, Turn
from stage import CONTEXTD, Stage, raised_stage
from test_agents import asked_by
from test_claude_code import asked_on_a_terminal

from contextd.client import call

SESSIONS = int(os.environ.get("CONTEXTD_RULE_SESSIONS", "3"))
"""Ordinary sessions after the rules were stated; ten before a release."""

FROM_PROMPT = "From now on every article number must begin with RX."
TASK = "Change prices.py so that it does."
FROM_AGENT = "Ledger rows are never updated or deleted"
FROM_FILE = "Webhooks are verified before anything else is done with them"
FROM_PERSON = "Never put an emoji into a commit message."
RULES = (FROM_PROMPT, FROM_AGENT, FROM_FILE, FROM_PERSON)

_POLICY = {
    "kind": "policy",
    "title": "Ledger rows are immutable",
    "content": FROM_AGENT,
    "fields": {"severity": "critical", "requirement": FROM_AGENT},
}
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


def recorded(stage: Stage, operation: str, arguments: Mapping[str, object]) -> None:
    """Call a tool over MCP, as an agent does."""
    about = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "an-agent", "version": "1"},
    }
    messages = [
        {"id": 1, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": operation, "arguments": arguments}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages)
    done = stage.run(str(CONTEXTD), "mcp", stdin=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert not answers[-1]["result"].get("isError"), answers


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
        policies = stage.shop / ".context" / "policies"
        policies.mkdir(parents=True, exist_ok=True)
        policy = f"title: Webhooks\nseverity: critical\nrequirement: {FROM_FILE}\n"
        (policies / "webhooks.yaml").write_text(policy)
        of_person = {"content": FROM_PERSON, "scope": "person"}
        call("save_context", of_person, home=stage.home, cwd=str(stage.shop))
        stage.greet()
        recorded(stage, "remember", _POLICY)
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
