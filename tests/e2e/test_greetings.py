"""An agent is greeted while its daemon still loads, with what the daemon said the last time."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import Home, temporary_home
from test_mcp_stdio import HANDSHAKE, Agent

from contextd.thin.greetings import Greetings

ANY_PROFILE = "mcp-default.json"


@pytest.fixture(scope="module")
def met() -> Iterator[Home]:
    """A home whose daemon runs, and in which an agent was before."""
    with temporary_home() as home:
        home.start()
        agent = Agent(home)
        agent.open()
        agent.send(tools(1))
        agent.receive()
        agent.end()
        yield home


@pytest.fixture
def silent(met: Home) -> Iterator[Home]:
    """That home while its daemon says nothing."""
    daemon = met.about()["pid"]
    os.kill(daemon, signal.SIGSTOP)
    yield met
    os.kill(daemon, signal.SIGCONT)


def tools(number: int, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": parameters}


NEWER = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "newer", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def in_the_newer_era(wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """What Claude Code asks for before it has the tools: what it may listen to comes first."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("subscriptions/listen", {"notifications": wanted}),
        ("prompts/list", {}),
        ("resources/list", {}),
        ("tools/list", {}),
    ]
    return [
        {"jsonrpc": "2.0", "id": f"n{number}", "method": method, "params": {"_meta": NEWER, **rest}}
        for number, (method, rest) in enumerate(asked)
    ]


def kept(home: Home) -> Path:
    return home.path / "ready" / ANY_PROFILE


def test_it_has_its_tools_before_the_daemon_answers_and_no_answer_twice(silent: Home) -> None:
    agent = Agent(silent)
    assert agent.open()["serverInfo"]["name"] == "contextd"
    agent.send(tools(1))
    names = [tool["name"] for tool in agent.receive()["result"]["tools"]]
    assert "session_start" in names
    os.kill(silent.about()["pid"], signal.SIGCONT)
    agent.send(tools(2, cursor="x"), {"jsonrpc": "2.0", "id": 3, "method": "ping"})
    assert [agent.receive()["id"], agent.receive()["id"]] == [2, 3]
    agent.end()


def test_who_was_told_of_other_tools_is_told_that_they_changed(silent: Home) -> None:
    answers = json.loads(kept(silent).read_text("utf-8"))
    name = next(key for key in answers if key.startswith("tools/list"))
    real, answers[name] = answers[name], {"tools": []}
    kept(silent).write_text(json.dumps(answers), "utf-8")
    agent = Agent(silent)
    agent.open()
    agent.send(tools(1))
    assert agent.receive()["result"] == {"tools": []}
    os.kill(silent.about()["pid"], signal.SIGCONT)
    assert agent.receive()["method"] == "notifications/tools/list_changed"
    agent.send(tools(2))
    assert agent.receive()["result"] == real
    agent.end()
    assert json.loads(kept(silent).read_text("utf-8"))[name] == real


@pytest.mark.parametrize("content", [b"", b"[]", b'{"initialize 2025-11-25": 5}', b"{" * 9])
def test_a_damaged_file_is_as_none(met: Home, content: bytes) -> None:
    kept(met).write_bytes(content)
    agent = Agent(met)
    assert agent.open()["serverInfo"]["name"] == "contextd"
    agent.send(tools(1))
    assert agent.receive()["result"]["tools"]
    agent.end()
    assert any(key.startswith("tools/list") for key in json.loads(kept(met).read_text("utf-8")))


def test_another_profile_has_its_own(met: Home) -> None:
    agent = met.popen("mcp", "--profile", "full", stdin=-1, stdout=-1)
    lines = "".join(json.dumps(line) + "\n" for line in [*HANDSHAKE, tools(1)])
    printed, _ = agent.communicate(lines.encode(), timeout=30)
    answers = [json.loads(line) for line in printed.splitlines()]
    assert len(answers[-1]["result"]["tools"]) > 20
    assert len(json.loads((met.path / "ready" / "mcp-full.json").read_text("utf-8"))) == 2


LISTS = {"toolsListChanged": True, "resourcesListChanged": True}


@pytest.mark.long
def test_an_agent_of_the_newer_era_is_connected_before_the_daemon_answers(met: Home) -> None:
    agent = Agent(met)
    agent.send(*in_the_newer_era(LISTS))
    before = [agent.receive() for _ in range(4)]
    agent.end()
    daemon = met.about()["pid"]
    os.kill(daemon, signal.SIGSTOP)
    try:
        agent = Agent(met)
        agent.send(*in_the_newer_era(LISTS))
        early = [agent.receive() for _ in range(4)]
        by_id = {answer["id"]: answer["result"] for answer in before if "id" in answer}
        assert {answer["id"]: answer["result"] for answer in early if "id" in answer} == by_id
        (told,) = [answer for answer in early if "id" not in answer]
        assert told["method"] == "notifications/subscriptions/acknowledged"
        assert told["params"]["_meta"] == {SUBSCRIPTION: "n0"}
        assert told["params"]["notifications"] == LISTS
    finally:
        os.kill(daemon, signal.SIGCONT)
    agent.send(
        {"jsonrpc": "2.0", "id": "after", "method": "tools/list", "params": {"_meta": NEWER}}
    )
    assert agent.receive()["id"] == "after"
    agent.end()


@pytest.mark.long
def test_resources_kept_for_one_directory_are_not_served_in_another(met: Home) -> None:
    agent = Agent(met)
    agent.send(*in_the_newer_era(LISTS))
    for _ in range(4):
        agent.receive()
    agent.end()
    answers = json.loads(kept(met).read_text("utf-8"))
    (name,) = [key for key in answers if key.startswith("resources/list")]
    assert name.endswith(str(met.project))
    beside = Greetings(met.path, "", str(met.path))
    resources = in_the_newer_era(LISTS)[2]
    assert beside.answer(beside.key(resources)) is None
    here = Greetings(met.path, "", str(met.project))
    assert here.answer(here.key(resources)) == answers[name]


def test_listening_to_a_resource_is_for_the_daemon_to_promise(met: Home) -> None:
    greetings = Greetings(met.path, "", str(met.project))
    one = in_the_newer_era({**LISTS, "resourceSubscriptions": ["context://briefing"]})[0]
    assert greetings.key(one) == ""
