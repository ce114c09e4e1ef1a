"""A lock that allows one scan of a checkout at a time, across all processes of a home."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

from contextd.runtime.runtime import Runtime
from contextd.thin.home import make_home

_FOLDER = "scans"
_RETRY_SECONDS = 0.2


@contextmanager
def scan_turn(runtime: Runtime, check: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of scans of the caller's checkout.

    `contextd init` scans in its own process while the daemon may scan for a session: together each would
    parse every file. Who waits then finds the files indexed. `check` is called while waiting and may raise.
    The system releases the lock of a process that ends.
    """
    descriptor = _opened(runtime)
    try:
        while not _is_taken(descriptor):
            check()
            time.sleep(_RETRY_SECONDS)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _opened(runtime: Runtime) -> int | None:
    """The open lock file; None where the home is not writable, as on a full disk."""
    folder = runtime.settings.home / _FOLDER
    name = sha256(os.fsencode(runtime.root)).hexdigest()[:32]
    with suppress(OSError):
        make_home(folder)
        return os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    return None


def _is_taken(descriptor: int | None) -> bool:
    if descriptor is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network drives have no locks; a second scan is slower and not wrong.
        return True
    return True
