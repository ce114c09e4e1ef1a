"""The loopback port: it listens from the start, and HTTP is imported on the first connection."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from anyio import to_thread

from contextd.runtime.gc_pause import building
from contextd.runtime.settings import Settings
from contextd.surfaces.calls import Calls
from contextd.surfaces.web.access import Access

logger = logging.getLogger(__name__)

FIRST_PORT = 7433
_PORT_FILE = "port"


@contextlib.asynccontextmanager
async def open_port(
    calls: Calls, token: str, settings: Settings, access: Access
) -> AsyncIterator[int | None]:
    """Serve on 127.0.0.1 and yield the port; `None` if the chosen port is taken."""
    listener = _listen(settings.home, settings.number("daemon.port"))
    if listener is None:
        yield None
        return
    stop = asyncio.Event()

    async def serve() -> None:
        if await _knock(listener, stop):
            serve_http = await to_thread.run_sync(_http)
            await serve_http(listener, stop, calls, token, settings.text("mcp.profile"), access)

    serving = asyncio.create_task(calls.services.keep("port", serve))
    try:
        yield listener.getsockname()[1]
    finally:
        stop.set()
        await serving
        listener.close()


async def _knock(listener: socket.socket, stop: asyncio.Event) -> bool:
    """Wait for the first connection; false if the daemon stops first."""
    if sys.platform == "win32":
        # Its event loop cannot watch a socket.
        return True
    woken = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(listener, woken.set)
    waits = [asyncio.create_task(event.wait()) for event in (woken, stop)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        loop.remove_reader(listener)
        for wait in waits:
            wait.cancel()
    return not stop.is_set()


def _http() -> Any:
    # Starlette and uvicorn take 0.2 s of CPU; most daemons only ever hear their socket.
    with building():
        from contextd.surfaces.http import serve_http  # noqa: PLC0415

    return serve_http


def _listen(home: Path, wanted: int) -> socket.socket | None:
    """A listening socket on the wanted port. Without a wanted port the previous one is used, so that bookmarks
    keep working; two homes use one each.
    """
    if wanted:
        listener = loopback_listener(wanted)
        if listener is None:
            logger.warning("port %d cannot be used, there is no HTTP", wanted)
        return listener
    memory = home / _PORT_FILE
    listener = next(
        filter(None, map(loopback_listener, (_remembered(memory), FIRST_PORT, 0))), None
    )
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


def loopback_listener(port: int) -> socket.socket | None:
    """A listening socket on 127.0.0.1, on any free port for 0; `None` if that port is taken."""
    # asyncio turns Nagle's algorithm off only for a socket that names its protocol; without that each answer
    # on a connection in use waits 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":
        # On Windows the option would let two programs share a port; here it only skips the wait after a close.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        # Before the port is published: early clients wait in the queue.
        listener.listen(128)
    except OSError as error:
        logger.info("port %d cannot be used: %s", port, error)
        listener.close()
        return None
    listener.setblocking(False)
    return listener
