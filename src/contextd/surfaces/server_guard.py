"""The guard of a server: who calls, how much at once, how long; and what the log says of each request."""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
import time
from collections.abc import Mapping
from typing import NoReturn

from anyio import to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contextd.domain.access import Caller
from contextd.redaction.cutting import quoted
from contextd.runtime.daemon_log import FIELDS
from contextd.runtime.doors import Unknown
from contextd.runtime.request_id import REQUEST
from contextd.runtime.settings import Settings
from contextd.surfaces.calls import Calls
from contextd.surfaces.http_connections import HttpConnections
from contextd.surfaces.http_guard import Bodies, after, bearer_token, headers_of, send_problem
from contextd.surfaces.open_connections import client_address
from contextd.surfaces.rest import CALLER
from contextd.surfaces.server_limits import ServerLimits
from contextd.surfaces.server_metrics import ServerMetrics
from contextd.surfaces.web.access import TooManyRequests
from contextd_common.errors import Busy, ContextdError, Denied, TooLarge

RESOURCE = "/.well-known/oauth-protected-resource"
OPEN = frozenset({"/healthz", "/readyz", "/api/codes/exchange", RESOURCE, f"{RESOURCE}/mcp"})
"""Paths that need no token."""
METRICS = "/metrics"

BODY_SECONDS = 20.0
"""How long a body may take. On a bad line 4 MB need ten seconds."""
STREAM_SECONDS = 900.0
"""How long a stream of changes lasts. Then its client connects again, and the door is asked again."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

_log = logging.getLogger(__name__)


class TooSlow(TooLarge):
    """A request did not arrive in time."""

    status = 408


class ServerGuard:
    """Pure ASGI in front of the application of a server. Refusals are problem details: 401 without a known token, 403
    origin, 408 and 413 body, 429 too many requests, 503 if the call takes too long or the database is away.

    `draining` is set when the server is about to stop: then each answer closes its connection.
    """

    def __init__(
        self,
        app: ASGIApp,
        calls: Calls,
        settings: Settings,
        metrics: ServerMetrics,
        metrics_token: str,
        connections: HttpConnections | None = None,
    ) -> None:
        self._app, self._calls, self._metrics = app, calls, metrics
        self._metrics_token = metrics_token
        self._limits = ServerLimits(settings)
        self._bodies = Bodies(settings.number("server.body_kb") << 10)
        self._seconds = settings.number("server.call_seconds")
        self._origins = frozenset(settings.text("server.origins").split())
        # Claude Code shows "needs authentication" for a working token as soon as metadata answers, so only with an issuer.
        issuer = settings.text("server.issuer")
        self._url = settings.text("server.url").rstrip("/") if issuer else ""
        self._connections = connections.open if connections is not None else None
        self.draining = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = headers_of(scope)
        number = _number(headers)
        token = REQUEST.set(number)
        began, status = time.monotonic(), 499
        self._metrics.running.inc()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                more = [(b"x-request-id", number.encode())]
                more += [(b"connection", b"close")] if self.draining else []
                message["headers"] = [*message.get("headers", ()), *more]
            await send(message)

        try:
            await self._answer(scope, headers, receive, sending)
        finally:
            self._metrics.running.dec()
            self._metrics.answered(scope["method"], status)
            _note(scope, status, time.monotonic() - began)
            REQUEST.reset(token)

    async def _answer(
        self, scope: Scope, headers: Mapping[bytes, str], receive: Receive, send: Send
    ) -> None:
        try:
            self._admit_origin(headers)
            refused = self._bodies.refusal(headers)
            if refused is not None:
                await send_problem(send, *refused)
                return
            if scope["path"] == METRICS:
                self._admit_metrics(headers)
            if scope["path"] in OPEN or scope["path"] == METRICS:
                await self._run(scope, receive, send)
                return
            caller = await self._caller(headers)
            scope[CALLER] = caller
            with self._limits.admitted(caller):
                await self._run(scope, receive, send)
        except Unknown as error:
            challenge = self._challenge(b"authorization" in headers)
            await send_problem(send, error, more=[(b"www-authenticate", challenge)])
        except ContextdError as error:
            await send_problem(send, error, more=_advice(error))

    async def _caller(self, headers: Mapping[bytes, str]) -> Caller:
        door = (await self._calls.backend()).door
        given = bearer_token(headers.get(b"authorization", ""))
        return await to_thread.run_sync(door.caller, "rest", given)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body and run the application within its time. Raises what is to be answered."""
        client = client_address(scope.get("client"))
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self._bodies.read(receive)
        except TimeoutError:
            raise TooSlow(
                f"the request did not arrive within {BODY_SECONDS:g} s", "send it again"
            ) from None
        if body is None:
            return
        if isinstance(body, ContextdError):
            raise body
        if self._connections is not None:
            self._connections.serves(client)
        began = False

        async def sending(message: Message) -> None:
            nonlocal began
            if not began and message["type"] == "http.response.start":
                began = True
                limit.reschedule(asyncio.get_running_loop().time() + STREAM_SECONDS)
            await send(message)

        try:
            async with asyncio.timeout(self._seconds) as limit:
                await self._app(scope, after(body, receive), sending)
        except TimeoutError:
            if not began:
                self._too_long()
        finally:
            if self._connections is not None:
                self._connections.waits(client)

    def _too_long(self) -> NoReturn:
        raise Busy(
            f"the call takes longer than {self._seconds} s",
            "it goes on: send it again with the same Idempotency-Key for its answer",
        )

    def _challenge(self, presented: bool) -> bytes:
        """What a client without a known token reads (RFC 6750, RFC 9728): where to get one, if there is an issuer."""
        parts = ['Bearer realm="contextd"']
        parts += ['error="invalid_token"'] if presented else []
        parts += [f'resource_metadata="{self._url}{RESOURCE}/mcp"'] if self._url else []
        return ", ".join(parts).encode()

    def _admit_origin(self, headers: Mapping[bytes, str]) -> None:
        """Raise `Denied` for a web page that may not call: programs send no Origin."""
        origin = headers.get(b"origin")
        if origin is not None and origin not in self._origins:
            raise Denied(
                f"the origin {quoted(origin, 80)} may not call this server",
                "an operator can allow it in server.origins",
            )

    def _admit_metrics(self, headers: Mapping[bytes, str]) -> None:
        given = bearer_token(headers.get(b"authorization", ""))
        known = self._metrics_token
        if not known or not hmac.compare_digest(given.encode(), known.encode()):
            raise Unknown(
                "the token of the metrics is needed",
                "the operator sets it in the variable that server.metrics_variable names",
            )


def _number(headers: Mapping[bytes, str]) -> str:
    """The id of a request: the client's or the proxy's, or a new one."""
    given = headers.get(b"x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _advice(error: ContextdError) -> list[tuple[bytes, bytes]]:
    """The headers that tell a program what to do."""
    if isinstance(error, TooManyRequests):
        return [(b"retry-after", str(error.retry_after).encode())]
    return [(b"retry-after", b"1")] if error.status == 503 else []


def _note(scope: Scope, status: int, seconds: float) -> None:
    """One line of the log for each request, with the fields that people filter by. Never a query, which may quote
    what was asked.
    """
    caller = scope.get(CALLER)
    fields = {
        "method": scope["method"],
        "path": scope["path"],
        "status": status,
        "ms": round(1_000 * seconds),
    }
    if isinstance(caller, Caller):
        fields |= {"organisation": caller.org, "member": caller.name}
    level = logging.DEBUG if scope["path"] in ("/healthz", "/readyz", METRICS) else logging.INFO
    text = f"{scope['method']} {scope['path']}: {status}"
    _log.log(level, "%s", text, extra={FIELDS: fields})
