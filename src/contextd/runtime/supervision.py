"""Supervised services: named loops that are restarted on failure and report their state."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any

from contextd.domain.time import iso
from contextd_code.dataclass import dataclass

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 60.0
"""Seconds before a failed service is restarted: the first time, and at most."""

_log = logging.getLogger(__name__)

Run = Callable[[threading.Event], None]
"""Runs until the event is set. It may return earlier only if there will never be more to do."""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of a service. `failures` counts since the start; the last one is reported with its time."""

    name: str
    running: bool = False
    failures: int = 0
    last_error: str = ""
    last_failed_at: datetime | None = None

    @property
    def problem(self) -> str:
        """The health problem of a failed service; empty for others."""
        if not self.failures:
            return ""
        times = "once" if self.failures == 1 else f"{self.failures} times"
        return f"service {self.name} failed {times}: {self.last_error}"

    def as_dict(self) -> dict[str, Any]:
        """Its state as health shows it."""
        shown: dict[str, Any] = {"running": self.running, "failures": self.failures}
        if self.last_failed_at is not None:
            shown |= {"last_error": self.last_error, "last_failed_at": iso(self.last_failed_at)}
        return shown


@dataclass(slots=True)
class _Attempt:
    """One run of a service."""

    began: float = field(default_factory=time.monotonic)
    succeeded: bool = False


@dataclass(slots=True)
class _Pauses:
    """How long to wait before a service is restarted."""

    next: float = FIRST_PAUSE

    def after(self, failed: _Attempt) -> float:
        """Seconds to wait after a failed attempt."""
        if time.monotonic() - failed.began > LONGEST_PAUSE:
            self.next = FIRST_PAUSE
        pause, self.next = self.next, min(LONGEST_PAUSE, 2 * self.next)
        return pause


class Supervisor:
    """Runs services in threads of their own and restarts those that fail.

    The pause before a restart doubles with each consecutive failure and is reset after a run longer than the
    longest pause.
    """

    def __init__(self) -> None:
        self._services: dict[str, tuple[Run, Callable[[], None]]] = {}
        self._states: dict[str, ServiceState] = {}
        self._threads: list[threading.Thread] = []
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def add(self, name: str, run: Run, wake: Callable[[], None] = lambda: None) -> None:
        """Add a service by name. `wake` interrupts its waiting, so that it notices the stop event."""
        self._services[name] = (run, wake)
        self._states[name] = ServiceState(name)

    def start(self) -> None:
        """Start all added services that are not running."""
        running = {thread.name for thread in self._threads}
        for name in self._services.keys() - running:
            thread = threading.Thread(target=self._keep, args=(name,), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def note(self, name: str, error: BaseException) -> None:
        """Count a failure that a service recovered from by itself."""
        with self._lock:
            state = self._states.get(name, ServiceState(name))
            self._states[name] = replace(
                state,
                failures=state.failures + 1,
                last_error=f"{type(error).__name__}: {error}",
                last_failed_at=datetime.now(UTC),
            )

    def states(self) -> list[ServiceState]:
        """The state of every service, by name."""
        with self._lock:
            return [self._states[name] for name in sorted(self._states)]

    def close(self, timeout: float = 20.0) -> list[str]:
        """Stop all services and wait up to this many seconds; return the names of those that did not end."""
        deadline = time.monotonic() + timeout
        self._stop.set()
        for _, wake in self._services.values():
            wake()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return [thread.name for thread in self._threads if thread.is_alive()]

    def _keep(self, name: str) -> None:
        run, _ = self._services[name]
        pauses = _Pauses()
        while not self._stop.is_set():
            with self._attempt(name) as attempt:
                run(self._stop)
            if attempt.succeeded:
                return
            self._stop.wait(pauses.after(attempt))

    async def keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run a service of an event loop until it returns; restart it when it fails."""
        pauses = _Pauses()
        while True:
            with self._attempt(name) as attempt:
                await run()
            if attempt.succeeded:
                return
            await asyncio.sleep(pauses.after(attempt))

    @contextmanager
    def _attempt(self, name: str) -> Iterator[_Attempt]:
        """One run of a service: a failure is logged and does not propagate."""
        attempt = _Attempt()
        self._set_running(name, running=True)
        try:
            yield attempt
            attempt.succeeded = True
        except Exception as error:  # noqa: BLE001 - whatever it is, the service must go on
            _log.exception("service %s failed and is restarted", name)
            self.note(name, error)
        finally:
            self._set_running(name, running=False)

    def _set_running(self, name: str, *, running: bool) -> None:
        with self._lock:
            state = self._states.get(name, ServiceState(name))
            self._states[name] = replace(state, running=running)
