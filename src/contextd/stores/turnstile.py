"""The turnstile in front of the one write path.

Inside a process, threads queue in the order they came. Between processes two locked files make it
fair: whoever leaves must queue again behind the one that already waits, so that a busy writer
cannot starve the others. The locks belong to the open files: a killed process leaves none.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread

from contextd.domain.errors import Busy, Unavailable


class _Waiting:
    """A blocking lock on a file, taken by a thread of its own so that its owner may give up."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.taken = Event()
        self._lock = Lock()
        self._abandoned = False
        Thread(target=self._take, name="turnstile", daemon=True).start()

    def _take(self) -> None:
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        with self._lock:
            self.taken.set()
            if self._abandoned:
                os.close(self.descriptor)

    def abandon(self) -> bool:
        """Give up, unless the lock came at the last moment; says whether it was given up."""
        with self._lock:
            self._abandoned = not self.taken.is_set()
            return self._abandoned


class _LockedFile:
    """An exclusive lock on one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def take(self, deadline: float) -> bool:
        if self._descriptor < 0:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting = _Waiting(self._descriptor)
            if not waiting.taken.wait(max(0.0, deadline - time.monotonic())) and waiting.abandon():
                self._descriptor = -1
                return False
        return True

    def give_back(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Turnstile:
    """Lets one writer through at a time, over all threads and processes, first come first served.

    `path` is the file whose lock it is; a second one beside it, `….next`, is where the next one waits.
    """

    def __init__(self, path: Path, timeout: float = 30.0) -> None:
        self.timeout = timeout
        self._path = path
        self._holder = _LockedFile(path)
        self._next = _LockedFile(path.with_name(path.name + ".next"))
        self._lock = Lock()
        self._queue: deque[Event] = deque()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let nobody else write meanwhile. Raises `Busy` after `timeout` seconds of waiting."""
        deadline = time.monotonic() + self.timeout
        turn = self._queue_up(deadline)
        try:
            self._take_files(deadline)
            try:
                yield
            finally:
                self._holder.give_back()
        finally:
            self._leave(turn)

    def _take_files(self, deadline: float) -> None:
        try:
            if not self._next.take(deadline):
                raise self._busy()
            try:
                if not self._holder.take(deadline):
                    raise self._busy()
            finally:
                self._next.give_back()
        except OSError as problem:
            raise Unavailable(
                f"cannot lock {self._path}: {problem.strerror}",
                "check that its directory exists, is writable and is on a local disk",
            ) from problem

    def _queue_up(self, deadline: float) -> Event:
        turn = Event()
        with self._lock:
            self._queue.append(turn)
            if self._queue[0] is turn:
                turn.set()
        if not turn.wait(max(0.0, deadline - time.monotonic())):
            self._leave(turn)
            raise self._busy()
        return turn

    def _leave(self, turn: Event) -> None:
        with self._lock:
            self._queue.remove(turn)
            if self._queue:
                self._queue[0].set()

    def _busy(self) -> Busy:
        return Busy(
            f"other writers held the store for {self.timeout:g} s",
            "try again; `contextd doctor` shows who is writing",
        )

    def close(self) -> None:
        """Close the files, once nobody holds or awaits it."""
        with self._lock:
            if not self._queue:
                self._holder.close()
                self._next.close()
