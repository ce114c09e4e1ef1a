"""Making much at once that stays."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Around imports of what stays for as long as the process. None of it is garbage, and looking for
    garbage in it while it grows is a fifth of the CPU of loading contextd, a quarter of the MCP SDK's.
    """
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # What is loaded is not looked through again.
        gc.freeze()
        if collected:
            gc.enable()


_lock = threading.Lock()
_building: list[bool] = []


@contextmanager
def building() -> Iterator[None]:
    """While much is made that is kept, in any thread. Nearly all of it stays, and looking for garbage among it
    while it grows is half of the CPU of the first question for callers.
    """
    with _lock:
        _building.append(gc.isenabled() if not _building else _building[0])
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            if _building.pop() and not _building:
                # What was made goes to the old without being looked through, which is a third of the CPU of
                # a first question. Both only hang lists together.
                gc.freeze()
                gc.unfreeze()
                gc.enable()
