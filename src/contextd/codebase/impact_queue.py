"""Serialise concurrent impact queries on one checkout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from contextd.runtime.runtime import Runtime

_PLACES = 64
_LONGEST = 8.0
"""Seconds to wait for a turn: four queries before this one, each of up to two seconds."""


@contextmanager
def turn(runtime: Runtime, what: str, seconds: float = _LONGEST) -> Iterator[bool]:
    """Hold the queue of the caller's checkout; yield whether the turn came in time. Concurrent queries would
    repeat most of each other's work in a fraction of the time, and return less than one alone.
    """
    turns = runtime.organisation.caches.of(f"turns: {what}", _PLACES)
    lock: Lock = turns.made((runtime.scope, runtime.root), Lock)
    came = lock.acquire(timeout=seconds)
    try:
        yield came
    finally:
        if came:
            lock.release()
