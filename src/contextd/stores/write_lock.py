"""A fair lock for the single write path.

Threads of a process queue in order of arrival. Between processes two locked files ensure fairness: a writer
that finishes must queue behind the one that waits, so that a busy writer cannot starve others. The locks
belong to open files, so a killed process leaves none.
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

from contextd_common.errors import Busy, Unavailable


class _Waiting:
    """A blocking file lock, taken in a separate thread so that the caller can time out."""

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
        """Stop waiting, unless the lock was acquired at the last moment; returns whether it was abandoned."""
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
    """Admits one writer at a time, across all threads and processes, in order of arrival.

    `path` is the locked file; the next writer waits at a second one, `….next`.
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
        """Exclude other writers. Raises `Busy` after waiting `timeout` seconds."""
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
        """Close the files, once nothing holds or awaits the lock."""
        with self._lock:
            if not self._queue:
                self._holder.close()
                self._next.close()
