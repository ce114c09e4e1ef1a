"""The pages as an ASGI application, mounted beside REST and MCP behind the same access control."""

from __future__ import annotations

import asyncio

from anyio import to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contextd.surfaces.calls import Calls
from contextd.surfaces.web.access import Access

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not `no-referrer`: with it browsers send `Origin: null` from our own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Pages:
    """Serves the paths of `is_page`. Templates are loaded with the first page: most daemons never show one."""

    def __init__(self, calls: Calls, access: Access) -> None:
        self._calls, self._access = calls, access
        self._app: ASGIApp | None = None
        self._loading = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        async with self._loading:
            if self._app is None:
                self._app = await to_thread.run_sync(self._load)
                # Loaded while the browser follows the link, so that no page waits for its template.
                self._warming = asyncio.create_task(to_thread.run_sync(self._warm))
        await self._app(scope, receive, with_headers)

    async def warmed(self) -> None:
        """Return once every template is loaded; the first page starts the loading."""
        if self._warming is not None:
            await self._warming

    def _warm(self) -> None:
        from contextd.surfaces.web.pages import warm  # noqa: PLC0415  loaded by now

        warm()

    def _load(self) -> ASGIApp:
        # Jinja2 and the templates take 0.1 s of CPU, which the daemon's start should not pay.
        from contextd.surfaces.web.pages import application  # noqa: PLC0415

        return application(self._calls, self._access)
