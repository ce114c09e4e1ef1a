"""The uses of definitions by resolved imports, and the rank of each definition."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from contextd_code.symbols.graph import edges, page_rank
from contextd_code.symbols.symbols import WHOLE, NameUse, uses
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import FileChanges, SourceFile, Symbol, is_test
from contextd_common.dataclass import dataclass
from contextd_common.text.words import words

GRAPHS_KEPT = 2
"""The most graphs cached in this process; one of 5,000 files takes about 30 MB."""

K = TypeVar("K")
V = TypeVar("V")

_FEW = 10
"""Up to one changed file in this many, the graph is updated; with more, rebuilding is as fast."""

_PER_FILE, _PER_DEFINITION = 1_500, 1_080
"""Bytes: measured 27 MB for the 1,535 files and 22,742 definitions of this repository."""

OWN_SHARE = 0.05
"""The largest share of a file's rank that one of its definitions gets for being in it."""
_HIDDEN_SHARE = 0.005
_MEMBER_SHARE = 0.1


Place = tuple[str, int, str]
"""(path, offset, name): one statement can bind several names."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition and its file."""

    path: str
    symbol: Symbol

    @property
    def place(self) -> Place:
        """The unique key of a definition."""
        return self.path, self.symbol.start, self.symbol.name

    @property
    def qualified(self) -> str:
        """The qualified name: `Cart.add`."""
        return (
            f"{self.symbol.parent}.{self.symbol.name}" if self.symbol.parent else self.symbol.name
        )


@dataclass(frozen=True)
class SymbolGraph:
    """The definitions of a project and their links.

    `definitions` are in order of path and position; everything else is derived from the files on
    first use and cached.
    """

    files: Mapping[str, SourceFile]

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Every definition, including inner ones."""
        return tuple(Definition(f.path, s) for f in self.files.values() for s in f.symbols)

    @cached_property
    def weight(self) -> int:
        """Its estimated bytes, with all that is derived from the files."""
        return sum(_PER_FILE + _PER_DEFINITION * len(file.symbols) for file in self.files.values())

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
        """(importing file, imported name) for every import inside the project."""
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
        """The rank of each file, with restarts at all files except tests."""
        return self.rank_from(None)

    @cached_property
    def scores(self) -> Mapping[Place, float]:
        """The share of the rank of each definition."""
        return self.scores_from(self.rank)

    def rank_from(self, restart: Mapping[str, float] | None) -> dict[str, float]:
        """The rank of each file, with restarts weighted by `restart`."""
        start = restart or {path: 1.0 for path in self.files if not is_test(path)}
        return page_rank(list(self.files), self.weighted, start)

    def scores_from(self, rank: Mapping[str, float]) -> dict[Place, float]:
        """The score of each definition when every file passes its rank on to the definitions it
        uses.

        A small share stays with a file's own definitions, because entry points are imported by no
        file. Members get a share of their class's score.
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
        """(indices of definitions, source file, target definition, share)."""
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
    """Add to the scores of a file's definitions, given by other files, their share of the file's
    own rank.
    """
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
    """The graph of these files, without data it does not need, such as chunks."""
    needed_files = [one for one in map(lean, files) if one is not None]
    return SymbolGraph({file.path: file for file in sorted(needed_files, key=lambda f: f.path)})


def lean(file: SourceFile) -> SourceFile | None:
    """The data of a file that the graph needs; None if there is none."""
    needed = file.symbols or file.imports or file.exports
    return replace(file, chunks=()) if needed else None


@dataclass(frozen=True, slots=True)
class KeptGraph:
    """The graph of a project as of a version of its files."""

    version: int
    graph: SymbolGraph


class KeptGraphs(Protocol):
    """A cache of graphs."""

    def get(self, key: Hashable, /) -> KeptGraph | None:
        """The graph with this key; None if absent."""
        ...

    def put(self, key: Hashable, value: KeptGraph, /) -> None:
        """Store a graph."""
        ...


def symbol_graph(files: CodeIndex, graphs: KeptGraphs, whose: Hashable) -> SymbolGraph:
    """The graph of a scanned project, rebuilt when one of its files was written since it was cached in
    `graphs`, under the checkout `whose`.
    """
    known = graphs.get(whose)
    changes = files.changes(0 if known is None else known.version)
    if known is None or changes.version != known.version:
        graph = _following(files, known, changes) or build_graph(files.linked())
        known = KeptGraph(changes.version, graph)
        graphs.put(whose, known)
    return known.graph


def _following(
    files: CodeIndex, known: KeptGraph | None, changes: FileChanges
) -> SymbolGraph | None:
    """A graph updated with the changes since another one, which saves reading all files; None if
    rebuilding is as fast.
    """
    if known is None or changes.version < known.version:
        return None
    if len(changes.put) * _FEW > len(known.graph.files):
        return None
    found = dict(known.graph.files)
    if changes.removed:
        there = files.stamps()
        found = {path: file for path, file in found.items() if path in there}
    for path in changes.put:
        found.pop(path, None)
    fresh = (lean(file) for file in files.all(changes.put)) if changes.put else ()
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
