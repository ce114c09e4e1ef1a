"""Find files by name anywhere in a tree, without listing and examining the whole of it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from contextd_code.git.git_queries import ask
from contextd_code.tree.walk import IGNORED_FOLDERS
from contextd_common.errors import ContextdError

_TIMEOUT = 20.0
"""Seconds for git's list, in a background job."""

_MOST_FOLDERS = 20_000
"""Folders that are opened where git does not help; a larger tree is no project's own."""


def files_named(root: Path, globs: Collection[str]) -> list[str]:
    """The files below `root` that git does not ignore and that one of these globs of git matches, such as
    `**/AGENTS.md`; POSIX paths, sorted. Folders without hand-written files are left out. Without git only globs that
    end in a whole name find something.
    """
    specs = [f":(glob){glob}" for glob in globs]
    listing = ("ls-files", "-c", "-o", "-z", "--exclude-standard", "--", *specs)
    try:
        listed = ask(root, *listing, timeout=_TIMEOUT)
    except ContextdError:
        listed = None
    paths = listed.split("\0") if listed is not None else _walked(root, globs)
    by_hand = {path for path in paths if IGNORED_FOLDERS.isdisjoint(path.split("/")[:-1])}
    return sorted(by_hand - {""})


def _walked(root: Path, globs: Collection[str]) -> Iterator[str]:
    names = {glob.rpartition("/")[2] for glob in globs}
    for count, (place, folders, files) in enumerate(os.walk(root)):
        if count >= _MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if name not in IGNORED_FOLDERS)
        inside = Path(place).relative_to(root)
        yield from ((inside / name).as_posix() for name in files if name in names)
