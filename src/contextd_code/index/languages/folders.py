"""The folders that contain files, updated as files are added and removed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable


class Folders:
    """Every folder with a file in it or below it; includes the root only if it is `rooted`."""

    def __init__(self, paths: Iterable[str], *, rooted: bool) -> None:
        self._rooted = rooted
        self._inside: dict[str, int] = {}
        for path in paths:
            self.add(path)

    def __contains__(self, folder: str) -> bool:
        return folder in self._inside and (self._rooted or bool(folder))

    def add(self, path: str) -> None:
        """Add a new file."""
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
        """Remove a file."""
        folder = posixpath.dirname(path)
        inside = self._inside
        while inside[folder] == 1:
            del inside[folder]
            if not folder:
                return
            folder = posixpath.dirname(folder)
        inside[folder] -= 1
