"""Long things done behind everybody's back, one after the other: a watch, the history of a repository."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable

from contextd.domain.errors import ContextdError

NAME = "preparations"
_MOST_WAITING = 100
"""Nothing of it is needed: what does not find room here is asked for again by the next call."""

_log = logging.getLogger(__name__)


class Preparations:
    """The same work for the same owner waits once at most. `failed` is told of defects."""

    def __init__(self, failed: Callable[[str, BaseException], None]) -> None:
        self._failed = failed
        self._waiting: dict[tuple[str, Hashable], Callable[[], object]] = {}
        self._busy = False
        self._lock = threading.Lock()
        self._wanted = threading.Event()

    def prepare(self, name: str, owner: Hashable, work: Callable[[], object]) -> None:
        """Do something for an owner in a while, unless the same already waits. What concerns one
        checkout or project must say so: another's would be taken for the same.
        """
        with self._lock:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.setdefault((name, owner), work)
        self._wanted.set()

    def run_one(self) -> bool:
        """Do what has waited longest. False when nothing waits."""
        with self._lock:
            if not self._waiting:
                return False
            name, owner = next(iter(self._waiting))
            work = self._waiting.pop((name, owner))
            self._busy = True
        try:
            work()
        except ContextdError as error:
            _log.info("%s of %s: %s", name, owner, error.message)
        except Exception as error:  # noqa: BLE001 - whatever it is, the others must be done
            _log.exception("%s of %s failed", name, owner)
            self._failed(NAME, error)
        finally:
            self._busy = False
        return True

    @property
    def count(self) -> int:
        """How many wait or are being done."""
        with self._lock:
            return len(self._waiting) + self._busy

    def wake(self) -> None:
        """End the wait of `run`."""
        self._wanted.set()

    def run(self, stop: threading.Event) -> None:
        """Do what comes in until told to stop; what waits then is given up."""
        while not stop.is_set():
            if not self.run_one():
                self._wanted.wait()
                self._wanted.clear()
