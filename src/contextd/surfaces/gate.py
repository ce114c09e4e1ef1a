"""The way from the event loop to the host: opened on demand, called in worker threads."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from anyio import CapacityLimiter, to_thread

from contextd.domain.errors import ContextdError, Unavailable
from contextd.domain.records import new_id
from contextd.operations.core import OPERATIONS, Answer
from contextd.runtime import Surface
from contextd.surfaces.host import Host

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 2.0
_SESSION_OPENERS = ("session_start", "session_resume")


@dataclass(slots=True)
class Peer:
    """Who is on the other end of a connection, and which session it is in.

    `session` is a hint for operations: an id once the peer opened a session, before that
    `connection:<id>` on connections that last and empty on those that do not.
    """

    surface: Surface
    cwd: str = ""
    client: str = ""
    project: str = ""
    session: str = ""
    connection: str = field(default_factory=new_id)

    def note(self, operation: str, value: Any) -> None:
        """Follow the session that a call opened or ended."""
        if not self.session:
            return
        if operation in _SESSION_OPENERS and isinstance(value, Mapping) and value.get("session_id"):
            self.session = str(value["session_id"])
        elif operation == "session_end":
            self.session = f"connection:{self.connection}"


class Gate:
    """Calls into a host from an event loop.

    `load` fills the table of operations before anything asks for it. The host is opened by the first call that needs it. When that fails every call answers with the
    error, and opening is tried again two seconds later at the earliest, so a mended cause is enough.
    """

    def __init__(
        self, open_host: Callable[[], Host], workers: int, load: Callable[[], None] | None = None
    ) -> None:
        self._open_host = open_host
        self._load = load
        self._loading = asyncio.Lock()
        self._host: Host | None = None
        self._failed: tuple[float, ContextdError] | None = None
        self._opening = asyncio.Lock()
        self._workers = CapacityLimiter(workers)
        # Hooks have a deadline and must not queue behind long calls.
        self._hook_workers = CapacityLimiter(2)
        self._running = 0
        self._count = threading.Lock()
        self.touched_at = time.monotonic()

    @property
    def is_open(self) -> bool:
        """Whether the host can be called without waiting for it to open."""
        return self._host is not None

    @property
    def failure(self) -> ContextdError | None:
        """Why the host could not be opened when that was tried last; None when it is open or was not
        tried.
        """
        return self._failed[1] if self._failed and self._host is None else None

    async def operations(self) -> None:
        """Return once the table of operations is filled; that needs no host."""
        async with self._loading:
            if self._load is not None:
                await to_thread.run_sync(self._load)
                self._load = None

    async def host(self) -> Host:
        """The host. Raises the `ContextdError` that keeps it from opening."""
        await self.operations()
        async with self._opening:
            if self._host is None:
                if self._failed and time.monotonic() - self._failed[0] < _RETRY_SECONDS:
                    raise self._failed[1]
                try:
                    self._host = await to_thread.run_sync(self._open_host)
                except ContextdError as error:
                    self._failed = (time.monotonic(), error)
                    raise
                except Exception as error:
                    logger.exception("contextd could not open")
                    unavailable = Unavailable(f"contextd could not open: {error}", "see its log")
                    self._failed = (time.monotonic(), unavailable)
                    raise unavailable from error
            return self._host

    async def call(
        self, peer: Peer, name: str, arguments: Mapping[str, Any], project: str = ""
    ) -> Answer:
        """Run one operation for `peer`. Raises `ContextdError`.

        A cancelled caller stops waiting; the operation itself is finished.
        """
        host = await self.host()

        def run() -> Answer:
            runtime = host.runtime(
                peer.surface,
                cwd=peer.cwd,
                client=peer.client,
                session_hint=peer.session,
                project=project or peer.project,
            )
            return host.call(name, runtime, arguments)

        answer: Answer = await self._in_thread(run, hook=peer.surface == "hook")
        peer.note(name, answer.value)
        return answer

    async def call_if_known(self, peer: Peer, name: str, arguments: Mapping[str, Any]) -> None:
        """Run an operation that may not exist, for its effect; an error is only logged."""
        if name not in OPERATIONS or self._host is None:
            return
        try:
            await self.call(peer, name, arguments)
        except ContextdError as error:
            logger.warning("%s: %s", name, error.message)

    async def health(self) -> dict[str, Any]:
        """What the host says about itself."""
        host = await self.host()
        health: dict[str, Any] = await self._in_thread(host.health)
        return health

    async def idle(self) -> bool:
        """Whether nothing runs and nothing is due."""
        if self._running:
            return False
        return self._host is None or bool(await self._in_thread(self._host.idle, count=False))

    async def drained(self, seconds: float) -> bool:
        """Wait for running calls; false when some still run after `seconds`."""
        deadline = time.monotonic() + seconds
        while self._running and time.monotonic() < deadline:  # noqa: ASYNC110  threads end outside the loop
            await asyncio.sleep(0.01)
        return not self._running

    async def close(self) -> None:
        """Close the host, if it was opened."""
        async with self._opening:
            if self._host is not None:
                await to_thread.run_sync(self._host.close)
                self._host = None

    async def _in_thread(
        self, run: Callable[[], Any], *, hook: bool = False, count: bool = True
    ) -> Any:
        def counted() -> Any:
            with self._count:
                self._running += 1
            try:
                return run()
            finally:
                with self._count:
                    self._running -= 1
                self.touched_at = time.monotonic()

        limiter = self._hook_workers if hook else self._workers
        return await to_thread.run_sync(
            counted if count else run, abandon_on_cancel=True, limiter=limiter
        )
