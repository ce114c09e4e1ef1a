"""Small files of a home that are made once and kept: a key, the name of this machine."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def kept_bytes(path: Path, length: int) -> bytes:
    """The content of a file that is made of random bytes the first time; readable by its owner only."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(length))
        # A hard link never replaces: of two processes that start at once, one content stands.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(fresh)
        fresh.unlink()
        return path.read_bytes()
