"""Compare `find_references` with compilers and indexers, for sampled definitions."""

from __future__ import annotations

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from contextd.codebase.code_graphs import symbols_of
from contextd_bench.calls import Meant, Oracle, judge, oracle_definition, oracles
from contextd_bench.data import hardware
from contextd_bench.scratch import Bench, opened
from contextd_code.calls.scip import INITIALISERS
from contextd_code.calls.scope_layout import FUNCTIONS
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_common.errors import ContextdError

SAMPLED = 40
"""The most definitions sampled per type."""
_MOST_LINES = 1_000

Line = tuple[str, int]
"""(path, line)."""


@dataclass(slots=True)
class NamedUses:
    """A checker's result for every name: the lines that refer to each definition, the names per
    line that it cannot resolve, and the files it read.
    """

    uses: dict[Meant, set[Line]] = field(default_factory=lambda: defaultdict(set))
    unknown: set[tuple[str, int, str]] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ReferenceScore:
    """Lines over all definitions of one sort: how many were real, were called certain, and both; then the
    same for text matches. `unfinished` counts definitions whose answer was cut or failed.
    """

    name: str
    asked: int = 0
    real: int = 0
    certain: int = 0
    right: int = 0
    texts: int = 0
    texts_right: int = 0
    unfinished: int = 0

    def row(self) -> str:
        """A line of a Markdown table."""
        precision = self.right / self.certain if self.certain else 1.0
        recall = self.right / self.real if self.real else 1.0
        certain = f"{self.right}/{self.certain} = {precision:.3f} | {self.right}/{self.real} = {recall:.3f}"
        text = f"{self.texts_right}/{self.texts}"
        return f"| {self.name} | {self.asked} | {certain} | {text} | {self.unfinished} |"

    def add(self, other: ReferenceScore) -> None:
        """Add another score."""
        for name in ("asked", "real", "certain", "right", "texts", "texts_right", "unfinished"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def run(paths: Iterable[Path], *, packages: Path | None, out: TextIO) -> list[ReferenceScore]:
    """Judge repositories, each by the checkers of its languages that can place every name. `packages` holds
    `node_modules` with typescript and scip-python. A checker that is not there is named and left out.
    """
    print(f"hardware: {hardware()}", file=out)
    print("\n| repository and sort | n | certain: precision | recall | text | cut |", file=out)
    print("|---|---|---|---|---|---|", file=out)
    scores: list[ReferenceScore] = []
    for path in paths:
        for oracle in oracles(every_name=True):
            if why := oracle.missing(packages):
                print(f"left out: {oracle.title}: {why}", file=out)
                continue
            for score in _judged(path.resolve(), oracle, packages and packages.resolve()):
                print(score.row(), file=out, flush=True)
                scores.append(score)
    return scores


def _judged(root: Path, oracle: Oracle, packages: Path | None) -> Iterator[ReferenceScore]:
    with (
        tempfile.TemporaryDirectory(prefix="contextd-bench-") as home,
        opened(root, Path(home), embedder_name="none") as bench,
    ):
        bench.host.call("codebase_index", bench.request, {})
        graph = symbols_of(bench.runtime)
        code = [p for p, f in graph.files.items() if f.language in oracle.languages]
        if code:
            truth = judgement(graph, judge(oracle, packages, root, code, every_name=True))
            yield from score(bench, graph, truth, f"{root.name}: {oracle.title}")


def judgement(graph: SymbolGraph, entries: Iterable[Mapping[str, Any]]) -> NamedUses:
    """The checker's entries, by contextd's definitions."""
    found = NamedUses()
    for file in entries:
        path = file["path"]
        found.files.add(path)
        for line, name, definitions, known in file["calls"]:
            if not (definitions or known):
                found.unknown.add((path, line, name))
            # `super().__init__` does not name the class that it leads to.
            for one in definitions if name not in INITIALISERS else ():
                meant = oracle_definition(graph, *one)
                if not _is_field(graph, meant, int(one[1])):
                    found.uses[meant].add((path, line))
    return found


def _is_field(graph: SymbolGraph, meant: Meant, line: int) -> bool:
    """Tell whether the line of a definition is outside every method that it was taken for: a field of another
    class with the name of the method, which is no definition of ours.
    """
    file = graph.files.get(meant[0])
    name = meant[1].rpartition(".")[2]
    same = [one for one in file.symbols if one.name == name] if file is not None else []
    return bool(same) and all(
        one.kind == "method" and not one.start_line <= line <= one.end_line for one in same
    )


def score(
    bench: Bench, graph: SymbolGraph, truth: NamedUses, title: str
) -> Iterator[ReferenceScore]:
    """A score for each sort of definitions, and one of all."""
    every = ReferenceScore(f"{title}, all")
    for sort, some in sampled(graph, truth.files).items():
        found = ReferenceScore(f"{title}, {sort}")
        for one in some:
            _asked(bench, truth, one, found)
        every.add(found)
        yield found
    yield every


def sampled(graph: SymbolGraph, judged: set[str]) -> dict[str, list[Definition]]:
    """Definitions in judged files by type, drawn by a hash of their names."""
    sorts: dict[str, dict[Meant, Definition]] = {
        "methods": {},
        "functions": {},
        "types": {},
        "other members": {},
        "other names": {},
    }
    for one in graph.definitions:
        is_made = one.symbol.name in (*INITIALISERS, one.symbol.parent.rpartition(".")[2])
        if one.path not in judged or is_made or _is_local(graph, one):
            continue
        is_function = one.symbol.kind in FUNCTIONS
        is_type = one.symbol.kind in ("class", "interface", "enum", "type", "struct", "trait")
        if is_type:
            sort = "types"
        elif one.symbol.parent:
            sort = "methods" if is_function else "other members"
        else:
            sort = "functions" if is_function else "other names"
        sorts[sort].setdefault((one.path, one.qualified), one)
    return {
        sort: sorted(some.values(), key=lambda one: _draw(one))[:SAMPLED]
        for sort, some in sorts.items()
        if some
    }


def _draw(one: Definition) -> bytes:
    return hashlib.blake2b(f"{one.path} {one.qualified}".encode(), digest_size=8).digest()


def _is_local(graph: SymbolGraph, one: Definition) -> bool:
    """Whether it stands inside a function."""
    return any(
        other.kind in FUNCTIONS and other.start < one.symbol.start < other.end
        for other in graph.files[one.path].symbols
    )


def _asked(bench: Bench, truth: NamedUses, one: Definition, found: ReferenceScore) -> None:
    given = {"name": one.qualified, "path": one.path, "limit": _MOST_LINES}
    real = truth.uses.get((one.path, one.qualified), set())
    try:
        answer: Any = bench.call("find_references", **given).value
    except ContextdError:
        found.asked += 1
        found.real += len(real)
        found.unfinished += 1
        return
    if len(answer["references"]) >= _MOST_LINES:
        # A page has no more, so misses cannot be judged.
        found.unfinished += 1
        return
    found.asked += 1
    found.real += len(real)
    definition = answer["definition"]
    if (definition["path"], definition["name"]) != (one.path, one.qualified):
        found.unfinished += 1
    certain = _lines(answer["references"], ("use", "import"))
    texts = _lines(answer["references"], ("name",)) | _lines(
        answer.get("text_matches", ()), ("text",)
    )
    wrong = [line for line in certain - real if _is_judged(truth, line, one)]
    found.right += len(certain & real)
    found.certain += len(certain & real) + len(wrong)
    found.texts += len([line for line in texts - certain if _is_judged(truth, line, one)])
    found.texts_right += len((texts - certain) & real)


def _lines(rows: Sequence[Mapping[str, Any]], roles: Sequence[str]) -> set[Line]:
    return {(row["path"], row["line"]) for row in rows if row["role"] in roles}


def _is_judged(truth: NamedUses, line: Line, one: Definition) -> bool:
    return line[0] in truth.files and (*line, one.symbol.name) not in truth.unknown
