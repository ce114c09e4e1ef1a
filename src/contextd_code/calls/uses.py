"""Uses of a definition: one answer shared by references, symbols, impacts and reviews.

Functions and methods are searched in the call graph. Top-level definitions are also found where imports bind
their name and no local binding hides it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf

from contextd_code.calls.ambient_types import files_seeing
from contextd_code.calls.call_facts import CodeScope, UseKind
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.edges import Edge
from contextd_code.calls.queries import QUERIES
from contextd_code.calls.scope_layout import FUNCTIONS
from contextd_code.calls.uses_c import is_open_in_c, is_part_of_name, uses_in_c
from contextd_code.calls.uses_csharp import (
    is_member_of_csharp,
    is_other_in_csharp,
    is_type_of_csharp,
    parts_of_holder,
    uses_of_member,
    uses_of_type,
)
from contextd_code.calls.uses_java import files_inheriting, is_constant_of_java, names_constant
from contextd_code.calls.uses_php import is_other_in_php
from contextd_code.calls.uses_rust import files_invoking, is_of_other_type, is_other_in_rust
from contextd_code.symbols.reference_names import holder_of
from contextd_code.symbols.references import Reference, word_uses
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition

_QUALIFIED = re.compile(rb"([\w$]+)\s*(?:\?\.|\.|::|->)\s*\$?\Z")
_NAMED_BY_TYPE = frozenset(("ecmascript", "python"))
"""Families in which a constant's owner is known only by the name before the dot."""
_OPERATOR = "operator"
_OWN = frozenset(("this", "self", "static"))


def uses(
    calls: CallGraph,
    sources: Sources,
    one: Definition,
    until: float = inf,
    among: Callable[[str], bool] | None = None,
) -> tuple[Edge, ...]:
    """Every line that refers to a definition, certain ones first, else by file and line; optionally in some
    files only. At `until`, by the monotonic clock, those found so far.
    """
    found: dict[tuple[str, int], Edge] = {}
    is_c_name = calls.layout.family(one.path) == "c" and one.symbol.kind not in FUNCTIONS
    is_open = is_c_name and is_open_in_c(calls, sources, one)
    parts = calls.layout.parts(one)
    for edge in (e for each in (one, *parts) for e in calls.callers(each, until, among)):
        if is_c_name and one.path not in calls.layout.linkage.included(edge.path):
            # A variable there may have the name of a type that only another `.c` file knows.
            continue
        if edge.certain and is_open:
            edge = replace(edge, certain=False)
        known = found.get((edge.path, edge.line))
        if known is None or (edge.certain and not known.certain):
            found[edge.path, edge.line] = edge
    is_csharp_member = is_member_of_csharp(calls, one)
    if is_c_name or is_csharp_member:
        found_by_name = uses_in_c if is_c_name else uses_of_member
        for line, certain in found_by_name(calls, sources, one, until, among):
            known = found.get((line.path, line.line))
            if known is None or (certain and not known.certain):
                around = calls.layout.around(line.path, line.start)
                caller = around if around != one else None
                found[line.path, line.line] = Edge(
                    line.path, line.line, "use", caller, one, certain
                )
        return tuple(sorted(found.values(), key=lambda e: (not e.certain, e.path, e.line)))
    for line in _certain_lines(calls, sources, one, until, among, found):
        known = found.get((line.path, line.line))
        if known is None or not known.certain:
            around = calls.layout.around(line.path, line.start)
            caller = around if around != one else None
            kind: UseKind = "import" if line.role == "import" else "use"
            found[line.path, line.line] = Edge(line.path, line.line, kind, caller, one)
    return tuple(sorted(found.values(), key=lambda e: (not e.certain, e.path, e.line)))


def _certain_lines(
    calls: CallGraph,
    sources: Sources,
    one: Definition,
    until: float,
    among: Callable[[str], bool] | None,
    found: Mapping[tuple[str, int], Edge],
) -> Iterator[Reference]:
    """The lines that certainly name a definition, by imports and, in C#, by types; those that `found` has as
    certain are left out.
    """
    for line in _word_uses(calls, sources, one, among):
        if time.monotonic() > until:
            break
        if calls.layout.family(line.path) == "c" and (
            line.name.startswith(_OPERATOR) or is_part_of_name(sources, line)
        ):
            # `operator<<` is written where another type declares its own.
            continue
        known = found.get((line.path, line.line))
        if known is not None and known.certain:
            continue
        if line.role == "import" or (
            not _is_member(calls, one) and not _is_other(calls, sources, one, line)
        ):
            yield line
    if is_type_of_csharp(calls, one):
        yield from uses_of_type(calls, sources, one, until, among)


def _word_uses(
    calls: CallGraph, sources: Sources, one: Definition, among: Callable[[str], bool] | None
) -> Iterator[Reference]:
    """The lines with uses through imports; for a partial C# type, those of each part."""
    unbound = [] if _is_member(calls, one) else files_seeing(calls.layout, sources, one)
    if calls.layout.family(one.path) == "csharp":
        unbound = [*unbound, *sorted(parts_of_holder(calls, one))]
    unbound = [
        *unbound,
        *files_inheriting(calls, sources, one),
        *files_invoking(calls, sources, one),
    ]
    for part in (one, *calls.layout.parts(one)):
        yield from word_uses(calls.graph, sources, part, among, unbound)


def files_using(found: Iterable[Edge]) -> int:
    """The number of files with certain uses."""
    return len({edge.path for edge in found if edge.certain})


def _is_member(calls: CallGraph, one: Definition) -> bool:
    """Whether only the receiver's type identifies the definition."""
    return (
        calls.layout.family(one.path) in QUERIES
        and bool(one.symbol.parent)
        and one.symbol.kind in FUNCTIONS
        and holder_of(calls.graph, one) is not None
    )


def _is_other(calls: CallGraph, sources: Sources, one: Definition, line: Reference) -> bool:
    """Whether a name bound by an import means something else at this position."""
    if calls.layout.family(one.path) == "rust" and is_other_in_rust(calls, sources, one, line):
        return True
    if calls.layout.family(one.path) == "php" and is_other_in_php(calls, sources, one, line):
        return True
    if calls.layout.family(one.path) == "csharp" and is_other_in_csharp(calls, sources, one, line):
        return True
    holder = holder_of(calls.graph, one)
    # A variable hides no member of a module: `shop.size` beside `size = 1`.
    is_behind = sources.current(line.path).data[: line.start].endswith(b".")
    binding = None if is_behind else calls.layout.binding_scope(line.path, line.start, line.name)
    # Definitions inside a function or callback are bound there. Several of one name in a file
    # are one.
    is_around = (
        binding is not None
        and line.path == one.path
        and any(
            declared is not None and (declared.start, declared.end) == (binding.start, binding.end)
            for start in _starts(calls, one)
            for declared in [calls.layout.declaring_scope(one.path, start, line.name)]
        )
    )
    if holder is not None and binding is not None and _is_imported(binding, line.name):
        return not any(
            use.symbol is not None
            and (use.path, use.symbol.name) == (holder.path, holder.symbol.name)
            for found, _ in binding.bindings[line.name]
            for use in calls.layout.bound_at(line.path, line.name, int(found[2]))
        )
    if holder is None or binding is not None:
        return not is_around
    if is_constant_of_java(calls, one):
        is_named = names_constant(calls, sources, one, line)
        if is_named is not None:
            return not is_named
    if holder != one and _is_of_other_type(calls, sources, one, holder, line):
        return True
    # An alias of a type refers on to its target.
    led = [edge for edge in _leading(calls, line) if edge.target.symbol.name == line.name]
    same = (one, *calls.layout.parts(one))
    return bool(led) and all(edge.certain and edge.target not in same for edge in led)


def _is_imported(scope: CodeScope, name: str) -> bool:
    """Whether only imports inside a function bind a name there."""
    return all(found[0] == "imported" for found, _ in scope.bindings[name])


def _is_of_other_type(
    calls: CallGraph, sources: Sources, one: Definition, holder: Definition, line: Reference
) -> bool:
    """Whether a constant or field belongs to another type: `Other.NAME`, or alone in another class."""
    if calls.layout.family(one.path) == "rust":
        is_other = is_of_other_type(calls, sources, holder, line)
        if is_other is not None:
            return is_other
    before = sources.current(line.path).data[max(0, line.start - 100) : line.start]
    found = _QUALIFIED.search(before)
    word = found[1].decode("utf-8", "replace") if found is not None else ""
    if found is None or word in _OWN:
        classes = calls.layout.classes_around(line.path, line.start)
        return line.path == one.path and bool(classes) and holder.symbol.name not in classes
    is_open = calls.layout.family(one.path) not in _NAMED_BY_TYPE
    return (word[:1].isupper() or not is_open) and word != one.symbol.parent.rpartition(".")[2]


def _starts(calls: CallGraph, one: Definition) -> list[int]:
    """Where a definition begins, and its overloads in the same file."""
    symbol = one.symbol
    return [
        each.start
        for each in calls.graph.files[one.path].symbols
        if (each.name, each.parent) == (symbol.name, symbol.parent)
    ]


def _leading(calls: CallGraph, line: Reference) -> Iterator[Edge]:
    for site in calls.facts.sites(line.path, line.name):
        if site.start == line.start:
            yield from calls.link(line.path, site)
