"""Long things done behind everybody's back, one after the other: a watch, the history of a repository."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from contextd.domain.errors import ContextdError

NAME = "preparations"
_MOST_WAITING = 100
"""Nothing of it is needed: what does not find room here is asked for again by the next call."""

_log = logging.getLogger(__name__)


class Preparations:
    """Each name waits once at most. `failed` is told of defects."""

    def __init__(self, failed: Callable[[str, BaseException], None]) -> None:
        self._failed = failed
        self._waiting: dict[str, Callable[[], object]] = {}
        self._lock = threading.Lock()
        self._wanted = threading.Event()

    def prepare(self, name: str, work: Callable[[], object]) -> None:
        """Do something in a while, unless the same already waits."""
        with self._lock:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.setdefault(name, work)
        self._wanted.set()

    def run_one(self) -> bool:
        """Do what has waited longest. False when nothing waits."""
        with self._lock:
            if not self._waiting:
                return False
            name = next(iter(self._waiting))
            work = self._waiting.pop(name)
        try:
            work()
        except ContextdError as error:
            _log.info("%s: %s", name, error.message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must be done
            _log.exception("%s failed", name)
            self._failed(NAME, error)
        return True

    def wake(self) -> None:
        """End the wait of `run`."""
        self._wanted.set()

    def run(self, stop: threading.Event) -> None:
        """Do what comes in until told to stop; what waits then is given up."""
        while not stop.is_set():
            if not self.run_one():
                self._wanted.wait()
                self._wanted.clear()
