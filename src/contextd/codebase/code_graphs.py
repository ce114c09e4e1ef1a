"""Graphs of a project's code, built from its index and cached until that changes."""

from __future__ import annotations

import time
from pathlib import Path

from contextd.codebase.impact_queue import turn
from contextd.domain.changes import Changes, CodeChange
from contextd.domain.scope import Scope
from contextd.redaction.redact import redact
from contextd.runtime.caches import Cache, as_of
from contextd.runtime.gc_pause import building
from contextd.runtime.runtime import Runtime
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts, Kept, StoredCalls
from contextd_code.calls.scip import (
    ScipIndexes,
    Stamp,
    package_folders,
    read_indexes,
    stamp,
    told_edges,
)
from contextd_code.calls.stored_facts import reader
from contextd_code.calls.word_index import WordIndex
from contextd_code.symbols.symbol_graph import KeptGraph, SymbolGraph, symbol_graph

_GRAPHS = 4
"""A graph of 50,000 files takes 300 MB."""

_PER_FOLDER = 200
"""Bytes of a folder's path in a set."""

_READ_AHEAD, _SLICE = 10_000, 0.1
"""At most this many files are read for calls in advance, each of which takes 2 ms once and 4 kB of the store;
and the seconds after which other work gets a turn.
"""


def symbols_of(runtime: Runtime) -> SymbolGraph:
    """The graph of which definitions import which, from the current index."""
    graphs = runtime.organisation.caches.of("symbol graphs", _GRAPHS, weigh=_of_symbols)
    files = runtime.files
    whose = runtime.checkout_key or tuple(one.root for one in files.checkouts(runtime.scope)[-1:])
    return symbol_graph(runtime.code_index, graphs, whose or runtime.scope)


def calls_of(runtime: Runtime) -> CallGraph:
    """The call graph of the caller's checkout. The facts of a file are cached for as long as its content is the
    same; work trees of one project share nothing.
    """
    # Of two concurrent calls, one builds it.
    with turn(runtime, "making"):
        return _made(runtime)


def graphs_are_made(runtime: Runtime) -> bool:
    """Whether this process built a call graph of the caller's checkout, possibly from older files."""
    return _graphs(runtime).get((runtime.scope, runtime.root)) is not None


_Graphs = Cache[tuple[Scope, Path], tuple[SymbolGraph, Stamp, CallGraph]]


def _graphs(runtime: Runtime) -> _Graphs:
    return runtime.organisation.caches.of("call graphs", _GRAPHS, weigh=_of_calls)


def _of_symbols(cached: KeptGraph) -> int:
    return cached.graph.weight


def _of_calls(cached: tuple[SymbolGraph, Stamp, CallGraph]) -> int:
    return cached[2].weight


def _of_folders(cached: tuple[SymbolGraph, frozenset[str]]) -> int:
    # It holds on to the graph, which is weighed as its own.
    return _PER_FOLDER * len(cached[1])


def _of_indexes(cached: tuple[Stamp, ScipIndexes]) -> int:
    return cached[1].weight


def _made(runtime: Runtime) -> CallGraph:
    calls, place = _graphs(runtime), (runtime.scope, runtime.root)
    # First the graph that holds the other one: what was used least recently is released first.
    written, graph = calls.get(place), symbols_of(runtime)
    index = stamp(runtime.root, _packages(runtime, graph))
    if written is not None and written[0] is graph and written[1] == index:
        written[2].facts.trim()
        return written[2]
    before = written[2].facts if written is not None else None
    known = {f"{file.digest} {file.path}" for file in graph.files.values()}
    # A copy: reading in advance may be adding to it.
    still = {k: v for k, v in list(before.shared.items()) if k in known} if before else Kept()
    words = before.words if before is not None else WordIndex()
    stored = StoredCalls(runtime.code_index)
    facts = CodeFacts(
        runtime.root,
        graph,
        still,
        words,
        stored,
        has_secret=lambda text: bool(redact(text).findings),
    )
    calls_told = told_edges(runtime.root, graph, _indexes(runtime, index))
    made = CallGraph(graph, facts, calls_told.edges, calls_told.notice)
    calls.put(place, (graph, index, made))
    _prepare(runtime, facts)
    return made


def get_ready(runtime: Runtime) -> None:
    """Build the graph in the background where callers were queried before: otherwise the first query in a
    process waits for it.
    """
    if runtime.project is None or runtime.checkout is None:
        return
    place = runtime.scope, runtime.root
    tried: Cache[tuple[Scope, Path], bool] = runtime.organisation.caches.of("graphs ahead", 256)
    if tried.get(place) is None:
        tried.put(place, True)
        runtime.sinks.prepare("call graph", place, lambda: make_ahead(runtime))


def make_ahead(runtime: Runtime) -> None:
    """Build the graph now, unless callers were never queried or the project is too large."""
    known = runtime.code_index
    if not known.calling(reader()) or known.count() > _READ_AHEAD:
        return
    with building():
        graph = calls_of(runtime).graph
        _ = graph.users, graph.by_name, graph.rank, graph.importers, graph.passed_on_as


def _packages(runtime: Runtime, graph: SymbolGraph) -> frozenset[str]:
    known: Cache[Path, tuple[SymbolGraph, frozenset[str]]]
    known = runtime.organisation.caches.of("package folders", _GRAPHS, weigh=_of_folders)
    found = known.get(runtime.root)
    if found is None or found[0] is not graph:
        found = graph, package_folders(graph)
        known.put(runtime.root, found)
    return found[1]


def _indexes(runtime: Runtime, written: Stamp) -> ScipIndexes:
    """The SCIP indexes of the checkout, read once after each write."""
    if not written:
        return ScipIndexes({})
    known: Cache[Path, tuple[Stamp, ScipIndexes]]
    known = runtime.organisation.caches.of("scip indexes", _GRAPHS, weigh=_of_indexes)
    return as_of(known, runtime.root, written, lambda: read_indexes(runtime.root, written))


def _prepare(runtime: Runtime, facts: CodeFacts) -> None:
    """Read the files in advance, some at a time: other preparations take turns."""
    place = runtime.scope, runtime.root

    def some() -> None:
        calls = _graphs(runtime).get(place)
        if calls is None or calls[2].facts is not facts:
            return
        with building():
            whole = facts.read_ahead(_READ_AHEAD, _SLICE)
        save_calls(runtime, facts)
        if whole:
            return
        # Other work takes precedence: half of the time is left to it.
        time.sleep(_SLICE)
        runtime.sinks.prepare("calls", place, some)

    runtime.sinks.prepare("calls", place, some)


def save_calls(runtime: Runtime, facts: CodeFacts) -> None:
    """Store the facts that were read, for a caller that may write here."""
    # Other threads still add to it.
    some = [facts.unsaved.pop() for _ in range(len(facts.unsaved))]
    if some and runtime.caller.may("write", runtime.scope):
        runtime.view.commit(Changes(code=[CodeChange(scope=runtime.scope, calls=some)]))
