"""Definitions and references of an `index.scip` written by a compiler's indexer.

Only part of the protocol buffers is read: documents (2) with their path (1) and occurrences (2), each with a
range (1), a symbol (2) and roles (3).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from contextd_code.calls.call_facts import SiteKind
from contextd_code.calls.edges import Edge
from contextd_code.calls.scope_layout import CONSTANTS
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_inside
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

INDEX = "index.scip"
_LARGEST = 64_000_000
"""Bytes; reading takes 40 ms of CPU a megabyte, once per written index."""
_PER_OCCURRENCE = 300
"""Bytes: 64 for the occurrence, 64 for its numbers, 170 for the text of its symbol."""
_HOLDERS = frozenset("packages apps services libs crates modules projects plugins".split())
"""Folders that hold packages."""
_MOST_WRONG = 0.1
"""The share of definitions that may be at another position than the index says: generated ones have no
position.
"""
_LONGEST_IMPORT = 200
_WORD = re.compile(r"[\w$#]+")
_CALLED = re.compile(r"(?:<[^()]*>)?\(")
INITIALISERS = ("__init__", "__new__", "constructor", "__construct")
_DEFINITION, _IMPORT = 1, 2
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class ScipOccurrence:
    """An occurrence of a symbol. Lines and columns count from 0."""

    line: int
    column: int
    symbol: str
    roles: int


@dataclass(frozen=True, slots=True)
class ScipDocument:
    """The index's data for one file."""

    path: str
    occurrences: tuple[ScipOccurrence, ...]


def read_scip(data: bytes) -> list[ScipDocument]:
    """The documents of an index. Raises `ValueError` for bytes that are not an index."""
    return [
        _document(value)
        for number, value in _fields(memoryview(data))
        if number == 2 and isinstance(value, memoryview)
    ]


Stamp = tuple[tuple[str, int, int], ...]


def stamp(root: Path, folders: Iterable[str]) -> Stamp:
    """(folder, modification time in nanoseconds, size) of each index of a checkout, that of the root or of a
    package below.
    """
    found = []
    for folder in ("", *sorted(folders)):
        with suppress(OSError):
            about = os.stat(os.path.join(root, folder, INDEX))  # noqa: PTH116, PTH118 - a third of the time
            found.append((folder, about.st_mtime_ns, about.st_size))
    return tuple(found)


def package_folders(graph: SymbolGraph) -> frozenset[str]:
    """The folders that may have an index of their own."""
    found = set()
    for path in graph.files:
        first, _, rest = path.partition("/")
        second, _, more = rest.partition("/")
        if rest:
            found.add(first)
        if more and first in _HOLDERS:
            found.add(f"{first}/{second}")
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class ScipIndexes:
    """The contents of a checkout's indexes, by file path, with their modification time; `unread` are the
    unreadable ones.
    """

    documents: Mapping[str, tuple[int, ScipDocument]]
    unread: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        """Its estimated bytes."""
        return sum(_PER_OCCURRENCE * len(one.occurrences) for _, one in self.documents.values())


def read_indexes(root: Path, written: Stamp) -> ScipIndexes:
    """Every index with this stamp."""
    documents: dict[str, tuple[int, ScipDocument]] = {}
    unread: list[str] = []
    for folder, at, size in written:
        place = posixpath.join(folder, INDEX)
        try:
            if size > _LARGEST:
                raise ValueError("too large")
            found = read_scip(read_inside(root, place, limit=_LARGEST))
        except (ContextdError, ValueError):
            unread.append(place)
            continue
        for one in found:
            documents[posixpath.normpath(posixpath.join(folder, one.path))] = at, one
    return ScipIndexes(documents, tuple(unread))


@dataclass(frozen=True, slots=True)
class ToldCalls:
    """The edges of the files that indexes cover, and the outdated files among them."""

    edges: Mapping[str, Sequence[Edge]]
    notice: str = ""


def told_edges(root: Path, graph: SymbolGraph, indexes: ScipIndexes | None = None) -> ToldCalls:
    """The edges of the files an index covers. Files that changed after it was written are left out, and those
    whose names are not at the indexed positions, because the index is of another commit.
    """
    if indexes is None:
        indexes = read_indexes(root, stamp(root, package_folders(graph)))
    covered = {path: pair for path, pair in indexes.documents.items() if path in graph.files}
    texts: dict[str, list[str]] = {}
    defined: dict[str, Definition] = {}
    for path, (at, document) in covered.items():
        lines = _lines(root, path) if graph.files[path].mtime_ns <= at else None
        if lines is None:
            continue
        own, wrong = _definitions(graph, path, document, lines)
        if wrong <= len(own) * _MOST_WRONG:
            texts[path] = lines
            defined |= own
    edges = {
        path: tuple(_edges(graph, path, covered[path][1], lines, defined))
        for path, lines in texts.items()
    }
    stale = len(covered) - len(texts)
    notices = [f"{place} cannot be read" for place in indexes.unread]
    notices += [f"{INDEX} is out of date for {stale} files: generate it again"] if stale else []
    return ToldCalls(edges, "; ".join(notices))


def _lines(root: Path, path: str) -> list[str] | None:
    try:
        return decode(read_inside(root, path)).split("\n")
    except ContextdError:
        return None


def _definitions(
    graph: SymbolGraph, path: str, document: ScipDocument, lines: Sequence[str]
) -> tuple[dict[str, Definition], int]:
    """(our definitions by the symbols of the index, how many are not at the indexed position)."""
    found: dict[str, Definition] = {}
    wrong = 0
    for one in document.occurrences:
        # Symbols that end in a colon are numbered by the indexer, such as the keys of an object.
        if not one.roles & _DEFINITION or one.symbol.startswith("local ") or one.symbol[-1] == ":":
            continue
        name = _last(one.symbol)
        if name not in INITIALISERS and _WORD.fullmatch(name) and _names(lines, one) != name:
            wrong += one.line >= len(lines) or lines[one.line].isascii()
            continue
        ours = _defined(graph, path, one)
        if ours is not None:
            found[one.symbol] = ours
    return found, wrong


def _last(symbol: str) -> str:
    """The last name of an index symbol."""
    name = symbol.rstrip("().#:").rpartition("/")[2].replace("#", ".").rpartition(".")[2]
    return name.strip("`").replace("<constructor>", "constructor")


def _names(lines: Sequence[str], one: ScipOccurrence) -> str | None:
    """The name at a position; None where columns may be counted in another unit."""
    line = lines[one.line] if one.line < len(lines) else ""
    if not line.isascii():
        return None
    word = _WORD.match(line, one.column)
    return word[0] if word is not None else ""


def _edges(
    graph: SymbolGraph,
    path: str,
    document: ScipDocument,
    lines: Sequence[str],
    defined: Mapping[str, Definition],
) -> Iterator[Edge]:
    imports = _import_lines(graph, path, lines)
    for one in document.occurrences:
        target = defined.get(one.symbol)
        if target is None or one.roles & (_DEFINITION | _IMPORT) or one.line >= len(lines):
            continue
        name = _names(lines, one)
        if one.line in imports or name == "":
            continue
        rest = lines[one.line][one.column :]
        after = rest.removeprefix(name or target.symbol.name).lstrip()
        caller = _around(graph, path, one.line + 1)
        kind: SiteKind = "call" if _CALLED.match(after) else "use"
        for meant in (target, *_made_by(graph, target)) if kind == "call" else (target,):
            yield Edge(path, one.line + 1, kind, caller, meant)


def _made_by(graph: SymbolGraph, one: Definition) -> list[Definition]:
    """The other targets of a class call or constructor call, which some indexes record instead."""
    symbols = graph.files[one.path].symbols
    if one.symbol.name in INITIALISERS:
        holder = one.symbol.parent.rpartition(".")[2]
        return [Definition(one.path, s) for s in symbols if s.name == holder and s.kind == "class"]
    return [
        Definition(one.path, symbol)
        for symbol in symbols
        if symbol.name in INITIALISERS and symbol.parent == one.qualified
    ]


def _import_lines(graph: SymbolGraph, path: str, lines: Sequence[str]) -> set[int]:
    """The lines of a file's imports, counted from 0: an import is not a use."""
    found: set[int] = set()
    for one in graph.files[path].imports:
        opened = 0
        for number in range(one.line - 1, min(len(lines), one.line + _LONGEST_IMPORT)):
            found.add(number)
            opened += sum(map(lines[number].count, "({")) - sum(map(lines[number].count, ")}"))
            if opened <= 0:
                break
    return found


def _defined(graph: SymbolGraph, path: str, one: ScipOccurrence) -> Definition | None:
    """Our definition for one of the index: the innermost on its line with the symbol's last name."""
    name = _last(one.symbol)
    fitting = [
        symbol
        for symbol in graph.files[path].symbols
        if symbol.name == name and symbol.start_line <= one.line + 1 <= symbol.end_line
    ]
    best = max(fitting, key=lambda symbol: symbol.start_line, default=None)
    return Definition(path, best) if best is not None else None


def _around(graph: SymbolGraph, path: str, line: int) -> Definition | None:
    fitting = [
        symbol
        for symbol in graph.files[path].symbols
        if symbol.start_line <= line <= symbol.end_line and symbol.kind not in CONSTANTS
    ]
    best = min(fitting, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)
    return Definition(path, best) if best is not None else None


def _document(data: memoryview) -> ScipDocument:
    path, occurrences = "", []
    for number, value in _fields(data):
        if number == 1 and isinstance(value, memoryview):
            path = bytes(value).decode("utf-8", "replace")
        elif number == 2 and isinstance(value, memoryview):
            found = _occurrence(value)
            if found is not None:
                occurrences.append(found)
    return ScipDocument(path, tuple(occurrences))


def _occurrence(data: memoryview) -> ScipOccurrence | None:
    place: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(data):
        if number == 1:
            place += list(_varints(value)) if isinstance(value, memoryview) else [value]
        elif number == 2 and isinstance(value, memoryview):
            symbol = bytes(value).decode("utf-8", "replace")
        elif number == 3 and isinstance(value, int):
            roles = value
    return ScipOccurrence(place[0], place[1], symbol, roles) if len(place) >= 3 and symbol else None


def _varints(data: memoryview) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """(number, value) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        length, at = _varint(data, at) if wire == _BYTES else (_WIDTHS.get(wire, 0), at)
        if not length and wire != _BYTES:
            raise ValueError(f"wire type {wire} is not known")
        if at + length > len(data):
            raise ValueError("a field is longer than the file")
        if wire == _BYTES:
            yield number, data[at : at + length]
        at += length


_WIDTHS = {_FIXED64: 8, _FIXED32: 4}
