"""Refuse files that git would never finish reading: it waits forever on a pipe, and reads a device to its end.

What git opens by name is looked at before each command. The rest, such as the objects, is searched once a command
does not answer.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from contextd_code.git.repository import Repository, line_in
from contextd_common.errors import ContextdError, Unreadable
from contextd_common.files.guarded import read_file

RULES = (".gitignore", ".gitattributes", ".gitmodules", ".mailmap")
"""Files of a work tree that git opens by name."""

LARGEST = 4 << 20
"""Bytes of a settings or rules file: git reads each of them whole, for every command."""

_WRITTEN_BY_HAND = (*RULES, "config", "config.worktree", "exclude", "attributes", "sparse-checkout")

_MUST_BE_FILES = ("HEAD", "index", "config", "config.worktree", "packed-refs", "shallow")

_OPENED_BY_NAME = (
    "",
    "info",
    "objects/info",
    "objects/info/commit-graphs",
    "objects/pack",
)
"""Folders of a git directory all of whose files git opens by name."""

_MOST_ENTRIES = 300_000
_SEARCH_SECONDS = 3.0
"""How much is searched for a file that holds git up: all of a repository with 200,000 loose objects."""

_MOST_ALTERNATES = 20
_FIX = "remove it, or clone again"


def require_ordinary(repository: Repository, *, rules: bool) -> None:
    """Raise `Unavailable` if git would open a pipe, a device, or an endless settings file. `rules`: also look at
    the `RULES` of the work tree.
    """
    for base in dict.fromkeys((repository.git_dir, repository.common_dir)):
        for name in _OPENED_BY_NAME:
            for path in _odd_in(base / name):
                raise Unreadable(f"{path} is not an ordinary file", _FIX)
        for name in (*_MUST_BE_FILES, "info/exclude", "info/attributes", "info/sparse-checkout"):
            require_file(base / name)
    for reference in _checked_out(repository):
        require_file(reference)
    if rules:
        for name in RULES:
            require_file(repository.root / name)


def require_file(path: Path) -> None:
    """Raise `Unavailable` for a path that exists and is no regular file, or a settings file over `LARGEST`."""
    try:
        about = path.stat()
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(about.st_mode):
        raise Unreadable(f"{path} is not an ordinary file", _FIX)
    if path.name in _WRITTEN_BY_HAND and about.st_size > LARGEST:
        raise Unreadable(f"{path} has {about.st_size:,} bytes", f"keep it under {LARGEST:,}")


def is_small_file(path: Path) -> bool:
    """Whether a path is a regular file of at most `LARGEST` bytes."""
    try:
        about = path.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(about.st_mode) and about.st_size <= LARGEST


def odd_file(repository: Repository) -> Path | None:
    """The first pipe or device among all files of the git directories, and the `RULES` in any folder of the work
    tree; None if there is none among the 300,000 entries that are looked at.
    """
    deadline = time.monotonic() + _SEARCH_SECONDS
    common = repository.common_dir
    folders = dict.fromkeys((repository.git_dir, common, *_alternates(common)))
    places = ((folders, ""), ((repository.root,), ".git"))
    for count, entry in enumerate(_entries(places)):
        if count > _MOST_ENTRIES or time.monotonic() > deadline:
            return None
        # Without a call of the system: an entry of a folder says what it is.
        if not entry.is_file(follow_symlinks=False) and is_odd(Path(entry)):
            return Path(entry)
    return None


def is_odd(path: Path) -> bool:
    """Whether a path is a pipe or a device. A socket is neither: opening it fails at once."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def _entries(places: Iterable[tuple[Iterable[Path], str]]) -> Iterator[os.DirEntry[str]]:
    """The files below folders, each with the name of the folder that is left out; with one, only the `RULES`."""
    for folders, left_out in places:
        waiting = [str(folder) for folder in folders]
        while waiting:
            with suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [entry.path] if entry.name != left_out else []
                    elif not left_out or entry.name in RULES:
                        yield entry


def _odd_in(folder: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_ordinary = entry.is_file(follow_symlinks=False) or entry.is_dir()
            if not is_ordinary and is_odd(Path(entry)):
                yield Path(entry)


def _checked_out(repository: Repository) -> Iterator[Path]:
    """The files of the references that `HEAD` leads to."""
    with suppress(OSError, ValueError, ContextdError):
        line = line_in(repository.git_dir / "HEAD")
        if line.startswith("ref:"):
            name = line.removeprefix("ref:").strip()
            yield from (base / name for base in {repository.git_dir, repository.common_dir})


def _alternates(common_dir: Path) -> list[Path]:
    """The folders of objects that a repository borrows from others."""
    objects = common_dir / "objects"
    try:
        text = read_file(objects / "info" / "alternates", LARGEST).decode(
            "utf-8", "surrogateescape"
        )
    except (OSError, ValueError):
        return []
    named = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [objects / line for line in named[:_MOST_ALTERNATES]]
