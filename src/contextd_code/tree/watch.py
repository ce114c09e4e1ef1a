"""Hints that files of a checkout changed, without a thread of ours and without polling.

The library's own thread waits for the system's notifications; the next query collects them. Without
the library, or if the system refuses more watches, there are no hints.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from contextd_code.tree.walk import IGNORED_FOLDERS

MOST_FOLDERS = 20_000
"""The most watched folders: all programs of the user share the system's limit."""

_DRAIN_MS = 1


class Watcher:
    """Collects the paths that change directly inside some folders of a checkout."""

    def __init__(self, root: Path, folders: frozenset[str], notify: Any) -> None:
        self.root, self.folders = Path(os.path.realpath(root)), folders
        self._notify = notify
        self._lock = threading.Lock()

    def changes(self) -> set[str] | None:
        """Paths relative to the root that changed since the last call; None once events were lost,
        also in all later calls.
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
        """Release the watches."""
        with self._lock:
            notify, self._notify = self._notify, None
            if notify is not None:
                notify.close()

    def _relative(self, name: str) -> str:
        path = os.path.relpath(name, self.root).replace(os.sep, "/")
        first = path.split("/", 1)[0]
        return "" if first in IGNORED_FOLDERS or first in ("..", ".") else path


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """The folders that contain these files, relative to the root; always with the root, `.`."""
    return frozenset({".", *(path.rpartition("/")[0] or "." for path in paths)})


def watch(root: Path, folders: frozenset[str]) -> Watcher | None:
    """Watch these folders, not their subfolders; None if that is impossible here."""
    if len(folders) > MOST_FOLDERS:
        return None
    # 30 ms to import, and only needed by a checkout with a session.
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
