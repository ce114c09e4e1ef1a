"""What the index knows about a source file. All of it is derived: a scan can rebuild it."""

from __future__ import annotations

import re
from typing import Any

from contextd_common.dataclass import dataclass

VALUES = frozenset("json yaml csv xml svg toml ini go-module".split())
"""Languages of files that only hold values, such as settings and translations."""

DOCUMENTS = frozenset(("markdown", "restructuredtext", "text"))
"""Languages of files that people read and no program runs."""

OVER_LIMIT = "takes too long to understand"
READER_CRASHED = "crashes its parser"
NOT_UNDERSTOOD = frozenset((OVER_LIMIT, READER_CRASHED))
"""Reasons why a file is searched as plain text only."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/|[._-]test\.|[._-]spec\.(?!py$|go$|rs$|java$|c$|h$)|(?:^|/)test_"
    r"|[a-z.]Tests?/|-tests/|(?:^|/)src/(?:androidT|t)est[A-Z]\w*/"
)


def is_test(path: str) -> bool:
    """Whether a path belongs to a test, judged by its file or folder name."""
    return _TEST.search(path) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A definition. Line numbers start at 1 and the range includes the last line; offsets are in bytes."""

    name: str
    kind: str
    start_line: int
    end_line: int
    start: int
    end: int
    signature: str = ""
    parent: str = ""
    exported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import in a file. `target` is the imported file of this project, or empty.

    `names` pairs each imported name with its local one; `*` stands for a whole module.
    """

    specifier: str
    line: int
    target: str = ""
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a file, split at natural boundaries. The chunks of a file cover every byte once."""

    id: str
    path: str
    start_line: int
    end_line: int
    text: str
    symbol: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A scanned file. `size` is in bytes, `mtime_ns` in nanoseconds; `digest` is the hash of its content.
    `mtime_ns` is the later of the content and inode modification times, where the system reports both.

    `exports` maps an exported name to (specifier, name). The specifier says where a re-exported name is
    defined; it is empty for a name defined in this file.
    """

    path: str
    size: int
    mtime_ns: int
    digest: str
    language: str = ""
    lines: int = 0
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[tuple[str, str, str], ...] = ()
    chunks: tuple[Chunk, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """The current size in bytes and modification time in nanoseconds of a file whose content is known."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Changes to a project's files since a `version`: the paths that were written, whether other files
    were removed, and the current version. A version is only meaningful to the store that issued it.
    """

    version: int
    put: tuple[str, ...] = ()
    removed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReading:
    """A cached result of a `reader` for a file with this stamp: a `value` made of lists, tuples and text,
    which can be recomputed from the file.
    """

    path: str
    size: int
    mtime_ns: int
    reader: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWeight:
    """How important a file is to the rest of the project: its `rank`, an upper bound for the score of its
    definitions (`top`), and per imported definition its qualified name, what that adds to its score,
    and the number of importers.
    """

    path: str
    rank: float = 0.0
    top: float = 0.0
    used: tuple[tuple[str, float, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCalls:
    """The calls found by a `reader` in a file with this `digest`. `facts` are tuples of text and numbers,
    `names` are the words to look the file up by. They depend on the content only and stay valid while
    the digest is the same.
    """

    path: str
    digest: str
    reader: str
    names: str
    facts: tuple[Any, ...]
