"""Events that were left in the spool, as a daemon takes them in."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from contextd.runtime.operation import Answer
from contextd.surfaces.connections import Connections
from contextd.surfaces.web.access import Access
from contextd.thin import spool
from contextd.thin.channel import PROTOCOL
from contextd.thin.home import unknown_path
from contextd_common.errors import (
    Busy,
    ContextdError,
    Corrupt,
    NotFound,
    Stale,
    Unavailable,
)

TOKEN = "gh" + "p_" + "k3JdQm29fLxVzR7tYb0NcWs8HpGu4EaXoi5T"


class Refusing:
    """Calls that fail as the store does, until it recovers."""

    def __init__(self, error: ContextdError) -> None:
        self.error: ContextdError | None = error
        self.events: list[str] = []

    async def call(self, peer: Any, operation: str, arguments: Mapping[str, Any]) -> Answer:
        if self.error is not None:
            raise self.error
        self.events.append(arguments["event"])
        return Answer({"output": {}}, "")


@pytest.mark.parametrize("error", [Busy, Stale, Unavailable, Corrupt])
def test_a_spooled_event_stays_until_the_store_takes_it(
    error: type[ContextdError], tmp_path: Path
) -> None:
    async def take_in() -> list[int]:
        refusing = Refusing(error("not now"))
        door = connections(refusing, tmp_path)  # type: ignore[arg-type]
        spool.leave(tmp_path, {"event": "First"})
        counts = [await door.ingest_spool(), await door.ingest_spool()]
        spool.leave(tmp_path, {"event": "Second"})
        refusing.error = None
        counts.append(await door.ingest_spool())
        assert refusing.events == ["First", "Second"]
        return [*counts, await door.ingest_spool()]

    assert asyncio.run(take_in()) == [0, 0, 2, 0]


class Seeing:
    """Calls that note the events of hooks, and know each but Daydream."""

    def __init__(self) -> None:
        self.events: list[str] = []

    async def backend(self) -> None: ...

    def warm(self) -> None: ...

    async def call(self, peer: Any, operation: str, arguments: Mapping[str, Any]) -> Answer:
        if arguments["event"] == "Daydream":
            raise NotFound("no hook event 'Daydream'", "", details={spool.UNKNOWN: "Daydream"})
        self.events.append(arguments["event"])
        return Answer({"output": {}}, "")


def connections(calls: Seeing, home: Path) -> Connections:
    return Connections(calls, "core", "", {}, lambda: None, home, Access())  # type: ignore[arg-type]


def test_an_unknown_event_is_kept_without_its_secrets(tmp_path: Path) -> None:
    payload = {"prompt": f'use "{TOKEN}"\nfor läter', "tool_input": {"env": [f"TOKEN={TOKEN}"]}}
    spool.leave(tmp_path, {"event": "Daydream", "cwd": "/somewhere", "payload": payload})
    assert asyncio.run(connections(Seeing(), tmp_path).ingest_spool()) == 1
    assert TOKEN not in unknown_path(tmp_path).read_text(encoding="utf-8")
    [kept] = spool.read(unknown_path(tmp_path))
    assert (kept["event"], kept["cwd"]) == ("Daydream", "/somewhere")
    assert kept["payload"]["prompt"].startswith('use "[REDACTED:github-token:')
    assert kept["payload"]["prompt"].endswith('"\nfor läter')


def test_a_secret_between_quotes_within_a_text_is_taken_out_whole(tmp_path: Path) -> None:
    """In JSON each quote of a text has a backslash before it, and looks like a part of the secret."""
    first, second = "xK9mQ7pLw2Rt4", "7pLw2Rt4xK9mQ"
    payload = {
        "command": f'curl -u "app:{first}" host && login --password "{first}\\"{second}"',
        "answer": json.dumps({"note": 'say "hello"', "password": f'{first}"{second}'}),
        "password": f'{first}"{second}',
    }
    spool.leave(tmp_path, {"event": "Daydream", "payload": payload})
    assert asyncio.run(connections(Seeing(), tmp_path).ingest_spool()) == 1
    [kept] = spool.read(unknown_path(tmp_path))
    assert first not in str(kept)
    assert second not in str(kept)
    assert kept["payload"]["command"].startswith('curl -u "app:[REDACTED:password:')
    assert json.loads(kept["payload"]["answer"])["note"] == 'say "hello"'


class Dawdling(Seeing):
    """Calls that take an event of the spool in only once the daemon was ready for another one."""

    def __init__(self) -> None:
        super().__init__()
        self.is_ready = asyncio.Event()

    async def backend(self) -> None:
        self.is_ready.set()

    async def call(self, peer: Any, operation: str, arguments: Mapping[str, Any]) -> Answer:
        if arguments["event"] == "SessionStart":
            await self.is_ready.wait()
            # As many turns of the loop as an event needs that nobody holds back.
            for _ in range(50):
                await asyncio.sleep(0)
        return await super().call(peer, operation, arguments)


async def prompted(door: Connections, socket: str) -> None:
    """A hook tells the daemon of a prompt and gets an answer."""
    server = await asyncio.start_unix_server(door.accept, socket)
    reader, writer = await asyncio.open_unix_connection(socket)
    for line in ({"v": PROTOCOL, "role": "hook"}, {"event": "UserPromptSubmit"}):
        writer.write(json.dumps(line).encode() + b"\n")
    assert json.loads(await reader.readline()) == {"output": {}}
    writer.close()
    server.close()


@pytest.mark.skipif("sys.platform == 'win32'")
def test_an_event_is_taken_in_behind_those_that_were_left_before_it(tmp_path: Path) -> None:
    spool.leave(tmp_path, {"event": "SessionStart", "payload": {}})
    calls = Seeing()
    with tempfile.TemporaryDirectory(prefix="ctx-") as short:
        asyncio.run(prompted(connections(calls, tmp_path), f"{short}/socket"))
    assert calls.events == ["SessionStart", "UserPromptSubmit"]
    assert not spool.is_waiting(tmp_path)


@pytest.mark.skipif("sys.platform == 'win32'")
def test_an_event_waits_for_those_that_are_being_taken_in(tmp_path: Path) -> None:
    async def talk(calls: Dawdling, socket: str) -> None:
        door = connections(calls, tmp_path)
        taking_in = asyncio.create_task(door.ingest_spool())
        await asyncio.sleep(0)
        assert not spool.is_waiting(tmp_path)
        await prompted(door, socket)
        assert await taking_in == 1

    async def begin(socket: str) -> list[str]:
        calls = Dawdling()
        await talk(calls, socket)
        return calls.events

    spool.leave(tmp_path, {"event": "SessionStart", "payload": {}})
    with tempfile.TemporaryDirectory(prefix="ctx-") as short:
        events = asyncio.run(begin(f"{short}/socket"))
    assert events == ["SessionStart", "UserPromptSubmit"]
