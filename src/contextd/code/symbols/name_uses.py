"""Where a name stands in code, whatever it means there, and which definitions it may mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from contextd.code.index.languages.table import BY_NAME
from contextd.code.symbols.reference_names import holder_of, names_by_file
from contextd.code.symbols.references import Reference, References, named
from contextd.code.symbols.sources import Sources
from contextd.code.symbols.symbol_graph import Definition, SymbolGraph
from contextd.code.tree.generated import UNWRITTEN, set_aside
from contextd.code.tree.grep import grep
from contextd.domain.code import is_test
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import ContextdError

_MOST_LINES = 2_000
_MOST_DEFINITIONS = 40
_FEWEST_EACH = 3
_TELLING = 4
_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class NameUses:
    """Lines of code with a name, in files people wrote, each with the definitions it may mean. No
    definition: it may be any, or one of another project. The role is `use` where imports leave only
    one, else `name`.
    """

    lines: tuple[Reference, ...] = ()
    means: Mapping[tuple[str, int], frozenset[Definition]] | None = None

    def meant(self, one: Reference) -> frozenset[Definition]:
        """The definitions that this line may mean."""
        return (self.means or {}).get((one.path, one.line), frozenset())


def uses_of_name(graph: SymbolGraph, sources: Sources, name: str) -> NameUses:
    """Where `name` stands in code, at most 2,000 lines of text looked at.

    A file may mean the definitions it leads to by its imports, or itself has; what stands before
    the dot narrows that: `store.add` is the `add` of `Store`, where there is one.
    """
    definitions = written_first(graph, graph.by_name.get(name, ()))[:_MOST_DEFINITIONS]
    families = {_family(graph, one.path) for one in definitions}
    leading: dict[str, set[Definition]] = {}
    holders: dict[str, set[Definition]] = {}
    for one in definitions:
        for path in names_by_file(graph, one):
            leading.setdefault(path, set()).add(one)
        holder = holder_of(graph, one)
        if holder is not None and holder is not one:
            holders.setdefault(holder.symbol.name.casefold(), set()).add(one)
    before = re.compile(rf"(\w+)\s*(?:\?\.|\.|->|::)\s*{re.escape(name)}(?!\w)")
    lines: list[Reference] = []
    means: dict[tuple[str, int], frozenset[Definition]] = {}
    for path in _with_word(graph, sources, name):
        if _family(graph, path) not in families:
            continue
        try:
            found = named(sources.current(path), name)
        except ContextdError:
            continue
        led = leading.get(path, set())
        for line in found:
            receiver = before.search(line.text)
            members = _told(holders, receiver[1].casefold()) if receiver is not None else set()
            meant = means[line.path, line.line] = frozenset(members or led)
            lines.append(replace(line, role="use" if len(meant) == 1 and meant <= led else "name"))
    return NameUses(tuple(lines), means)


def _told(holders: Mapping[str, set[Definition]], receiver: str) -> set[Definition]:
    """The members of the type a receiver is called after: `store` is a `Store`, `service` also the
    one type whose name ends so.
    """
    if receiver in holders or len(receiver) < _TELLING:
        return holders.get(receiver, set())
    ending = [found for holder, found in holders.items() if holder.endswith(receiver)]
    return ending[0] if len(ending) == 1 else set()


def written_first(graph: SymbolGraph, definitions: Sequence[Definition]) -> list[Definition]:
    """The same definitions, those of generated files last, and those of tests before them."""
    return sorted(definitions, key=lambda one: set_aside(one.path, graph.files[one.path].error))


def most_used_first(
    graph: SymbolGraph, found: NameUses, definitions: Sequence[Definition]
) -> list[Definition]:
    """The definitions by how many lines mean them; a line of several counts for each in part. What
    nobody wrote comes last.
    """
    votes: dict[Definition, float] = {}
    for line in found.lines:
        meant = found.meant(line)
        for one in meant:
            votes[one] = votes.get(one, 0.0) + 1 / len(meant)
    order = {one: number for number, one in enumerate(definitions)}
    return sorted(
        definitions,
        key=lambda one: (
            set_aside(one.path, graph.files[one.path].error),
            -round(votes.get(one, 0.0), 6),
            order[one],
        ),
    )


def with_uses_by_name(
    graph: SymbolGraph, found: References, named_: NameUses, chosen: Definition, *, limit: int
) -> tuple[References, int]:
    """The references of a method with what only its name tells: lines that may mean another
    definition too, or none that is known, have the role `name` and stand behind the others. Also
    how many lines mean only others.
    """
    lines: dict[tuple[str, int], Reference] = {}
    for one in found.found:
        meant = named_.meant(one)
        if one.role == "import" or not meant or meant == {chosen}:
            lines[one.path, one.line] = one
        elif chosen in meant:
            lines[one.path, one.line] = replace(one, role="name")
    elsewhere = 0
    for one in named_.lines:
        meant = named_.meant(one)
        if not meant or chosen in meant:
            lines.setdefault((one.path, one.line), one)
        elif (one.path, one.line) not in lines:
            elsewhere += 1
    every = sorted(
        lines.values(),
        key=lambda one: (
            one.role == "name",
            one.role == "name" and len(named_.meant(one)) != 1,
            one.path != chosen.path,
            is_test(one.path),
            -graph.rank.get(one.path, 0.0),
            one.path,
            one.line,
        ),
    )
    some = every if len(every) <= limit else _some_of_each(every, max(_FEWEST_EACH, limit // 10))
    truncated = found.truncated or len(every) > limit
    files = max(found.files, len({one.path for one in every}))
    return References(tuple(some[:limit]), files, truncated), elsewhere


def _some_of_each(lines: Sequence[Reference], each: int) -> list[Reference]:
    """Rather some lines of many files than all lines of the first."""
    count: dict[str, int] = {}
    sample: list[Reference] = []
    for one in lines:
        count[one.path] = count.get(one.path, 0) + 1
        if count[one.path] <= each:
            sample.append(one)
    return sample


def _with_word(graph: SymbolGraph, sources: Sources, name: str) -> list[str]:
    """The files people wrote that hold the word, the most important first."""
    try:
        found = grep(
            sources.root,
            rf"(?:^|\W){re.escape(name)}(?:\W|$)",
            limit=_MOST_LINES,
            deadline=_SECONDS,
        )
    except ContextdError:
        return []
    paths = {one.path for one in found.matches if one.path in graph.files}
    written = [path for path in paths if graph.files[path].error not in UNWRITTEN]
    return sorted(written, key=lambda p: (is_test(p), -graph.rank.get(p, 0.0), p))


def _family(graph: SymbolGraph, path: str) -> str:
    row = BY_NAME.get(graph.files[path].language)
    return row.family if row is not None else ""
