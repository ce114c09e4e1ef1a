"""The spool: a file of hook events that no daemon accepted. Standard library only.

Every event is delivered at least once: the reader moves the file aside before it reads, and deletes it only
after all of its events are recorded. Recording an event twice must do no harm.
"""

from __future__ import annotations

import os
import sys
import time

from contextd.thin.home import (
    is_private,
    make_home,
    make_private,
    second_places,
    spool_path,
    unknown_path,
)
from contextd.thin.long_lines import LineCutter, LongLine
from contextd.thin.plain_json import dumps, object_in

if sys.platform != "win32":
    import fcntl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from contextd.thin.home import AnyPath, Home


LEFT_AT = "contextd_spooled_at"
"""Extra field of a spooled event: when it was spooled."""

UNKNOWN = "unknown"
"""Field in an error's details that names an event this version does not know."""

MOST_UNKNOWN = 1 << 20
"""Maximum bytes of events kept for another version."""


def leave(home: Home, entry: Mapping[str, Any]) -> None:
    """Append one entry. If the home cannot be written, it goes to a private directory in memory or on another
    disk. Raises the home's `OSError` if no location works.
    """
    line = dumps(entry).encode() + b"\n"
    try:
        make_home(home)
        _append(spool_path(home), line)
    except OSError:
        for place in second_places(home):
            try:
                make_private(place)
                _append(spool_path(place), line)
            except OSError:
                continue
            return
        raise


def _append(path: AnyPath, line: bytes) -> None:
    while True:
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            _lock(fd)
            # The reader may have moved the file aside between opening and locking it.
            if not _is_still_at(fd, path):
                continue
            _write(fd, line)
            return
        finally:
            os.close(fd)


def keep_unknown(home: Path, entry: Mapping[str, Any]) -> None:
    """Keep an event that this version does not know for a version that does; at most a megabyte of them."""
    path = unknown_path(home)
    line = dumps(entry).encode() + b"\n"
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _lock(fd)
        if os.fstat(fd).st_size + len(line) <= MOST_UNKNOWN:
            _write(fd, line)
    finally:
        os.close(fd)


def take_unknown(home: Path) -> None:
    """Queue unknown events again, because this may be another version."""
    _set_aside(unknown_path(home), home)


def take(home: Path) -> list[Path]:
    """Move the spool aside and return all unrecorded batches, oldest first."""
    batches: list[Path] = []
    for folder in _folders(home):
        _set_aside(spool_path(folder), folder)
        batches += folder.glob("spool.*.taken")
    return sorted(batches, key=lambda batch: batch.name)


def is_waiting(home: Path) -> bool:
    """Whether the spool contains events that were not moved aside yet."""
    return any(spool_path(folder).exists() for folder in _folders(home))


def _folders(home: Path) -> list[Path]:
    """The directories that `leave` writes to. A directory of another user is skipped, because its events
    would be trusted.
    """
    return [home, *(place for place in second_places(home) if is_private(place))]


def read(batch: Path) -> Iterator[dict[str, Any]]:
    """The entries of a batch, in order of arrival, one in memory at a time. Lines that are not JSON objects, or
    are too long, are skipped.
    """
    fd = os.open(batch, os.O_RDONLY)
    with os.fdopen(fd, "rb") as file:
        # Waits for a writer that opened the file before it was moved; a later one finds it moved. Holding the
        # lock any longer would delay that writer.
        _lock(fd)
        _unlock(fd)
        lines = LineCutter()
        ended = False
        while not ended:
            data = file.read(1 << 16)
            ended = not data
            for line in lines.feed(data or b"\n"):
                entry = None if isinstance(line, LongLine) else object_in(line)
                if entry is not None:
                    yield entry


def _set_aside(path: Path, home: Path) -> None:
    try:
        path.rename(home / f"spool.{time.time_ns()}.taken")
    except (FileNotFoundError, NotADirectoryError):
        pass


def _lock(fd: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(fd, fcntl.LOCK_EX)


def _unlock(fd: int) -> None:
    if sys.platform != "win32":
        fcntl.flock(fd, fcntl.LOCK_UN)


def _is_still_at(fd: int, path: AnyPath) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _write(fd: int, line: bytes) -> None:
    before = os.fstat(fd).st_size
    try:
        while line:
            line = line[os.write(fd, line) :]
    except OSError:
        # A full disk must not leave half a line in front of the next event.
        os.ftruncate(fd, before)
        raise
