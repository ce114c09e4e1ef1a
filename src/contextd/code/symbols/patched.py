"""The graph of a project after some of its files changed, from the one before, at the cost of what changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from contextd.caches import Cache
from contextd.code.symbols.symbol_graph import (
    Definition,
    KeptGraph,
    Place,
    SymbolGraph,
    lean,
    symbol_graph,
)
from contextd.code.symbols.symbols import NameUse, uses
from contextd.domain.code import SourceFile
from contextd.domain.scope import Scope
from contextd.domain.words import words
from contextd.ports import Files

V = TypeVar("V")

MOST_FOLLOWED = 1_000
"""So many files are followed in less time than a graph of 2,000 is made in."""


def patched(before: SymbolGraph, changed: Mapping[str, SourceFile | None]) -> SymbolGraph:
    """The graph with these files as they are now, None for one that is removed_paths. Its definitions are exact, and who
    uses them but for what unchanged files mean by a name that is new in these; how much each one matters is what it was
    for those of the same name in the same file, and nothing for new ones.
    """
    files = dict(before.files)
    present = {path: lean(file) for path, file in changed.items() if file is not None}
    for path in changed:
        now = present.get(path)
        if now is None:
            files.pop(path, None)
        else:
            files[path] = now
    if any(path not in before.files for path in present):
        files = dict(sorted(files.items()))
    graph = SymbolGraph(files)
    olds = _definitions(before.files[path] for path in changed if path in before.files)
    news = _definitions(files[path] for path in changed if path in files)
    names = _by_name(before, olds, news)
    places_before = _given(olds, news)
    graph.__dict__.update(
        by_name=names,
        by_folded_name=_by_folded_name(before, names, olds, news),
        words_of_names=_words_of_names(before, names, olds, news),
        rank={path: before.rank.get(path, 0.0) for path in files},
        scores=_handed_on(before.scores, olds, places_before, 0.0),
    )
    graph.__dict__["users"] = _users(
        before, graph, changed, _handed_on(before.users, olds, places_before, None)
    )
    return graph


Users = tuple[tuple[str, NameUse], ...]


def _users(
    before: SymbolGraph, now: SymbolGraph, changed: Collection[str], users: dict[Place, Users]
) -> dict[Place, Users]:
    """The users of definitions without what these files used, and with what they use."""
    for graph in (before, now):
        for path in changed:
            file = graph.files.get(path)
            for use in uses(graph.files.get, file) if file is not None else ():
                if use.symbol is None:
                    continue
                place = use.path, use.symbol.start, use.symbol.name
                others = tuple(one for one in users.get(place, ()) if one[0] != path)
                if graph is now:
                    users[place] = tuple(sorted((*others, (path, use)), key=lambda one: one[0]))
                elif place in users:
                    users[place] = others
    return users


def _definitions(files: Iterable[SourceFile]) -> list[Definition]:
    return [Definition(file.path, symbol) for file in files for symbol in file.symbols]


def _by_name(
    before: SymbolGraph, olds: Sequence[Definition], news: Sequence[Definition]
) -> dict[str, tuple[Definition, ...]]:
    names = dict(before.by_name)
    removed_paths = {one.path for one in olds}
    for name in {one.symbol.name for one in olds}:
        names[name] = tuple(one for one in names[name] if one.path not in removed_paths)
    for one in news:
        names[one.symbol.name] = (*names.get(one.symbol.name, ()), one)
    for name in {one.symbol.name for one in (*olds, *news)}:
        if names[name]:
            names[name] = tuple(sorted(names[name], key=lambda one: (one.path, one.symbol.start)))
        else:
            del names[name]
    return names


def _by_folded_name(
    before: SymbolGraph,
    names: Mapping[str, object],
    olds: Sequence[Definition],
    news: Sequence[Definition],
) -> dict[str, tuple[str, ...]]:
    folded = dict(before.by_folded_name)
    for name in {one.symbol.name for one in (*olds, *news)}:
        key = name.casefold()
        known = folded.get(key, ())
        if name in names and name not in known:
            folded[key] = (*known, name)
        elif name not in names and name in known:
            folded[key] = tuple(one for one in known if one != name)
    return folded


def _words_of_names(
    before: SymbolGraph,
    names: Mapping[str, object],
    olds: Sequence[Definition],
    news: Sequence[Definition],
) -> dict[str, frozenset[str]]:
    known = dict(before.words_of_names)
    for one in olds:
        if one.symbol.name not in names:
            known.pop(one.symbol.name, None)
    for one in news:
        known.setdefault(one.symbol.name, frozenset(words(one.symbol.name)))
    return known


def _given(olds: Sequence[Definition], news: Sequence[Definition]) -> dict[Place, Place]:
    """New place → the place of the same definition before."""
    places: dict[tuple[str, str], list[Place]] = {}
    for one in olds:
        places.setdefault((one.path, one.qualified), []).append(one.place)
    places_before: dict[Place, Place] = {}
    for one in news:
        same = places.get((one.path, one.qualified))
        if same:
            places_before[one.place] = same.pop(0)
        elif one.place not in places_before:
            places_before[one.place] = one.place
    return places_before


def _handed_on(
    known: Mapping[Place, V],
    olds: Sequence[Definition],
    places_before: Mapping[Place, Place],
    new: V | None,
) -> dict[Place, V]:
    found = dict(known)
    for one in olds:
        found.pop(one.place, None)
    for place, before in places_before.items():
        value = known.get(before, new)
        if value is not None:
            found[place] = value
    return found


def named_graph(files: Files, scope: Scope, graphs: Cache[Scope, KeptGraph]) -> SymbolGraph:
    """The graph of a scanned project with exact definitions: see `patched`. It is made anew when more changed
    since it was than is worth following.
    """
    known = graphs.get(scope)
    if known is None:
        return symbol_graph(files, scope, graphs)
    changes = files.changes(scope, known.version)
    if changes.version == known.version:
        return known.graph
    removed_paths: set[str] = set()
    if changes.version < known.version or len(changes.put) > MOST_FOLLOWED:
        return symbol_graph(files, scope, graphs)
    if changes.removed:
        present = files.stamps(scope)
        removed_paths = {path for path in known.graph.files if path not in present}
    waits = known.waits.union(changes.put, removed_paths)
    if len(waits) > max(MOST_FOLLOWED, len(known.graph.files) // 10):
        return symbol_graph(files, scope, graphs)
    changed: dict[str, SourceFile | None] = dict.fromkeys(removed_paths)
    changed.update((file.path, file) for file in files.all(scope, changes.put))
    graph = patched(known.graph, changed)
    graphs.put(scope, KeptGraph(changes.version, graph, exact=False, waits=waits))
    return graph
