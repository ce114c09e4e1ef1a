"""Who uses which definition, from imports that were resolved, and how much each one matters."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from contextd.domain.scope import Scope
from contextd.ports.code import Files
from contextd.runtime.caches import Cache
from contextd_code.dataclass import dataclass
from contextd_code.symbols.graph import edges, page_rank
from contextd_code.symbols.symbols import WHOLE, NameUse, uses
from contextd_code.text.words import words
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.values.source import FileChanges, SourceFile, Symbol, is_test

GRAPHS_KEPT = 2
"""Graphs remembered in this process; one of 5,000 files takes some 30 MB."""

K = TypeVar("K")
V = TypeVar("V")

_FEW = 10
"""Up to one file in so many is put into the graph before: of more, all are read as quickly."""

OWN_SHARE = 0.05
"""The most of a file's rank that one of its definitions has for standing there."""
_HIDDEN_SHARE = 0.005
_MEMBER_SHARE = 0.1


Place = tuple[str, int, str]
"""(path, offset, name): one statement can bind several names."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition and the file it stands in."""

    path: str
    symbol: Symbol

    @property
    def place(self) -> Place:
        """What tells it from every other definition."""
        return self.path, self.symbol.start, self.symbol.name

    @property
    def qualified(self) -> str:
        """The name with the names around it: `Cart.add`."""
        return (
            f"{self.symbol.parent}.{self.symbol.name}" if self.symbol.parent else self.symbol.name
        )


@dataclass(frozen=True)
class SymbolGraph:
    """The definitions of a project and what links them. `definitions` are in order of path and
    place; everything else is derived from the files on first use and then kept.
    """

    files: Mapping[str, SourceFile]

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Every definition, inner ones too."""
        return tuple(Definition(f.path, s) for f in self.files.values() for s in f.symbols)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Definition, ...]]:
        """Definitions by their exact name."""
        return _grouped((one.symbol.name, one) for one in self.definitions)

    @cached_property
    def words_of_names(self) -> Mapping[str, frozenset[str]]:
        """The parts of each name: `refreshToken` has `refresh` and `token`."""
        return {name: frozenset(words(name)) for name in self.by_name}

    @cached_property
    def uses(self) -> tuple[tuple[str, NameUse], ...]:
        """(importing file, what it imports) for every import that stays within the project."""
        return tuple((f.path, use) for f in self.files.values() for use in uses(self.files.get, f))

    @cached_property
    def users(self) -> Mapping[Place, tuple[tuple[str, NameUse], ...]]:
        """Definition → (file that imports it by name, how), in order of path."""
        return _grouped(
            ((use.path, use.symbol.start, use.symbol.name), (path, use))
            for path, use in self.uses
            if use.symbol is not None
        )

    @cached_property
    def whole_uses(self) -> Mapping[str, tuple[tuple[str, NameUse], ...]]:
        """Module → (file that imports it whole, how)."""
        return _grouped((use.path, (path, use)) for path, use in self.uses if use.symbol is None)

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """A file → the files that import it."""
        found = _grouped((to, start) for start, to in self.weighted if start != to)
        return {path: frozenset(importing) for path, importing in found.items()}

    @cached_property
    def passed_on_as(self) -> Mapping[str, frozenset[str]]:
        """A name → other names it is exported under somewhere."""
        found = _grouped(
            (inner, exported)
            for file in self.files.values()
            for exported, _, inner in file.exports
            if WHOLE not in (exported, inner) and exported != inner
        )
        return {inner: frozenset(names) for inner, names in found.items()}

    @cached_property
    def weighted(self) -> Mapping[tuple[str, str], int]:
        """The edges between files."""
        return edges(list(self.files.values()))

    @cached_property
    def rank(self) -> Mapping[str, float]:
        """The rank of each file for a reader who begins anywhere but in the tests."""
        return self.rank_from(None)

    @cached_property
    def scores(self) -> Mapping[Place, float]:
        """The share of the rank of each definition."""
        return self.scores_from(self.rank)

    def rank_from(self, restart: Mapping[str, float] | None) -> dict[str, float]:
        """The rank of each file for a reader who begins as `restart` weighs."""
        start = restart or {path: 1.0 for path in self.files if not is_test(path)}
        return page_rank(list(self.files), self.weighted, start)

    def scores_from(self, rank: Mapping[str, float]) -> dict[Place, float]:
        """What each definition gets when every file hands its rank on to what it uses.

        A little stays with a file's own definitions: entry points are imported by nobody and
        matter all the same. Members get a part of what their class gets.
        """
        places, starts, ends, share = self._links
        of_files = np.array([rank[path] for path in self.files], dtype=np.float64)
        got = np.bincount(ends, weights=of_files[starts] * share, minlength=len(places))
        scores = dict(zip(places, got.tolist(), strict=True))
        for file in self.files.values():
            add_own(scores, file, rank[file.path])
        return scores

    @cached_property
    def _links(self) -> _Links:
        """(places of definitions, from which file, to which definition, with which share)."""
        at = {path: number for number, path in enumerate(self.files)}
        places = tuple(dict.fromkeys(one.place for one in self.definitions))
        of = {place: number for number, place in enumerate(places)}
        out: dict[str, int] = {}
        for (start, _), weight in self.weighted.items():
            out[start] = out.get(start, 0) + weight
        rows = [
            (
                at[path],
                of[use.path, use.symbol.start, use.symbol.name],
                1 / max(1, out.get(path, 1)),
            )
            for path, use in self.uses
            if use.symbol is not None
        ]
        table = np.array(rows, dtype=np.float64).reshape(-1, 3)
        return places, table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2]


def add_own(scores: dict[Place, float], file: SourceFile, rank: float) -> None:
    """Add to the scores of the definitions of a file, which others gave them, what they have of its rank."""
    top = [s for s in file.symbols if not s.parent]
    public = sum(1 for s in top if s.exported)
    for symbol in top:
        own_share = OWN_SHARE / public if symbol.exported else _HIDDEN_SHARE / len(top)
        scores[file.path, symbol.start, symbol.name] += rank * own_share
    inner = [s for s in file.symbols if s.parent]
    outer = {s.name: scores[file.path, s.start, s.name] for s in top}
    for symbol in inner:
        above = outer.get(symbol.parent.split(".")[0], 0.0)
        scores[file.path, symbol.start, symbol.name] += _MEMBER_SHARE * above / len(inner)


_Links = tuple[tuple[Place, ...], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


def build_graph(files: Sequence[SourceFile]) -> SymbolGraph:
    """The graph of these files. What it needs not, such as their chunks, it lets go."""
    needed_files = [one for one in map(lean, files) if one is not None]
    return SymbolGraph({file.path: file for file in sorted(needed_files, key=lambda f: f.path)})


def lean(file: SourceFile) -> SourceFile | None:
    """What the graph needs of a file; None when that is nothing."""
    needed = file.symbols or file.imports or file.exports
    return replace(file, chunks=()) if needed else None


@dataclass(frozen=True, slots=True)
class KeptGraph:
    """The graph of a project as of a version of its files."""

    version: int
    graph: SymbolGraph


def symbol_graph(
    files: Files, scope: Scope, graphs: Cache[Hashable, KeptGraph], whose: Hashable = None
) -> SymbolGraph:
    """The graph of a scanned project, rebuilt when one of its files was written since it was cached in
    `graphs`, under the checkout `whose`.
    """
    known = graphs.get(whose or scope)
    changes = files.changes(scope, 0 if known is None else known.version)
    if known is None or changes.version != known.version:
        graph = _following(files, scope, known, changes) or build_graph(files.linked(scope))
        known = KeptGraph(changes.version, graph)
        graphs.put(whose or scope, known)
    return known.graph


def _following(
    files: Files, scope: Scope, known: KeptGraph | None, changes: FileChanges
) -> SymbolGraph | None:
    """The graph with what changed since another one: to read all files again is most of making it. None
    where that is as well.
    """
    if known is None or changes.version < known.version:
        return None
    if len(changes.put) * _FEW > len(known.graph.files):
        return None
    found = dict(known.graph.files)
    if changes.removed:
        there = files.stamps(scope)
        found = {path: file for path, file in found.items() if path in there}
    for path in changes.put:
        found.pop(path, None)
    fresh = (lean(file) for file in files.all(scope, changes.put)) if changes.put else ()
    found.update((file.path, file) for file in fresh if file is not None)
    return SymbolGraph(dict(sorted(found.items())))


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def ranked_definitions(
    graph: SymbolGraph, scores: Mapping[Place, float]
) -> Iterator[tuple[Definition, float]]:
    """The definitions outside tests and generated files, best first."""
    pairs = [
        (one, scores[one.place])
        for one in graph.definitions
        if not is_test(one.path) and graph.files[one.path].error not in UNWRITTEN
    ]
    yield from sorted(pairs, key=lambda p: (-p[1], p[0].path, p[0].symbol.start))
