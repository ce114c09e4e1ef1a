"""The background threads of a process, which all organisations share in turn."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping

from contextd.runtime.supervision import Pauses, ServiceState, ServiceStates
from contextd_common.errors import ContextdError

Step = Callable[[], float | None]
"""Does a piece of work; returns the seconds until there is more, None if only `wake` tells."""

_SOON = 1.0
"""Work that is due within this many seconds counts as waiting: the owner is not at rest."""

_RETRY_SECONDS = 2.0

_log = logging.getLogger(__name__)


def lasting(step: Step) -> Step:
    """The same step, which comes again in two seconds when the store or something else could not be used."""

    def tried() -> float | None:
        try:
            return step()
        except ContextdError as error:
            _log.warning("%s; %s", error.message, error.hint)
            return _RETRY_SECONDS

    return tried


class _Duty:
    """A recurring piece of one owner's work, in one thread at a time."""

    def __init__(self, crew: _Crew, name: str, step: Step, states: ServiceStates) -> None:
        self.crew, self.name, self._step, self._states = crew, name, step, states
        self._pauses = Pauses()
        self.due: float | None = None
        self.entry = 0
        self.running = self.ended = False

    def run(self) -> float | None:
        """Do a step; return the seconds until the next one. A failure is logged, counted and pauses it."""
        began = time.monotonic()
        try:
            again = self._step()
        except Exception as error:  # noqa: BLE001 - whatever it is, the threads serve the others
            _log.exception("service %s failed and runs again", self.name)
            self._states.note(self.name, error)
            return self._pauses.after(began)
        self._pauses = Pauses()
        return again


class _Crew:
    """Some threads, and the duties that are due in them. What has been due longest runs first, and a duty is due
    again only after its step: so owners take turns, whatever each of them has to do.
    """

    def __init__(self, name: str, size: int) -> None:
        self._name, self._size = name, size
        self._lock = threading.Lock()
        self._changed, self._ended = (
            threading.Condition(self._lock),
            threading.Condition(self._lock),
        )
        self._waiting: list[tuple[float, int, _Duty]] = []
        self._numbers = itertools.count(1)
        self._threads: list[threading.Thread] = []
        self._idle, self._closed = 0, False

    def plan(self, duty: _Duty, after: float) -> None:
        """Make a duty due in this many seconds, unless it is due earlier."""
        due = time.monotonic() + after
        with self._lock:
            if duty.ended or self._closed or (duty.due is not None and duty.due <= due):
                return
            duty.due = due
            if not duty.running:
                self._push(duty, due)

    def _push(self, duty: _Duty, due: float) -> None:
        duty.entry = next(self._numbers)
        heapq.heappush(self._waiting, (due, duty.entry, duty))
        self._call_one()

    def _call_one(self) -> None:
        """Make an idle thread look, or start one while there may be more."""
        if self._idle:
            self._changed.notify()
        elif len(self._threads) < self._size:
            thread = threading.Thread(
                target=self._work, name=f"{self._name} {len(self._threads) + 1}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (duty := self._next()) is not None:
            again = duty.run()
            now = time.monotonic()
            with self._lock:
                duty.running = False
                if again is not None and (duty.due is None or now + again < duty.due):
                    duty.due = now + again
                if duty.due is not None and not duty.ended:
                    self._push(duty, duty.due)
                self._ended.notify_all()

    def _next(self) -> _Duty | None:
        """The duty that has been due longest, when there is one; None once the crew is closed."""
        with self._lock:
            while not self._closed:
                pause = self._until_due()
                if pause is not None and pause <= 0:
                    duty = heapq.heappop(self._waiting)[2]
                    duty.running, duty.due = True, None
                    if self._waiting:
                        self._call_one()
                    return duty
                self._idle += 1
                self._changed.wait(pause)
                self._idle -= 1
            return None

    def _until_due(self) -> float | None:
        """Seconds until the first duty is due, after dropping entries of duties that were planned again."""
        while self._waiting:
            due, entry, duty = self._waiting[0]
            if entry == duty.entry and not duty.ended and not duty.running:
                return due - time.monotonic()
            heapq.heappop(self._waiting)
        return None

    def end(self, duty: _Duty, until: float) -> bool:
        """Run a duty no more; return whether its running step ended in time."""
        with self._lock:
            duty.ended = True
            while duty.running and (left := until - time.monotonic()) > 0:
                self._ended.wait(left)
            return not duty.running

    def at_rest(self, duty: _Duty) -> bool:
        """Whether a duty neither runs nor is about to."""
        with self._lock:
            soon = duty.due is not None and duty.due - time.monotonic() < _SOON
            return not duty.running and not soon

    def close(self, until: float) -> None:
        """End the threads. A running step goes on, but nothing follows it."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))


class WorkPool:
    """The threads of a process: for each crew by name so many, started when they are needed first."""

    def __init__(self, crews: Mapping[str, int]) -> None:
        self._crews = {name: _Crew(name, size) for name, size in crews.items()}

    def crew(self, name: str) -> _Crew:
        """The crew of this name."""
        return self._crews[name]

    def close(self, timeout: float = 5.0) -> None:
        """End all threads. Owners closed their duties before."""
        until = time.monotonic() + timeout
        for crew in self._crews.values():
            crew.close(until)


class Background:
    """One owner's duties in a pool, by name, and their states."""

    def __init__(self, pool: WorkPool) -> None:
        self._pool = pool
        self._duties: dict[str, _Duty] = {}
        self._states = ServiceStates()
        self.note = self._states.note

    def add(self, crew: str, name: str, step: Step) -> None:
        """Add a duty, which runs when it is woken."""
        self._duties[name] = _Duty(self._pool.crew(crew), name, step, self._states)
        self._states.set_running(name, running=True)

    def wake(self, name: str, after: float = 0.0) -> None:
        """Let a duty run in this many seconds, or earlier if it is due earlier; ignore one that was not added."""
        duty = self._duties.get(name)
        if duty is not None:
            duty.crew.plan(duty, after)

    def at_rest(self) -> bool:
        """Whether no duty runs or is about to."""
        return all(duty.crew.at_rest(duty) for duty in self._duties.values())

    def states(self) -> list[ServiceState]:
        """The state of each duty, by name."""
        return self._states.states()

    def close(self, timeout: float = 20.0) -> list[str]:
        """Run nothing more; return the names of the duties whose step did not end within this many seconds."""
        until = time.monotonic() + timeout
        return [name for name, duty in self._duties.items() if not self._end(duty, until)]

    def _end(self, duty: _Duty, until: float) -> bool:
        self._states.set_running(duty.name, running=False)
        return duty.crew.end(duty, until)
