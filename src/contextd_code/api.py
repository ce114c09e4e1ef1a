"""The functions that programs call: scan a directory, then ask about its code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.scip import package_folders, read_indexes, stamp, told_edges
from contextd_code.calls.uses import uses
from contextd_code.git import diffs
from contextd_code.index.memory_index import MemoryIndex
from contextd_code.index.scan import scan as scan_files
from contextd_code.queries.changed_code import named
from contextd_code.queries.impact import DependentPlace, TestOfCode, reach
from contextd_code.queries.references import References, defined_as, references_of
from contextd_code.queries.symbols import (
    SymbolHit,
    asked_name,
    in_case,
    is_inside,
    symbol_hits,
)
from contextd_code.queries.use_counts import (
    COMPARED,
    UseCount,
    distinct,
    meant_by_name,
    use_count,
)
from contextd_code.symbols.definitions import definitions
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition, build_graph
from contextd_code.symbols.symbol_ranks import weights
from contextd_code.tree.walk import walk
from contextd_code.values.source import is_test
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest


@dataclass(frozen=True, slots=True)
class ChangeImpact:
    """What a change of some definitions may break: the places that use them, near and certain ones first, and the
    tests that cover them, best first. `targets` are the definitions, as `path:name`. `notice` says what is
    missing and how to get it; it is empty when the answer is complete.
    """

    targets: list[str]
    breaks: list[DependentPlace]
    tests: list[TestOfCode]
    notice: str = ""


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """What a scan did. `files` counts the indexed files, `changed` those with new content and `removed` those that
    are gone. `left_out` pairs each path that is not indexed, or only as text, with the reason. Ignored files
    are not listed.
    """

    files: int
    changed: int
    removed: int
    left_out: tuple[tuple[str, str], ...] = ()


class CodeProject:
    """The code of a directory, indexed in memory. Made by `scan`. For one thread at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._index = MemoryIndex()
        self.summary = self.rescan()

    def rescan(self) -> ScanSummary:
        """Read the files that changed since the last scan, and return what the scan did."""
        report = scan_files(self.root, self._index, walked=walk(self.root))
        self._index.take(report)
        self._index.weigh(weights(self._index))
        self.__dict__.pop("_calls", None)
        left_out = (*report.skipped, *self._index.errors())
        self.summary = ScanSummary(
            self._index.count(), report.changed_count, len(report.removed), left_out
        )
        return self.summary

    def symbols(
        self, query: str, *, path: str | None = None, kind: str | None = None, limit: int = 10
    ) -> list[SymbolHit]:
        """Find definitions by name, by a part of it, or by `Class.method`; best first, empty if there is none.

        `path` limits the search to a file, folder or glob, `kind` to one such as `function` or `class`.
        """
        asked = _asked(query)
        found = definitions(
            self._index, asked, limit, inside=lambda p: is_inside(p, path), kind=kind
        )
        fitting, _ = in_case(found.found)
        exact = [one for one, how in fitting if how == "exact"][: max(limit, COMPARED)]
        return symbol_hits(self._index, fitting, self._counts(exact), limit)

    def references(self, name: str, *, path: str | None = None, limit: int = 50) -> References:
        """Find the uses of a definition: certain ones, possible ones, then lines that contain the name.

        Of several definitions with this name the most used is chosen; `path` limits them to a file, folder or
        glob, and a top-level definition there is preferred. `limit` is the most lines listed. Raises `NotFound` if nothing with this name is defined.
        """
        meant = [
            one
            for one in distinct(defined_as(self._calls, _asked(name)))
            if is_inside(one.path, path)
        ]
        if not meant:
            last = _asked(name).rpartition(".")[2]
            where = f" in {path}" if path else ""
            raise NotFound(
                f"no definition {name!r}{where}", nearest(last, list(self._calls.graph.by_name))
            )
        return references_of(
            self._calls,
            self._sources(),
            meant,
            limit,
            lambda one, end: uses(self._calls, self._sources(), one, end),
            whole=_asked(name) if path else "",
        )

    def impact(self, target: str, *, depth: int = 2) -> ChangeImpact:
        """Find what a change of a file, `path:Class.method`, `path:line` or name may break.

        `depth` is how many calls are followed, 1 to 5. In a git checkout, tests that changed together with
        the target rank higher. Raises `NotFound` if the target is unknown.
        """
        if not 1 <= depth <= _DEEPEST:
            raise Invalid(f"depth must be 1 to {_DEEPEST}, got {depth}", "2 suits most questions")
        notice = ""

        def choose(found: Sequence[Definition]) -> Sequence[Definition]:
            nonlocal notice
            meant, notice = meant_by_name(self._calls, found, self._counts)
            return meant

        changed = named(self._calls.graph, target, choose)
        paths = [one.path for one in changed.files if not is_test(one.path)]
        along = diffs.changed_along(self.root, paths) if paths else None
        found = reach(self._calls, self._sources(), changed, depth, along or {})
        return ChangeImpact(
            [f"{one.path}:{one.qualified}" for one in changed.symbols],
            found.broken,
            found.tests,
            "; ".join(filter(None, (self._calls.notice, found.lack, notice))),
        )

    @cached_property
    def _calls(self) -> CallGraph:
        graph = build_graph(self._index.linked())
        indexes = read_indexes(self.root, stamp(self.root, package_folders(graph)))
        scip = told_edges(self.root, graph, indexes)
        return CallGraph(graph, CodeFacts(self.root, graph), scip.edges, scip.notice)

    def _sources(self) -> Sources:
        return Sources(self.root, self._index)

    def _counts(self, some: Sequence[Definition]) -> dict[Definition, UseCount]:
        sources = self._sources()
        return {one: use_count(uses(self._calls, sources, one)) for one in some}


_DEEPEST = 5


def scan(path: str | os.PathLike[str]) -> CodeProject:
    """Scan a directory and index its code in memory.

    Files that git ignores are left out, as are build outputs and dependencies; without git, those that
    `.gitignore` files name. Files above 1 MB are not analysed. Raises `NotFound` if `path` is not a directory.
    """
    root = Path(path)
    if not root.is_dir():
        raise NotFound(f"no directory {str(path)!r}", "give the root of a project")
    return CodeProject(root.resolve())


def _asked(name: str) -> str:
    asked = asked_name(name)
    if not asked:
        raise Invalid("the name is empty", "give the name of a definition")
    return asked
