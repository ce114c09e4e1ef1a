"""Load the schema in force for a call. A file is parsed again when it changes: each call costs one stat
per file.
"""

from __future__ import annotations

import stat
from pathlib import Path

from contextd.domain.problems import FileProblem
from contextd.domain.records import digest
from contextd.runtime.caches import Cache, as_of
from contextd.schema.model import ContextType, Origin, Schema, SchemaFile
from contextd.schema.parse import parse_schema
from contextd_common.files.guarded import read_file

NAME = "schema.yaml"
LARGEST = 1_000_000
"""Maximum bytes of a schema file."""


def schema_path(origin: Origin, home: Path, root: Path | None) -> Path | None:
    """The path of the schema of the home, or of the checkout at `root`."""
    if origin == "home":
        return home / NAME
    return root / ".context" / NAME if root else None


Parsed = Cache[Path, tuple[tuple[int, int, int], SchemaFile]]
"""Parsed schema files with the stamps they were read at."""


def load_schema(home: Path, root: Path | None, parsed: Parsed) -> Schema:
    """The types in force for the checkout at `root`; for each type the nearer file takes precedence.

    Never raises for what a file contains; see `Schema.problems`.
    """
    files = [read_schema_file("project", home, root, parsed)] if root else []
    return _merged((*files, read_schema_file("home", home, root, parsed)))


def read_schema_file(origin: Origin, home: Path, root: Path | None, parsed: Parsed) -> SchemaFile:
    """One of the files, in its current state."""
    path = schema_path(origin, home, root)
    if path is None:
        return SchemaFile("", origin)
    shown = f".context/{NAME}" if origin == "project" else str(path)
    try:
        found = path.stat()
    except (OSError, ValueError):
        return SchemaFile(shown, origin)
    if not stat.S_ISREG(found.st_mode):
        return _unreadable(shown, origin, "it is not a file")
    if found.st_size > LARGEST:
        return _unreadable(shown, origin, f"it is larger than {LARGEST:,} bytes")
    try:
        # The inode too: a file replaced within the clock's resolution has another one.
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        within = root if origin == "project" else None

        def read() -> SchemaFile:
            text = read_file(path, LARGEST, within=within).decode("utf-8-sig")
            return parsed_file(text, shown, origin)

        return as_of(parsed, path, stamp, read)
    except UnicodeDecodeError as error:
        return _unreadable(shown, origin, f"byte {error.start} is not valid UTF-8")
    except OSError as error:
        return _unreadable(shown, origin, f"cannot be read: {error.strerror}")


def parsed_file(text: str, path: str, origin: Origin) -> SchemaFile:
    """A schema.yaml with this text."""
    types, problems = parse_schema(text, path, origin)
    return SchemaFile(path, origin, text, digest(text), types, tuple(problems))


def _unreadable(path: str, origin: Origin, why: str) -> SchemaFile:
    problem = FileProblem(
        path, 0, why, "replace it with a text file; until then it counts as empty"
    )
    return SchemaFile(path, origin, "", "unreadable", {}, (problem,))


def _merged(files: tuple[SchemaFile, ...]) -> Schema:
    types: dict[str, ContextType] = {}
    for file in files:
        types = {**types, **{n: t for n, t in file.types.items() if n not in types}}
    return Schema(files, types)
