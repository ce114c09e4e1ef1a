"""Each surface asks the door who calls, at every call, and nobody comes in whom the door does not know."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.types import Message, Scope

from contextd.app import load_operations
from contextd.domain.access import Caller
from contextd.runtime.doors import Surface
from contextd.runtime.settings import Settings
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.connections import Connections
from contextd.surfaces.rest import routes
from contextd.surfaces.web.access import Access
from contextd.thin.channel import PROTOCOL
from contextd_common.errors import Denied, NotFound
from support.local_host import LocalHost
from support.roles import caller_with

load_operations()


class Doorkeeper:
    """Knows nobody until told, and remembers who asked."""

    on_machine = True

    def __init__(self) -> None:
        self.known: dict[str, Caller] = {}
        self.asked: list[tuple[str, str]] = []

    def caller(self, surface: Surface, credential: str = "") -> Caller:
        self.asked.append((surface, credential))
        if credential not in self.known:
            raise Denied("unknown token", "ask for one")
        return self.known[credential]


@pytest.fixture
def door() -> Doorkeeper:
    return Doorkeeper()


@pytest.fixture
def calls(tmp_path: Path, door: Doorkeeper) -> Calls:
    home = tmp_path / "home"
    home.mkdir()
    return Calls(lambda: LocalHost(Settings(home), door), workers=1)


async def through_socket(calls: Calls, home: Path, role: str, line: dict[str, Any]) -> str:
    connections = Connections(calls, "full", "", {}, lambda: None, home, Access())
    ours, theirs = socket.socketpair()
    serving = asyncio.create_task(connections.accept(*await asyncio.open_connection(sock=ours)))
    reader, writer = await asyncio.open_connection(sock=theirs)
    for sent in ({"v": PROTOCOL, "role": role, "client": "claude-code"}, line):
        writer.write(json.dumps(sent).encode() + b"\n")
    if role == "call":
        await reader.readline()
    answer = json.loads(await reader.readline())
    writer.close()
    await serving
    return str(answer["error"]["code"])


async def through_rest(calls: Calls, home: Path) -> str:
    del home
    body = b""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal body
        body += message.get("body", b"")

    # Without Starlette's test client: it needs another HTTP library in each of its versions.
    request: Scope = {
        "type": "http", "method": "GET", "path": "/api/projects", "query_string": b"",
        "headers": [(b"authorization", b"Bearer hers")],
    }  # fmt: skip
    await Starlette(routes=routes(calls))(request, receive, send)
    return str(json.loads(body)["code"])


WAYS: dict[str, Callable[[Calls, Path], Awaitable[str]]] = {
    "cli": lambda calls, home: through_socket(calls, home, "call", {"operation": "status"}),
    "hook": lambda calls, home: through_socket(calls, home, "hook", {"event": "Stop"}),
    "rest": through_rest,
}


@pytest.mark.parametrize("surface", WAYS)
def test_who_is_unknown_at_the_door_is_refused(
    calls: Calls, door: Doorkeeper, tmp_path: Path, surface: str
) -> None:
    async def run() -> str:
        code = await WAYS[surface](calls, tmp_path)
        await calls.close()
        return code

    assert asyncio.run(run()) == "denied"
    assert door.asked == [(surface, "hers" if surface == "rest" else "")]


def test_the_door_is_asked_at_every_call_of_a_conversation(calls: Calls, door: Doorkeeper) -> None:
    async def run() -> None:
        peer = Peer("mcp", credential="hers", connection="c-1")
        door.known["hers"] = caller_with("viewer", name="ada")
        # Let in, and only then told that no project was named.
        with pytest.raises(NotFound):
            await calls.call(peer, "list_contexts", {})
        del door.known["hers"]
        with pytest.raises(Denied, match="unknown token"):
            await calls.call(peer, "list_contexts", {})
        await calls.close()

    asyncio.run(run())
