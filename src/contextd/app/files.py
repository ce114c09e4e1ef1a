"""Small files of a home that are created once and kept: a key, the name of this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
from pathlib import Path

logger = logging.getLogger(__name__)


def kept_bytes(path: Path, length: int) -> bytes:
    """The content of a file of random bytes, created on first use and readable by its owner only. A file that
    is too short, for example after a full disk, is created again: with an empty key, anyone could guess
    what a digest was made from.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = b""
    if len(content) >= length:
        return content
    fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    fresh.touch(mode=0o600)
    fresh.write_bytes(secrets.token_bytes(length))
    if path.exists():
        logger.warning(
            "%s had %d bytes instead of %d and was created again", path, len(content), length
        )
        fresh.replace(path)
        return path.read_bytes()
    # A hard link never replaces a file: of two processes that start at once, only one content is stored.
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(fresh)
    fresh.unlink()
    return path.read_bytes()
