"""Look definitions up by name.

Reads only files that may define the name; if there are many, the highest-ranked ones.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

from contextd_code.symbols.reference_names import holder_of
from contextd_code.symbols.references import using_files
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.symbols.symbol_ranks import scores
from contextd_code.tree.generated import set_aside
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.definition_queries import Defining, Naming, passes_all_on
from contextd_code.values.imports import said_words
from contextd_code.values.source import FileWeight, SourceFile, is_test
from contextd_common.dataclass import dataclass
from contextd_common.text.words import words

_AT_ONCE = 50
_MOST_READ = 1_000
"""The most files read for a query if all files with the name have the same rank; 75 ms."""

_MOST_USERS = 500
"""The most files read to count the users of a definition; with more, the stored count is used."""

_FURTHEST = 8
"""The longest chain of re-exports that is followed."""


@dataclass(frozen=True, slots=True)
class FoundDefinitions:
    """Definitions, each with how its name matches, best first. `more`: further ones exist, none
    better.
    """

    found: Sequence[tuple[Definition, str]]
    more: bool = False


def definitions(
    files: CodeIndex,
    asked: str,
    limit: int,
    *,
    inside: Callable[[str], bool] = lambda _: True,
    kind: str | None = None,
) -> FoundDefinitions:
    """The definitions that match a name: exactly, ignoring case, by its parts, or by prefix.

    Each group is sorted by how much of the project depends on a definition, with tests after other
    code and generated files last.
    """
    last = asked.rpartition(".")[2]
    folded, parts = last.casefold(), frozenset(words(last))
    ways: list[tuple[Defining, dict[str, Callable[[str], bool]]]] = [
        (
            Defining(name=folded),
            {"exact": lambda name: name == last, "case": lambda name: name.casefold() == folded},
        ),
        (Defining(words=parts), {"words": lambda name: bool(parts) and parts <= {*words(name)}}),
        (Defining(prefix=folded), {"prefix": lambda name: name.casefold().startswith(folded)}),
    ]
    found: dict[Definition, str] = {}
    more = False
    for wanted, fits in ways:
        if len(found) > limit:
            return FoundDefinitions(list(found.items()), more=True)
        search = _Search(files, asked if last != asked else "", kind, fits)
        more = search.run([p for p in files.defining(wanted) if inside(p[0])], limit) or more
        for one, how in search.ordered():
            found.setdefault(one, how)
    return FoundDefinitions(list(found.items()), more)


class _Search:
    """Read files that may define the name, no file twice, in order of rank."""

    def __init__(
        self,
        files: CodeIndex,
        asked: str,
        kind: str | None,
        fits: dict[str, Callable[[str], bool]],
    ) -> None:
        self._files = files
        self._asked, self._kind, self._fits = asked, kind, fits
        self._found: dict[str, list[tuple[tuple[int, float, str, int], Definition]]] = {
            how: [] for how in fits
        }

    def run(self, candidates: Sequence[tuple[str, float]], limit: int) -> bool:
        """Read until no remaining file can be among the first `limit`. Return whether files remain."""
        left = sorted(candidates, key=lambda one: (is_test(one[0]), -one[1], one[0]))
        for start in range(0, min(len(left), _MOST_READ), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            if start and self._settled(limit, some[0]):
                return True
            paths = [path for path, _ in some]
            known = self._files.weights(paths)
            for file in self._files.linked(paths):
                self._take(file, known.get(file.path) or FileWeight(path=file.path))
        return len(left) > _MOST_READ

    def _settled(self, limit: int, following: tuple[str, float]) -> bool:
        path, top = following
        at_most = (int(is_test(path)), -top)
        best = next(iter(self._found.values()))
        return sum(1 for key, _ in best if key[:2] < at_most) > limit

    def _take(self, file: SourceFile, weight: FileWeight) -> None:
        aside = set_aside(file.path, file.error)
        of: dict[tuple[str, int, str], float] | None = None
        for symbol in file.symbols:
            if self._kind not in (None, symbol.kind):
                continue
            how = next((how for how, fits in self._fits.items() if fits(symbol.name)), "")
            one = Definition(file.path, symbol)
            if not how or (self._asked and not ends_in(one.qualified, self._asked)):
                continue
            of = of if of is not None else scores(file, weight)
            self._found[how].append(((aside, -of[one.place], file.path, symbol.start), one))

    def ordered(self) -> Iterator[tuple[Definition, str]]:
        """The found definitions, each with how its name matches, best first."""
        for how, some in self._found.items():
            yield from ((one, how) for _, one in sorted(some, key=lambda pair: pair[0]))


def written_first(graph: SymbolGraph, definitions: Sequence[Definition]) -> list[Definition]:
    """The same definitions, with tests after other code and generated files last."""
    return sorted(definitions, key=lambda one: set_aside(one.path, graph.files[one.path].error))


def ends_in(qualified_name: str, asked: str) -> bool:
    """Whether a definition may have this name, ignoring case; `Class.method` matches a method of
    any such class.
    """
    whole, wanted = qualified_name.casefold(), asked.casefold()
    return whole == wanted or whole.endswith("." + wanted)


def use_counts(files: CodeIndex, some: Sequence[Definition]) -> dict[Definition, int]:
    """How many files import each of these definitions by its name, or the class it is a member of."""
    graph = SymbolGraph(_with_types(files, some))
    holders = {one: holder_of(graph, one) for one in some if one.path in graph.files}
    wanted: dict[str, set[str]] = {}
    for holder in filter(None, holders.values()):
        names = wanted.setdefault(holder.path, set())
        names.add(holder.symbol.name)
        exports = graph.files[holder.path].exports
        names.update(exported for exported, _, inner in exports if inner == holder.symbol.name)
    users = _users(files, graph.files, wanted)
    if users is None:
        known = files.weights(sorted(wanted))
        counts = {(path, n): count for path, w in known.items() for n, _, count in w.used}
        return {
            one: counts.get((holder.path, holder.qualified), 0) if holder is not None else 0
            for one, holder in holders.items()
        }
    graph = SymbolGraph(dict(sorted(users.items())))
    return {one: len(using_files(graph, one)) for one in holders}


def _with_types(files: CodeIndex, some: Sequence[Definition]) -> dict[str, SourceFile]:
    """The files of these definitions, and those beside them that may define the types they are members of."""
    paths = {one.path for one in some}
    types = {(posixpath.dirname(o.path), o.symbol.parent) for o in some if o.symbol.parent}
    for folder, parent in types:
        name = parent.rpartition(".")[2].casefold()
        beside = files.defining(Defining(name=name))
        paths.update(path for path, _ in beside if posixpath.dirname(path) == folder)
    return {file.path: file for file in files.linked(sorted(paths))}


def _users(
    files: CodeIndex, known: Mapping[str, SourceFile], wanted: Mapping[str, set[str]]
) -> dict[str, SourceFile] | None:
    """The known files and their direct or indirect importers; None if there are too many."""
    found = dict(known)
    asked: dict[str, set[str]] = {}
    for _ in range(_FURTHEST):
        if not wanted:
            break
        for path, names in wanted.items():
            asked.setdefault(path, set()).update(names)
        last_names = " ".join(n.rpartition(".")[2] for names in wanted.values() for n in names)
        naming = Naming(targets=frozenset(wanted), words=frozenset(said_words(last_names)))
        paths = files.naming(naming)
        if len(paths | found.keys()) > _MOST_USERS:
            return None
        new = files.linked(sorted(paths - found.keys()))
        found.update((file.path, file) for file in new)
        following: dict[str, set[str]] = {}
        for path in paths & found.keys():
            names = _passed_on(found[path], wanted) - asked.get(path, set())
            if names:
                following[path] = names
        wanted = following
    return found


def _passed_on(file: SourceFile, wanted: Mapping[str, set[str]]) -> set[str]:
    """The names under which other files may import definitions through this file."""
    bound: set[str] = set()
    found: set[str] = set()
    for one in file.imports:
        names = wanted.get(one.target, set())
        bound.update(local for inner, local in one.names if inner in names)
        bound.update(inner for inner, local in one.names if inner in names and not local)
        if names and passes_all_on(file):
            found |= names
    for exported, specifier, inner in file.exports:
        if inner in bound or (specifier and any(inner in names for names in wanted.values())):
            found.add(exported)
    return found | bound
