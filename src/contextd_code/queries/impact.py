"""What a change of definitions may break, and the tests that cover it."""

from __future__ import annotations

import posixpath
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.uses import uses
from contextd_code.index.languages.table import language_of
from contextd_code.queries.changed_code import ChangedCode
from contextd_code.queries.ranking_of_tests import (
    TestEvidence,
    chosen,
    evidence_of,
    is_run,
    runnable,
)
from contextd_code.queries.references import SECONDS
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.values.source import is_test
from contextd_common.dataclass import dataclass

_MOST_FOLLOWED = 300
"""Definitions whose callers are searched for; a change of more affects nearly everything."""
_SECONDS = 2.0
"""Seconds to search for callers of callers; direct uses have `references.SECONDS`. A repeated query continues, as
the facts read so far are cached.
"""

_MOST_PLACES = 100
"""Past this many places the list is no longer useful, and their callers are not searched."""
_TESTS_READ = 30
"""Test files that are read: a hundred may call a common function."""
_TEST_FILES, _EACH = 10, 8
"""Test files listed, and tests of each: a list of all tests selects nothing."""


@dataclass(frozen=True, slots=True)
class DependentPlace:
    """A place that may break. `level` counts the calls between it and the change, `why` is the link: `call`,
    `use`, `extends` or `import`.
    """

    path: str
    line: int
    symbol: str
    why: str
    level: int = 1
    certain: bool = True


@dataclass(frozen=True, slots=True)
class TestOfCode:
    """A test that covers the change, and the evidence for it."""

    path: str
    symbol: str
    why: str
    certain: bool = True

    @property
    def place(self) -> str:
        """The test's id in the form that test runners accept."""
        return f"{self.path}::{self.symbol.replace('.', '::')}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class CodeReach:
    """Everything a change reaches; `lack` says what was not followed and how to get it, empty when complete.
    `inside` counts the lines of the changed code that certainly use another part of it, `naming` the test files
    that name it.
    """

    broken: list[DependentPlace]
    tests: list[TestOfCode]
    lack: str = ""
    inside: int = 0
    naming: int = 0


_NO_TIME = "more depends on it than was followed in time: ask again for the rest"
_TOO_MANY = "so much depends on it that not all of what is further away was followed: ask about one of these"


def reach(
    calls: CallGraph,
    sources: Sources,
    changed: ChangedCode,
    depth: int,
    along: Mapping[str, int],
) -> CodeReach:
    """The callers of some definitions, `depth` calls far, certain and near places first. Callers inside a
    changed definition are left out. `along` is how often other files changed with these.
    """
    calls.look_for(changed.symbols[:_MOST_FOLLOWED])
    saying: Counter[str] = Counter()
    for one in changed.symbols[:_MOST_FOLLOWED]:
        saying.update({path for path, _ in calls.candidates(one) if is_test(path)})
    paths = [file.path for file in changed.files if file.change != "delete"]
    tests = evidence_of(calls.graph, paths, saying, along)
    following = _Following(calls, sources, changed, {one.path for one in _first(tests.values())})
    lack = following.follow(depth)
    following.drop_imports()
    for place in _importing_gone(calls.graph, changed):
        following.found.setdefault((place.path, place.line), place)
    rank = calls.graph.rank
    every = sorted(
        following.found.values(),
        key=lambda b: (not b.certain, b.level, -rank.get(b.path, 0.0), b.path, b.line),
    )
    code = [one for one in every if not is_test(one.path)]
    own = {
        file.path: dict.fromkeys(runnable(file.path, one.qualified) for one in file.symbols)
        for file in changed.files
        if is_test(file.path) and file.change != "delete"
    }
    run = {path: one for path, one in tests.items() if is_run(calls.graph, path)}
    return CodeReach(code, _tests(run, every, own), lack, len(following.inside), len(saying))


def _first(tests: Iterable[TestEvidence]) -> list[TestEvidence]:
    """The test files worth reading."""
    return sorted(tests, key=lambda one: (-one.score, one.path))[:_TESTS_READ]


@dataclass(slots=True)
class _Following:
    """The search for callers, in all code and the selected tests."""

    calls: CallGraph
    sources: Sources
    changed: ChangedCode
    tests: set[str]
    found: dict[tuple[str, int], DependentPlace] = field(
        default_factory=dict[tuple[str, int], DependentPlace]
    )
    inside: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """The lines within the changed code that certainly use it."""

    def among(self, path: str) -> bool:
        """Whether callers are searched in a file."""
        return path in self.tests or not is_test(path)

    def drop_imports(self) -> None:
        """An import represents its file only if the file has no other certain use."""
        using = {one.path for one in self.found.values() if one.certain and one.why != "import"}
        self.found = {
            place: one
            for place, one in self.found.items()
            if one.why != "import" or one.path not in using
        }

    def follow(self, depth: int) -> str:
        """Find the callers; return what is missing, as `CodeReach` describes it."""
        targets = frozenset((one.path, one.qualified) for one in self.changed.symbols)
        seen = set(targets)
        level = [(one, True) for one in self.changed.symbols]
        followed, started = 0, time.monotonic()
        for distance in range(1, depth + 1):
            end = started + (SECONDS if distance == 1 else _SECONDS)
            further: list[tuple[Definition, bool]] = []
            self.calls.look_for(one for one, _ in level[:_MOST_FOLLOWED])
            # Distinctive names first: a search that runs out of time then has most of the answer.
            level[:_MOST_FOLLOWED] = sorted(
                level[:_MOST_FOLLOWED], key=lambda pair: self.calls.spread(pair[0])
            )
            for one, certain in level:
                followed += 1
                if time.monotonic() > end:
                    return _NO_TIME
                many = distance > 1 and len(self.found) > _MOST_PLACES
                if many or followed > _MOST_FOLLOWED:
                    return _TOO_MANY
                for caller, sure in self._callers(one, certain, distance, end, targets):
                    name = caller.path, caller.qualified
                    if name not in seen:
                        seen.add(name)
                        further.append((caller, sure))
            if time.monotonic() > end:
                return _NO_TIME
            level = further
        return ""

    def _callers(
        self,
        one: Definition,
        certain: bool,
        distance: int,
        end: float,
        targets: frozenset[tuple[str, str]],
    ) -> Iterator[tuple[Definition, bool]]:
        """Record the callers of a definition outside of the `targets`, and return those to follow next."""
        # Beyond the first level only calls propagate a change.
        direct = distance == 1
        found = (
            uses(self.calls, self.sources, one, end, self.among)
            if direct
            else self.calls.callers(one, end, self.among)
        )
        for edge in found:
            caller = edge.caller
            name = caller.qualified if caller is not None else ""
            if (edge.path, name) in targets:
                if direct and edge.certain:
                    self.inside.add((edge.path, edge.line))
                continue
            sure = certain and edge.certain
            place = DependentPlace(edge.path, edge.line, name, edge.kind, distance, sure)
            known = self.found.get((edge.path, edge.line))
            if known is None or (sure and not known.certain and known.level == distance):
                self.found[edge.path, edge.line] = place
            if caller is not None and edge.kind in ("call", "extends"):
                yield caller, sure


def _importing_gone(graph: SymbolGraph, changed: ChangedCode) -> Iterable[DependentPlace]:
    """The imports of names that no longer exist."""
    for file in changed.files:
        names = {name.partition(".")[0] for name in file.removed_names}
        for path in sorted(graph.importers.get(file.path, ())) if names else ():
            for one in graph.files[path].imports:
                if one.target == file.path and names & {inner for inner, _ in one.names}:
                    yield DependentPlace(path, one.line, "", "import")
    away = [file.was or file.path for file in changed.files if file.was or file.change == "delete"]
    asked = {_module(path): path for path in away if path not in graph.files}
    for path, source in graph.files.items() if asked else ():
        for one in source.imports:
            old_path = asked.get(_LAST.sub("", one.specifier).rpartition("/")[2].rpartition(".")[2])
            if old_path is not None and not one.target and _same_language(path, old_path):
                yield DependentPlace(path, one.line, "", "import", certain=False)


_LAST = re.compile(r"(?:/index)?(?:\.(?:[cm]?[jt]sx?|py))?$")
_INDEXES = frozenset(("__init__", "index", "mod"))


def _module(path: str) -> str:
    """The definition that an import of a file resolves to."""
    name = posixpath.basename(path).partition(".")[0]
    return posixpath.basename(posixpath.dirname(path)) if name in _INDEXES else name


def _same_language(path: str, other: str) -> bool:
    language, theirs = language_of(path), language_of(other)
    return language is not None and theirs is not None and language.family == theirs.family


def _tests(
    tests: dict[str, TestEvidence],
    every: Sequence[DependentPlace],
    changed: Mapping[str, Iterable[str]],
) -> list[TestOfCode]:
    """The tests worth running, best first; those of one file are together, the `changed` ones first."""
    symbols = {path: dict.fromkeys(names, True) for path, names in changed.items()}
    for one in every:
        known = tests.get(one.path)
        if known is not None:
            known.calls += one.certain and one.level == 1
            known.perhaps += not one.certain and one.level == 1
            known.away += one.level > 1
            own = symbols.setdefault(one.path, {})
            own.setdefault(runnable(one.path, one.symbol), one.certain)
    listed: list[TestOfCode] = []
    for test in chosen(tests.values(), _TEST_FILES):
        path, why = test.path, test.why
        own = {name: sure for name, sure in symbols.get(path, {}).items() if name}
        own = own or {"": test.certain}
        listed += [TestOfCode(path, name, why, sure) for name, sure in own.items()][:_EACH]
    return listed
