"""Small files of a home that are made once and kept: a key, the name of this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
from pathlib import Path

logger = logging.getLogger(__name__)


def kept_bytes(path: Path, length: int) -> bytes:
    """The content of a file that is made of random bytes the first time; readable by its owner only. One
    that is too short, as after a full disk, is made anew: with an empty key anybody could try what a stamp
    stands for.
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
            "%s held %d bytes in place of %d and was made anew", path, len(content), length
        )
        fresh.replace(path)
        return path.read_bytes()
    # A hard link never replaces: of two processes that start at once, one content stands.
    with contextlib.suppress(FileExistsError):
        path.hardlink_to(fresh)
    fresh.unlink()
    return path.read_bytes()
