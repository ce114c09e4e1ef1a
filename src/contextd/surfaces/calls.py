"""Calls from the event loop to the backend, which is opened on demand and called in worker threads."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import field
from typing import Any

from anyio import CapacityLimiter, from_thread, to_thread

from contextd.domain.access import Caller
from contextd.domain.scope import Scope
from contextd.runtime.doors import Door, Surface
from contextd.runtime.operation import OPERATIONS, Answer, Operation
from contextd.runtime.runtime import Request
from contextd.runtime.supervision import Supervisor
from contextd.surfaces.backend import Backend
from contextd.thin.home import home_directory, home_problem
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Unavailable

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 2.0
_HOOKS, _HOOKS_OF_A_FOLDER = 8, 2
"""How many hooks run at once, of all folders and of one: a folder whose disk or git hangs leaves threads to the
others.
"""

_GATHERING_SECONDS = 0.5
"""How long changes are collected before watchers are notified: a scan makes hundreds in a row."""


@dataclass(slots=True)
class _Turns:
    """The hooks of a folder: who may run, and how many run or wait."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_HOOKS_OF_A_FOLDER))
    users: int = 0


@dataclass(slots=True)
class Peer:
    """The client at the other end of a connection.

    `connection` names a conversation, across restarts of this process too; it is empty for a single
    request. `process` is the client's process, `client_sessions` are the client's names of the session that
    makes the call, `repeats` are the ids of requests that were running when the conversation was interrupted.
    `credential` is the bearer token it presented; `caller` is known where the door was asked for this request already.
    """

    surface: Surface
    credential: str = ""
    caller: Caller | None = None
    cwd: str = ""
    client: str = ""
    project: str = ""
    connection: str = ""
    process: int = 0
    client_sessions: tuple[str, ...] = ()
    repeats: frozenset[str | int] = frozenset()

    def request(
        self, door: Door, operation: str, arguments: Mapping[str, Any], call: Call | None
    ) -> Request:
        """The request for a call of this peer, whom `door` identifies. Raises `Denied`."""
        caller = self.caller or door.caller(self.surface, self.credential)
        key = call.key(caller, operation, arguments) if call is not None else ""
        return Request(
            surface=self.surface,
            caller=caller,
            cwd=self.cwd,
            project=self.project,
            client=self.client,
            connection=self.connection,
            process=self.process,
            client_sessions=self.client_sessions,
            key=key,
            repeated=call is not None and call.repeated,
        )


@dataclass(frozen=True, slots=True)
class Call:
    """The identity of a call, with which it can be repeated if its answer was lost: the conversation and the
    call's number there. `repeated` means that it may be a repetition. A call of a command line is identified by
    its `line`, because a repeated line may have computed other arguments meanwhile.
    """

    conversation: str
    number: str | int
    repeated: bool = False
    line: tuple[str, ...] | None = None

    def key(self, caller: Caller, operation: str, arguments: Mapping[str, Any]) -> str:
        """A digest of all fields. It includes the arguments: if a client uses a number for two calls, the
        second must not count as the first.
        """
        parts: list[Any] = [caller.org, caller.name, self.conversation, self.number, operation]
        parts.append(arguments if self.line is None else list(self.line))
        text = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=20).hexdigest()


CallNow = Callable[[Peer, str, Mapping[str, Any], Call | None], Answer]
"""Runs an operation in the calling thread. Raises `ContextdError`."""


Measure = Callable[[str, str, str, float], None]
"""Is told operation, surface, outcome and seconds of each call."""


class Calls:
    """Calls into a backend from an event loop.

    `load` fills the table of operations before its first use. The first call that needs the backend opens
    it. If that fails, every call returns the error, and opening is retried after two seconds at the earliest,
    so fixing the cause is enough. `services` are those of the surfaces; the health report includes them. Callers of a
    server are not `on_machine`.
    """

    def __init__(
        self,
        open_backend: Callable[[], Backend],
        workers: int,
        load: Callable[[], None] | None = None,
        *,
        on_machine: bool = True,
        measure: Measure | None = None,
    ) -> None:
        self._on_machine, self._measure = on_machine, measure
        self._open_backend = open_backend
        self._load = load
        self._loading = asyncio.Lock()
        self._backend: Backend | None = None
        self._failed: tuple[float, ContextdError] | None = None
        self._opening = asyncio.Lock()
        self._workers = CapacityLimiter(workers)
        # Hooks have a deadline and must not queue behind long calls.
        self._hook_workers = CapacityLimiter(_HOOKS)
        self._hooks_of: dict[str, _Turns] = {}
        self.services = Supervisor()
        self._warming: asyncio.Task[None] | None = None
        self._running = 0
        self._count = threading.Lock()
        self.touched_at = time.monotonic()
        self._watchers: dict[object, Callable[[frozenset[Scope]], None]] = {}
        self._changed: set[Scope] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_open(self) -> bool:
        """Whether the backend can be called without waiting for it to open."""
        return self._backend is not None

    @property
    def failure(self) -> ContextdError | None:
        """The error of the last attempt to open the backend; None if it is open or was not tried."""
        return self._failed[1] if self._failed and self._backend is None else None

    def offered(self) -> list[Operation]:
        """The operations that can be called here; the table must be filled."""
        return [
            op
            for op in OPERATIONS.values()
            if ("server" not in op.needs if self._on_machine else op.served)
        ]

    async def operations(self) -> None:
        """Wait until the table of operations is filled; that needs no backend."""
        async with self._loading:
            if self._load is not None:
                await to_thread.run_sync(self._load)
                self._load = None

    async def backend(self) -> Backend:
        """The backend. Raises the `ContextdError` that prevents opening it."""
        await self.operations()
        async with self._opening:
            if self._backend is None:
                if self._failed and time.monotonic() - self._failed[0] < _RETRY_SECONDS:
                    raise self._failed[1]
                try:
                    self._backend = await to_thread.run_sync(self._open_backend)
                except ContextdError as error:
                    self._failed = (time.monotonic(), error)
                    raise
                except Exception as error:
                    logger.exception("contextd could not open")
                    problem, advice = home_problem(home_directory(), error)
                    unavailable = Unavailable(
                        problem or f"contextd could not open: {error}", advice or "see its log"
                    )
                    self._failed = (time.monotonic(), unavailable)
                    raise unavailable from error
                self._loop = asyncio.get_running_loop()
                self._backend.watch(self._note_change)
            return self._backend

    def watch(self, watcher: Callable[[frozenset[Scope]], None]) -> Callable[[], None]:
        """Call `watcher` on the event loop with the changed scopes, collected over half a second, until the
        returned function is called.
        """
        ticket = object()
        self._watchers[ticket] = watcher

        def forget() -> None:
            self._watchers.pop(ticket, None)

        return forget

    def _note_change(self, scope: Scope) -> None:
        if self._watchers and self._loop is not None:
            # The loop may be closed already, while the last jobs finish.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._gather, scope)

    def _gather(self, scope: Scope) -> None:
        if not self._changed and self._loop is not None:
            self._loop.call_later(_GATHERING_SECONDS, self._tell)
        self._changed.add(scope)

    def _tell(self) -> None:
        scopes, self._changed = frozenset(self._changed), set()
        for watcher in list(self._watchers.values()):
            watcher(scopes)

    async def call(
        self,
        peer: Peer,
        name: str,
        arguments: Mapping[str, Any],
        call: Call | None = None,
    ) -> Answer:
        """Run one operation for `peer`; with `call`, as one that may be repeated. Raises `ContextdError`.

        A cancelled caller stops waiting; the operation itself is finished.
        """
        backend = await self.backend()
        request = peer.request(backend.door, name, arguments, call)

        def run() -> Answer:
            return backend.call(name, request, arguments)

        began, outcome = time.monotonic(), "internal"
        answer: Answer
        try:
            if peer.surface == "hook":
                async with self._turn_of(peer.cwd):
                    answer = await self._in_thread(run, limiter=self._hook_workers)
            else:
                answer = await self._in_thread(run)
            outcome = "done"
        except ContextdError as error:
            outcome = error.code
            raise
        finally:
            if self._measure is not None:
                self._measure(name, peer.surface, outcome, time.monotonic() - began)
        return answer

    @asynccontextmanager
    async def _turn_of(self, folder: str) -> AsyncIterator[None]:
        """Wait until few enough hooks of a folder are running."""
        turns = self._hooks_of.setdefault(folder, _Turns())
        turns.users += 1
        try:
            async with turns.free:
                yield
        finally:
            turns.users -= 1
            if not turns.users:
                self._hooks_of.pop(folder, None)

    async def run(self, work: Callable[[CallNow], Any]) -> Any:
        """Run `work` in a worker thread and return its result. It gets a function that calls operations; the
        first call opens the backend.
        """

        def call(peer: Peer, name: str, arguments: Mapping[str, Any], call: Call | None) -> Answer:
            backend = self._backend or from_thread.run(self.backend)
            request = peer.request(backend.door, name, arguments, call)
            return backend.call(name, request, arguments)

        return await self._in_thread(lambda: work(call))

    async def call_if_known(self, peer: Peer, name: str, arguments: Mapping[str, Any]) -> None:
        """Run an operation that may not exist, for its effect; errors are only logged."""
        if name not in OPERATIONS or self._backend is None:
            return
        try:
            await self.call(peer, name, arguments)
        except ContextdError as error:
            logger.warning("%s: %s", name, error.message)

    async def health(self) -> dict[str, Any]:
        """The backend's health, with the state of the surfaces' services."""
        backend = await self.backend()
        health: dict[str, Any] = await self._in_thread(backend.health)
        mine = self.services.states()
        health["services"] = {
            **health.get("services", {}),
            **{state.name: state.as_dict() for state in mine},
        }
        health["problems"] = [*health.get("problems", []), *(s.problem for s in mine if s.problem)]
        return health

    async def wake(self) -> None:
        """Make the backend check for work that another process added."""
        if self._backend is not None:
            await self._in_thread(self._backend.wake, count=False)

    def warm(self) -> None:
        """Load in the background, once, what searches need: an agent has connected and will search."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        try:
            backend = await self.backend()
        except ContextdError:
            # The next agent retries it.
            self._warming = None
            return
        await self._in_thread(backend.warm, count=False)

    async def idle(self) -> bool:
        """Whether no call is running and no job is due."""
        if self._running:
            return False
        return self._backend is None or bool(await self._in_thread(self._backend.idle, count=False))

    async def drained(self, seconds: float) -> bool:
        """Wait for running calls; false if some still run after `seconds`."""
        deadline = time.monotonic() + seconds
        while self._running and time.monotonic() < deadline:  # noqa: ASYNC110  threads end outside the loop
            await asyncio.sleep(0.01)
        return not self._running

    async def close(self) -> None:
        """Close the backend, if it was opened."""
        async with self._opening:
            if self._backend is not None:
                await to_thread.run_sync(self._backend.close)
                self._backend = None

    async def _in_thread(
        self,
        run: Callable[[], Any],
        *,
        limiter: CapacityLimiter | None = None,
        count: bool = True,
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

        return await to_thread.run_sync(
            counted if count else run, abandon_on_cancel=True, limiter=limiter or self._workers
        )
