"""Files that hold knowledge entries rather than a conversation. A new format is a row here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextd.domain.errors import Invalid, NotFound, TooLarge, nearest
from contextd.interop.importers import opencontext
from contextd.interop.importers.batch import Redact

LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class EntryFile:
    """One format: other names it goes by, whether a file with these first lines is one, and how
    its text is read.
    """

    name: str
    title: str
    aliases: tuple[str, ...]
    detects: Callable[[Path, Sequence[str]], bool]
    read: Callable[[str, Redact], opencontext.ContextsFile]


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
"""Every format of entries contextd can read, by name."""


def text_of_file(path: Path) -> str:
    """A file's text. Raises `NotFound`, `TooLarge` or `Invalid`."""
    try:
        if not path.is_file():
            raise NotFound(f"{path} is not a file", "give the path of one")
        if path.stat().st_size > LARGEST:
            raise TooLarge(f"{path} is larger than {LARGEST:,} bytes", "split it")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"{path}: byte {error.start} is not UTF-8", "save it as UTF-8") from None
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error


def format_of(path: Path, text: str, name: str = "") -> EntryFile:
    """The format called `name`, or the one the file is in. Raises `Invalid`."""
    known = "it reads: " + ", ".join(row.title for row in ENTRY_FILES.values())
    names = {n: row for row in ENTRY_FILES.values() for n in (row.name, *row.aliases)}
    if name and name not in names:
        raise Invalid(f"no import format {name!r}", nearest(name, list(names)) or known)
    if name:
        return names[name]
    lines = text[:65_536].splitlines()[:50]
    for row in ENTRY_FILES.values():
        if row.detects(path, lines):
            return row
    raise Invalid(f"{path.name} is in no format contextd imports", f"name one with format; {known}")
