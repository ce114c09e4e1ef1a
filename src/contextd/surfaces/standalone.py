"""MCP on this process's own stdio, without a daemon: for tests, containers and Windows."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from anyio import to_thread

from contextd.domain.records import new_id
from contextd.runtime.operation import PROFILES
from contextd.runtime.settings import Settings
from contextd.surfaces.agent_options import AgentOptions, options_for
from contextd.surfaces.backend import Backend
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.line_reader import CHUNK, LineReader
from contextd.surfaces.mcp_stream import serve_peer
from contextd_common.errors import Invalid

_STDIN, _STDOUT = 0, 1


def serve_stdio(
    open_backend: Callable[[], Backend],
    settings: Settings,
    profile: str,
    client: str,
    cwd: str,
    *,
    hooked: bool = False,
) -> int:
    """Serve one agent until it closes stdin. Raises `Invalid` for an unknown profile."""
    profile = profile or settings.text("mcp.profile")
    if profile not in PROFILES:
        raise Invalid(f"unknown profile {profile!r}", "profiles: " + ", ".join(PROFILES))
    peer = Peer(
        "mcp",
        cwd=cwd or str(Path.cwd()),
        client=client,
        connection=new_id(),
        process=os.getppid(),
    )
    options = options_for(profile, client, hooked=hooked)
    asyncio.run(_serve(open_backend, settings, options, peer))
    return 0


async def _serve(
    open_backend: Callable[[], Backend], settings: Settings, options: AgentOptions, peer: Peer
) -> None:
    calls = Calls(open_backend, settings.number("daemon.workers"))
    lines = LineReader(lambda: to_thread.run_sync(os.read, _STDIN, CHUNK), seconds=None)
    try:
        await serve_peer(calls, options, peer, lines, _Stdout())
    finally:
        await calls.call_if_known(peer, "connection_closed", {})
        await calls.close()


class _Stdout:
    """This process's stdout."""

    def __init__(self) -> None:
        self._unwritten = bytearray()
        self._writing = asyncio.Lock()

    def write(self, data: bytes) -> None:
        """See `LineWriter`."""
        self._unwritten += data

    async def drain(self) -> None:
        """See `LineWriter`. Raises `BrokenPipeError` if the reading side is gone."""
        async with self._writing:
            data = bytes(self._unwritten)
            self._unwritten.clear()
            while data:
                data = data[await to_thread.run_sync(os.write, _STDOUT, data) :]

    def is_closing(self) -> bool:
        """See `LineWriter`; always false, because reading stdin reports its end."""
        return False
