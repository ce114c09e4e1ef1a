"""What an agent sees that starts `contextd mcp`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from homes import CONTEXTD, Home, has_ended, wait_for
from mcp import Client

from contextd.thin.client import control

ERAS = ["legacy", "2026-07-28"]
HANDSHAKE = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def lines(*messages: Any) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def talk(
    home: Home, use: Callable[[Client], Coroutine[Any, Any, Any]], *flags: str, era: str = "legacy"
) -> Any:
    """Run `use` with an official client connected through the real command."""

    async def session() -> Any:
        async with Client(home.shim(*flags), mode=era) as client:  # type: ignore[arg-type]
            return await use(client)

    return asyncio.run(session())


class Agent:
    """A client that writes and reads lines itself, and can be left or killed at any moment."""

    def __init__(self, home: Home, *flags: str) -> None:
        self.process = home.popen(
            "mcp", *flags, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def send(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(lines(*messages).encode())
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"no answer; stderr: {self.end()}"
        return json.loads(line)

    def open(self) -> Any:
        self.send(*HANDSHAKE)
        return self.receive()["result"]

    def end(self) -> str:
        """Close stdin, wait, and return what was said on stderr."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdin = None
        _, said = self.process.communicate(timeout=30)
        return said.decode()


@pytest.mark.parametrize("era", ERAS)
def test_an_official_client_lists_calls_and_reads_in_either_era(
    shared_home: Home, era: str
) -> None:
    async def use(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        called = await client.call_tool("tools_list", {})
        prompts = (await client.list_prompts()).prompts
        read = await client.read_resource("context://session/current")
        return tools, called, prompts, read

    tools, called, prompts, read = talk(shared_home, use, era=era)
    assert "tools_list" in [tool.name for tool in tools]
    assert all(tool.annotations is not None for tool in tools)
    assert not called.is_error
    assert called.structured_content is None
    assert called.content[0].text
    assert [prompt.name for prompt in prompts] == ["handoff", "resume", "retrospective"]
    assert read.contents[0].mime_type == "text/markdown"


@pytest.mark.long
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("flags", [(), ("--standalone",)])
def test_an_error_is_text_with_code_and_hint_and_no_data(
    shared_home: Home, flags: tuple[str, ...], era: str
) -> None:
    async def use(client: Client) -> Any:
        return await client.call_tool("read_file", {})

    result = talk(shared_home, use, *flags, era=era)
    assert result.is_error
    assert result.structured_content is None
    assert result.content[0].text.startswith("invalid: read_file: ")
    assert "path" in result.content[0].text


@pytest.mark.parametrize(("era", "spoken"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_a_client_is_told_when_to_call_what(shared_home: Home, era: str, spoken: str) -> None:
    async def use(client: Client) -> Any:
        return client.instructions, client.protocol_version, client.server_info

    instructions, version, info = talk(shared_home, use, era=era)
    assert "session_start" in instructions
    assert version == spoken
    assert info.name == "contextd"


def test_tools_are_the_same_for_every_caller_of_a_profile_and_in_both_eras(
    shared_home: Home,
) -> None:
    async def use(client: Client) -> Any:
        return [tool.model_dump() for tool in (await client.list_tools()).tools]

    core = [talk(shared_home, use, era=era) for era in ERAS]
    full = talk(shared_home, use, "--profile", "full")
    assert core[0] == core[1]
    assert {tool["name"] for tool in core[0]} < {tool["name"] for tool in full}


def test_a_daemon_is_started_for_the_first_agent_and_stays_for_the_next(home: Home) -> None:
    async def use(client: Client) -> Any:
        return (await client.call_tool("tools_list", {})).is_error

    assert talk(home, use) is False
    first = home.daemons()
    assert talk(home, use) is False
    assert home.daemons() == first
    assert len(first) == 1


def test_nine_agents_at_once_share_one_daemon(home: Home) -> None:
    agents = [Agent(home) for _ in range(9)]
    for agent in agents:
        agent.send(*HANDSHAKE)
    assert {agent.receive()["result"]["serverInfo"]["name"] for agent in agents} == {"contextd"}
    assert len(home.daemons()) == 1
    assert [agent.end() for agent in agents] == [""] * 9
    assert [agent.process.returncode for agent in agents] == [0] * 9


def start_and_kill(home: Home, count: int) -> None:
    daemon = home.start()
    for number in range(count):
        agent = Agent(home)
        if number % 3:
            agent.open()
        agent.process.send_signal([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP][number % 3])
        agent.end()
    assert home.processes("contextd mcp") == []
    assert home.daemons() == [daemon]
    os.kill(daemon, signal.SIGTERM)
    wait_for(lambda: not home.processes(), "no process is left")


def test_twelve_agents_started_and_killed_leave_no_process(home: Home) -> None:
    start_and_kill(home, 12)


@pytest.mark.slow
def test_a_hundred_agents_started_and_killed_leave_no_process(home: Home) -> None:
    start_and_kill(home, 100)


def test_stdout_carries_nothing_but_protocol_whatever_comes_in(shared_home: Home) -> None:
    rubbish = 'not json\n[1,2]\n{"jsonrpc":"2.0","id":7}\n\n{"id":"x","method":5}\n"\\ud800"\n'
    ask = {"jsonrpc": "2.0", "id": 9, "method": "tools/list"}
    result = shared_home.run("mcp", stdin=rubbish + lines(*HANDSHAKE, ask))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert {answer.get("id") for answer in answers if "result" in answer} == {0, 9}
    assert {answer.get("id") for answer in answers if "error" in answer} >= {None, 7}
    assert result.returncode == 0


def test_requests_under_way_are_answered_after_stdin_closes(shared_home: Home) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "tools_list"}}
    result = shared_home.run("mcp", stdin=lines(*HANDSHAKE, call))
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [0, 1]
    assert result.stderr == ""


def test_an_agent_goes_on_when_the_daemon_is_killed(home: Home) -> None:
    daemon = home.start()
    agent = Agent(home)
    agent.open()
    os.kill(daemon, signal.SIGKILL)
    wait_for(lambda: has_ended(daemon), "the daemon is dead")
    agent.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    answer = agent.receive()
    assert answer["id"] == 1
    assert answer["result"]["tools"]
    assert home.daemons() != [daemon]
    assert agent.end() == ""


@pytest.mark.long
def test_a_call_under_way_when_the_daemon_is_killed_is_put_to_the_next_one(home: Home) -> None:
    daemon = home.start_local()
    agent = Agent(home)
    agent.open()
    wait = {"name": "probe_wait", "arguments": {"seconds": 60}}
    agent.send({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": wait})
    with pytest.raises(subprocess.TimeoutExpired):
        agent.process.wait(0.5)
    daemon.kill()
    daemon.wait()
    answer = agent.receive()
    assert answer["id"] == 5
    # The next one is a real daemon, which has no such tool.
    assert answer["error"]["message"] == "Unknown tool: probe_wait"
    agent.send({"jsonrpc": "2.0", "id": 6, "method": "ping"})
    assert agent.receive() == {"jsonrpc": "2.0", "id": 6, "result": {}}
    agent.end()


def test_the_shim_ends_with_code_one_when_no_daemon_can_run(cold_home: Home) -> None:
    (cold_home.path / "config.yaml").write_text("\nmcp: {profile: core\n", "utf-8")
    agent = Agent(cold_home)
    agent.send(HANDSHAKE[0])
    assert agent.process.wait(30) == 1
    assert "config.yaml, line 3: not valid YAML: " in agent.end()


def test_an_unknown_profile_is_said_on_stderr(shared_home: Home) -> None:
    agent = shared_home.popen(
        "mcp", "--profile", "huge", stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert agent.wait(30) == 1
    _, said = agent.communicate()
    assert b"profiles: core, standard, full" in said
    assert shared_home.run("mcp", "--profil", "core").returncode == 2


def test_the_shim_ends_when_its_parent_dies_though_stdin_stays_open(shared_home: Home) -> None:
    reader, writer = os.pipe()
    starter = (
        "import subprocess, sys, time;"
        f"print(subprocess.Popen([{str(CONTEXTD)!r}, 'mcp']).pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", starter], stdin=reader, stdout=subprocess.PIPE,
        env=shared_home.environment, cwd=shared_home.project,
    )  # fmt: skip
    os.close(reader)
    assert parent.stdout is not None
    shim = int(parent.stdout.readline())
    wait_for(lambda: control("status", home=shared_home.path)["clients"], "the shim is connected")
    parent.kill()
    parent.communicate()
    wait_for(lambda: has_ended(shim), "the shim followed its parent")
    os.close(writer)
    assert shim not in shared_home.processes("contextd mcp")


@pytest.mark.long
@pytest.mark.parametrize("era", ERAS)
def test_an_agent_can_be_served_without_a_daemon(cold_home: Home, era: str) -> None:
    async def use(client: Client) -> Any:
        return (await client.call_tool("tools_list", {})).is_error

    assert talk(cold_home, use, "--standalone", era=era) is False
    assert cold_home.daemons() == []
