"""Order definitions of one name by how much they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.edges import Edge
from contextd_code.calls.uses import files_using
from contextd_code.symbols.definitions import written_first
from contextd_code.symbols.symbol_graph import Definition
from contextd_code.tree.generated import set_aside
from contextd_common.dataclass import dataclass

COMPARED = 8
"""Definitions of one name whose uses are counted to choose the likeliest."""


@dataclass(frozen=True, slots=True)
class UseCount:
    """The lines that certainly use a definition, and the files they are in."""

    files: int
    lines: int


def use_count(found: Sequence[Edge]) -> UseCount:
    """The count of the certain uses among some."""
    return UseCount(files_using(found), sum(edge.certain for edge in found))


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


Counting = Callable[[Sequence[Definition]], Mapping[Definition, UseCount]]
"""The uses of some definitions; those not counted in time are left out."""


def meant_by_name(
    calls: CallGraph, found: Sequence[Definition], count: Counting
) -> tuple[Sequence[Definition], str]:
    """The most used of the definitions of a bare name, including those nested in it such as a constructor; and a
    notice about the others.
    """
    ordered = in_order_of_weight(calls, found)
    best, *_ = most_used_first(ordered, count(distinct(ordered)[:COMPARED]))
    meant = [one for one in found if _belongs(one, best) or _belongs(best, one)]
    if len(meant) == len(found):
        return meant, ""
    number = len(distinct(found))
    return meant, f"{number} definitions have this name; give path:name to choose another"


def _belongs(one: Definition, other: Definition) -> bool:
    return one.path == other.path and f"{one.qualified}.".startswith(f"{other.qualified}.")
