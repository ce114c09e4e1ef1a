"""Atomic file replacement: after a crash the file has its old or its new content, never half of it. Standard
library only.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from contextd_common.errors import Denied, Unavailable


def target_inside(root: Path, path: Path) -> Path:
    """Return the path a write to `path` lands on, with symlinks resolved. Raises `Denied` outside `root`."""
    # `Path.resolve` raises for links in a circle.
    real_root, real = Path(os.path.realpath(root)), Path(os.path.realpath(path))
    if real != real_root and real_root not in real.parents:
        raise Denied(
            f"{path} leads outside {root}",
            "replace the symbolic link by a file of its own",
        )
    return real


def replace_file(path: Path, data: bytes) -> None:
    """Make `path` hold exactly `data`, at once and durably; its permissions stay.

    Directories above it are made. Raises `Unavailable` when the disk refuses.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, data)
    except OSError as error:
        raise Unavailable(
            f"{path} could not be written: {error.strerror or error}",
            "check free space and permissions; the previous content was kept",
        ) from error


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode_of(path))
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    _sync_directory(path.parent)


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o644


def _sync_directory(directory: Path) -> None:
    # Without this the rename itself may be lost with the power. Windows has no such call.
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
