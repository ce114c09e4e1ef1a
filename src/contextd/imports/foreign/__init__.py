"""Formats of other programs' knowledge. A new format is a row in `FOREIGN`."""

from __future__ import annotations

from pathlib import Path

from contextd.imports.foreign.chats import CHATS
from contextd.imports.foreign.format import ForeignFormat, Item, Note, Surroundings, Unread
from contextd.imports.foreign.instructions import INSTRUCTIONS
from contextd.imports.foreign.markdown_notes import NOTES
from contextd.imports.foreign.memory_databases import DATABASES
from contextd.imports.foreign.memory_files import FILES
from contextd.imports.foreign.pull_requests import PULL_REQUESTS
from contextd_common.errors import NotFound
from contextd_common.files.guarded import read_file

__all__ = ["FOREIGN", "ForeignFormat", "Item", "Note", "Surroundings", "Unread", "foreign_format"]

_HEAD = 65_536

FOREIGN: dict[str, ForeignFormat] = {
    row.name: row for row in (*CHATS, *DATABASES, *FILES, *PULL_REQUESTS, *INSTRUCTIONS, *NOTES)
}
"""Every format by name; the first one that detects a file reads it."""


def foreign_format(path: Path) -> ForeignFormat | None:
    """The format of a file; None if unknown.

    Raises `NotFound` for a file that cannot be read.
    """
    try:
        head = read_file(path, _HEAD, cut=True)
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    return next((row for row in FOREIGN.values() if row.detects(path, head)), None)
