"""How many connections a door keeps open, and which of them makes room for the next one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

if sys.platform != "win32":
    import resource

SHARE_OF_DESCRIPTORS = 4
"""A door takes at most a quarter of the file descriptors of the process: two doors leave as many to the store,
git and the files that calls read.
"""


class _Open(NamedTuple):
    abort: Callable[[], object]
    since: float


class OpenConnections:
    """At most `most` connections. The one that has waited longest for its request makes room for a new
    one; those that are served stay.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        # In the order in which they began to wait.
        self._waiting: dict[Hashable, _Open] = {}
        self._served: dict[Hashable, _Open] = {}

    def __len__(self) -> int:
        return len(self._waiting) + len(self._served)

    def opened(self, key: Hashable, abort: Callable[[], object]) -> bool:
        """Count a new connection, which waits for its request; `abort` closes it. False when all are served
        and there is no room: then it is not counted.
        """
        if len(self) >= self._most:
            if not self._waiting:
                return False
            self._close(next(iter(self._waiting)))
        self._waiting[key] = _Open(abort, self._clock())
        return True

    def serves(self, key: Hashable) -> None:
        """The whole request is there."""
        found = self._waiting.pop(key, None)
        if found:
            self._served[key] = found

    def waits(self, key: Hashable) -> None:
        """Its request is answered, and it waits for the next one."""
        found = self._served.pop(key, None)
        if found:
            self._waiting[key] = _Open(found.abort, self._clock())

    def closed(self, key: Hashable) -> None:
        """It is gone."""
        self._waiting.pop(key, None)
        self._served.pop(key, None)

    def close_older(self, seconds: float) -> int:
        """Close what has waited longer than that; how many it were."""
        limit = self._clock() - seconds
        late = [key for key, one in self._waiting.items() if one.since <= limit]
        for key in late:
            self._close(key)
        return len(late)

    def _close(self, key: Hashable) -> None:
        self._waiting.pop(key).abort()


def most_connections(wanted: int) -> int:
    """The number of connections a door may keep open: `wanted`, or fewer where the process may open few files."""
    if sys.platform == "win32":
        return wanted
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if files < 0 else max(8, min(wanted, files // SHARE_OF_DESCRIPTORS))


def client_address(client: Any) -> Hashable:
    """A connection's key, from the address of its client as a socket or an ASGI scope gives it."""
    return tuple(client[:2]) if client else None
