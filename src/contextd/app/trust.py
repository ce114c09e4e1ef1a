"""Trusted folders of this machine: the owner's decisions, and those stored by their clients.

The file is in the home, not in the folder. An entry contains the real path and the first commit of the
repository, or the folder's inode without a repository, so another repository in the same place is not
trusted. Folders below a trusted one, clones of it elsewhere and the place it was moved to need trust of their
own. A linked work tree is trusted with the repository it belongs to.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.clients import CLIENTS
from contextd.clients.client import Client
from contextd.domain.trust import EARLIER, TAKEN_BACK, Trust
from contextd.runtime.caches import Cache, as_of
from contextd.thin.home import directory_from, read_object, user_directory, write_object
from contextd_code.git.identity import first_commit, main_work_tree
from contextd_common.errors import ContextdError, NotFound, Unreadable
from contextd_common.files.guarded import read_file

_LARGEST = 4 << 20
"""Maximum size of the file of trusted folders, in bytes."""

_LARGEST_OF_CLIENT = 32 << 20
"""Maximum size in bytes: Claude Code stores the history of every project in the same file."""

_CLIENTS = 32


class TrustBook:
    """The trusted folders of a home. Safe to use from any thread."""

    def __init__(self, home: Path) -> None:
        self._file = home / "trust.json"
        self._lock = threading.Lock()
        self._own: tuple[object, dict[str, dict[str, str]]] = (object(), {})
        self._of_clients: Cache[str, tuple[object, frozenset[str]]] = Cache(_CLIENTS)

    def begin(self, roots: Iterable[Path]) -> None:
        """Create the file if it is missing. In a home that is older than the file, initialised checkouts are
        trusted, because their owner initialised them.
        """
        with self._lock:
            if self._file.exists():
                return
            known = [root for root in roots if (root / ".context" / ".generated.json").is_file()]
            entries: dict[str, dict[str, str]] = {}
            for root in known:
                with suppress(Unreadable):
                    entries[_real(root)] = _entry(root, EARLIER)
            self._write(entries)

    def of(self, root: Path) -> Trust:
        """Whether a checkout is trusted, by whom and since when."""
        path = _real(root)
        entry = self._entries().get(path)
        if entry is not None:
            return _decided(path, entry)
        client = next((row.title for row in CLIENTS.values() if path in self._trusted_in(row)), "")
        if client:
            return Trust(path, trusted=True, by=client)
        main = main_work_tree(Path(path))
        if main is not None and (found := self.of(main)).trusted:
            return Trust(path, trusted=True, by=found.by, since=found.since)
        return Trust(path)

    def grant(self, root: Path, by: str) -> Trust:
        """Trust a checkout from now on. Raises `NotFound` for a missing folder."""
        if not root.is_dir():
            raise NotFound(f"{root} is not a folder", "give the folder of a project")
        return self._store(root, _entry(root, by))

    def revoke(self, root: Path) -> Trust:
        """Stop trusting a checkout, even if a client trusts it."""
        return self._store(root, {"by": "you", "since": _now(), "revoked": "yes"})

    def listed(self) -> list[Trust]:
        """All decisions of the owner, and the folders their clients trust, by path."""
        found = {path: _decided(path, entry) for path, entry in self._entries().items()}
        for row in CLIENTS.values():
            for path in self._trusted_in(row):
                if path not in found and Path(path).is_dir():
                    found[path] = Trust(path, trusted=True, by=row.title)
        return [found[path] for path in sorted(found)]

    def _store(self, root: Path, entry: dict[str, str]) -> Trust:
        path = _real(root)
        with self._lock:
            self._write({**self._entries(), path: entry})
        return self.of(Path(path))

    def _write(self, entries: Mapping[str, Mapping[str, str]]) -> None:
        write_object(self._file, {"version": 1, "folders": entries})

    def _entries(self) -> dict[str, dict[str, str]]:
        stamp = file_stamp(self._file)
        if self._own[0] != stamp:
            document = read_object(self._file, _LARGEST) or {}
            folders = document.get("folders")
            known = folders.items() if isinstance(folders, dict) else ()
            self._own = (stamp, {path: one for path, one in known if isinstance(one, dict)})
        return self._own[1]

    def _trusted_in(self, client: Client) -> frozenset[str]:
        """The folders that the person trusts in a client; empty if its file cannot be read."""
        if client.folder_trust is None:
            return frozenset()
        chosen = directory_from(client.configuration.variable)
        file = client.folder_trust.place.path(user_directory(), chosen)
        stamp = (str(file), file_stamp(file))
        return as_of(self._of_clients, client.name, stamp, lambda: _named_in(client, file))


def _named_in(client: Client, file: Path) -> frozenset[str]:
    assert client.folder_trust is not None
    try:
        text = read_file(file, _LARGEST_OF_CLIENT).decode()
        named = client.folder_trust.folders(text)
    except (OSError, ValueError, ContextdError):
        return frozenset()
    absolute = (Path(one) for one in named)
    return frozenset(_real(one) for one in absolute if one.is_absolute())


def _real(root: Path) -> str:
    return os.path.realpath(root)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _entry(root: Path, by: str) -> dict[str, str]:
    return {"by": by, "since": _now(), "commit": first_commit(root), "folder": _folder(root)}


def _folder(root: Path) -> str:
    try:
        about = root.stat()
    except OSError:
        return ""
    return f"{about.st_dev}:{about.st_ino}"


def _decided(path: str, entry: Mapping[str, Any]) -> Trust:
    by, since = str(entry.get("by", "")), str(entry.get("since", ""))
    if entry.get("revoked"):
        return Trust(path, by=by, since=since, note=TAKEN_BACK)
    root = Path(path)
    try:
        before, now = str(entry.get("commit") or ""), first_commit(root)
    except Unreadable as error:
        # Other folders are asked for as well: this one must not fail their calls.
        return Trust(path, by=by, since=since, note=error.message)
    same = before == now if before and now else entry.get("folder") == _folder(root)
    if not same:
        what = "there is another folder in its place" if root.is_dir() else "it is gone"
        return Trust(path, by=by, since=since, note=what)
    return Trust(path, trusted=True, by=by, since=since)


def file_stamp(path: Path) -> object:
    """What changes when a file changes; None without the file."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
