"""Formats of files with knowledge entries instead of conversations. A new format is a row here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from contextd.imports.importers import opencontext
from contextd.imports.importers.batch import RedactItem
from contextd_code.dataclass import dataclass
from contextd_code.errors import NotFound
from contextd_code.files.guarded import read_file

_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class EntryFile:
    """One format: aliases, a test of a file's first lines, and the parser of its text."""

    name: str
    title: str
    aliases: tuple[str, ...]
    detects: Callable[[Path, Sequence[str]], bool]
    read: Callable[[str, RedactItem], opencontext.ContextsFile]


ENTRY_FILES: dict[str, EntryFile] = {
    row.name: row
    for row in (
        EntryFile(
            "opencontext",
            "OpenContext contexts.json, versions 1 and 2",
            ("opencontext-v1", "opencontext-v2"),
            opencontext.detects,
            opencontext.read,
        ),
    )
}
"""Every supported entry format, by name."""


def entry_file_for(path: Path, name: str = "") -> EntryFile | None:
    """The format called `name`, or the one detected from the file; None if none matches.

    Raises `NotFound` for a file that cannot be read.
    """
    if name:
        names = {n: row for row in ENTRY_FILES.values() for n in (row.name, *row.aliases)}
        return names.get(name)
    try:
        head = read_file(path, _HEAD, cut=True).decode("utf-8", "replace")
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    lines = head.splitlines()[:50]
    return next((row for row in ENTRY_FILES.values() if row.detects(path, lines)), None)
