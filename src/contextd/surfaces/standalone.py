"""MCP on this process's own stdio, without a daemon: for tests, containers and Windows."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import anyio
from mcp.server.stdio import stdio_server

from contextd.domain.access import OWNER
from contextd.domain.errors import Invalid
from contextd.domain.records import new_id
from contextd.operations.core import PROFILES
from contextd.settings import Settings
from contextd.surfaces.backend import Backend
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.manner import Manner, manner_of
from contextd.surfaces.mcp import build_server
from contextd.surfaces.mcp_stream import Incoming, only_messages


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
        OWNER,
        cwd=cwd or str(Path.cwd()),
        client=client,
        connection=new_id(),
        process=os.getppid(),
    )
    manner = manner_of(profile, client, hooked=hooked)
    asyncio.run(_serve(open_backend, settings, manner, peer))
    return 0


async def _serve(
    open_backend: Callable[[], Backend], settings: Settings, manner: Manner, peer: Peer
) -> None:
    calls = Calls(open_backend, settings.number("daemon.workers"))
    server = build_server(calls, manner, lambda _: peer)
    try:
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:
            forward, messages = anyio.create_memory_object_stream[Incoming](0)
            group.start_soon(only_messages, incoming, outgoing, forward)
            await server.run(messages, outgoing, server.create_initialization_options())
            group.cancel_scope.cancel()
    finally:
        await calls.call_if_known(peer, "connection_closed", {})
        await calls.close()
