"""Limits on connections of the loopback port: their number, the time to send a request, and the time to read
an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Hashable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from contextd.surfaces.open_connections import OpenConnections, client_address, most_connections

MOST_CONNECTIONS = 256
REQUEST_SECONDS = 20.0
"""How long a connection may take to send a whole request, headers and body, or stay idle. Clients on this
machine need milliseconds.
"""
UNREAD_SECONDS = 30.0
"""How long a client may stop reading an answer."""
_TICK = 1.0


class HttpConnections:
    """All connections of a port, by the address of the client. One that waits for a request longer than `idle_seconds` is
    closed.
    """

    def __init__(
        self, most: int = MOST_CONNECTIONS, *, idle_seconds: float = REQUEST_SECONDS
    ) -> None:
        self._idle_seconds = idle_seconds
        self.open = OpenConnections(most_connections(most))
        self._transports: dict[Hashable, asyncio.Transport] = {}
        self._unread: dict[Hashable, tuple[int, float]] = {}

    def opened(self, client: Hashable, transport: asyncio.Transport) -> bool:
        """Count a new connection; false if there is no room for it."""
        if not self.open.opened(client, transport.abort):
            return False
        self._transports[client] = transport
        return True

    def closed(self, client: Hashable) -> None:
        """Remove a closed connection."""
        self.open.closed(client)
        self._transports.pop(client, None)
        self._unread.pop(client, None)

    def close_late(self, now: float) -> None:
        """Close clients that do not send a request or read an answer in time. `now` is in seconds of any
        monotonic clock, always the same one.
        """
        self.open.close_older(self._idle_seconds)
        for client, transport in list(self._transports.items()):
            size = transport.get_write_buffer_size()
            before, since = self._unread.get(client, (0, now))
            if not size:
                self._unread.pop(client, None)
            elif size != before:
                self._unread[client] = (size, now)
            elif now - since >= UNREAD_SECONDS:
                transport.abort()

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Close late connections while the context is open."""

        async def watch() -> None:
            while True:
                await asyncio.sleep(_TICK)
                self.close_late(asyncio.get_running_loop().time())

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching

    def protocol(self) -> type[H11Protocol]:
        """The HTTP protocol class for connections that are counted here."""
        connections = self

        class Counted(H11Protocol):
            """Reports when a connection opens and closes."""

            def connection_made(self, transport: Any) -> None:
                """See `asyncio.Protocol`."""
                self._address = client_address(transport.get_extra_info("peername"))
                if connections.opened(self._address, transport):
                    super().connection_made(transport)
                    return
                super().connection_made(transport)
                transport.write(_FULL)
                transport.close()

            def connection_lost(self, exc: Exception | None) -> None:
                """See `asyncio.Protocol`."""
                connections.closed(self._address)
                super().connection_lost(exc)

        return Counted


_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n"
    b"content-length: 0\r\n\r\n"
)
