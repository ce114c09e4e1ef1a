"""Two sessions of each client, a rule stated in the first: who is briefed, told and learned from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass

import apsw
import pytest
from agents import CLAUDE_CODE, HEADLESS, Agent
from scripted_model import Asked, ScriptedModel, Turn, Use
from stage import Stage, raised_stage
from talks import briefings
from test_agents import asked_by
from test_claude_code import asked_on_a_terminal

RULE = "every money amount is stored as integer cents, never as a float"
KNOWN_BY = "integer cents"
STATED = f"From now on {RULE}. Look at prices.py and tell me whether it does."
NEXT = "Add a discount column to the articles table; how do we store money amounts?"
ANSWER = "prices.py sums cents, which are integers, and nothing in it makes a float of them."

FIRST = (Turn("I look.", (Use("read_file", {"path": "prices.py"}),)), Turn(ANSWER))
SECOND = (Turn("I begin.", (Use("session_start", {"task_description": NEXT}),)), Turn("Done."))


@dataclass(frozen=True)
class Row:
    """What a client's two sessions came to, and why where that is less than everything."""

    first_briefed: str
    second_briefed: str
    rule_told: str
    learned: str
    why: str = ""


ALL = Row("yes", "yes", "yes", "yes")
EXPECTED = {
    "gemini-cli": ALL,
    "qwen-code": ALL,
    "copilot-cli": ALL,
    "opencode": ALL,
    "claude-code": ALL,
    "codex": Row("no", "no", "no", "no", "`codex exec` says that a program runs it"),
    "cline": Row("yes", "yes", "no", "no", "`cline --json` says that a program runs it"),
    "continue": Row("no", "no", "by session_start", "yes", "it runs no hooks without a screen"),
}


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[dict[str, Row]]:
    """The rows so far; printed when all are there."""
    rows: dict[str, Row] = {}
    yield rows
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    heads = ("client", "briefed 1", "briefed 2", "rule told in 2", "learned by itself", "why not")
    lines = [heads, ("---",) * len(heads), *((name, *astuple(row)) for name, row in rows.items())]
    for line in lines:
        reporter.write_line("| " + " | ".join(line) + " |")


def session_of(
    agent: Agent, stage: Stage, model: ScriptedModel, prompt: str, turns: tuple[Turn, ...]
) -> list[Asked]:
    """The requests of one session, when all that follows from it is done."""
    if agent is CLAUDE_CODE:
        asked = asked_on_a_terminal(stage, model, prompt, turns, "shop")
    else:
        asked = asked_by(agent, stage, model, prompt, turns, "shop")
    # Some clients are seen to have exited a few seconds later, and some write their transcript then.
    stage.settle()
    return asked


def told_rule(asked: list[Asked]) -> str:
    if KNOWN_BY in asked[0].text:
        return "yes"
    return "by session_start" if any(KNOWN_BY in one.text for one in asked[1:]) else "no"


def learned_from(stage: Stage) -> str:
    """Whether the rule became a record and the answer was read from the client's transcript."""
    [path] = stage.home.glob("orgs/*/contextd.db")
    database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    bodies = [json.loads(body) for (body,) in database.execute("SELECT body FROM records")]
    states = [status for (status,) in database.execute("SELECT status FROM sessions")]
    kinds = [kind for (kind,) in database.execute("SELECT kind FROM records")]
    database.close()
    stated = any(KNOWN_BY in json.dumps(body) for body in bodies)
    ended = set(states) <= {"completed"}
    return "yes" if stated and ended and "episode" in kinds else "no"


@pytest.mark.parametrize("agent", [*HEADLESS, CLAUDE_CODE], ids=lambda agent: agent.name)
def test_a_rule_of_the_first_session_holds_in_the_second_where_the_client_allows_it(
    agent: Agent, model: ScriptedModel, table: dict[str, Row]
) -> None:
    expected = EXPECTED[agent.name]
    with raised_stage(agent.package) as stage:
        for repository in (stage.shop, stage.bakery):
            stage.contextd("init", ".", cwd=repository)
        stage.greet()
        stage.rest()
        agent.configure(stage, model.url)
        stage.connect(agent.name)
        first = session_of(agent, stage, model, STATED, FIRST)
        learned = learned_from(stage)
        second = session_of(agent, stage, model, NEXT, SECOND)
        briefed = ["yes" if briefings(asked[0]) else "no" for asked in (first, second)]
        row = Row(*briefed, told_rule(second), learned, expected.why)
        table[agent.name] = row
        assert row == expected
        sessions = json.loads(stage.contextd("list-sessions", "--json"))["sessions"]
        assert len(sessions) == 2
        stage.disconnect(agent.name)
