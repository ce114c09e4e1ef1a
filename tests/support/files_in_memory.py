"""Where a test run puts its temporary files: into memory, if this machine has a folder there."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")
"""A file system in memory, which every ordinary Linux has. In containers it is often too small."""

_ROOM = 2 << 30
"""Bytes that must be free there. A run of all tests takes up to 300 MB."""

_DISK = Path("/var/tmp")
"""Where Linux keeps temporary files that are too large for memory."""


def keep_temporary_files_in_memory() -> None:
    """Let `tempfile`, and with it every process that tests start, use the folder in memory, unless `TMPDIR` is set.

    Each commit of a store waits for the disk, and a test makes dozens: much of the system's time of a run goes into
    writing to a disk what is deleted a moment later.
    """
    if sys.platform == "linux" and not os.environ.get("TMPDIR") and _has_room(_MEMORY):
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


def folder_on_disk() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder on the disk, for what memory should not hold, and for tests of what outlives a process."""
    disk = str(_DISK) if _DISK.is_dir() else None
    return tempfile.TemporaryDirectory(prefix="ctx-", dir=disk, ignore_cleanup_errors=True)


def _has_room(folder: Path) -> bool:
    """Whether a whole run fits into this folder, and programs may be started from it."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    programs = not found.f_flag & os.ST_NOEXEC
    return programs and os.access(folder, os.W_OK) and found.f_bavail * found.f_frsize >= _ROOM
