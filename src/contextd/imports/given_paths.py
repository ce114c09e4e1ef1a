"""Resolve paths given by a caller."""

from __future__ import annotations

from pathlib import Path

from contextd.runtime.runtime import Runtime
from contextd_common.errors import Invalid


def path_meant(runtime: Runtime, path: str) -> Path:
    """Resolve a path in the caller's checkout; the command line has made it absolute already. Raises
    `Invalid` for a relative one without a checkout.
    """
    given = Path(path).expanduser()
    if given.is_absolute():
        return given
    if runtime.checkout is None:
        raise Invalid(f"{path} is not an absolute path", "give the whole path")
    return runtime.root / given
