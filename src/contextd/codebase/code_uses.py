"""How often a definition is used, counted in one place for all operations."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from math import inf

from contextd.codebase.code_graphs import calls_of, graphs_are_made
from contextd.runtime.runtime import Runtime
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.edges import Edge
from contextd_code.calls.uses import uses
from contextd_code.queries.use_counts import UseCount, use_count
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition

_GRAPHS = 4
_PER_COUNT = 300
"""Bytes of a definition's count with its place in a mapping."""


def uses_in_time(
    runtime: Runtime, calls: CallGraph, one: Definition, until: float = inf
) -> tuple[Edge, ...]:
    """`uses` of a definition. Counts completed before `until` are cached while the code stays the same."""
    found = uses(calls, Sources(runtime.root, runtime.code_index), one, until)
    if time.monotonic() <= until:
        _kept(runtime, calls)[one] = use_count(found)
    return found


def use_counts_in_time(
    runtime: Runtime, some: Iterable[Definition], seconds: float
) -> dict[Definition, UseCount]:
    """The certain uses of each of these definitions, in their order. Those not counted within the time limit
    are left out, and all of them while there is no call graph.
    """
    wanted = list(some)
    # Do not build a graph for a count: the first search would wait for it.
    if not wanted or runtime.checkout is None or not graphs_are_made(runtime):
        return {}
    calls = calls_of(runtime)
    counts = _kept(runtime, calls)
    end = time.monotonic() + seconds
    for one in wanted:
        if one not in counts and time.monotonic() <= end:
            uses_in_time(runtime, calls, _known(calls, one), end)
    return {one: counts[one] for one in wanted if one in counts}


def use_counts_of_names(
    runtime: Runtime, named: Sequence[tuple[str, str]], seconds: float
) -> dict[tuple[str, str], UseCount]:
    """The same by (path, qualified name)."""
    if not named or runtime.checkout is None or not graphs_are_made(runtime):
        return {}
    files = calls_of(runtime).graph.files
    # The first overload represents all, as for `find_references`.
    wanted: dict[tuple[str, str], Definition] = {}
    for path, name in named:
        for symbol in files[path].symbols if path in files else ():
            one = Definition(path, symbol)
            if one.qualified == name:
                wanted.setdefault((path, name), one)
    found = use_counts_in_time(runtime, wanted.values(), seconds)
    return {place: found[one] for place, one in wanted.items() if one in found}


def _kept(runtime: Runtime, calls: CallGraph) -> dict[Definition, UseCount]:
    """The counts of a call graph; a new graph starts without any."""
    cache = runtime.organisation.caches.of("use counts", _GRAPHS, weigh=_of_counts)
    place = runtime.scope, runtime.root
    known: tuple[CallGraph, dict[Definition, UseCount]] | None = cache.get(place)
    if known is None or known[0] is not calls:
        known = calls, {}
        cache.put(place, known)
    return known[1]


def _of_counts(cached: tuple[CallGraph, dict[Definition, UseCount]]) -> int:
    # It holds on to the graph, which is weighed as its own.
    return _PER_COUNT * len(cached[1])


def _known(calls: CallGraph, one: Definition) -> Definition:
    """The definition as a node of the graph."""
    return next((each for each in calls.graph.by_name.get(one.symbol.name, ()) if each == one), one)
