"""The loopback HTTP server: REST, MCP and the pages behind one guard."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from contextd.domain.access import OWNER
from contextd.domain.errors import NotFound
from contextd.operations.core import PROFILES
from contextd.settings import Settings
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.http_guard import BODY_LIMIT, Guard, send_problem
from contextd.surfaces.mcp import Context, build_server
from contextd.surfaces.rest import on_http_exception, peer_of, routes
from contextd.surfaces.web.access import Access
from contextd.surfaces.web.sections import wants_page
from contextd.surfaces.web.server import Pages

logger = logging.getLogger(__name__)

_SHUTDOWN_SECONDS = 5
FIRST_PORT = 7433
_PORT_FILE = "port"


@contextlib.asynccontextmanager
async def serve_http(
    calls: Calls, token: str, settings: Settings, access: Access | None = None
) -> AsyncIterator[int | None]:
    """Serve on 127.0.0.1 and yield the port; `None` when the chosen port is taken."""
    listener = _listen(settings.home, settings.number("daemon.port"))
    if listener is None:
        yield None
        return
    async with http_app(calls, token, settings.text("mcp.profile"), access) as app:
        config = uvicorn.Config(
            app, lifespan="off", log_config=None, access_log=False, ws="none",
            server_header=False, timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )  # fmt: skip
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await serving
            listener.close()


@contextlib.asynccontextmanager
async def http_app(
    calls: Calls, token: str, profile: str, access: Access | None = None
) -> AsyncIterator[ASGIApp]:
    """The guarded ASGI application: `/mcp` (`?profile=` or `/mcp/x/<profile>`), REST, health, and
    the pages for browsers that `access` lets in.
    """
    await calls.operations()
    rest = Starlette(routes=routes(calls), exception_handlers={HTTPException: on_http_exception})
    managers: dict[str, StreamableHTTPSessionManager] = {
        name: StreamableHTTPSessionManager(
            build_server(calls, name, _http_peer), stateless=True, max_request_body_size=BODY_LIMIT
        )
        for name in PROFILES
    }

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
        manager = managers.get(wanted)
        if manager is None:
            hint = "profiles: " + ", ".join(PROFILES)
            await send_problem(send, NotFound(f"no profile {wanted!r}", hint))
            return
        await manager.handle_request(scope, receive, send)

    async with contextlib.AsyncExitStack() as stack:
        for manager in managers.values():
            await stack.enter_async_context(manager.run())
        yield Guard(app, token, own_door=wants_page)


class _Server(uvicorn.Server):
    """Leaves signals to the daemon."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _http_peer(ctx: Context) -> Peer:
    return peer_of(ctx.request, "mcp") if ctx.request is not None else Peer("mcp", OWNER)


def _listen(home: Path, wanted: int) -> socket.socket | None:
    """A listening socket on the wanted port. Without a wish the port stays what it was, so that
    bookmarks keep working: two homes at once have one each.
    """
    if wanted:
        listener = _bound(wanted)
        if listener is None:
            logger.warning("port %d cannot be used, there is no HTTP", wanted)
        return listener
    memory = home / _PORT_FILE
    listener = next(filter(None, map(_bound, (_remembered(memory), FIRST_PORT, 0))), None)
    if listener is not None:
        with contextlib.suppress(OSError):
            memory.write_text(f"{listener.getsockname()[1]}\n", "utf-8")
    return listener


def _remembered(memory: Path) -> int:
    try:
        port = int(memory.read_text("utf-8"))
    except (OSError, ValueError):
        return FIRST_PORT
    return port if 1024 <= port < 65536 else FIRST_PORT


def _bound(port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        # There it would let two programs have one port; here it only skips the wait after a close.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        # Before the port is published: who comes before the server accepts waits in the queue.
        listener.listen(128)
    except OSError as error:
        logger.info("port %d cannot be used: %s", port, error)
        listener.close()
        return None
    listener.setblocking(False)
    return listener
