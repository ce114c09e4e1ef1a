"""Compare imports and definitions of the code model with the languages' own tools."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contextd_code.values.source import SourceFile
from contextd_common.errors import NotFound, Unavailable

_ORACLES = Path(__file__).parent / "oracles"
_TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Precision and recall, and up to 20 examples of each mistake.

    `precision` is None if the tool counts fewer definitions than contextd. `beyond` counts results
    in files without any result of the tool; they are in neither figure.
    """

    name: str
    truth: int
    precision: float | None
    recall: float
    wrong: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    beyond: int = 0

    def row(self) -> str:
        """A line of a Markdown table."""
        precision = "" if self.precision is None else f"{self.precision:.4f}"
        return (
            f"| {self.name} | {self.truth} | {precision} | {self.recall:.4f} "
            f"| {self.beyond or ''} |"
        )


def _compared(name: str, ours: set[Edge], truth: set[Edge], beyond: set[Edge]) -> Accuracy:
    judged = ours - (beyond - truth)
    wrong, missed = judged - truth, truth - ours
    return Accuracy(
        name,
        len(truth),
        1 - len(wrong) / len(judged) if judged else 1.0,
        1 - len(missed) / len(truth) if truth else 1.0,
        tuple(f"{a} -> {b}" for a, b in sorted(wrong)[:20]),
        tuple(f"{a} -> {b}" for a, b in sorted(missed)[:20]),
        len(beyond - truth),
    )


def _recalled(name: str, ours: Counter[Edge], truth: Counter[Edge]) -> Accuracy:
    missed = truth - ours
    count = truth.total()
    recall = 1 - missed.total() / count if count else 1.0
    listed = tuple(f"{path}: {one}" for path, one in sorted(missed)[:20])
    return Accuracy(name, count, None, recall, (), listed)


def edges_of(files: Iterable[SourceFile]) -> set[Edge]:
    """(importing path, imported path)."""
    return {(f.path, one.target) for f in files for one in f.imports if one.target}


def python_accuracy(root: Path, files: Mapping[str, SourceFile]) -> Iterator[Accuracy]:
    """Compare the imports inside each importable package with grimp, if installed, and definitions
    with `ast`.
    """
    truth: Counter[Edge] = Counter()
    ours: Counter[Edge] = Counter()
    for file in files.values():
        if file.language != "python":
            continue
        try:
            tree = ast.parse((root / file.path).read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                truth[file.path, node.name] += 1
        ours.update((file.path, symbol.name) for symbol in file.symbols)
    if truth:
        yield _recalled("Python definitions, against ast", ours, truth)
    if importlib.util.find_spec("grimp") is not None:
        found = list(_grimp(root, files))
        if found:
            # Self-imports and imports between packages are invisible to one of the
            # two.
            expected = {edge for edges, _ in found for edge in edges if edge[0] != edge[1]}
            home = {path: n for n, (_, paths) in enumerate(found) for path in paths}
            all_edges = edges_of(files.values())
            known = {(a, b) for a, b in all_edges if a in home and home[a] == home.get(b)}
            yield _compared("Python imports, against grimp", known, expected, set())


def _grimp(root: Path, files: Mapping[str, SourceFile]) -> Iterator[tuple[set[Edge], set[str]]]:
    """The edges and the files of each outermost package that grimp can read."""
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        base, _, package = folder.rpartition("/")
        if name != "__init__.py" or not folder or not _root_of_imports(base, files):
            continue
        done = subprocess.run(
            [sys.executable, "-P", str(_ORACLES / "grimp_edges.py"), str(root / base), package],
            capture_output=True,
        )
        if done.returncode:
            continue
        graph = json.loads(done.stdout)
        where = {module: _file_of(base, module, files) for module in graph["modules"]}
        yield {(where[a], where[b]) for a, b in graph["edges"]}, set(where.values())


def _root_of_imports(folder: str, files: Mapping[str, SourceFile]) -> bool:
    """Whether packages in a folder are called by their own name; in others, such as one of a
    namespace or of tests, grimp would look for names that nobody uses.
    """
    named = folder.rpartition("/")[2] in ("", "src", "lib", "python")
    described = any(f"{folder}/{name}" in files for name in ("pyproject.toml", "setup.py"))
    return (named or described) and f"{folder}/__init__.py".lstrip("/") not in files


def _file_of(base: str, module: str, files: Mapping[str, SourceFile]) -> str:
    stem = "/".join(filter(None, [base, *module.split(".")]))
    return f"{stem}/__init__.py" if f"{stem}/__init__.py" in files else f"{stem}.py"


def typescript_accuracy(
    root: Path, files: Mapping[str, SourceFile], folder: Path
) -> Iterator[Accuracy]:
    """Compare imports with TypeScript's resolver, and definitions with its syntax tree, in the
    files that a scan parses.

    `folder` contains `node_modules/typescript`. Raises `NotFound` without it, `Unavailable` without
    `node`.
    """
    code = {path for path in files if path.endswith(_TYPESCRIPT) and not _left_out(files[path])}
    if not code:
        return
    truth: set[Edge] = set()
    unresolved: set[Edge] = set()
    expected: Counter[Edge] = Counter()
    for report in _told(root, sorted(files), folder):
        path = report["path"]
        if path not in code:
            continue
        for specifier, target in report["imports"]:
            if target in code and target != path:
                truth.add((path, target))
            elif not target or (target not in files and "node_modules/" not in target):
                # Build output exists on disk for TypeScript, but is not a file of
                # the project.
                unresolved.add((path, specifier))
        expected.update((path, name) for name in report["definitions"])
    ours: set[Edge] = set()
    beyond: set[Edge] = set()
    for path in code:
        for one in files[path].imports:
            if one.target in code:
                ours.add((path, one.target))
                if (path, one.specifier) in unresolved and not one.specifier.startswith("."):
                    beyond.add((path, one.target))
    if ours or truth:
        yield _compared(
            "TypeScript and JavaScript imports, against TypeScript", ours, truth, beyond
        )
    defined = Counter((path, s.name) for path in code for s in files[path].symbols)
    yield _recalled("TypeScript and JavaScript definitions, against TypeScript", defined, expected)


def _left_out(file: SourceFile) -> bool:
    """Whether a scan skips a file: minified, vendored or very large."""
    known = file.symbols or file.imports or file.exports
    return not file.language or bool(file.error and file.error != "syntax errors" and not known)


def _told(root: Path, paths: list[str], folder: Path) -> Iterator[dict[str, Any]]:
    node = shutil.which("node")
    if node is None:
        raise Unavailable("node is not installed", "leave --typescript out, or install Node.js")
    if not (folder / "node_modules" / "typescript").is_dir():
        raise NotFound(
            f"{folder} holds no node_modules/typescript",
            "run `npm install typescript` in a folder and give that folder",
        )
    done = subprocess.run(
        [node, str(_ORACLES / "typescript_edges.mjs"), str(folder), str(root)],
        input="\n".join(paths).encode("utf-8", "surrogateescape"),
        capture_output=True,
    )
    if done.returncode:
        problem = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Unavailable(
            f"the oracle failed: {problem[-1] if problem else done.returncode}",
            "install a TypeScript 5 with `npm install typescript@5`",
        )
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        yield json.loads(line)
