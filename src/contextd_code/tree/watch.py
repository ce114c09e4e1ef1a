"""A hint that files of a checkout changed, without a thread of ours and without polling.

The library's own thread sleeps in the system's notification call; what it collected is picked up
when somebody asks. Where it is missing, or the system refuses more watches, there is no hint.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from contextd_code.tree.walk import IGNORED_FOLDERS

MOST_FOLDERS = 20_000
"""Folders watched at most: each is a watch the whole user account shares."""

_DRAIN_MS = 1


class Watcher:
    """Collects the paths that change directly inside some folders of a checkout."""

    def __init__(self, root: Path, folders: frozenset[str], notify: Any) -> None:
        self.root, self.folders = Path(os.path.realpath(root)), folders
        self._notify = notify
        self._lock = threading.Lock()

    def changes(self) -> set[str] | None:
        """Paths relative to the root that changed since the last call; None when that is not known
        any more, and then every further call says so.
        """
        with self._lock:
            if self._notify is None:
                return None
            try:
                found = self._notify.watch(_DRAIN_MS, _DRAIN_MS, _DRAIN_MS, None)
            except (OSError, RuntimeError):
                self._notify = None
                return None
        if isinstance(found, str):
            return set() if found == "timeout" else None
        return {path for _, name in found if (path := self._relative(name))}

    def close(self) -> None:
        """Give the watches back."""
        with self._lock:
            notify, self._notify = self._notify, None
            if notify is not None:
                notify.close()

    def _relative(self, name: str) -> str:
        path = os.path.relpath(name, self.root).replace(os.sep, "/")
        first = path.split("/", 1)[0]
        return "" if first in IGNORED_FOLDERS or first in ("..", ".") else path


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """The folders that hold these files, relative to the root; `.` is the root and always there."""
    return frozenset({".", *(path.rpartition("/")[0] or "." for path in paths)})


def watch(root: Path, folders: frozenset[str]) -> Watcher | None:
    """Watch these folders, not what is below them; None when that is not possible here."""
    if len(folders) > MOST_FOLDERS:
        return None
    # 30 ms to import, and only a checkout with a session needs it.
    try:
        from watchfiles._rust_notify import (  # noqa: PLC0415
            RustNotify,
            WatchfilesRustInternalError,
        )
    except ImportError:
        return None
    base = os.path.realpath(root)
    present = [path for name in sorted(folders) if Path(path := os.path.join(base, name)).is_dir()]  # noqa: PTH118
    try:
        notify = RustNotify(present, False, False, 0, False, True)
    except (OSError, WatchfilesRustInternalError):
        return None
    return Watcher(root, folders, notify)
