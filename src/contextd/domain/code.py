"""What is known of a source file. All of it is derived: a scan can rebuild it."""

from __future__ import annotations

import re
from typing import Any

from contextd.domain.dataclass import dataclass
from contextd.domain.scope import Scope

VALUES = frozenset("json yaml csv xml svg toml ini go-module".split())
"""The languages of files that hold values, such as settings and translations, and nothing else."""

DOCUMENTS = frozenset(("markdown", "restructuredtext", "text"))
"""The languages of files that people read and nothing runs."""

OVER_LIMIT = "takes too long to understand"
READER_CRASHED = "crashes its parser"
NOT_UNDERSTOOD = frozenset((OVER_LIMIT, READER_CRASHED))
"""Why a file is searched as plain text only."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/|[._-]test\.|[._-]spec\.(?!py$|go$|rs$|java$|c$|h$)|(?:^|/)test_"
    r"|[a-z.]Tests?/|-tests/|(?:^|/)src/(?:androidT|t)est[A-Z]\w*/"
)


def is_test(path: str) -> bool:
    """Whether a path is a test's, by its name or folder."""
    return _TEST.search(path) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A definition. Lines count from 1 and include the last one; offsets are in bytes."""

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
    """One import of a file. `target` is the file of this project it leads to, or empty.

    `names` pairs each imported name with its local one; `*` stands for a whole module.
    """

    specifier: str
    line: int
    target: str = ""
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a file, cut at its seams. The chunks of a file cover every byte once."""

    id: str
    path: str
    start_line: int
    end_line: int
    text: str
    symbol: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A scanned file. `size` in bytes, `mtime_ns` in nanoseconds, `digest` of its content. `mtime_ns` is when
    its content or its inode changed last, whichever is later, as far as the system says.

    `exports` maps an exported name to (specifier, name): where it is defined when it is only
    passed on, with an empty specifier when it is defined here.
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
class CodePlace:
    """A checkout of a project, by the path of its root. Each has a code index of its own."""

    scope: Scope
    root: str


@dataclass(frozen=True, slots=True)
class IndexedCheckout:
    """A checkout that has a code index: its root, and how many files the index has."""

    root: str
    files: int


@dataclass(frozen=True, slots=True)
class FileStamp:
    """The size in bytes and the time in nanoseconds that a file with known content has now."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What became of the known files of a project since a `version` of them: the paths that were written,
    whether others were removed, and the version they have now. A version only means something to its store.
    """

    version: int
    put: tuple[str, ...] = ()
    removed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReading:
    """What a `reader` made of the text of a file that had this stamp: a `value` of lists, tuples and text.
    Nothing else is needed to make it again.
    """

    path: str
    size: int
    mtime_ns: int
    reader: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWeight:
    """How much a file of a project matters to the others: its `rank` among them, a score that none of what it
    defines has more than (`top`), and of what others import from it the qualified name, what that adds to
    its score, and how many do.
    """

    path: str
    rank: float = 0.0
    top: float = 0.0
    used: tuple[tuple[str, float, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCalls:
    """What a file with this `digest` says of its calls, as a `reader` understood it: `facts` are tuples of
    text and numbers, `names` the words it can be found by. Nothing else is needed to know them, so they
    hold for as long as the content stays.
    """

    path: str
    digest: str
    reader: str
    names: str
    facts: tuple[Any, ...]
