"""The loopback HTTP server: REST, MCP and the pages behind one guard."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from contextd.runtime.operation import PROFILES
from contextd.surfaces.agents import agents_over_http
from contextd.surfaces.calls import Calls
from contextd.surfaces.http_connections import HttpConnections
from contextd.surfaces.http_guard import Guard, send_problem
from contextd.surfaces.rest import on_http_exception, routes
from contextd.surfaces.web.access import Access
from contextd.surfaces.web.sections import wants_page
from contextd.surfaces.web.server import Pages
from contextd_common.errors import NotFound

_SHUTDOWN_SECONDS = 5
_BACKLOG = 128


async def serve_http(
    listener: socket.socket,
    stop: asyncio.Event,
    calls: Calls,
    token: str,
    profile: str,
    access: Access,
) -> None:
    """Serve clients of the listener until stopped."""
    connections = HttpConnections()
    async with connections.watched(), http_app(calls, token, profile, access, connections) as app:
        config = uvicorn.Config(
            app, http=connections.protocol(), ws="none", lifespan="off", log_config=None,
            access_log=False, server_header=False, timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            # Connections accepted in a row before anything else runs: each uses a descriptor.
            backlog=_BACKLOG,
        )  # fmt: skip
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await stop.wait()
        finally:
            server.should_exit = True
            await serving


@contextlib.asynccontextmanager
async def http_app(
    calls: Calls,
    token: str,
    profile: str,
    access: Access | None = None,
    connections: HttpConnections | None = None,
) -> AsyncIterator[ASGIApp]:
    """The guarded ASGI application: `/mcp` (`?profile=` or `/mcp/x/<profile>`), REST, health, and the pages
    for browsers that `access` admits.
    """
    await calls.operations()
    rest = Starlette(routes=routes(calls), exception_handlers={HTTPException: on_http_exception})
    pages = Pages(calls, access or Access())

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if wants_page(scope["path"], Headers(scope=scope).get("accept", "")):
            await pages(scope, receive, send)
            return
        path = scope["path"].rstrip("/")
        if path != "/mcp" and not path.startswith("/mcp/"):
            await rest(scope, receive, send)
            return
        wanted = path.removeprefix("/mcp").removeprefix("/x/")
        wanted = wanted or Request(scope).query_params.get("profile") or profile
        if wanted not in PROFILES:
            hint = "profiles: " + ", ".join(PROFILES)
            await send_problem(send, NotFound(f"no profile {wanted!r}", hint))
            return
        await agents.handle(wanted, scope, receive, send)

    async with agents_over_http(calls) as agents:
        counted = connections.open if connections else None
        yield Guard(app, token, own_door=wants_page, open_connections=counted)


class _Server(uvicorn.Server):
    """Leaves signals to the daemon."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
