"""Importing much at once."""

from __future__ import annotations

import gc
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
