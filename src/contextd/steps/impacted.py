"""What a change of some definitions may break, and the tests that would notice."""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from contextd.code.calls.call_graph import CallGraph
from contextd.code.symbols.symbol_graph import Definition, SymbolGraph
from contextd.domain.code import is_test
from contextd.domain.dataclass import dataclass
from contextd.domain.tokens import count_tokens
from contextd.steps.changed_code import ChangedCode

_MOST_FOLLOWED = 300
"""Definitions whose callers are looked for: past that a change touches everything anyway."""
_SECONDS = 2.0
"""How long callers are looked for: whoever asks again gets the rest, as what was read is kept."""

_STEM = re.compile(r"^(?:test[_-]?)|(?:[_.-]?(?:tests?|spec))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DependentPlace:
    """A place that may break. `level` counts the calls between it and the change, `why` says how it is
    linked: `call`, `use`, `extends` or `import`.
    """

    path: str
    line: int
    symbol: str
    why: str
    level: int = 1
    certain: bool = True


@dataclass(frozen=True, slots=True)
class TestOfCode:
    """A test that would notice: by what it `calls` or `imports`, or because it is `named` after the file."""

    path: str
    symbol: str
    why: str
    certain: bool = True

    @property
    def place(self) -> str:
        """As test runners take it."""
        return f"{self.path}::{self.symbol.replace('.', '::')}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class CodeReach:
    """Everything a change reaches; `whole` says that all of it was followed."""

    broken: list[DependentPlace]
    tests: list[TestOfCode]
    whole: bool = True


def reach(calls: CallGraph, changed: ChangedCode, depth: int) -> CodeReach:
    """What leads to some definitions, `depth` calls far, certain and near places first. What stands in a
    changed definition itself is left out.
    """
    graph = calls.graph
    targets = {(one.path, one.qualified) for one in changed.symbols}
    found: dict[tuple[str, int], DependentPlace] = {}
    seen = set(targets)
    level = [(one, True) for one in changed.symbols]
    followed, whole, end = 0, True, time.monotonic() + _SECONDS
    for distance in range(1, depth + 1):
        further: list[tuple[Definition, bool]] = []
        calls.look_for(one for one, _ in level[:_MOST_FOLLOWED])
        # Telling names first: whoever is cut short has most of the answer then.
        level[:_MOST_FOLLOWED] = sorted(
            level[:_MOST_FOLLOWED], key=lambda pair: calls.spread(pair[0])
        )
        for one, certain in level:
            followed += 1
            if followed > _MOST_FOLLOWED or time.monotonic() > end:
                whole = False
                break
            for edge in calls.callers(one, end):
                caller = edge.caller
                name = caller.qualified if caller is not None else ""
                if (edge.path, name) in targets:
                    continue
                sure = certain and edge.certain
                place = DependentPlace(edge.path, edge.line, name, edge.kind, distance, sure)
                known = found.get((edge.path, edge.line))
                if known is None or (sure and not known.certain and known.level == distance):
                    found[edge.path, edge.line] = place
                if caller is not None and (edge.path, name) not in seen and edge.kind != "use":
                    seen.add((edge.path, name))
                    further.append((caller, sure))
        level = further
    for place in _importing_gone(graph, changed):
        found.setdefault((place.path, place.line), place)
    every = sorted(
        found.values(),
        key=lambda b: (not b.certain, b.level, -graph.rank.get(b.path, 0.0), b.path, b.line),
    )
    code = [one for one in every if not is_test(one.path)]
    whole = whole and time.monotonic() <= end
    return CodeReach(code, _tests(graph, changed, every), whole)


def _importing_gone(graph: SymbolGraph, changed: ChangedCode) -> Iterable[DependentPlace]:
    """The imports that name what is not there any more."""
    for file in changed.files:
        names = {name.partition(".")[0] for name in file.removed_names}
        for path in sorted(graph.importers.get(file.path, ())) if names else ():
            for one in graph.files[path].imports:
                if one.target == file.path and names & {inner for inner, _ in one.names}:
                    yield DependentPlace(path, one.line, "", "import")


def _tests(
    graph: SymbolGraph, changed: ChangedCode, every: Sequence[DependentPlace]
) -> list[TestOfCode]:
    found: dict[tuple[str, str], TestOfCode] = {}
    for one in every:
        if is_test(one.path):
            why = "calls it" if one.level == 1 else f"calls it {one.level} calls away"
            symbol = _runnable(one.symbol)
            found.setdefault((one.path, symbol), TestOfCode(one.path, symbol, why, one.certain))
    for file in changed.files:
        if is_test(file.path):
            found.setdefault((file.path, ""), TestOfCode(file.path, "", "changes itself"))
    known = {path for path, _ in found}
    for path in _named_after(graph, changed):
        if path not in known:
            found[path, ""] = TestOfCode(path, "", "named after it")
            known.add(path)
    for path, certain in _importing(graph, changed):
        if path not in known:
            found[path, ""] = TestOfCode(path, "", "imports it", certain)
    return list(found.values())


def _runnable(symbol: str) -> str:
    """The test around a function that stands inside of it, which no runner takes by itself."""
    parts = symbol.split(".")
    tests = [number for number, part in enumerate(parts) if part.startswith("test_")]
    return ".".join(parts[: tests[0] + 1]) if tests else symbol


def _named_after(graph: SymbolGraph, changed: ChangedCode) -> list[str]:
    stems = {_stem(file.path) for file in changed.files if not is_test(file.path)}
    return [path for path in graph.files if is_test(path) and _stem(path) in stems]


def _stem(path: str) -> str:
    name = posixpath.basename(path).partition(".")[0]
    return _STEM.sub("", _STEM.sub("", name)).casefold()


def _importing(graph: SymbolGraph, changed: ChangedCode) -> Iterable[tuple[str, bool]]:
    """The tests that import one of the files. Whether they use what changes is not known."""
    for file in changed.files:
        for path in sorted(graph.importers.get(file.path, ())):
            if is_test(path):
                yield path, False


@dataclass(frozen=True, slots=True)
class TextSection:
    """A heading with lines below it, and the share of a budget they may take when it is short."""

    heading: str
    lines: Sequence[str]
    share: float


def packed(title: str, sections: Sequence[TextSection], budget: int) -> str:
    """The sections in at most `budget` tokens. What one does not need the others get; what is left out is
    counted.
    """
    some = [one for one in sections if one.lines]
    costs = {one.heading: [count_tokens(line) + 1 for line in one.lines] for one in some}
    left = budget - count_tokens(title) - sum(count_tokens(one.heading) + 12 for one in some)
    room = {one.heading: int(left * one.share) for one in some}
    spare = left - sum(min(room[one.heading], sum(costs[one.heading])) for one in some)
    parts = [title]
    for one in some:
        need = sum(costs[one.heading])
        most = min(need, room[one.heading] + max(0, spare))
        spare -= max(0, most - room[one.heading])
        parts.append(one.heading)
        shown = 0
        for line, cost in zip(one.lines, costs[one.heading], strict=True):
            if cost > most:
                break
            most -= cost
            shown += 1
            parts.append(line)
        if shown < len(one.lines):
            parts.append(f"  … {len(one.lines) - shown} more")
    return "\n".join(parts)


def by_file(broken: Sequence[DependentPlace]) -> list[str]:
    """A line per file and symbol, in the order they come."""
    grouped: dict[tuple[str, bool], list[DependentPlace]] = {}
    for one in broken:
        grouped.setdefault((one.path, one.certain), []).append(one)
    lines = []
    for (path, certain), some in grouped.items():
        lines.append(f"  {path}{'' if certain else ' (perhaps)'}")
        symbols: dict[str, list[DependentPlace]] = {}
        for one in some:
            symbols.setdefault(one.symbol, []).append(one)
        for symbol, places in symbols.items():
            numbers = ", ".join(str(one.line) for one in places[:6])
            far = "" if places[0].level == 1 else f" · {places[0].level} calls away"
            why = "" if places[0].why == "call" else f" · {places[0].why}"
            lines.append(f"    {numbers}: {symbol or '(top of the file)'}{why}{far}")
    return lines


def without(broken: Sequence[DependentPlace], paths: Iterable[str]) -> list[DependentPlace]:
    """The places outside of some files."""
    inside = set(paths)
    return [replace(one) for one in broken if one.path not in inside]
