"""MCP over HTTP: each request a conversation of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from contextd.domain.access import OWNER
from contextd.operations.core import PROFILES, Profile
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.http_guard import BODY_LIMIT
from contextd.surfaces.manner import Manner
from contextd.surfaces.mcp import Context, build_server
from contextd.surfaces.rest import peer_of

Managers: TypeAlias = Mapping[Profile, StreamableHTTPSessionManager]


@asynccontextmanager
async def managers(calls: Calls) -> AsyncIterator[Managers]:
    """What answers requests to `/mcp`, by profile. Left by the task that entered it."""
    by_profile = {
        name: StreamableHTTPSessionManager(
            build_server(calls, Manner(name), _peer),
            stateless=True,
            max_request_body_size=BODY_LIMIT,
        )
        for name in PROFILES
    }
    async with AsyncExitStack() as stack:
        for manager in by_profile.values():
            await stack.enter_async_context(manager.run())
        yield by_profile


def _peer(ctx: Context) -> Peer:
    return peer_of(ctx.request, "mcp") if ctx.request is not None else Peer("mcp", OWNER)
