"""Definitions and references of an `index.scip`, where a compiler's indexer left one.

Of the protocol buffers only what is needed is read: documents (2) with their path (1) and
occurrences (2), each with a range (1), a symbol (2) and roles (3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from contextd.code.calls.edges import Edge
from contextd.code.calls.facts import SiteKind
from contextd.code.calls.layout import CONSTANTS
from contextd.code.symbols.symbol_graph import Definition, SymbolGraph
from contextd.code.tree.paths import read_inside
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import ContextdError

INDEX = "index.scip"
_LARGEST = 256_000_000
_DEFINITION, _IMPORT = 1, 2
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class ScipOccurrence:
    """A place where a symbol is named. Lines and columns count from 0."""

    line: int
    column: int
    symbol: str
    roles: int


@dataclass(frozen=True, slots=True)
class ScipDocument:
    """What an index says of one file."""

    path: str
    occurrences: tuple[ScipOccurrence, ...]


def read_scip(data: bytes) -> list[ScipDocument]:
    """The documents of an index. Raises `ValueError` for bytes that are none."""
    return [
        _document(value)
        for number, value in _fields(memoryview(data))
        if number == 2 and isinstance(value, memoryview)
    ]


def stamp(root: Path) -> int:
    """When the index of a checkout was written, in nanoseconds; 0 where there is none."""
    try:
        return (root / INDEX).stat().st_mtime_ns
    except OSError:
        return 0


def told_edges(root: Path, graph: SymbolGraph) -> Mapping[str, Sequence[Edge]]:
    """The edges of the files an index covers. Files that changed after it was written are left out, and
    an index that cannot be read covers none.
    """
    written = stamp(root)
    if not written:
        return {}
    try:
        documents = read_scip(read_inside(root, INDEX, limit=_LARGEST))
    except (ContextdError, ValueError):
        return {}
    fresh = [
        one
        for one in documents
        if one.path in graph.files and graph.files[one.path].mtime_ns <= written
    ]
    defined: dict[str, Definition] = {}
    for document in fresh:
        for one in document.occurrences:
            found = _defined(graph, document.path, one) if one.roles & _DEFINITION else None
            if found is not None and not one.symbol.startswith("local "):
                defined[one.symbol] = found
    return {one.path: tuple(_edges(root, graph, one, defined)) for one in fresh}


def _edges(
    root: Path, graph: SymbolGraph, document: ScipDocument, defined: Mapping[str, Definition]
) -> Iterator[Edge]:
    try:
        lines = read_inside(root, document.path).decode("utf-8", "replace").split("\n")
    except ContextdError:
        return
    for one in document.occurrences:
        target = defined.get(one.symbol)
        if target is None or one.roles & (_DEFINITION | _IMPORT) or one.line >= len(lines):
            continue
        after = lines[one.line][one.column :].removeprefix(target.symbol.name).lstrip()
        caller = _around(graph, document.path, one.line + 1)
        kind: SiteKind = "call" if after.startswith("(") else "use"
        yield Edge(document.path, one.line + 1, kind, caller, target)


def _defined(graph: SymbolGraph, path: str, one: ScipOccurrence) -> Definition | None:
    """Our definition behind one of the index: the innermost on its line whose name its symbol ends in."""
    name = one.symbol.rstrip("().#:`").rpartition("/")[2].replace("#", ".").rpartition(".")[2]
    name = name.strip("`")
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
