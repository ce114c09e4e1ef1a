"""What must not happen while a store is in a write: others wait behind it.

Every test runs under this guard. It sees what Python itself reports (files that are opened, folders
that are listed, programs that are started, connections) and every text that is embedded, on
the thread that writes, and fails the test in which it happened.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from contextd.domain.query import Vector
from contextd.embedders.minilm import MiniLM
from contextd.stores.connection import SqliteDatabase
from reference_store.store import MemoryView

SLOW = {
    "open": "opened a file",
    "os.listdir": "listed a folder",
    "os.scandir": "listed a folder",
    "subprocess.Popen": "ran a program",
    "os.posix_spawn": "ran a program",
    "os.fork": "ran a program",
    "socket.connect": "connected to somebody",
}
"""What Python reports of it, and in our words."""

_LINES = 6


class _Writing(threading.local):
    depth = 0


class WriteGuard:
    """Notes what a thread does inside a write that it must not do there."""

    def __init__(self) -> None:
        self._writing = _Writing()
        self._breaches: list[str] = []
        self._installed = False

    def install(self) -> None:
        """Watch this process from now on."""
        if self._installed:
            return
        self._installed = True
        self._watch_writes()
        embed = MiniLM.embed

        def watched(embedder: MiniLM, texts: Sequence[str]) -> Vector:
            self.note("embedded")
            return embed(embedder, texts)

        MiniLM.embed = watched  # type: ignore[method-assign]
        sys.addaudithook(self._heard)

    def _watch_writes(self) -> None:
        write, commit = SqliteDatabase.write, MemoryView._write

        @contextmanager
        def writing(database: SqliteDatabase, *locks: str) -> Iterator[apsw.Connection]:
            with write(database, *locks) as connection, self._inside():
                yield connection

        def committing(view: MemoryView, *arguments: Any) -> Any:
            with self._inside():
                return commit(view, *arguments)

        SqliteDatabase.write = writing  # type: ignore[method-assign]
        MemoryView._write = committing  # type: ignore[method-assign]

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._writing.depth += 1
        try:
            yield
        finally:
            self._writing.depth -= 1

    def _heard(self, event: str, arguments: Any) -> None:
        if self._writing.depth and event in SLOW:
            self.note(f"{SLOW[event]}: {arguments[0]}")

    def note(self, what: str) -> None:
        """Keep a breach, with where it came from, when this thread is inside a write."""
        if not self._writing.depth:
            return
        # Looking at source lines reads files.
        depth, self._writing.depth = self._writing.depth, 0
        where = "".join(traceback.format_stack()[-_LINES - 2 : -2])
        self._writing.depth = depth
        self._breaches.append(f"inside a write something {what}\n{where}")

    def take(self) -> list[str]:
        """What was noted since the last time."""
        found, self._breaches = self._breaches, []
        return found


GUARD = WriteGuard()
"""The guard of this process."""
