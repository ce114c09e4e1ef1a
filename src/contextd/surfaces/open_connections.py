"""Limit the open connections of a listener, and select which one to close for a new one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

if sys.platform != "win32":
    import resource

SHARE_OF_DESCRIPTORS = 4
"""A listener uses at most a quarter of the process's file descriptors: two listeners leave as many to the
store, git and the files that calls read.
"""


class _Open(NamedTuple):
    abort: Callable[[], object]
    since: float


class OpenConnections:
    """At most `most` connections. The one that has waited longest for a request is closed for a new one;
    connections that are being served stay.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        # In the order in which they began to wait.
        self._waiting: dict[Hashable, _Open] = {}
        self._served: dict[Hashable, _Open] = {}

    def __len__(self) -> int:
        return len(self._waiting) + len(self._served)

    def opened(self, key: Hashable, abort: Callable[[], object]) -> bool:
        """Count a new connection, which waits for its request; `abort` closes it. False if all connections are
        being served and there is no room: then it is not counted.
        """
        if len(self) >= self._most:
            if not self._waiting:
                return False
            self._close(next(iter(self._waiting)))
        self._waiting[key] = _Open(abort, self._clock())
        return True

    def serves(self, key: Hashable) -> None:
        """Mark a connection as serving: its whole request arrived."""
        found = self._waiting.pop(key, None)
        if found:
            self._served[key] = found

    def waits(self, key: Hashable) -> None:
        """Mark a connection as waiting: its request was answered."""
        found = self._served.pop(key, None)
        if found:
            self._waiting[key] = _Open(found.abort, self._clock())

    def closed(self, key: Hashable) -> None:
        """Remove a closed connection."""
        self._waiting.pop(key, None)
        self._served.pop(key, None)

    def close_older(self, seconds: float) -> int:
        """Close connections that waited longer than this; return how many."""
        limit = self._clock() - seconds
        late = [key for key, one in self._waiting.items() if one.since <= limit]
        for key in late:
            self._close(key)
        return len(late)

    def _close(self, key: Hashable) -> None:
        self._waiting.pop(key).abort()


def most_connections(wanted: int) -> int:
    """The connection limit of a listener: `wanted`, or fewer if the process may open few files."""
    if sys.platform == "win32":
        return wanted
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files < 0 else max(8, min(wanted, files // SHARE_OF_DESCRIPTORS))


def client_address(client: Any) -> Hashable:
    """A connection's key, from the address of its client as a socket or an ASGI scope gives it."""
    return tuple(client[:2]) if client else None
