"""The plugins, checked and installed by the agent programs themselves: what their models are sent then."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from agents import (
    CLAUDE_CODE,
    HEADLESS,
    Agent,
    first_start_of_claude_code,
    model_of_cline,
    model_of_codex,
    model_of_gemini,
    model_of_opencode,
)
from scripted_model import Asked, Caller, ScriptedModel, Turn, Use, by_its_name
from stage import ASIDE, CONTEXTD, NEXT_DOOR, Stage, raised_stage
from talks import FIRST, HINT, LATER, LEDGER, MISTAKE, QUESTION, briefings, naming
from wire import Called, Tool

from contextd.clients import CLIENTS
from contextd.clients.plugin_form import FOLDER

RECALL = "Recall what earlier sessions of any agent learned"
"""How the description of a skill begins."""

_AGENTS = {agent.name: agent for agent in (CLAUDE_CODE, *HEADLESS)}


@dataclass(frozen=True)
class Plugged:
    """An agent program that has the plugin and no setting of ours. `configure` tells it of the model,
    `install` has what is run to install from a folder besides what the client's row says. `skills` says
    whether it takes skills from a plugin, `prompted` whether a prompt brings what is known about it, `placed` whether its server
    stands in the project; else each call names it, `briefed` whether its client does not say that a program runs it. `patience` has it wait for a plugin on a busy machine.
    """

    name: str
    configure: Callable[[Stage, str], None]
    command: tuple[str, ...] = ()
    install: tuple[str, ...] | None = None
    consent: tuple[str, ...] = ()
    call: Caller = by_its_name
    skills: bool = True
    prompted: bool = True
    placed: bool = True
    briefed: bool = True
    patience: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def agent(self) -> Agent:
        """The same program without the plugin."""
        return _AGENTS[self.name]

    def set_up(self, stage: Stage, url: str, folder: Path) -> None:
        """Install the plugin from a folder, with the program's own commands."""
        self.configure(stage, url)
        row = CLIENTS[self.name]
        assert row.plugin is not None
        for line in row.plugin.install if self.install is None else self.install:
            words = line.replace("SOURCE", str(folder)).split()
            done = stage.run(*words, *self.consent, environment=self.agent.environment(stage, url))
            assert done.returncode == 0, f"{line}: {done.stdout} {done.stderr}"

    def asks(
        self,
        stage: Stage,
        model: ScriptedModel,
        prompt: str,
        turns: tuple[Turn, ...],
        place: Path,
        **environment: str,
    ) -> list[Asked]:
        """The requests of one session, started as a shell does."""
        model.begin(turns if self.placed else naming(place, turns), self.call)
        done = stage.run(
            *(self.command or self.agent.command),
            prompt,
            cwd=place,
            environment={
                **self.agent.environment(stage, model.url),
                **self.patience,
                "PWD": str(place),
                **environment,
            },
        )
        told = f"{done.returncode}: {done.stdout[-500:]} {done.stderr[-1500:]}"
        assert len(model.asked) >= len(turns), told
        if not environment:
            stage.tidy()
        return model.asked


def _as_a_plugins(use: Use, tools: object) -> Called:
    """Claude Code puts the plugin before the server, also where a tool is not listed yet."""
    return Called(Tool(f"mcp__plugin_contextd_contextd__{use.operation}"), use.arguments)


def _opencode(stage: Stage, url: str) -> None:
    model_of_opencode(stage, url, plugin=[f"file://{_unpacked(stage)}"])


def _nothing(stage: Stage, url: str) -> None:
    """Its model is chosen by the environment."""


def _unpacked(stage: Stage) -> Path:
    return stage.folder / "unpacked" / "package"


PLUGGED = (
    Plugged(
        "claude-code",
        first_start_of_claude_code,
        command=(
            "claude", "--permission-mode", "default", "-p",
            "--allowedTools=Read,mcp__plugin_contextd_contextd", "--",
        ),
        call=_as_a_plugins,
        briefed=False,
    ),
    Plugged("codex", model_of_codex, briefed=False),
    Plugged("gemini-cli", model_of_gemini, consent=("--consent",)),
    Plugged("copilot-cli", _nothing),
    Plugged("opencode", _opencode, install=()),
    Plugged(
        "cline",
        model_of_cline,
        skills=False,
        prompted=False,
        placed=False,
        patience={"CLINE_PLUGIN_IMPORT_TIMEOUT_MS": "60000"},
    ),
)  # fmt: skip


def built(stage: Stage) -> Path:
    """The repository of plugins, and beside it what npm makes of the package in it."""
    folder = stage.folder / "plugins"
    stage.contextd("plugins", "build", str(folder))
    done = stage.run("npm", "pack", "--json", "--pack-destination", str(stage.folder), cwd=folder)
    assert done.returncode == 0, done.stderr
    [packed] = json.loads(done.stdout)
    with tarfile.open(stage.folder / packed["filename"]) as archive:
        archive.extractall(stage.folder / "unpacked", filter="data")
    return folder


@pytest.mark.parametrize("plugged", PLUGGED, ids=lambda plugged: plugged.name)
def test_an_agent_with_the_plugin_is_told_once_and_needs_no_setting(
    plugged: Plugged, model: ScriptedModel
) -> None:
    with raised_stage(plugged.agent.package) as stage:
        stage.know()
        folder = built(stage)
        plugged.set_up(stage, model.url, folder if plugged.name != "cline" else _unpacked(stage))
        first = plugged.asks(stage, model, QUESTION, FIRST, stage.shop)
        assert briefings(first[0]) == int(plugged.briefed)
        assert (ASIDE in first[0].text) == plugged.prompted
        assert (RECALL in first[0].text) == plugged.skills
        names = ("context_search", "read_file")
        assert all(plugged.agent.names(first[0], name) for name in names)
        assert MISTAKE in first[1].text
        assert HINT in first[1].text
        stage.rest()
        beside = plugged.asks(stage, model, "Go on with it.", LATER, stage.bakery)
        assert (NEXT_DOOR in beside[0].text) == plugged.briefed
        assert all(LEDGER not in asked.text and QUESTION not in asked.text for asked in beside)
        if CLIENTS[plugged.name].configuration.hooked("user") or plugged.name == "codex":
            stage.contextd("install", plugged.name)
            later = plugged.asks(stage, model, "Go on with it.", LATER[-1:], stage.shop)
            assert briefings(later[0]) == int(plugged.briefed)


@pytest.mark.parametrize("plugged", PLUGGED, ids=lambda plugged: plugged.name)
def test_an_agent_goes_on_where_contextd_is_missing(plugged: Plugged, model: ScriptedModel) -> None:
    with raised_stage(plugged.agent.package) as stage:
        folder = built(stage)
        plugged.set_up(stage, model.url, folder if plugged.name != "cline" else _unpacked(stage))
        path = stage.environment["PATH"].split(os.pathsep)
        without = os.pathsep.join(one for one in path if one != str(CONTEXTD.parent))
        asked = plugged.asks(stage, model, QUESTION, LATER[-1:], stage.shop, PATH=without)
        assert briefings(asked[0]) == 0
        assert (stage.user / ".local" / "state" / "contextd-missing").is_file()


@pytest.mark.parametrize(
    ("agent", "line", "path"),
    [
        ("claude-code", "claude plugin validate --strict", ".claude-plugin/marketplace.json"),
        ("claude-code", "claude plugin validate --strict", FOLDER),
        ("gemini-cli", "gemini extensions validate", ""),
    ],
)
def test_the_programs_own_checks_find_nothing(agent: str, line: str, path: str) -> None:
    with raised_stage(_AGENTS[agent].package) as stage:
        folder = built(stage)
        done = stage.run(*line.split(), str(folder / path))
        assert done.returncode == 0, done.stdout + done.stderr
