"""Access control of the loopback port: host, origin, token and body size.

A page in a browser can send requests to this port. It does not know the token, may not use another host name
(DNS rebinding), and its Origin header identifies it.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contextd.redaction.cutting import quoted
from contextd.runtime.operation import as_problem
from contextd.surfaces.open_connections import OpenConnections, client_address
from contextd_common.errors import Busy, ContextdError, Denied, Invalid, TooLarge

BODY_LIMIT = 4 << 20
"""Maximum bytes of a request's body."""

BODIES_LIMIT = 64 << 20
"""Maximum bytes of all request bodies that are being read."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Host names that this port accepts."""


def bearer_token(authorization: str) -> str:
    """The token in an Authorization header; empty for none and for other schemes."""
    scheme, _, given = authorization.partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


class Guard:
    """Pure ASGI. Refusals are problem details: 421 host, 403 origin, 401 token, 413 body, 503 if too many
    bodies are being read.

    The application runs once the whole body has arrived, and reads it in one piece: no exception passes
    through the application, and `open_connections` learns when a request is complete. `open_paths` need no
    token, nor do requests that `own_door` accepts by path and Accept header: they check access themselves.
    Host, origin and size are always checked.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        *,
        open_paths: frozenset[str] = frozenset({"/healthz"}),
        hosts: frozenset[str] = LOOPBACK,
        body_limit: int = BODY_LIMIT,
        own_door: Callable[[str, str], bool] = lambda path, accept: False,
        open_connections: OpenConnections | None = None,
    ) -> None:
        self._app, self._token, self._own_door = app, token, own_door
        self._open_paths, self._hosts = open_paths, hosts
        self._bodies = Bodies(body_limit)
        self._connections = open_connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = headers_of(scope)
        refusal = self._refusal(scope["path"], headers)
        if refusal is not None:
            await send_problem(send, *refusal)
            return
        body = await self._bodies.read(receive)
        if isinstance(body, ContextdError):
            await send_problem(send, body)
        elif body is not None:
            client = client_address(scope.get("client"))
            if self._connections is not None:
                self._connections.serves(client)
            try:
                await self._app(scope, after(body, receive), send)
            finally:
                if self._connections is not None:
                    self._connections.waits(client)

    def _refusal(self, path: str, headers: Mapping[bytes, str]) -> tuple[ContextdError, int] | None:
        if _hostname(headers.get(b"host", ""), "") not in self._hosts:
            hint = "call it by " + ", ".join(sorted(self._hosts))
            return Denied("this port does not answer under that host name", hint), 421
        origin = headers.get(b"origin")
        if origin is not None and _hostname(origin, "https?://") not in self._hosts:
            hint = "only pages of this machine may; programs send no Origin"
            return Denied(f"the origin {quoted(origin, 80)} may not call contextd", hint), 403
        refusal = self._bodies.refusal(headers)
        if refusal is not None:
            return refusal
        guarded = path not in self._open_paths and not self._own_door(
            path, headers.get(b"accept", "")
        )
        if guarded and not self._knows_token(headers):
            hint = "send `Authorization: Bearer …`; the token is in the file `token` of the home"
            return Denied("a token is needed", hint), 401
        return None

    def _knows_token(self, headers: Mapping[bytes, str]) -> bool:
        given = bearer_token(headers.get(b"authorization", ""))
        return bool(given) and secrets.compare_digest(given.encode("latin-1"), self._token.encode())


class Bodies:
    """Reads the bodies of requests, each of at most `limit` bytes and all of those being read of `BODIES_LIMIT`."""

    def __init__(self, limit: int) -> None:
        self._limit, self._reading = limit, 0

    def refusal(self, headers: Mapping[bytes, str]) -> tuple[ContextdError, int] | None:
        """Why a body is not read at all, and the status that says so."""
        length = headers.get(b"content-length", "0")
        if not length.isdigit():
            return Invalid("content-length is not a number", "leave it to the HTTP library"), 400
        return (self._too_large(), 413) if int(length) > self._limit else None

    async def read(self, receive: Receive) -> bytes | ContextdError | None:
        """The whole body, the error that stopped reading it, or `None` if its client disconnected."""
        body = bytearray()
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                piece = message.get("body", b"")
                body += piece
                self._reading += len(piece)
                if len(body) > self._limit:
                    return self._too_large()
                if self._reading > BODIES_LIMIT:
                    return Busy("too many large requests at once", "try again in a moment")
                if not message.get("more_body"):
                    return bytes(body)
        finally:
            self._reading -= len(body)

    def _too_large(self) -> ContextdError:
        return TooLarge(f"a body may have {self._limit} bytes", "send less at once")


def headers_of(scope: Scope) -> dict[bytes, str]:
    """The headers of a request, by name in small letters. A repeated header is joined, as HTTP defines it: two hosts
    are not one that is known.
    """
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        before = headers.get(name.lower())
        text = value.decode("latin-1")
        headers[name.lower()] = text if before is None else f"{before}, {text}"
    return headers


async def send_problem(
    send: Send,
    error: ContextdError,
    status: int | None = None,
    more: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    """Answer with RFC 9457 problem details, and with `more` headers."""
    problem = as_problem(error)
    status = status or error.status
    body = json.dumps({**problem, "status": status}).encode()
    headers: list[tuple[bytes, bytes]] = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        *more,
    ]
    if status == 401 and not any(name == b"www-authenticate" for name, _ in more):
        headers.append((b"www-authenticate", b'Bearer realm="contextd"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def after(body: bytes, receive: Receive) -> Receive:
    """A receive function that returns the body already read, and then any later messages."""
    given = False

    async def with_body() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return with_body


_NAME = r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[a-zA-Z0-9._-]+))(?::[0-9]{1,5})?"
"""A host and its port, and nothing else: no second host, no user, no path."""


def _hostname(address: str, scheme: str) -> str:
    """The host of a header, in small letters; empty if the header is anything but one host."""
    found = re.fullmatch(scheme + _NAME, address)
    return (found["six"] or found["name"]).lower() if found else ""
