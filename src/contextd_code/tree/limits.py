"""The index limit of a folder that was not initialised."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from contextd_code.tree.walk import Walk, WalkedFile

MOST_FILES = 50_000
"""Indexing more takes minutes of two cores, too much for just opening an editor."""

MOST_BYTES = 2_000_000_000
"""The limit in files: at most a megabyte of each is indexed, so an ordinary disk has room for the
index.

It also bounds the time, a minute or two per gigabyte.
"""

_MOST_OF_A_FILE = 1_000_000

OVER = "over the limit without `contextd init`, which indexes all"
"""The reason for leaving an ordinary file out of the index."""


def exceeds(files: Collection[WalkedFile]) -> bool:
    """Whether these files exceed the automatic index limit."""
    return len(files) > MOST_FILES or sum(map(_indexed_bytes, files)) > MOST_BYTES


def within_limits(walked: Walk, known: Callable[[], Collection[str]]) -> Walk:
    """Limit the walk to the number of automatically indexed files.

    Files already `known` come first, then the others by path. `skipped` counts the rest under
    `OVER`.
    """
    if not exceeds(walked.files):
        return walked
    before = known()
    indexed_paths = set(
        _fitting(sorted(walked.files, key=lambda file: (file.path not in before, file.path)))
    )
    files = tuple(file for file in walked.files if file.path in indexed_paths)
    left = len(walked.files) - len(files)
    return replace(walked, files=files, skipped=(*walked.skipped, (f"{left:,} files", OVER)))


def _fitting(files: Iterable[WalkedFile]) -> Iterable[str]:
    spent = 0
    for count, file in enumerate(files):
        spent += _indexed_bytes(file)
        if count >= MOST_FILES or spent > MOST_BYTES:
            return
        yield file.path


def _indexed_bytes(file: WalkedFile) -> int:
    return min(file.size, _MOST_OF_A_FILE)
