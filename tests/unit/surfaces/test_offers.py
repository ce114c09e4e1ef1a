"""What each surface offers of the table of operations, and that it can reach nothing else."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from starlette.routing import Route

from contextd.app import load_operations
from contextd.runtime.operation import OPERATIONS, PROFILES, Profile
from contextd.runtime.settings import Settings
from contextd.surfaces.agent_options import AgentOptions
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.cli.commands import Commands
from contextd.surfaces.connections import Connections
from contextd.surfaces.mcp import build_server
from contextd.surfaces.rest import routes
from contextd.surfaces.web.access import Access
from contextd.thin.channel import PROTOCOL
from support.local_host import LocalHost, define_hook
from support.verdicts import agrees

load_operations()

AGENTS = {op.name for op in OPERATIONS.values() if op.audience == "agent"}


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[LocalHost]:
    home = tmp_path / "home"
    home.mkdir()
    opened = LocalHost(Settings(home))
    yield opened
    opened.close()


def served(
    backend: LocalHost, profile: Profile, use: Callable[[Client], Coroutine[Any, Any, Any]]
) -> Any:
    async def joined() -> Any:
        calls = Calls(lambda: backend, workers=2)
        server = build_server(calls, AgentOptions(profile), lambda _: Peer("mcp"))
        async with Client(server, mode="legacy") as client:
            return await use(client)

    return asyncio.run(joined())


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_shows_the_tools_that_say_so_and_no_others(
    backend: LocalHost, profile: Profile
) -> None:
    async def use(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    within = PROFILES[: PROFILES.index(profile) + 1]
    expected = {name for name in AGENTS if OPERATIONS[name].profile in within}
    assert served(backend, profile, use) == expected


def test_agents_can_call_every_tool_whatever_their_profile_and_nothing_else(
    backend: LocalHost,
) -> None:
    async def use(client: Client) -> set[str]:
        for name in sorted(OPERATIONS.keys() - AGENTS):
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool(name, {"no_such_argument": 1})
        return {n for n in AGENTS if await client.call_tool(n, {"no_such_argument": 1})}

    assert served(backend, "core", use) == AGENTS
    assert {name for name, _ in backend.calls} == AGENTS


def test_every_operation_has_its_route_and_every_route_of_the_interface_an_operation(
    backend: LocalHost,
) -> None:
    served = {
        f"{method} {route.path}"
        for route in routes(Calls(lambda: backend, workers=1))
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {"GET /healthz", "GET /readyz", "GET /openapi.json", "GET /api/operations"}
    agrees(
        served - described,
        {op.route for op in OPERATIONS.values() if "server" not in op.needs},
        "the operations, or to `described` in tests/unit/surfaces/test_offers.py",
        "a route has an operation, whose path stands in `@operation`",
    )


def test_the_command_line_lists_what_is_for_agents_and_owners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXTD_HOME", str(tmp_path))

    def never(*, fresh: bool = False) -> Any:
        raise AssertionError("no contextd is needed to list commands")

    commands = Commands(load_operations, never, {})
    context = click.Context(commands, info_name="contextd")
    dev = commands.get_command(context, "dev")
    assert isinstance(dev, click.Group)
    call = dev.get_command(context, "call")
    assert isinstance(call, click.Group)
    listed = set(call.list_commands(context))
    for op in OPERATIONS.values():
        if op.audience != "system" and "server" not in op.needs:
            assert op.name in listed
            assert call.get_command(context, op.name) is not None, op.name


@pytest.fixture
def hook_probe() -> Iterator[None]:
    real = OPERATIONS["hook_event"]
    define_hook()
    yield
    OPERATIONS["hook_event"] = real


@pytest.mark.usefixtures("hook_probe")
def test_a_hook_brings_events_and_can_call_nothing_else(backend: LocalHost, tmp_path: Path) -> None:
    async def run() -> list[dict[str, Any]]:
        connections = Connections(
            Calls(lambda: backend, workers=1), "full", "", {}, lambda: None, tmp_path, Access()
        )
        ours, theirs = socket.socketpair()
        inside = await asyncio.open_connection(sock=ours)
        serving = asyncio.create_task(connections.accept(*inside))
        reader, writer = await asyncio.open_connection(sock=theirs)
        answers = []
        writer.write(json.dumps({"v": PROTOCOL, "role": "hook"}).encode() + b"\n")
        for name in OPERATIONS:
            line = {"id": name, "operation": name, "arguments": {}, "do": "stop", "event": name}
            writer.write(json.dumps(line).encode() + b"\n")
            answers.append(json.loads(await reader.readline()))
        writer.close()
        await serving
        return answers

    answers = asyncio.run(run())
    assert [answer["output"]["seen"] for answer in answers] == list(OPERATIONS)
    assert {name for name, _ in backend.calls} == {"hook_event"}
