"""How often a definition is used, counted in one place for all operations."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from contextd.codebase.code_graphs import calls_of, graphs_are_made
from contextd.runtime.runtime import Runtime
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.edges import Edge
from contextd_code.calls.uses import files_using, uses
from contextd_code.dataclass import dataclass
from contextd_code.symbols.definitions import written_first
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.tree.generated import set_aside

COMPARED = 8
"""Definitions of one name whose uses are counted to choose the likeliest."""

_GRAPHS = 4


@dataclass(frozen=True, slots=True)
class UseCount:
    """The lines that certainly use a definition, and the files they are in."""

    files: int
    lines: int


def uses_in_time(
    runtime: Runtime, calls: CallGraph, one: Definition, until: float = inf
) -> tuple[Edge, ...]:
    """`uses` of a definition. Counts completed before `until` are cached while the code stays the same."""
    found = uses(calls, Sources(runtime.root, runtime.view.files, runtime.scope), one, until)
    if time.monotonic() <= until:
        lines = sum(edge.certain for edge in found)
        _kept(runtime, calls)[one] = UseCount(files_using(found), lines)
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


def most_used_first(
    found: Sequence[Definition], counts: Mapping[Definition, UseCount]
) -> list[Definition]:
    """Order definitions of one name by use: the most used of the first `COMPARED` comes first, for queries by
    name alone. One in a test or a generated file never precedes other code. Unless all compared definitions
    have counts, the order stays.
    """
    compared = [
        one
        for one in distinct(found)[:COMPARED]
        if set_aside(one.path, "") == set_aside(found[0].path, "")
    ]
    if not all(one in counts for one in compared):
        return list(found)
    best = max(compared, key=lambda one: counts[one].lines, default=None)
    if best is None:
        return []
    same = [one for one in found if _named(one) == _named(best)]
    return [*same, *(one for one in found if _named(one) != _named(best))]


def in_order_of_weight(calls: CallGraph, found: Iterable[Definition]) -> list[Definition]:
    """The order in which `find_symbol` lists definitions of one name before uses are counted: those first that
    more of the project depends on, generated ones and tests last.
    """
    scores = calls.graph.scores
    ordered = sorted(found, key=lambda one: (-scores[one.place], one.path, one.symbol.start))
    return written_first(calls.graph, ordered)


def distinct(definitions: Iterable[Definition]) -> list[Definition]:
    """One of each: overloads in one file count as one definition."""
    found: dict[tuple[str, str], Definition] = {}
    for one in definitions:
        found.setdefault(_named(one), one)
    return list(found.values())


def _named(one: Definition) -> tuple[str, str]:
    return one.path, one.qualified


def _kept(runtime: Runtime, calls: CallGraph) -> dict[Definition, UseCount]:
    """The counts of a call graph; a new graph starts without any."""
    cache = runtime.organisation.caches.of("use counts", _GRAPHS)
    place = runtime.scope, runtime.root
    known: tuple[CallGraph, dict[Definition, UseCount]] | None = cache.get(place)
    if known is None or known[0] is not calls:
        known = calls, {}
        cache.put(place, known)
    return known[1]


def _known(calls: CallGraph, one: Definition) -> Definition:
    """The definition as a node of the graph."""
    return next((each for each in calls.graph.by_name.get(one.symbol.name, ()) if each == one), one)
