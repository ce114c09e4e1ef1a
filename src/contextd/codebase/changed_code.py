"""Resolve a path, a name or a diff to definitions."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field

from contextd.policies.actions import ChangeOf, FileChange, changes_in
from contextd.runtime.runtime import Runtime
from contextd_code.dataclass import dataclass
from contextd_code.errors import ContextdError, NotFound, nearest
from contextd_code.git import diffs
from contextd_code.index.analyse import parse
from contextd_code.index.languages.table import language_of
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_inside

_PLACE = re.compile(r"(?P<path>[^:#]+\.\w+)(?:::?|#)(?P<rest>.+)")
_LINES = re.compile(r"L?(\d+)(?:-L?(\d+))?")


Choice = Callable[[Sequence[Definition]], Sequence[Definition]]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed file: the definitions that change, the names of removed ones, the added and removed lines, its
    earlier path `was`, and whether it is `binary`.
    """

    path: str
    change: ChangeOf
    symbols: tuple[Definition, ...] = ()
    removed_names: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    was: str = ""
    binary: bool = False


@dataclass(frozen=True, slots=True)
class ChangedCode:
    """The subject of a query: definitions, and the files that contain them."""

    files: list[ChangedFile] = field(default_factory=list[ChangedFile])

    @property
    def symbols(self) -> list[Definition]:
        """Every definition, without duplicates."""
        return list(dict.fromkeys(one for file in self.files for one in file.symbols))


def named(graph: SymbolGraph, target: str, choose: Choice = list) -> ChangedCode:
    """Resolve a path, `path:Class.method`, `path:line`, or a bare name; of several definitions of a bare name,
    `choose` picks. Raises `NotFound` with the nearest name.
    """
    plain = target.strip().removeprefix("./")
    if plain in graph.files:
        found = [one for one in _written(graph, plain) if not _is_inner(graph, one)]
        return ChangedCode([ChangedFile(plain, "edit", tuple(found))])
    placed = _PLACE.fullmatch(plain)
    if placed is None:
        return _by_name(graph, plain, choose)
    path, rest = placed["path"], placed["rest"]
    if path not in graph.files:
        hint = _alike(path, list(graph.files)) or "give a path relative to the project's root"
        raise NotFound(f"no file {path!r} in the index", hint)
    lines = _LINES.fullmatch(rest)
    if lines is not None:
        first, last = int(lines[1]), int(lines[2] or lines[1])
        at = [_at_line(graph, path, n) for n in range(first, min(last, first + 2_000) + 1)]
        return ChangedCode([ChangedFile(path, "edit", tuple(dict.fromkeys(filter(None, at))))])
    asked = rest.replace("::", ".").replace("#", ".").removesuffix("()")
    own = _written(graph, path)
    found = [one for one in own if one.qualified == asked]
    found = found or [one for one in own if one.qualified.endswith(f".{asked}")]
    if not found:
        near = _alike(asked, [one.qualified for one in own])
        raise NotFound(f"{path} defines no {asked!r}", near or "find_symbol finds definitions")
    return ChangedCode([ChangedFile(path, "edit", tuple(found))])


def _by_name(graph: SymbolGraph, name: str, choose: Choice) -> ChangedCode:
    asked = name.replace("::", ".").replace("#", ".").removesuffix("()")
    last = asked.rpartition(".")[2]
    found = [
        one
        for one in graph.by_name.get(last, ())
        if one.qualified == asked or one.qualified.endswith(f".{asked}") or last == asked
    ]
    if not found:
        if "/" in name or re.search(r"\.\w{1,4}$", name):
            hint = _alike(name, list(graph.files))
        else:
            first = last[:1].casefold()
            hint = nearest(last, [one for one in graph.by_name if one[:1].casefold() == first])
        raise NotFound(
            f"no file or definition {name!r} in the index",
            hint or "give a path, path:Class.method, or a name that find_symbol knows",
        )
    by_path: dict[str, list[Definition]] = {}
    for one in choose(found):
        by_path.setdefault(one.path, []).append(one)
    return ChangedCode([ChangedFile(path, "edit", tuple(some)) for path, some in by_path.items()])


def _alike(path: str, known: Sequence[str]) -> str:
    """The nearest path: one with the same file name first."""
    name = posixpath.basename(path)
    same = [one for one in known if posixpath.basename(one) == name]
    return nearest(path, same or known) or (f"did you mean {same[0]!r}?" if same else "")


def _is_inner(graph: SymbolGraph, one: Definition) -> bool:
    """Whether a definition is nested in a class; namespaces do not count."""
    if "." not in one.symbol.parent:
        return False
    symbols = graph.files[one.path].symbols
    names = [f"{s.parent}.{s.name}" if s.parent else s.name for s in symbols if s.kind == "module"]
    around = max(
        (n for n in names if f"{one.symbol.parent}.".startswith(f"{n}.")), key=len, default=""
    )
    return "." in one.symbol.parent[len(around) :].strip(".")


def _written(graph: SymbolGraph, path: str) -> list[Definition]:
    return [Definition(path, symbol) for symbol in graph.files[path].symbols]


def _at_line(graph: SymbolGraph, path: str, line: int) -> Definition | None:
    """The innermost definition around a line that other code can use: not one inside a function."""
    around = [s for s in graph.files[path].symbols if s.start_line <= line <= s.end_line]
    around.sort(key=lambda symbol: symbol.end_line - symbol.start_line, reverse=True)
    best = None
    for symbol in around:
        best = symbol
        if symbol.kind in ("function", "method"):
            break
    return Definition(path, best) if best is not None else None


def in_diff(runtime: Runtime, graph: SymbolGraph, diff: str, base: str = "") -> ChangedCode:
    """The definitions that a unified diff touches, whether it was applied here or not. With its base revision,
    also those that it removes.
    """
    changes = list(changes_in(diff))
    moves = diffs.moves_in(diff)
    before: Mapping[str, bytes] = {}
    if base:
        paths = [one.path for one in changes if one.removed or one.change == "delete"]
        wanted = [path for path in (*paths, *moves.values()) if language_of(path)]
        before = diffs.texts_at(runtime.root, base, list(dict.fromkeys(wanted)))
    left = {one.path: one for one in changes if one.change == "delete"}
    return ChangedCode(
        [
            _in_file(runtime, graph, one, before, left.get(moves.get(one.path, "")))
            for one in changes
            if not (one.change == "delete" and one.path in moves.values())
        ]
    )


def _in_file(
    runtime: Runtime,
    graph: SymbolGraph,
    change: FileChange,
    before: Mapping[str, bytes],
    left: FileChange | None,
) -> ChangedFile:
    """The changes of a file; for a moved file, `left` is what was removed from its old path."""
    path, was = change.path, left.path if left is not None else ""
    if left is not None:
        change = FileChange(path, "edit", change.added, left.removed, change.binary)
    symbols: dict[Definition, None] = {}
    if path in graph.files and change.change != "delete":
        lines = _lines_now(runtime, path)
        for number in _numbers(change, lines):
            found = _at_line(graph, path, number)
            if found is not None:
                symbols[found] = None
    removed_names: tuple[str, ...] = ()
    old = was or path
    if old in before:
        removed_names = _gone(graph, "" if change.change == "delete" else path, old, before[old])
    return ChangedFile(
        path,
        change.change,
        tuple(symbols),
        removed_names,
        len(change.added),
        len(change.removed),
        was,
        change.binary,
    )


def _lines_now(runtime: Runtime, path: str) -> list[str]:
    with suppress(ContextdError):
        return decode(read_inside(runtime.root, path)).splitlines()
    return []


def _numbers(change: FileChange, lines: Sequence[str]) -> list[int]:
    """The changed lines, numbered as in the current file."""

    def stands(pairs: Sequence[tuple[int, str]]) -> int:
        return sum(1 for n, text in pairs if 0 < n <= len(lines) and lines[n - 1] == text)

    added, removed = list(change.added), list(change.removed)
    coming, going = [n for n, _ in added], [n for n, _ in removed]
    applied = stands(added) * len(removed) >= stands(removed) * len(added) if removed else True
    if added and not stands(added):
        applied = False
    if applied:
        return coming + [_moved(n, going, coming) for n in going]
    return going + [_moved(n, coming, going) for n in coming]


def _moved(number: int, away: Sequence[int], come: Sequence[int]) -> int:
    """The line number on the other side of a diff for a line of one side."""
    before = bisect_right(away, number - 1)
    at = number - before
    for one in come:
        if one > at:
            break
        at += 1
    return max(1, at)


def _gone(graph: SymbolGraph, path: str, was: str, data: bytes) -> tuple[str, ...]:
    """The definitions removed from a file; all of them when the file is gone."""
    before = decode(data)
    file = graph.files.get(path)
    now = {(s.parent, s.name) for s in file.symbols} if file is not None else set()
    old = parse(was, before).outline.symbols
    names = (
        f"{s.parent}.{s.name}" if s.parent else s.name for s in old if (s.parent, s.name) not in now
    )
    return tuple(dict.fromkeys(names))
