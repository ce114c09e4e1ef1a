"""Taking turns: what several ask at once of one checkout is worked out one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from contextd.runtime.runtime import Runtime

_PLACES = 64
_LONGEST = 8.0
"""Seconds that somebody waits: for four before him, each of whom may take two."""


@contextmanager
def turn(runtime: Runtime, what: str, seconds: float = _LONGEST) -> Iterator[bool]:
    """Hold the turn for this work in the caller's checkout; whether it came in time. Side by side, each would
    do most of the same work and have a part of the time for it: all would come to less than one alone.
    """
    turns = runtime.organisation.caches.of(f"turns: {what}", _PLACES)
    lock: Lock = turns.made((runtime.scope, runtime.root), Lock)
    came = lock.acquire(timeout=seconds)
    try:
        yield came
    finally:
        if came:
            lock.release()
