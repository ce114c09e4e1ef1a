"""What a daemon that stops still answers."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from contextd.runtime.operation import Answer
from contextd.surfaces.connections import Connections
from contextd.surfaces.web.access import Access
from contextd.thin.channel import PROTOCOL

pytestmark = pytest.mark.skipif("sys.platform == 'win32'")


class Slow:
    """Calls whose operation is done and whose answer still waits for `may_answer`."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.is_done = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def call(
        self, peer: Any, operation: str, arguments: Mapping[str, Any], key: Any
    ) -> Answer:
        self.done.append(operation)
        self.is_done.set()
        await self.may_answer.wait()
        return Answer({"done": operation}, "")


async def _talk(home: Path, socket: str) -> tuple[list[str], bytes]:
    calls = Slow()
    connections = Connections(calls, "core", "", {"version": "1"}, lambda: None, home, Access())  # type: ignore[arg-type]
    server = await asyncio.start_unix_server(connections.accept, socket)
    idle, unused = await asyncio.open_unix_connection(socket)
    reader, writer = await asyncio.open_unix_connection(socket)
    for line in ({"v": PROTOCOL, "role": "call"}, {"id": 1, "operation": "first"}):
        writer.write(json.dumps(line).encode() + b"\n")
    await reader.readline()
    await calls.is_done.wait()
    server.close()
    closing = asyncio.create_task(connections.close())
    assert await idle.read() == b""
    writer.write(b'{"id":2,"operation":"second"}\n')
    calls.may_answer.set()
    answer = await reader.readline()
    await closing
    for end in (unused, writer):
        end.close()
        with suppress(ConnectionError):
            await end.wait_closed()
    return calls.done, answer


def test_a_stopping_daemon_answers_a_finished_call_and_begins_no_other(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="ctx-") as short:
        done, answer = asyncio.run(_talk(tmp_path, f"{short}/socket"))
    assert done == ["first"]
    assert json.loads(answer) == {"value": {"done": "first"}, "text": "", "id": 1}
