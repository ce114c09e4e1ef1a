"""MCP on this process's own stdio, without a daemon: for tests, containers and Windows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from mcp.server.stdio import stdio_server

from contextd.domain.errors import Invalid
from contextd.operations.core import PROFILES, Profile
from contextd.settings import Settings
from contextd.surfaces.gate import Gate, Peer
from contextd.surfaces.host import Host
from contextd.surfaces.mcp import build_server


def serve_stdio(
    open_host: Callable[[], Host], settings: Settings, profile: str, client: str, cwd: str
) -> int:
    """Serve one agent until it closes stdin. Raises `Invalid` for an unknown profile."""
    profile = profile or settings.text("mcp.profile")
    if profile not in PROFILES:
        raise Invalid(f"unknown profile {profile!r}", "profiles: " + ", ".join(PROFILES))
    asyncio.run(
        _serve(open_host, settings, profile, Peer("mcp", cwd=cwd or str(Path.cwd()), client=client))
    )
    return 0


async def _serve(
    open_host: Callable[[], Host], settings: Settings, profile: Profile, peer: Peer
) -> None:
    gate = Gate(open_host, settings.number("daemon.workers"))
    peer.session = opening = f"connection:{peer.connection}"
    server = build_server(gate, profile, lambda _: peer)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        started = "" if peer.session == opening else peer.session
        await gate.call_if_known(
            peer, "connection_closed", {"connection": opening, "session_id": started}
        )
        await gate.close()
