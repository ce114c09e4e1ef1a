"""Transcripts and exports of other programs. A new format is a row in `IMPORTERS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from contextd.domain.errors import Invalid, NotFound
from contextd.interop.importers import claude_code
from contextd.interop.importers.batch import ImportBatch, Redact

__all__ = ["IMPORTERS", "ImportBatch", "Importer", "Redact", "importer_for"]

_HEAD_BYTES = 65_536


class Read(Protocol):
    """Reads complete entries from a byte offset on."""

    def __call__(self, path: Path, offset: int = 0, *, redact: Redact = ...) -> ImportBatch:
        """A batch of events."""
        ...


@dataclass(frozen=True, slots=True)
class Importer:
    """One format: its name, whether a file with these first lines is one, and how it is read."""

    name: str
    title: str
    detects: Callable[[Path, Sequence[str]], bool]
    read: Read


IMPORTERS: dict[str, Importer] = {
    row.name: row
    for row in (
        Importer("claude-code", "Claude Code transcript", claude_code.detects, claude_code.read),
    )
}
"""Every format contextd can read, by name."""


def importer_for(path: Path) -> Importer:
    """The importer of a file. Raises `NotFound` or `Invalid`."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    lines = head.decode("utf-8", "replace").splitlines()[:20]
    for importer in IMPORTERS.values():
        if importer.detects(path, lines):
            return importer
    known = ", ".join(importer.title for importer in IMPORTERS.values())
    raise Invalid(f"{path.name} is in no format contextd reads", f"it reads: {known}")
