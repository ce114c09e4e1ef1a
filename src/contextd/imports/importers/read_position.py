"""Where to continue reading a transcript, and whether it is still the same file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from contextd.imports.importers.compressed import COMPRESSED
from contextd.imports.importers.importer import Importer
from contextd_common.dataclass import dataclass
from contextd_common.files.guarded import read_file

_HEAD = 4_096
"""Bytes at the beginning that identify a file: a transcript's first line has the session's id."""


@dataclass(frozen=True, slots=True)
class ReadMark:
    """How far a file was read: `offset` bytes of a file with this `stamp`. For append-only files the stamp
    covers the beginning, for others the whole file.
    """

    offset: int = 0
    stamp: str = ""

    @classmethod
    def of(cls, mark: Any) -> ReadMark:
        """Restore a mark from `kept`; the start of the file if invalid."""
        about: Mapping[str, Any] = mark if isinstance(mark, Mapping) else {}
        offset, stamp = about.get("offset"), about.get("stamp")
        return cls(
            offset if isinstance(offset, int) else 0, stamp if isinstance(stamp, str) else ""
        )

    def kept(self) -> dict[str, Any]:
        """The mark as plain data."""
        return {"offset": self.offset, "stamp": self.stamp}


def mark_at(path: Path, importer: Importer, offset: int) -> ReadMark:
    """The mark of a file read up to `offset`. Raises `OSError`."""
    if _appended(path, importer):
        return ReadMark(offset, _beginning(path, offset))
    return ReadMark(offset, _state(path))


def start_of(path: Path, importer: Importer, mark: ReadMark) -> int | None:
    """Where to continue; 0 for a shortened or replaced file, None if nothing is new. Raises `OSError`."""
    if not _appended(path, importer):
        return None if mark.stamp and mark.stamp == _state(path) else 0
    size = path.stat().st_size
    if size < mark.offset or (mark.stamp and mark.stamp != _beginning(path, mark.offset)):
        return 0
    return None if size == mark.offset else mark.offset


def _appended(path: Path, importer: Importer) -> bool:
    return importer.grows and path.suffix != COMPRESSED


def _beginning(path: Path, offset: int) -> str:
    beginning = read_file(path, min(offset, _HEAD), cut=True)
    return hashlib.blake2b(beginning, digest_size=8).hexdigest()


def _state(path: Path) -> str:
    """Modification time and size of a file; of a database also those of its log."""
    parts = []
    for one in (path, path.with_name(path.name + "-wal")):
        try:
            found = one.stat()
        except FileNotFoundError:
            if one == path:
                raise
            continue
        parts.append(f"{found.st_mtime_ns}:{found.st_size}")
    return "+".join(parts)
