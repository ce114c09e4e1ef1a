"""Measure `impact`: the cost of the first query, and the tests listed for past commits.

The query is the source files of a commit, at its parent; the answers are the existing test files
that the commit changed.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from contextd.codebase.code_graphs import calls_of, save_calls, symbols_of
from contextd_bench.data import hardware
from contextd_bench.scratch import Bench, cloned, opened
from contextd_code.index.languages.table import language_of
from contextd_code.queries.ranking_of_tests import stem
from contextd_code.symbols.symbol_graph import SymbolGraph
from contextd_code.values.source import is_test

COMMITS = 40
"""At most so many."""
ASKED = 10
"""Files whose first question is timed, those that most others import."""
_LOOKED_AT = "6000"
_MOST_FILES = 30
_CUTS = (3, 5, 10)
_TOLD_EVERY, _LONGEST = 10, 240.0
"""Commits between progress messages, and seconds after which no further commit starts; on a busy
machine fewer are measured, and the table says how many.
"""


@dataclass(slots=True)
class _Named:
    """The share of the changed tests among the first listed files."""

    commits: int = 0
    recall: dict[int, float] = field(default_factory=dict[int, float])
    right: dict[int, int] = field(default_factory=dict[int, int])
    named: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, ranked: Sequence[str], meant: Sequence[str]) -> None:
        self.commits += 1
        for cut in _CUTS:
            hit = len(set(ranked[:cut]) & set(meant))
            self.recall[cut] = self.recall.get(cut, 0.0) + hit / len(meant)
            self.right[cut] = self.right.get(cut, 0) + hit
            self.named[cut] = self.named.get(cut, 0) + len(ranked[:cut])

    def row(self, name: str) -> str:
        """A line of a Markdown table."""
        n = max(1, self.commits)
        recall = " / ".join(f"{self.recall.get(cut, 0.0) / n:.3f}" for cut in _CUTS)
        right = [self.right.get(cut, 0) / max(1, self.named.get(cut, 0)) for cut in _CUTS]
        precision = " / ".join(f"{one:.3f}" for one in right)
        return f"| {name} | {self.commits} | {recall} | {precision} |"


def run(repository: Path, *, out: TextIO, commits: int = COMMITS) -> None:
    """Measure one repository, in a clone of it."""
    print(f"\n## impact, {repository.resolve().name}\nhardware: {hardware()}", file=out)
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        root = cloned(repository, Path(folder) / "tree")
        with opened(root, Path(folder) / "home", embedder_name="none") as bench:
            bench.host.call("codebase_index", bench.request, {})
            bench.host.work_off()
            print(
                "\n| impact of a file | n | CPU ms, median | largest |\n|---|---|---|---|", file=out
            )
            for name, times in _costs(bench):
                row = f"{statistics.median(times):.0f} | {max(times):.0f}"
                print(f"| {name} | {len(times)} | {row} |", file=out, flush=True)
            print(_tests(bench, root, commits, out), file=out, flush=True)


def _costs(bench: Bench) -> Iterator[tuple[str, list[float]]]:
    graph = symbols_of(bench.runtime)
    code = (path for path in graph.files if not is_test(path) and language_of(path))
    asked = sorted(code, key=lambda path: (-len(graph.importers.get(path, ())), path))[:ASKED]

    def forget() -> None:
        for cache in ("call graphs", "symbol graphs", "past fixes", "changed along"):
            bench.runtime.organisation.caches.of(cache, 4).clear()

    yield "nothing read before", [_timed(bench, path, forget) for path in asked]
    facts = calls_of(bench.runtime).facts
    while not facts.read_ahead(1_000_000, 10.0):
        pass
    save_calls(bench.runtime, facts)
    yield "a process that starts, calls kept", [_timed(bench, path, forget) for path in asked]
    yield "again", [_timed(bench, path, lambda: None) for path in asked]


def _timed(bench: Bench, path: str, before: Callable[[], None]) -> float:
    before()
    began = time.process_time()
    bench.host.call("impact", bench.request, {"path": path})
    return (time.process_time() - began) * 1e3


def _tests(bench: Bench, root: Path, commits: int, out: TextIO) -> str:
    """The table of what is named for past commits, with how far it is on the way."""
    ways = {"impact": _Named(), "of the same stem": _Named(), "that import the file": _Named()}
    began = time.monotonic()
    for asked, (commit, sources, tests) in enumerate(_changes(root, commits), 1):
        _git(root, "checkout", "-q", "-f", f"{commit}~1")
        diff = _git(root, "diff", "--unified=0", f"{commit}~1", commit, "--", *sources)
        bench.host.call("codebase_index", bench.request, {})
        bench.host.work_off()
        found: Any = bench.host.call("impact", bench.request, {"diff": diff}).value
        graph = symbols_of(bench.runtime)
        ways["impact"].add(list(dict.fromkeys(one["path"] for one in found["tests"])), tests)
        ways["of the same stem"].add(_of_stem(graph, sources), tests)
        ways["that import the file"].add(_importing(graph, sources), tests)
        spent = time.monotonic() - began
        if asked % _TOLD_EVERY == 0 or spent > _LONGEST:
            print(f"\n{asked} of {commits} commits in {spent:.0f} s", file=out, flush=True)
        if spent > _LONGEST:
            break
    head = "\n| tests named | commits | recall@3/5/10 | precision@3/5/10 |\n|---|---|---|---|"
    return "\n".join([head, *(named.row(name) for name, named in ways.items())])


def _changes(root: Path, most: int) -> Iterator[tuple[str, list[str], list[str]]]:
    """(commit, source files, test files) of the newest commits that changed both."""
    found = 0
    # One program for all: to ask for each commit takes a minute where few change both.
    listed = _git(
        root, "log", "--no-merges", "--no-renames", "--name-status", "--format=%x00%H", "-n", _LOOKED_AT
    )  # fmt: skip
    for entry in listed.split("\0")[1:]:
        commit, *shown = entry.splitlines()
        rows = [line.split("\t", 1) for line in shown if "\t" in line]
        edited = [path for state, path in rows if state == "M" and language_of(path)]
        sources = [path for path in edited if not is_test(path)]
        tests = [path for path in edited if is_test(path)]
        if sources and tests and len(rows) <= _MOST_FILES:
            yield commit, sources, tests
            found += 1
            if found == most:
                return


def _of_stem(graph: SymbolGraph, sources: Sequence[str]) -> list[str]:
    stems = {stem(path) for path in sources}
    return sorted(path for path in graph.files if is_test(path) and stem(path) in stems)


def _importing(graph: SymbolGraph, sources: Sequence[str]) -> list[str]:
    every = (path for source in sources for path in sorted(graph.importers.get(source, ())))
    return [path for path in dict.fromkeys(every) if is_test(path)]


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], stdout=subprocess.PIPE, check=True, timeout=120
    )
    return done.stdout.decode("utf-8", "replace")
