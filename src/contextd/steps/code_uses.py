"""How many files use a definition, counted where that costs an answer little."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from contextd.code.calls.call_graph import CallGraph
from contextd.code.calls.uses import files_using, uses
from contextd.code.symbols.sources import Sources
from contextd.code.symbols.symbol_graph import Definition
from contextd.runtime import Runtime
from contextd.steps.code_graphs import calls_of, graphs_are_made


def use_counts_in_time(
    runtime: Runtime, some: Iterable[Definition], seconds: float
) -> dict[Definition, int]:
    """The number of files that certainly use each of these definitions, in their order; those that are not
    counted after so many seconds are left out, and all of them while there is no call graph.
    """
    wanted = list(some)
    # A graph is not made for a count: the first search would wait for it.
    if not wanted or runtime.checkout is None or not graphs_are_made(runtime):
        return {}
    calls = calls_of(runtime)
    sources = Sources(runtime.root, runtime.view.files, runtime.scope)
    end = time.monotonic() + seconds
    found: dict[Definition, int] = {}
    for one in wanted:
        count = files_using(uses(calls, sources, _known(calls, one), end))
        if time.monotonic() > end:
            break
        found[one] = count
    return found


def use_counts_of_names(
    runtime: Runtime, named: Sequence[tuple[str, str]], seconds: float
) -> dict[tuple[str, str], int]:
    """The same by (path, name with the names around it)."""
    if not named or runtime.checkout is None or not graphs_are_made(runtime):
        return {}
    files = calls_of(runtime).graph.files
    wanted = {
        Definition(path, symbol): (path, name)
        for path, name in named
        for symbol in (files[path].symbols if path in files else ())
        if name == (f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name)
    }
    found = use_counts_in_time(runtime, wanted, seconds)
    return {wanted[one]: count for one, count in found.items()}


def _known(calls: CallGraph, one: Definition) -> Definition:
    """The definition as the graph has it."""
    return next((each for each in calls.graph.by_name.get(one.symbol.name, ()) if each == one), one)
