"""MCP over HTTP: each request is a conversation of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeAlias

import mcp_types as types
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from contextd.runtime.operation import PROFILES, Profile
from contextd.surfaces.agent_options import AgentOptions
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.http_guard import BODY_LIMIT
from contextd.surfaces.mcp import Context, build_server
from contextd.surfaces.mcp_stream import lacks_id, refusal
from contextd.surfaces.rest import peer_of
from contextd_common.errors import Denied


class McpEndpoint:
    """Answers requests to `/mcp` in one profile. The SDK mistakes a request with an invalid id for a
    notification and accepts it without an answer, so such a body is refused first.
    """

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] != "POST":
            await self._manager.handle_request(scope, receive, send)
            return
        messages = [message := await receive()]
        size = len(message.get("body", b""))
        while message.get("more_body") and size <= BODY_LIMIT:
            messages.append(message := await receive())
            size += len(message.get("body", b""))
        body = b"".join(one.get("body", b"") for one in messages)
        if size <= BODY_LIMIT and _is_unanswered(body):
            await Response(refusal(body), 400, media_type="application/json")(scope, receive, send)
            return

        async def replayed() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._manager.handle_request(scope, replayed, send)


def _is_unanswered(body: bytes) -> bool:
    try:
        return lacks_id(types.jsonrpc_message_adapter.validate_json(body, by_name=False))
    except ValidationError:
        return False


Managers: TypeAlias = Mapping[Profile, McpEndpoint]


@asynccontextmanager
async def managers(calls: Calls, *, served: bool = False) -> AsyncIterator[Managers]:
    """The request handlers of `/mcp`, by profile; those of a server if `served`. The task that enters this context must
    leave it.
    """
    by_profile = {
        name: StreamableHTTPSessionManager(
            build_server(calls, AgentOptions(name, served=served), _peer),
            stateless=True,
            max_request_body_size=BODY_LIMIT,
        )
        for name in PROFILES
    }
    async with AsyncExitStack() as stack:
        for manager in by_profile.values():
            await stack.enter_async_context(manager.run())
        yield {name: McpEndpoint(manager) for name, manager in by_profile.items()}


def _peer(ctx: Context) -> Peer:
    if ctx.request is None:
        raise Denied("this call came without an HTTP request", "send it to /mcp with the token")
    return peer_of(ctx.request, "mcp")
