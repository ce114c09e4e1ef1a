"""Old and new versions of the real programs: what `contextd install` writes harms none of them.

A prompt reaches the model, with the rules in force where the version has hooks that can show them, and the
user's own settings hold. The same when contextd is removed and its hooks stay.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from agents import CLAUDE_CODE, HEADLESS, Agent
from scripted_model import Asked, ScriptedModel, Turn
from stage import ASIDE, CONTEXTD, Stage, raised_stage
from talks import QUESTION, briefings
from test_claude_code import asked_on_a_terminal

from contextd.clients import CLIENTS
from contextd.clients.client_versions import too_old
from support.stated_rules import FROM_AGENT, record_rules

_AGENTS = {agent.name: agent for agent in (CLAUDE_CODE, *HEADLESS)}
_PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")

TOO_OLD = {
    "codex": ("0.98.0",),
    "gemini-cli": ("0.20.2",),
    "qwen-code": ("0.12.0",),
    "copilot-cli": ("1.0.43",),
    "opencode": ("1.0.61",),
}
"""Versions whose hooks cannot do what contextd needs: they work as they would without it."""

BETWEEN = {"claude-code": ("2.0.0", "2.0.50")}
"""Versions that ignore all settings of their user for one event that they do not know."""


@dataclass(frozen=True)
class Version:
    """One version of an agent program. `unproxied` ones ask their model through a proxy, also on this machine;
    `without` are words of the command that it does not know.
    """

    name: str
    number: str

    @property
    def agent(self) -> Agent:
        """The program, in this version."""
        known = _AGENTS[self.name]
        package = known.package.rpartition("@")[0]
        words = tuple(word for word in known.command if word not in self.without)
        if self.name == "claude-code":
            words = (*words[:-1], "-p", "--")
        return replace(known, package=f"{package}@{self.number}", command=words)

    @property
    def without(self) -> tuple[str, ...]:
        """Options of the newest version that this one refuses."""
        flag = "--dangerously-bypass-hook-trust"
        return (flag,) if self.name == "codex" and self.number in ("0.98.0", "0.125.0") else ()

    @property
    def unproxied(self) -> bool:
        """Whether this machine's proxy to nowhere would be asked for the model."""
        return self.number in (
            "1.0.64", "2.0.0", "0.27.4", "0.20.2", "0.15.6", "0.12.0", "1.0.61", "1.1.16",
        )  # fmt: skip


def versions(table: Mapping[str, tuple[str, ...]]) -> list[Any]:
    """The versions of a table, as parameters of a test."""
    found = [Version(name, number) for name, numbers in table.items() for number in numbers]
    return [pytest.param(one, id=f"{one.name}-{one.number}") for one in found]


TRIED = {name: CLIENTS[name].versions.tried for name in _AGENTS}


def connected(version: Version, stage: Stage, model: ScriptedModel) -> str:
    """Have the client told of the model and of contextd; what the installation said."""
    if version.unproxied:
        for name in _PROXIES:
            stage.environment.pop(name)
    stage.know()
    record_rules(stage.shop, lambda lines: partial(stage.run, str(CONTEXTD), "mcp")(stdin=lines))
    stage.rest()
    version.agent.configure(stage, model.url)
    if version.name == "claude-code":
        # A user's own hook: it runs only while the client reads the settings.
        own = {"type": "command", "command": f"touch '{stage.folder}/own'"}
        stage.write(".claude/settings.json", {"hooks": {"UserPromptSubmit": [{"hooks": [own]}]}})
    return stage.connect(version.name)


def asked_by(version: Version, stage: Stage, model: ScriptedModel, **environment: str) -> Asked:
    """The first request of a session without a screen."""
    model.begin((Turn("It keeps no event id."),))
    agent = version.agent
    done = stage.run(
        *agent.command, QUESTION, environment={**agent.environment(stage, model.url), **environment}
    )
    assert model.asked, f"{done.returncode}: {done.stdout[-500:]} {done.stderr[-1500:]}"
    return model.asked[0]


def own_settings_hold(version: Version, stage: Stage) -> bool:
    """Whether the user's own hook ran, in the client that has one; it can run again."""
    own = stage.folder / "own"
    held = own.exists() or version.name != "claude-code"
    own.unlink(missing_ok=True)
    return held


@pytest.mark.parametrize("version", [*versions(TRIED), *versions(BETWEEN)])
def test_a_prompt_reaches_the_model_with_the_rules(version: Version, model: ScriptedModel) -> None:
    with raised_stage(version.agent.package) as stage:
        assert "too old" not in connected(version, stage, model)
        first = asked_by(version, stage, model)
        assert QUESTION in first.text
        assert own_settings_hold(version, stage)
        has_hooks = version.name != "continue"
        assert (FROM_AGENT in first.text) == has_hooks
        assert (ASIDE in first.text) == version.agent.prompted
        if not has_hooks:
            stage.disconnect(version.name)
            return
        path = os.pathsep.join(
            folder
            for folder in stage.environment["PATH"].split(os.pathsep)
            if folder != str(CONTEXTD.parent)
        )
        gone = asked_by(version, stage, model, PATH=path)
        assert QUESTION in gone.text
        assert own_settings_hold(version, stage)
        stage.disconnect(version.name)


@pytest.mark.parametrize("version", versions(TOO_OLD))
def test_a_version_that_is_too_old_is_named_and_works_as_it_would_without(
    version: Version, model: ScriptedModel
) -> None:
    assert too_old(CLIENTS[version.name], version.number)
    with raised_stage(version.agent.package) as stage:
        assert f"{version.number} is too old" in connected(version, stage, model)
        first = asked_by(version, stage, model)
        assert QUESTION in first.text
        assert briefings(first) == 0
        told = stage.run(str(CONTEXTD), "doctor").stdout
        assert f"{version.number} is too old" in told
        stage.disconnect(version.name)


@pytest.mark.parametrize("version", versions({"claude-code": TRIED["claude-code"]}))
def test_a_person_of_any_version_is_briefed(version: Version, model: ScriptedModel) -> None:
    ask: Callable[..., list[Asked]] = asked_on_a_terminal
    with raised_stage(version.agent.package) as stage:
        connected(version, stage, model)
        [first, *_] = ask(stage, model, QUESTION, (Turn("It keeps no event id."),), "shop")
        assert briefings(first) == 1
        assert ASIDE in first.text
        assert own_settings_hold(version, stage)
