"""Compare the call graph with type checkers; the baseline is "every definition of that name"."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, CodeChange
from contextd.domain.scope import Scope
from contextd_bench.data import hardware
from contextd_bench.scratch import code_index, scratch_store
from contextd_code.calls.call_graph import CallGraph
from contextd_code.calls.checkout_facts import CodeFacts
from contextd_code.calls.scip import INITIALISERS
from contextd_code.calls.scope_layout import CONSTANTS
from contextd_code.index.scan import scan
from contextd_code.symbols.symbol_graph import SymbolGraph, build_graph

_ORACLES = Path(__file__).parent / "oracles"
_SCOPE = Scope("local", "default", "bench")

_CONDITIONAL = frozenset(("c", "c-header", "cpp"))

Called = tuple[str, int, str]
"""(path, line, name) of a call."""
Meant = tuple[str, str]
"""(path, qualified name) of the called definition; an initialiser counts as its class."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """A checker: its command, the required program and package, and the languages it judges."""

    title: str
    command: Sequence[str]
    program: str
    languages: frozenset[str]
    package: str = ""
    module: str = ""
    judges: Literal["both", "calls", "names"] = "calls"
    """Whether it resolves calls, every name, or both."""

    def missing(self, packages: Path | None) -> str:
        """Why the checker cannot run; empty if it can."""
        if shutil.which(self.program) is None:
            return f"{self.program} is not installed"
        if self.module and importlib.util.find_spec(self.module) is None:
            return f"run `pip install lib{self.module}` where contextd is installed"
        # `typescript@5` is a version, `@autorest/csharp` a name.
        name = self.package.rpartition("@")[0] or self.package
        if self.package and not (packages and (packages / "node_modules" / name).is_dir()):
            return f"run `npm install {self.package}` in a folder and give it with --typescript"
        return ""

    def asked(self, packages: Path | None, root: Path, *, every_name: bool) -> list[str]:
        """The command for one repository."""
        names = ["--names"] if every_name else []
        return [*self.command, *([str(packages)] if self.package else []), str(root), *names]


_ORACLE = (
    Oracle(
        "C#, against Roslyn",
        (sys.executable, "-P", str(_ORACLES / "csharp_calls.py")),
        "python3",
        frozenset(("csharp",)),
        "@autorest/csharp",
    ),
    Oracle(
        "C#, against Roslyn",
        (sys.executable, "-P", str(_ORACLES / "csharp_names.py")),
        "python3",
        frozenset(("csharp",)),
        "@autorest/csharp",
        judges="names",
    ),
    Oracle(
        "PHP, against Intelephense",
        (sys.executable, "-P", str(_ORACLES / "php_calls.py")),
        "php",
        frozenset(("php",)),
        "intelephense",
        judges="both",
    ),
    Oracle(
        "Python, against pyright",
        (sys.executable, "-P", str(_ORACLES / "pyright_calls.py")),
        "node",
        frozenset(("python",)),
        "pyright",
    ),
    Oracle(
        "Python, against scip-python",
        (sys.executable, "-P", str(_ORACLES / "scip_names.py")),
        "node",
        frozenset(("python",)),
        "@sourcegraph/scip-python",
        judges="names",
    ),
    Oracle(
        "TypeScript and JavaScript, against TypeScript",
        ("node", str(_ORACLES / "typescript_calls.mjs")),
        "node",
        frozenset(("typescript", "tsx", "javascript")),
        "typescript@5",
        judges="both",
    ),
    Oracle(
        "Go, against go/types",
        ("go", "run", str(_ORACLES / "go_calls.go")),
        "go",
        frozenset(("go",)),
        judges="both",
    ),
    Oracle(
        "Java, against javac",
        ("java", str(_ORACLES / "JavaCalls.java")),
        "javac",
        frozenset(("java",)),
        judges="both",
    ),
    Oracle(
        "Rust, against rustc",
        (sys.executable, "-P", str(_ORACLES / "rust_calls.py")),
        "cargo",
        frozenset(("rust",)),
    ),
    Oracle(
        "Rust, against rustdoc",
        (sys.executable, "-P", str(_ORACLES / "rust_names.py")),
        "cargo",
        frozenset(("rust",)),
        judges="names",
    ),
    Oracle(
        "C and C++, against clang",
        (sys.executable, "-P", str(_ORACLES / "clang_calls.py")),
        "cc",
        frozenset(("c", "c-header", "cpp")),
        module="clang",
    ),
    Oracle(
        "C and C++, against clang",
        (sys.executable, "-P", str(_ORACLES / "clang_names.py")),
        "cc",
        frozenset(("c", "c-header", "cpp")),
        module="clang",
        judges="names",
    ),
)


@dataclass(frozen=True, slots=True)
class CallScore:
    """Recall and precision over the calls that a checker can resolve.

    Of a call with several answers one may be right, and each other one is wrong.
    """

    name: str
    calls: int
    precision: float
    recall: float

    def row(self) -> str:
        """A line of a Markdown table."""
        return f"| {self.name} | {self.calls} | {self.precision:.4f} | {self.recall:.4f} |"


def run(paths: Iterable[Path], *, packages: Path | None, out: TextIO) -> list[CallScore]:
    """Judge repositories, each by the checkers of its languages.

    `packages` contains `node_modules` with pyright and typescript. Missing checkers are named and
    skipped.
    """
    print(f"hardware: {hardware()}", file=out)
    print("\n| repository and what is asked | calls | precision | recall |", file=out)
    print("|---|---|---|---|", file=out)
    scores: list[CallScore] = []
    left_out: dict[str, str] = {}
    for path in paths:
        for one in _judged(path.resolve(), packages and packages.resolve(), left_out):
            print(one.row(), file=out, flush=True)
            scores.append(one)
    for title, why in left_out.items():
        print(f"\nleft out: {title}: {why}", file=out)
    return scores


def _judged(root: Path, packages: Path | None, left_out: dict[str, str]) -> Iterator[CallScore]:
    with scratch_store() as store:
        view = store.view(OWNER.grant([_SCOPE]))
        report = scan(root, code_index(view).of(_SCOPE))
        view.commit(Changes(code=[CodeChange(scope=_SCOPE, put=report.changed)]))
        graph = build_graph(code_index(view).of(_SCOPE).all())
    calls = CallGraph(graph, CodeFacts(root, graph))
    for oracle in oracles():
        code = [p for p, f in graph.files.items() if f.language in oracle.languages]
        if code and (why := oracle.missing(packages)):
            left_out[oracle.title] = why
        elif code:
            truth = _truth(graph, judge(oracle, packages, root, code))
            placed = _placed(calls, code)
            sure = {call: found for call, (found, _) in placed.items()}
            every = {call: found | more for call, (found, more) in placed.items()}
            title = f"{root.name}: {oracle.title}"
            yield _score(f"{title}, certain", truth, sure)
            yield _score(f"{title}, with uncertain", truth, every)
            yield _score(f"{title}, baseline: same name anywhere", truth, _by_name(graph, truth))


def oracles(*, every_name: bool = False) -> list[Oracle]:
    """The checkers that resolve calls, or every name."""
    return [one for one in _ORACLE if one.judges in ("both", "names" if every_name else "calls")]


def judge(
    oracle: Oracle,
    packages: Path | None,
    root: Path,
    code: Sequence[str],
    *,
    every_name: bool = False,
) -> Iterator[dict[str, Any]]:
    """The checker's results for each of these files."""
    done = subprocess.run(
        oracle.asked(packages, root, every_name=every_name),
        input="\n".join(sorted(code)).encode("utf-8", "surrogateescape"),
        stdout=subprocess.PIPE,
        # Go would read the go.mod of the current folder.
        cwd=_ORACLES,
        check=False,
    )
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        yield json.loads(line)


def _truth(graph: SymbolGraph, entries: Iterable[Mapping[str, Any]]) -> dict[Called, set[Meant]]:
    """The checker's answer for each call.

    Calls that it cannot resolve are not judged; calls that it resolves outside of the project
    should have no answer.
    """
    found: dict[Called, set[Meant]] = {}
    for file in entries:
        for line, name, definitions, known in file["calls"]:
            if not (definitions or known):
                continue
            meant = found.setdefault((file["path"], line, name), set())
            meant |= {oracle_definition(graph, *one) for one in definitions}
    return found


def oracle_definition(graph: SymbolGraph, path: str, line: int, name: str) -> Meant:
    """Our definition for a definition that a checker reports on a line."""
    file = graph.files.get(path)
    around = [
        one
        for one in (file.symbols if file is not None else ())
        if one.name == name and one.start_line <= line <= one.end_line
    ]
    twins = {one.name: one for one in file.symbols} if file and not around else {}
    if name in twins and file and file.language in _CONDITIONAL:
        # Of definitions under a preprocessor condition only one is kept.
        around = [twins[name]]
    if not around:
        return path, f"{name}, line {line}"
    best = max(around, key=lambda one: one.start_line)
    return _meant(path, f"{best.parent}.{best.name}" if best.parent else best.name)


def _meant(path: str, qualified: str) -> Meant:
    holder, _, last = qualified.rpartition(".")
    is_initialiser = last in INITIALISERS or last == holder.rpartition(".")[2]
    return path, holder if holder and is_initialiser else qualified


def _placed(calls: CallGraph, code: Sequence[str]) -> dict[Called, tuple[set[Meant], set[Meant]]]:
    """(certain, uncertain) answers by call."""
    found: dict[Called, tuple[set[Meant], set[Meant]]] = {}
    for path in code:
        facts = calls.facts.get(path)
        for site in facts.sites if facts is not None else ():
            if site.kind != "call":
                continue
            key = path, site.line, str(site.target[-1])
            answers = found.setdefault(key, (set(), set()))
            for edge in calls.link(path, site):
                # Calling a class also means its initialiser, even an inherited
                # one.
                last = edge.target.symbol.name
                if last not in INITIALISERS or last == site.target[-1]:
                    meant = _meant(edge.target.path, edge.target.qualified)
                    answers[0 if edge.certain else 1].add(meant)
    return found


def _by_name(graph: SymbolGraph, truth: Iterable[Called]) -> dict[Called, set[Meant]]:
    found: dict[Called, set[Meant]] = defaultdict(set)
    for call in truth:
        for one in graph.by_name.get(call[2], ()):
            if one.symbol.kind not in CONSTANTS:
                found[call].add(_meant(one.path, one.qualified))
    return found


def _score(
    name: str, truth: Mapping[Called, set[Meant]], answers: Mapping[Called, set[Meant]]
) -> CallScore:
    right = wrong = missed = 0
    for call, meant in truth.items():
        given = answers.get(call, set())
        hit = bool(given & meant)
        right += hit
        missed += bool(meant) and not hit
        wrong += len(given - meant)
    return CallScore(
        name,
        right + missed,
        right / (right + wrong) if right + wrong else 1.0,
        right / (right + missed) if right + missed else 1.0,
    )
