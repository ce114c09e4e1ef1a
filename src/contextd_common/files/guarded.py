"""Guarded reads of files from untrusted sources: a repository, a client, an archive.

A path can be a pipe that never answers, an endless device or a file of a gigabyte, or it can point out of its
folder. So every file is opened without blocking and without following a swapped-in link, checked once it is
open, and read up to a limit. Every refusal is an `OSError`, as for a missing file, and its `strerror` gives
the
reason. Standard library only.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, cast

_SECONDS = 10.0
"""Seconds; a disk that delivers less than a block in this time is not waited for."""

SMALL = 8 << 20
"""The most bytes read of a file that a person writes, or a program for its own settings."""

_BLOCK = 1 << 20
_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_OPEN |= getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)


def names_file(path: Path) -> bool:
    """Whether a path from a transcript, a record or a caller names a file. A name that no file can have names none, where
    `Path.is_file` raises an error.
    """
    return os.path.isfile(path)  # noqa: PTH113 - see above


def names_folder(path: Path) -> bool:
    """The same for a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - see above


def names_anything(path: Path) -> bool:
    """The same for a file or a folder of any sort."""
    return os.path.exists(path)  # noqa: PTH110 - see above


def read_file(
    path: Path, limit: int = SMALL, *, within: Path | None = None, cut: bool = False
) -> bytes:
    """Return the bytes of a regular file. A file over `limit` bytes is refused, or with `cut` read up to the
    limit; one
    that grows meanwhile is read up to the limit. With `within`, a link must not point out of that folder.
    Raises `OSError`.
    """
    with ExitStack() as stack:
        descriptor = open_regular(stack, path, within)
        size = os.fstat(descriptor).st_size
        if size > limit and not cut:
            raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
        return read_open(descriptor, limit)


def open_file(path: Path, *, within: Path | None = None) -> BinaryIO:
    """Open a regular file for reading at its current size: data appended later is not seen. The caller closes
    it.
    Raises `OSError`.
    """
    with ExitStack() as stack:
        descriptor = open_regular(stack, path, within)
        raw = _Bounded(os.dup(descriptor))
    return cast(BinaryIO, io.BufferedReader(raw))


def open_regular(stack: ExitStack, path: Path, within: Path | None = None) -> int:
    """A descriptor of a regular file, closed with `stack`. Raises `OSError` for anything else."""
    real = Path(os.path.realpath(path))
    if within is None:
        descriptor = os.open(real, _OPEN | _WITHOUT_WAITING)
        stack.callback(os.close, descriptor)
    else:
        base = Path(os.path.realpath(within))
        if base not in real.parents:
            raise OSError(errno.ELOOP, "it is a link that points out of its folder", str(path))
        descriptor = open_beneath(stack, base, real.relative_to(base).parts)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return descriptor


def open_beneath(stack: ExitStack, base: Path, parts: Sequence[str]) -> int:
    """Return a descriptor of the file at `parts` below `base`, closed with `stack`; no link is followed.
    Raises `OSError`.
    """
    if os.open not in os.supports_dir_fd:
        descriptor = os.open(base.joinpath(*parts), _OPEN)
        stack.callback(os.close, descriptor)
        return descriptor
    descriptor = os.open(base, _OPEN | os.O_DIRECTORY)
    stack.callback(os.close, descriptor)
    for position, part in enumerate(parts):
        last = position == len(parts) - 1
        # Opening a pipe that was swapped in would wait for a writer.
        kind = _WITHOUT_WAITING if last else os.O_DIRECTORY
        descriptor = os.open(part, _OPEN | kind, dir_fd=descriptor)
        stack.callback(os.close, descriptor)
    return descriptor


def read_open(descriptor: int, limit: int) -> bytes:
    """Return at most `limit` bytes of an open file. Raises `OSError` when the read takes too long."""
    blocks: list[bytes] = []
    left, end = limit, time.monotonic() + _SECONDS
    while left > 0 and (block := os.read(descriptor, min(left, _BLOCK))):
        blocks.append(block)
        left -= len(block)
        if time.monotonic() > end and len(block) < _BLOCK:
            raise TimeoutError(errno.ETIMEDOUT, f"it could not be read in {_SECONDS:g} seconds")
    return b"".join(blocks)


class _Bounded(io.RawIOBase):
    """An open file, read only up to the size it had when it was opened."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), max(0, self._size - self._at))
        os.lseek(self._descriptor, self._at, os.SEEK_SET)
        data = os.read(self._descriptor, wanted) if wanted else b""
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()
