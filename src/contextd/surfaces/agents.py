"""MCP over the socket or the port, imported when the first agent connects. The SDK and its models take 1.0 s
of CPU and 40 MB; hooks, commands, REST and pages do not need it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anyio import to_thread

from contextd.runtime.gc_pause import building
from contextd.runtime.operation import Profile
from contextd.surfaces.agent_options import AgentOptions
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.line_reader import LineReader

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from contextd.surfaces.mcp_http import Managers


async def serve_agent(
    calls: Calls,
    options: AgentOptions,
    peer: Peer,
    lines: LineReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Serve one agent on a stream until it closes."""
    serve = await to_thread.run_sync(_over_streams)
    calls.warm()
    await serve(calls, options, peer, lines, writer)


class AgentsOverHttp:
    """Serves agents at the port, in a task of its own that starts with the first request."""

    def __init__(self, calls: Calls, *, served: bool = False) -> None:
        self._calls, self._served = calls, served
        self._lock = asyncio.Lock()
        self._end = asyncio.Event()
        self._managers: Managers = {}
        self._serving: asyncio.Task[None] | None = None

    async def handle(self, profile: Profile, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request with the tools of a profile that exists."""
        async with self._lock:
            if not self._managers:
                await self._start()
        await self._managers[profile].handle_request(scope, receive, send)

    async def _start(self) -> None:
        managers = await to_thread.run_sync(_over_http)
        self._calls.warm()
        running = asyncio.Event()

        async def serve() -> None:
            async with managers(self._calls, served=self._served) as by_profile:
                self._managers = by_profile
                running.set()
                await self._end.wait()

        self._serving = asyncio.create_task(serve())
        await running.wait()

    async def close(self) -> None:
        """Stop the serving task."""
        self._end.set()
        if self._serving is not None:
            await self._serving


@asynccontextmanager
async def agents_over_http(calls: Calls, *, served: bool = False) -> AsyncIterator[AgentsOverHttp]:
    """Serve agents at the port while the context is open; at that of a server if `served`."""
    agents = AgentsOverHttp(calls, served=served)
    try:
        yield agents
    finally:
        await agents.close()


def _over_streams() -> Any:
    with building():
        from contextd.surfaces.mcp_stream import serve_peer  # noqa: PLC0415 - 1.0 s, see above

    return serve_peer


def _over_http() -> Any:
    with building():
        from contextd.surfaces.mcp_http import managers  # noqa: PLC0415 - 1.0 s, see above

    return managers
