"""The door of the loopback port: who may knock, with what, and how much they may bring.

A page in a browser can send requests to this port. It cannot know the token, may not come under
another host's name (DNS rebinding), and its origin gives it away.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contextd.domain.errors import ContextdError, Denied, Invalid, TooLarge
from contextd.operations.core import as_problem

BODY_LIMIT = 4 << 20
"""Bytes a request's body may have."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names this port may be called by."""


class Guard:
    """Pure ASGI. Refusals are problem details: 421 host, 403 origin, 401 token, 413 body.

    `open_paths` need no token, nor does what has an `own_door`, by its path and what it accepts:
    that decides for itself. Host, origin and size are checked everywhere.
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
    ) -> None:
        self._app, self._token, self._own_door = app, token, own_door
        self._open_paths, self._hosts, self._body_limit = open_paths, hosts, body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope["path"], headers)
        if refusal is not None:
            await send_problem(send, *refusal)
            return
        budget = _Budget(receive, self._body_limit)
        try:
            await self._app(scope, budget.receive, send)
        except _OverBudget:
            await send_problem(send, self._too_large(), 413)

    def _refusal(self, path: str, headers: Mapping[bytes, str]) -> tuple[ContextdError, int] | None:
        if _hostname("//" + headers.get(b"host", "")) not in self._hosts:
            hint = "call it by " + ", ".join(sorted(self._hosts))
            return Denied("this port does not answer under that host name", hint), 421
        origin = headers.get(b"origin")
        if origin is not None and _hostname(origin) not in self._hosts:
            hint = "only pages of this machine may; programs send no Origin"
            return Denied(f"the origin {origin!r:.80} may not call contextd", hint), 403
        length = headers.get(b"content-length", "0")
        if not length.isdigit():
            return Invalid("content-length is not a number", "leave it to the HTTP library"), 400
        if int(length) > self._body_limit:
            return self._too_large(), 413
        guarded = path not in self._open_paths and not self._own_door(
            path, headers.get(b"accept", "")
        )
        if guarded and not self._knows_token(headers):
            hint = "send `Authorization: Bearer …`; the token is in the file `token` of the home"
            return Denied("a token is needed", hint), 401
        return None

    def _knows_token(self, headers: Mapping[bytes, str]) -> bool:
        scheme, _, given = headers.get(b"authorization", "").partition(" ")
        return scheme.lower() == "bearer" and secrets.compare_digest(
            given.strip().encode("latin-1"), self._token.encode()
        )

    def _too_large(self) -> ContextdError:
        return TooLarge(f"a body may have {self._body_limit} bytes", "send less at once")


async def send_problem(send: Send, error: ContextdError, status: int | None = None) -> None:
    """Answer with RFC 9457 problem details."""
    problem = as_problem(error)
    status = status or error.status
    body = json.dumps({**problem, "status": status}).encode()
    headers: list[tuple[bytes, bytes]] = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="contextd"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _OverBudget(Exception):
    """The body is longer than allowed, whatever its length was said to be."""


class _Budget:
    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left = receive, limit

    async def receive(self) -> Message:
        message: Any = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _OverBudget
        return dict(message)


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
