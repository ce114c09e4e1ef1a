"""The life cycle of the daemon: one per home, from the first client to the last.

The socket listens before anything heavy is imported, so early clients simply wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextd import __version__
from contextd.runtime.gc_pause import building
from contextd.runtime.settings import Settings
from contextd.surfaces.web.access import Access
from contextd.thin import spool
from contextd.thin.home import token_path
from contextd.thin.spawn import HomeClaim, claim_home
from contextd_common.errors import ContextdError

if TYPE_CHECKING:
    from contextd.surfaces.backend import Backend
    from contextd.surfaces.calls import Calls
    from contextd.surfaces.command_lines import RunLine
    from contextd.surfaces.connections import Connections

logger = logging.getLogger(__name__)

_FINISH_SECONDS = 10.0
_PROGRAM_SECONDS = 2.0
"""How long a program such as git may keep a stopping daemon: some wait for a pipe or a dead disk forever."""

_SHORTEST_IDLE = 2.0
_REACHABLE_SECONDS = 1.0
"""How often the daemon looks for its socket, two calls of `stat`: clients wait two seconds without a word."""

_LONGEST_TICK = 5.0
_SPOOL_SECONDS = 5.0
_ACCEPTED_AT_ONCE, _QUEUE = 128, 1024


def serve(
    open_backend: Callable[[], Backend],
    settings: Settings,
    *,
    load: Callable[[], None] | None = None,
    claim: HomeClaim | None = None,
    ready: Callable[[dict[str, Any]], None] | None = None,
    run_line: RunLine | None = None,
) -> int:
    """Run the daemon of `settings.home` until it is stopped or idle for long enough.

    `load` fills the table of operations, in a thread, while clients can already connect. Returns 0, at once
    and silently if another daemon has the home. `claim` is a home that this process already owns; `ready` is
    called with the published facts once clients are served; `run_line` runs command lines from the socket.
    Raises `OSError` if the home cannot be written.
    """
    claim = claim or claim_home(settings.home)
    if claim is None:
        return 0
    try:
        claim.publish(version=__version__, hooks_deadline_ms=settings.number("hooks.deadline_ms"))
        # 0.3 s of imports, paid after the socket listens.
        with building():
            from contextd.surfaces.calls import Calls  # noqa: PLC0415
            from contextd.surfaces.connections import Connections  # noqa: PLC0415

        async def run() -> None:
            calls = Calls(open_backend, settings.number("daemon.workers"), load)
            await _Daemon(claim, settings, calls, Connections, run_line).run(ready)

        asyncio.run(run())
    finally:
        claim.release()
    return 0


def api_token(home: Path) -> str:
    """The token of the loopback port, created once; readable by its owner only."""
    path = token_path(home)
    with contextlib.suppress(FileNotFoundError):
        token = path.read_text("utf-8").strip()
        if len(token) >= 32:
            return token
    token = secrets.token_urlsafe(32)
    fresh = path.with_suffix(".tmp")
    fresh.touch(mode=0o600)
    fresh.chmod(0o600)
    fresh.write_text(token + "\n", "utf-8")
    fresh.replace(path)
    return token


class _Daemon:
    def __init__(
        self,
        claim: HomeClaim,
        settings: Settings,
        calls: Calls,
        connections: type[Connections],
        run_line: RunLine | None,
    ) -> None:
        self._claim = claim
        self._settings = settings
        self._calls = calls
        self._stopping = asyncio.Event()
        self._token = api_token(settings.home)
        self._facts: dict[str, Any] = {
            "pid": os.getpid(),
            "version": __version__,
            "hooks_deadline_ms": settings.number("hooks.deadline_ms"),
        }
        self._access = Access(home=str(settings.home))
        self._connections = connections(
            calls,
            settings.text("mcp.profile"),
            self._token,
            self._facts,
            self._stopping.set,
            settings.home,
            self._access,
            run_line,
        )

    async def run(self, ready: Callable[[dict[str, Any]], None] | None) -> None:
        """Serve until stopped, then finish running calls."""
        from contextd.surfaces.port import open_port  # noqa: PLC0415  anyio, after the socket

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            # Not on Windows, and only in a main thread.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._stopping.set)
        self._server = await self._listen()
        keep = self._calls.services.keep
        background = [
            asyncio.create_task(keep("spool", self._take_in)),
            asyncio.create_task(keep("daemon", self._watch)),
            asyncio.create_task(keep("socket", self._stay_reachable)),
        ]
        try:
            async with open_port(self._calls, self._token, self._settings, self._access) as port:
                self._facts["port"] = port
                self._claim.publish(**self._facts)
                logger.info(
                    "contextd %s serves %s on port %d", __version__, self._settings.home, port
                )
                if ready:
                    ready(self._facts)
                await self._stopping.wait()
                logger.info("stopping")
                self._server.close()
                self._claim.withdraw()
                await self._finish()
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            await self._close()
            logger.info("stopped")

    async def _listen(self) -> asyncio.Server:
        start = asyncio.start_server if sys.platform == "win32" else asyncio.start_unix_server
        server = await start(
            self._connections.accept,
            sock=self._claim.listener,
            # Connections accepted in a row before anything else runs: each uses a descriptor.
            backlog=_ACCEPTED_AT_ONCE,
        )
        # A client that finds the queue full is refused at once, regardless of its timeout.
        self._claim.listener.listen(_QUEUE)
        return server

    async def _finish(self) -> None:
        if not await self._calls.drained(_FINISH_SECONDS):
            logger.warning("calls still running after %g s are left behind", _FINISH_SECONDS)
        await self._connections.close()

    async def _close(self) -> None:
        """Close the backend, and end the programs that its last calls and jobs wait for."""
        from contextd_code.processes import end_all  # noqa: PLC0415  see `serve`

        closing = asyncio.create_task(self._calls.close())
        while not (await asyncio.wait({closing}, timeout=_PROGRAM_SECONDS))[0]:
            end_all()
        await closing

    async def _take_in(self) -> None:
        """Open the backend early, and record the events in the spool."""
        try:
            await self._calls.backend()
        except ContextdError as error:
            logger.error("not open yet: %s; %s", error.message, error.hint)
        spool.take_unknown(self._settings.home)
        while not self._stopping.is_set():
            await self._connections.ingest_spool()
            await asyncio.sleep(_SPOOL_SECONDS)

    async def _stay_reachable(self) -> None:
        """Open the socket again when it was deleted: else every client would wait for a daemon that runs."""
        while not self._stopping.is_set():
            if self._claim.unreachable and not self._claim.lost:
                self._server.close()
                try:
                    self._claim.listen_again()
                    self._server = await self._listen()
                    logger.warning("the socket was deleted; a new one is open")
                except OSError as problem:
                    # Whoever deletes it may do so again at once, or put something else in its place.
                    logger.warning("the socket was deleted, and no new one opens yet: %s", problem)
            await asyncio.sleep(_REACHABLE_SECONDS)

    async def _watch(self) -> None:
        """Stop if the daemon is idle, or its home was deleted and writes would be lost."""
        limit = max(self._settings.number("daemon.idle_minutes") * 60.0, _SHORTEST_IDLE)
        while not self._stopping.is_set():
            if self._claim.lost:
                logger.error("%s was deleted under its daemon", self._settings.home)
                self._stopping.set()
                return
            quiet = time.monotonic() - max(self._calls.touched_at, self._connections.left_at)
            if not self._connections.clients and quiet > limit and await self._calls.idle():
                logger.info("idle for %d s", quiet)
                self._stopping.set()
                return
            await asyncio.sleep(min(_LONGEST_TICK, limit / 4))
