"""Which definitions a path or a name means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal

from contextd_code.index.languages.table import language_of
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound, nearest

_PLACE = re.compile(r"(?P<path>[^:#]+\.\w+)(?:::?|#)(?P<rest>.+)")


_LINES = re.compile(r"L?(\d+)(?:-L?(\d+))?")


_OPEN_NAMESPACES = frozenset(("c", "csharp", "php"))
"""Families of languages in which many files declare the same namespace."""

Choice = Callable[[Sequence[Definition]], Sequence[Definition]]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed file: the definitions that change, the names of removed ones, the added and removed lines, its
    earlier path `was`, and whether it is `binary`.
    """

    path: str
    change: Literal["create", "edit", "delete"]
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
        found = [one for one in found if not _is_open_namespace(graph, one)] or found
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
        at = [at_line(graph, path, n) for n in range(first, min(last, first + 2_000) + 1)]
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


def _is_open_namespace(graph: SymbolGraph, one: Definition) -> bool:
    """Whether a definition is a namespace that any file may add to: a change of one file does not change it."""
    language = language_of(one.path)
    is_open = language is not None and language.family in _OPEN_NAMESPACES
    return is_open and one.symbol.kind == "module"


def _written(graph: SymbolGraph, path: str) -> list[Definition]:
    return [Definition(path, symbol) for symbol in graph.files[path].symbols]


def at_line(graph: SymbolGraph, path: str, line: int) -> Definition | None:
    """The innermost definition around a line that other code can use: not one inside a function."""
    around = [s for s in graph.files[path].symbols if s.start_line <= line <= s.end_line]
    around.sort(key=lambda symbol: symbol.end_line - symbol.start_line, reverse=True)
    best = None
    for symbol in around:
        best = symbol
        if symbol.kind in ("function", "method"):
            break
    return Definition(path, best) if best is not None else None
