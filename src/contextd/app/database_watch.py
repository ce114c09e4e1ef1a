"""What a process does for all organisations of a shared database at once: find due work, changes and signals."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping

from contextd.app.replica_watch import POLL_SECONDS, ReplicaWatch
from contextd.ports.work import SharedDatabase
from contextd.runtime.supervision import ServiceState
from contextd.runtime.work_pool import Background, WorkPool, lasting
from contextd_common.errors import ContextdError

DUE, CLOCKS, SIGNALS, OPENING = "due work", "changes", "signals", "opening"
_OPENERS = 2
_FULL_SECONDS = 0.25
"""How soon to look again while more organisations have due work than may be open."""

_log = logging.getLogger(__name__)


class DatabaseWatch:
    """Three duties and two openers of organisations with due work, however many organisations there are.

    `hurry` wakes an open organisation, or opens it; `room` is the number of further organisations that may work now;
    `watched` are the watches of the open ones by name. Without `jobs` due work is left to other processes.
    """

    def __init__(
        self,
        database: SharedDatabase,
        place: str,
        pool: WorkPool,
        *,
        hurry: Callable[[str], object],
        room: Callable[[], int],
        watched: Callable[[], Mapping[str, ReplicaWatch]],
        jobs: bool = True,
    ) -> None:
        self._database, self._place = database, place
        self._hurry, self._room, self._watched = hurry, room, watched
        self._found: deque[str] = deque()
        self._opening, self._lock, self._jobs = 0, threading.Lock(), jobs
        self._background = Background(pool)
        if jobs:
            self._background.add("watches", DUE, lasting(self.find_due))
        self._background.add("watches", CLOCKS, lasting(self.look))
        self._background.add("signals", SIGNALS, database.exchange_signals)
        for number in range(_OPENERS):
            self._background.add("opening", f"{OPENING} {number + 1}", self._open_one)

    def start(self) -> None:
        """Begin to look."""
        for name in (*([DUE] if self._jobs else []), CLOCKS, SIGNALS):
            self._background.wake(name)

    def find_due(self) -> float:
        """Take organisations with due work, as many as there is room for, and let them look into their queues; return
        the seconds until the next time.
        """
        room = self._room() - len(self._found) - self._opening
        if room <= 0:
            return _FULL_SECONDS
        found = self._database.take_due(self._place, room)
        self._found.extend(found)
        for number in range(_OPENERS):
            self._background.wake(f"{OPENING} {number + 1}")
        return _FULL_SECONDS if len(found) == room else POLL_SECONDS

    def look(self) -> float:
        """Report what other processes changed in the open organisations; return the seconds until the next look."""
        watched = self._watched()
        for name, clocks in self._database.clocks(list(watched)).items():
            watched[name].compare(clocks)
        return POLL_SECONDS

    def _open_one(self) -> float | None:
        try:
            name = self._found.popleft()
        except IndexError:
            return None
        self._count(1)
        try:
            self._hurry(name)
        except ContextdError as error:
            # Its work is due again after some seconds.
            _log.warning("organisation %s was not opened: %s", name, error.message)
        finally:
            self._count(-1)
        return 0.0

    def _count(self, more: int) -> None:
        with self._lock:
            self._opening += more

    def states(self) -> list[ServiceState]:
        """The state of each duty."""
        return self._background.states()

    def close(self) -> None:
        """Look no more, and close the database."""
        self._database.hurry()
        for name in self._background.close():
            _log.warning("%s did not end in time", name)
        self._database.close()
