"""Services: named loops that go on after a failure and report their state."""

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
from contextd_common.dataclass import dataclass

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 60.0
"""Seconds before a failed service is restarted: the first time, and at most."""

_log = logging.getLogger(__name__)


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
class Pauses:
    """How long to wait before a service that failed runs again."""

    next: float = FIRST_PAUSE

    def after(self, began: float) -> float:
        """Seconds to wait after a failed run that began at this time of the monotonic clock."""
        if time.monotonic() - began > LONGEST_PAUSE:
            self.next = FIRST_PAUSE
        pause, self.next = self.next, min(LONGEST_PAUSE, 2 * self.next)
        return pause


class ServiceStates:
    """The states of some services. Safe to use from any thread."""

    def __init__(self) -> None:
        self._states: dict[str, ServiceState] = {}
        self._lock = threading.Lock()

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

    def set_running(self, name: str, *, running: bool) -> None:
        """Record whether a service runs."""
        with self._lock:
            state = self._states.get(name, ServiceState(name))
            self._states[name] = replace(state, running=running)


class Supervisor(ServiceStates):
    """Runs services of an event loop and restarts those that fail.

    The pause before a restart doubles with each consecutive failure and is reset after a run longer than the
    longest pause.
    """

    async def keep(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run a service of an event loop until it returns; restart it when it fails."""
        pauses = Pauses()
        while True:
            with self._attempt(name) as attempt:
                await run()
            if attempt.succeeded:
                return
            await asyncio.sleep(pauses.after(attempt.began))

    @contextmanager
    def _attempt(self, name: str) -> Iterator[_Attempt]:
        """One run of a service: a failure is logged and does not propagate."""
        attempt = _Attempt()
        self.set_running(name, running=True)
        try:
            yield attempt
            attempt.succeeded = True
        except Exception as error:  # noqa: BLE001 - whatever it is, the service must go on
            _log.exception("service %s failed and is restarted", name)
            self.note(name, error)
        finally:
            self.set_running(name, running=False)
