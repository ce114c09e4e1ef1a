"""Agent programs without a screen: what their model is sent of contextd."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import HEADLESS, Agent
from scripted_model import Asked, ScriptedModel, Turn
from stage import ASIDE, NEXT_DOOR, Stage, raised_stage
from talks import FIRST, HINT, LATER, LEDGER, MISTAKE, QUESTION, briefings, naming


def asked_by(
    agent: Agent,
    stage: Stage,
    model: ScriptedModel,
    prompt: str,
    turns: tuple[Turn, ...],
    place: str,
    *,
    named: bool = True,
) -> list[Asked]:
    """The requests of one session. What an agent left running stays: it may serve several projects."""
    folder: Path = getattr(stage, place)
    model.begin(naming(folder, turns) if named and not agent.placed else turns, agent.call)
    done = stage.run(
        *agent.command,
        prompt,
        cwd=folder,
        environment=agent.environment(stage, model.url),
    )
    said = f"{agent.name} ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-1500:]}"
    assert len(model.asked) >= len(turns), said
    return model.asked


@pytest.mark.parametrize("agent", HEADLESS, ids=lambda agent: agent.name)
def test_an_agent_is_told_reads_errors_remembers_and_sees_no_neighbour(
    agent: Agent, model: ScriptedModel
) -> None:
    with raised_stage(agent.package) as stage:
        stage.know()
        agent.configure(stage, model.url)
        stage.connect(agent.name)
        first = asked_by(agent, stage, model, QUESTION, FIRST, "shop")
        assert briefings(first[0]) == int(agent.briefed)
        assert (ASIDE in first[0].text) == agent.prompted
        assert all(agent.names(first[0], name) for name in ("context_search", "read_file"))
        assert MISTAKE in first[1].text
        assert HINT in first[1].text
        stage.rest()
        later = asked_by(agent, stage, model, "Go on with it.", LATER, "shop")
        assert briefings(later[0]) == int(agent.briefed)
        assert (QUESTION in later[0].text) == agent.followed
        assert LEDGER in later[1].text
        beside = asked_by(agent, stage, model, "Go on with it.", LATER, "bakery")
        assert (NEXT_DOOR in beside[0].text) == agent.briefed
        if not agent.placed:
            beside += asked_by(agent, stage, model, "Go on.", LATER, "bakery", named=False)
        for asked in beside:
            assert LEDGER not in asked.text
            assert QUESTION not in asked.text
            assert ASIDE not in asked.text
        stage.disconnect(agent.name)
