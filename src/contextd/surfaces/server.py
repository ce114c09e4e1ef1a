"""A server for a team: MCP, REST and health for callers on other machines, and its life from start to signal.

Any number of these processes answer for one database. Nothing of a caller stays in one of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from contextd import __version__
from contextd.runtime.operation import PROFILES
from contextd.runtime.settings import Settings
from contextd.surfaces.agents import AgentsOverHttp, agents_over_http
from contextd.surfaces.backend import TeamBackend
from contextd.surfaces.calls import Calls
from contextd.surfaces.http_connections import HttpConnections
from contextd.surfaces.http_guard import send_problem
from contextd.surfaces.rest import on_http_exception, problem, read_body, routes
from contextd.surfaces.server_guard import METRICS, RESOURCE, ServerGuard
from contextd.surfaces.server_metrics import CONTENT_TYPE, ServerMetrics
from contextd.surfaces.web.access import Bucket
from contextd_common.errors import Busy, ContextdError, Invalid, NotFound, Unavailable

_FINISH_SECONDS = 30
"""How long running requests may take after the last connection was accepted."""
_IDLE_SECONDS = 310
"""How long an idle connection stays open: longer than a proxy keeps it, or it would send into a closed one."""
_CONNECTIONS = 4_096
_BACKLOG = 1_024
_OPEN_AGAIN_SECONDS = 2.0

_log = logging.getLogger(__name__)


class TeamServer:
    """One process of a server. With `answers` it answers calls, without only health and metrics, for a process that
    works.
    """

    def __init__(
        self,
        open_backend: Callable[[], TeamBackend],
        settings: Settings,
        *,
        load: Callable[[], None] | None = None,
        answers: bool = True,
    ) -> None:
        self._settings, self._answers = settings, answers
        self._backend: TeamBackend | None = None
        self._open_backend = open_backend
        self.metrics = ServerMetrics()
        self.calls = Calls(
            self._opened,
            settings.number("daemon.workers"),
            load,
            on_machine=False,
            measure=self.metrics.called,
        )
        self._stopping = asyncio.Event()
        self._draining = False
        self._exchanges = Bucket(20, 1.0, 20, 0.0)

    def _opened(self) -> TeamBackend:
        self._backend = self._open_backend()
        return self._backend

    async def run(self, listener: socket.socket | None) -> None:
        """Serve at the listener until SIGTERM or SIGINT, then finish what runs."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            # Not on Windows.
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self._stopping.set)
        opening = asyncio.create_task(self._keep_opening())
        try:
            if listener is None:
                await self._stopping.wait()
            else:
                await self._serve(listener)
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
            if not await self.calls.drained(_FINISH_SECONDS):
                _log.warning("calls still running after %d s are left behind", _FINISH_SECONDS)
            await self.calls.close()
            _log.info("stopped")

    async def _keep_opening(self) -> None:
        """Open the database early, and again until it is there."""
        while True:
            try:
                await self.calls.backend()
            except ContextdError as error:
                _log.error("not open yet: %s; %s", error.message, error.hint)
                await asyncio.sleep(_OPEN_AGAIN_SECONDS)
            else:
                return

    async def _serve(self, listener: socket.socket) -> None:
        connections = HttpConnections(_CONNECTIONS, idle_seconds=_IDLE_SECONDS)
        async with connections.watched(), self.app(connections) as app:
            certificate = self._settings.text("server.certificate")
            config = uvicorn.Config(
                app, http=connections.protocol(), ws="none", lifespan="off", log_config=None,
                access_log=False, server_header=False, backlog=_BACKLOG,
                timeout_keep_alive=_IDLE_SECONDS, timeout_graceful_shutdown=_FINISH_SECONDS,
                ssl_certfile=certificate or None,
                ssl_keyfile=self._settings.text("server.certificate_key") or None,
            )  # fmt: skip
            server = _Server(config)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            scheme = "https" if certificate else "http"
            host, port = listener.getsockname()[:2]
            _log.info("contextd %s serves %s://%s:%d", __version__, scheme, host, port)
            stopping = asyncio.create_task(self._stopping.wait())
            try:
                await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
                await self._drain(app)
            finally:
                stopping.cancel()
                server.should_exit = True
                await serving

    async def _drain(self, guard: ServerGuard) -> None:
        """Go on answering until the distributor of requests has noticed that this process is about to stop."""
        seconds = self._settings.number("server.drain_seconds")
        _log.info("stopping in %d s", seconds)
        self._draining = guard.draining = True
        self._stopping.clear()
        with contextlib.suppress(TimeoutError):
            # A second signal does not wait.
            await asyncio.wait_for(self._stopping.wait(), seconds)

    @contextlib.asynccontextmanager
    async def app(self, connections: HttpConnections | None = None) -> AsyncIterator[ServerGuard]:
        """The guarded ASGI application."""
        await self.calls.operations()
        token = os.environ.get(self._settings.text("server.metrics_variable"), "")
        async with agents_over_http(self.calls, served=True) as agents:
            app = self._routed(agents)
            yield ServerGuard(app, self.calls, self._settings, self.metrics, token, connections)

    def _routed(self, agents: AgentsOverHttp) -> ASGIApp:
        own = [
            Route("/healthz", self._health),
            Route("/readyz", self._ready),
            Route(METRICS, self._figures),
        ]
        if self._answers:
            if self._settings.text("server.issuer"):
                own += [Route(RESOURCE + path, self._resource(path)) for path in ("", "/mcp")]
            own.append(Route("/api/codes/exchange", self._exchange, methods=["POST"]))
            own += [one for one in routes(self.calls) if one.path not in _HEALTH]
        rest = Starlette(routes=own, exception_handlers={HTTPException: on_http_exception})
        profile = self._settings.text("mcp.profile")

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            path = scope["path"].rstrip("/")
            if not self._answers or (path != "/mcp" and not path.startswith("/mcp/")):
                await rest(scope, receive, send)
                return
            wanted = path.removeprefix("/mcp").removeprefix("/x/")
            wanted = wanted or Request(scope).query_params.get("profile") or profile
            if wanted not in PROFILES:
                await send_problem(send, NotFound("no such profile", ", ".join(PROFILES)))
                return
            await agents.handle(wanted, scope, receive, send)

        return app

    def _resource(self, path: str) -> Any:
        """Protected-resource metadata (RFC 9728) at the root and below, because clients look in both places."""
        about = {
            "resource": self._settings.text("server.url").rstrip("/") + path,
            "authorization_servers": [self._settings.text("server.issuer")],
            "bearer_methods_supported": ["header"],
            "resource_name": "contextd",
        }

        async def answer(request: Request) -> Response:
            return JSONResponse(about)

        return answer

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _ready(self, request: Request) -> Response:
        """Whether requests should be sent here now."""
        try:
            if self._draining:
                raise Unavailable("this process is about to stop", "ask another one")
            await self.calls.backend()
            assert self._backend is not None
            await asyncio.to_thread(self._backend.check)
        except ContextdError as error:
            return problem(error, 503)
        return JSONResponse({"status": "ready"})

    async def _figures(self, request: Request) -> Response:
        with contextlib.suppress(ContextdError):
            self.metrics.waiting_jobs.set((await self.calls.health())["waiting_jobs"])
        return Response(self.metrics.text(), media_type=CONTENT_TYPE)

    async def _exchange(self, request: Request) -> Response:
        """A token for the code of an invitation: the only call without a token."""
        try:
            if not self._exchanges.take(asyncio.get_running_loop().time()):
                raise Busy("too many codes are tried", "wait some seconds and send it again")
            body = await read_body(request)
            code, label = body.get("code"), body.get("label", "first token")
            if not isinstance(code, str) or not isinstance(label, str):
                raise Invalid("the body needs a code", 'send {"code": "ctxd_…", "label": "laptop"}')
            await self.calls.backend()
            assert self._backend is not None
            token = await asyncio.to_thread(self._backend.exchange_code, code, label)
        except ContextdError as error:
            return problem(error)
        return JSONResponse({"token": token}, headers={"cache-control": "no-store"})


_HEALTH = frozenset({"/healthz", "/readyz"})


class _Server(uvicorn.Server):
    """Leaves signals to `TeamServer`."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        yield


def listener_at(address: str) -> socket.socket:
    """A socket that listens at `host:port`. Raises `Unavailable` with what is wrong."""
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        family, kind, protocol, _, place = found[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"cannot listen at {address}: {error}", "choose another address in server.listen"
        ) from error
    listener.setblocking(False)
    return listener
