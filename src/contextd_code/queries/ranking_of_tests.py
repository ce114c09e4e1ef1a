"""Rank the test files that a change needs, with the evidence for each."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from math import log1p

from contextd_code.symbols.symbol_graph import SymbolGraph
from contextd_code.values.source import is_test
from contextd_common.dataclass import dataclass

_STEM = re.compile(r"^(?:test[_-]?)|(?:[_.-]?(?:tests?|spec))$", re.IGNORECASE)
_JAVA = re.compile(r"(?<=[a-z0-9])(?:Tests?|IT|TestCase|Spec)$|^Test(?=[A-Z])")


@dataclass(slots=True)
class TestEvidence:
    """The evidence for a test file: places that certainly call the changed code, those that may, and those that
    call its callers; how many of the changed names it `says`; how often it changed `along`; whether it is
    `named` after a changed file, `imports` one, or changes `itself`. `near` is the share of its folders that a
    changed file shares.
    """

    path: str
    calls: int = 0
    perhaps: int = 0
    away: int = 0
    says: int = 0
    along: int = 0
    named: bool = False
    imports: bool = False
    itself: bool = False
    near: float = 0.0

    def values(self) -> tuple[float, ...]:
        """The signals as a feature vector."""
        return (
            *(log1p(self.calls), float(self.calls > 0), log1p(self.perhaps), log1p(self.away)),
            *(log1p(self.says), log1p(self.along), float(self.named), float(self.imports)),
            *(float(self.itself), self.near),
        )

    @property
    def score(self) -> float:
        """How likely the test is needed, relative to others of the same change."""
        return sum(w * value for w, value in zip(_WEIGHTS, self.values(), strict=True))

    @property
    def speaks(self) -> bool:
        """Whether there is any evidence: one joint change may be the start of the history."""
        by_code = self.calls or self.perhaps or self.away or self.says or self.imports
        return bool(by_code or self.named or self.itself or self.along > 1)

    @property
    def certain(self) -> bool:
        """Whether it certainly runs changed code."""
        return self.calls > 0 or self.named or self.itself

    @property
    def why(self) -> str:
        """The evidence, the strongest first."""
        if self.itself:
            return "changes itself"
        reasons: list[str] = []
        if self.calls or self.perhaps:
            reasons.append("calls it")
        elif self.away:
            reasons.append("calls what calls it")
        reasons += ["named after it"] if self.named else []
        reasons += [f"changed with it {self.along} times"] if self.along > 1 else []
        reasons += ["imports it"] if self.imports and not self.calls else []
        return ", ".join(reasons[:3]) or "says its name"


_WEIGHTS = (0.0, 0.5, 0.6, 0.3, 1.5, 1.2, 0.35, 0.9, 9.0, 1.4)
"""Fitted listwise on the 40 newest commits each of werkzeug, trpc and pip that change source and test files;
with each left out in turn it names 1 to 2 points more than weights set by hand. `itself` is set by hand.
"""
_FARTHEST = 3.0
"""The largest distance to the best test that is still listed: twice the precision for 2 to 5 points of recall."""


def evidence_of(
    graph: SymbolGraph,
    changed: Iterable[str],
    saying: Mapping[str, int],
    along: Mapping[str, int],
) -> dict[str, TestEvidence]:
    """Evidence available before any test file is read. `saying` are those that mention changed names, with how
    many, `along` those that changed with the files before, with how often.
    """
    found: dict[str, TestEvidence] = {}

    def of(path: str) -> TestEvidence:
        return found.setdefault(path, TestEvidence(path))

    sources = [path for path in changed if not is_test(path)]
    stems = {stem(path) for path in sources}
    for path in graph.files:
        if is_test(path) and stem(path) in stems:
            of(path).named = True
    for path in changed:
        if is_test(path):
            of(path).itself = True
        for importer in graph.importers.get(path, ()):
            if is_test(importer):
                of(importer).imports = True
    for path, count in saying.items():
        of(path).says = count
    for path, times in along.items():
        if path in graph.files and is_test(path):
            of(path).along = times
    folders = [_folders(path) for path in sources]
    for one in found.values():
        own = _folders(one.path)
        one.near = max(
            (len(own & other) / max(1, len(own | other)) for other in folders), default=0.0
        )
    return found


def chosen(tests: Iterable[TestEvidence], most: int) -> list[TestEvidence]:
    """The test files worth running, the likeliest first, including changed ones."""
    some = (one for one in tests if one.speaks)
    best = sorted(some, key=lambda one: (-one.score, one.path))
    first = next((one.score for one in best if not one.itself), 0.0)
    return [one for one in best if one.score >= first - _FARTHEST][:most]


_RUN = re.compile(r"(?:^|[/_.-])tests?(?:[_.]|$)|(?:^|/)test", re.IGNORECASE)
_NAMED_TEST = re.compile(r"(?:test|benchmark|example|fuzz)", re.IGNORECASE)
_BY_NAME = (".py", ".go")
"""Languages whose runners find tests by name."""


def is_run(graph: SymbolGraph, path: str) -> bool:
    """Whether a runner collects the file: a test helper is not a test to run."""
    if not path.endswith(".py") or _RUN.search(posixpath.basename(path)):
        return True
    file = graph.files.get(path)
    return file is None or any(_NAMED_TEST.match(symbol.name) for symbol in file.symbols)


def runnable(path: str, symbol: str) -> str:
    """The test around a nested function, which no runner collects by itself; None where it is not in a test."""
    parts = symbol.split(".")
    tests = [number for number, part in enumerate(parts) if part.startswith("test_")]
    if tests:
        return ".".join(parts[: tests[0] + 1])
    return symbol if not path.endswith(_BY_NAME) or _NAMED_TEST.match(parts[-1]) else ""


def stem(path: str) -> str:
    """The name of a file without its test prefix or suffix."""
    name = posixpath.basename(path).partition(".")[0]
    plain = _STEM.sub("", _STEM.sub("", name))
    return (_JAVA.sub("", plain) or plain).casefold()


_SAYS_NOTHING = frozenset(("src", "lib", "test", "tests", "main", "__tests__", "spec", "unit", ""))


def _folders(path: str) -> frozenset[str]:
    return frozenset(posixpath.dirname(path).casefold().split("/")) - _SAYS_NOTHING
