"""Suspend garbage collection while many long-lived objects are created."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_building: list[bool] = []


@contextmanager
def building() -> Iterator[None]:
    """Wraps the creation of many long-lived objects, in any thread, the imports of heavy modules among them.
    Collecting garbage meanwhile takes half of the CPU of the first query for callers, a fifth of that of loading
    contextd, a quarter for the MCP SDK.

    Nothing is exempted for good: in a process of somebody else that would keep its garbage for ever.
    """
    with _lock:
        _building.append(gc.isenabled() if not _building else _building[0])
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _building.pop() and not _building:
                # Moves the new objects to the oldest generation without scanning them, which would take a
                # third of the CPU of a first query. Both calls only relink lists.
                gc.freeze()
                gc.unfreeze()
                gc.enable()
