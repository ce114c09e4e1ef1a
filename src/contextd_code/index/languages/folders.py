"""The folders that hold files, kept as files come and go."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable


class Folders:
    """Every folder with a file in it or below it; the root only when it is `rooted`."""

    def __init__(self, paths: Iterable[str], *, rooted: bool) -> None:
        self._rooted = rooted
        self._inside: dict[str, int] = {}
        for path in paths:
            self.add(path)

    def __contains__(self, folder: str) -> bool:
        return folder in self._inside and (self._rooted or bool(folder))

    def add(self, path: str) -> None:
        """Take in a file that was not there."""
        folder = posixpath.dirname(path)
        inside = self._inside
        while folder:
            if folder in inside:
                inside[folder] += 1
                return
            inside[folder] = 1
            folder = posixpath.dirname(folder)
        inside[""] = inside.get("", 0) + 1

    def remove(self, path: str) -> None:
        """Forget a file that was there."""
        folder = posixpath.dirname(path)
        inside = self._inside
        while inside[folder] == 1:
            del inside[folder]
            if not folder:
                return
            folder = posixpath.dirname(folder)
        inside[folder] -= 1
