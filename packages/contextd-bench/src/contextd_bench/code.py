"""Measure speed and accuracy of the code model on a repository, with baselines from the same run."""

from __future__ import annotations

import random
import resource
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import apsw

import contextd
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, CodeChange
from contextd.domain.documents import code_documents
from contextd.domain.scope import Scope
from contextd.ports.store import View
from contextd_bench.code_accuracy import Accuracy, python_accuracy, typescript_accuracy
from contextd_bench.data import hardware
from contextd_bench.monorepo import write_monorepo
from contextd_bench.scratch import code_index, scratch_store
from contextd_bench.speed import Figure, figure
from contextd_code.index.analyse import analyse
from contextd_code.index.resolve import Resolver
from contextd_code.index.scan import scan
from contextd_code.symbols.file_with_dependencies import read
from contextd_code.symbols.repo_map import repo_map
from contextd_code.symbols.symbol_graph import build_graph
from contextd_code.tree.grep import grep
from contextd_code.tree.ripgrep import ripgrep
from contextd_code.tree.walk import walk
from contextd_code.values.source import SourceFile

SEED = 20260801
PATTERNS = (
    "import",
    r"class\s+\w+(Error|Exception)",
    r"TODO|FIXME",
    r"\bfunction\s+\w+\(",
    r"return\s+None",
    "no such words in here",
)
READS = 200
_SCOPE = Scope("local", "default", "bench")
_BATCH = 250


@dataclass(frozen=True, slots=True)
class _Model:
    """A scanned repository: the view of its store, its files by path, and the contents of the code
    files.
    """

    root: Path
    view: View
    files: Mapping[str, SourceFile]
    code: Mapping[str, bytes]


def run(path: Path | None, *, typescript: Path | None = None, out: TextIO) -> dict[str, Any]:
    """Measure the repository at `path`, or contextd's own source and a generated monorepo.

    `typescript` is a folder with `node_modules/typescript`; without it TypeScript's imports are not
    judged. Nothing is written to the repository. Returns the figures by repository.
    """
    print(f"hardware: {hardware()}", file=out)
    if path is not None:
        return {str(path): _measured(path.resolve(), typescript, out)}
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        generated = Path(folder).resolve() / "monorepo"
        write_monorepo(generated)
        own = Path(contextd.__file__).resolve().parent.parent
        return {
            "generated monorepo": _measured(generated, typescript, out),
            "contextd's own source": _measured(own, typescript, out),
        }


def _measured(root: Path, typescript: Path | None, out: TextIO) -> dict[str, Any]:
    with scratch_store() as store:
        return _all_figures(root, store.view(OWNER.grant([_SCOPE])), typescript, out)


def _all_figures(root: Path, view: View, typescript: Path | None, out: TextIO) -> dict[str, Any]:
    walked = walk(root)
    sizes = sum(file.size for file in walked.files)
    print(f"\n## code: {root.name}", file=out)
    print(f"files: {len(walked.files)}, {sizes / 1e6:.1f} MB, listed by {walked.source}", file=out)
    print("\n| what | n | p50 ms | p95 ms | CPU ms |\n|---|---|---|---|---|", file=out)
    figures: list[Figure] = []

    def show(found: Iterator[Figure]) -> None:
        for one in found:
            figures.append(one)
            print(one.row(), file=out, flush=True)

    versioned = walked.source == "git"
    show(_walking(root, versioned))
    show(_indexing(root, view))
    files = {file.path: file for file in code_index(view).of(_SCOPE).all()}
    code = {p: (root / p).read_bytes() for p, f in files.items() if f.symbols or f.imports}
    model = _Model(root, view, files, code)
    show(_understanding(model))
    show(_rescanning(model, versioned))
    show(_searching(root))
    show(_reading(model))
    languages = Counter(files[path].language for path in code)
    listed = ", ".join(f"{name} {n}" for name, n in languages.most_common())
    edges = sum(1 for f in files.values() for one in f.imports if one.target)
    symbols = sum(len(f.symbols) for f in files.values())
    print(f"\ncode files: {listed or 'none'}", file=out)
    print(f"definitions: {symbols}, resolved imports: {edges}", file=out)
    judged = list(python_accuracy(root, files))
    if typescript is not None:
        judged += typescript_accuracy(root, files, typescript)
    _judged(judged, out)
    return {"figures": figures, "accuracy": judged, "languages": dict(languages)}


def _judged(judged: Sequence[Accuracy], out: TextIO) -> None:
    if not judged:
        print("no imports to judge here (TypeScript: --typescript)", file=out)
        return
    print("\n| what | truth | precision | recall | not judged |\n|---|---|---|---|---|", file=out)
    for one in judged:
        print(one.row(), file=out)
    for one in judged:
        for kind, examples in (("wrong", one.wrong), ("missed", one.missed)):
            for example in examples[:5]:
                print(f"{kind}: {example}", file=out)


def _timed(name: str, n: int, run: Callable[[int], object]) -> Figure:
    """Call `run(i)` n times; the CPU time covers this process and its finished children."""
    walls, before = [], _spent()
    for i in range(n):
        began = time.perf_counter()
        run(i)
        walls.append((time.perf_counter() - began) * 1e3)
    return figure(name, walls, (_spent() - before) / n * 1e3)


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _process(command: Sequence[str], root: Path) -> Callable[[int], object]:
    return lambda _: subprocess.run(command, cwd=root, capture_output=True)


def _walking(root: Path, versioned: bool, n: int = 5) -> Iterator[Figure]:
    yield _timed("walk, with size and time of each file", n, lambda _: walk(root))
    listing = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    if versioned:
        yield _timed("baseline: git ls-files", n, _process(listing, root))
    elif ripgrep():
        command = [ripgrep(), "--no-config", "--files", "--hidden", "-g", "!.git"]
        yield _timed("baseline: ripgrep --files", n, _process(command, root))


def _indexing(root: Path, view: View) -> Iterator[Figure]:
    """Measure the first scan, until every file can be found by its words."""
    changed: list[SourceFile] = []

    def index(_: int) -> None:
        changed.extend(scan(root, code_index(view).of(_SCOPE)).changed)
        for start in range(0, len(changed), _BATCH):
            some = changed[start : start + _BATCH]
            code = [CodeChange(scope=_SCOPE, put=some)]
            view.commit(Changes(code=code))

    yield _timed("index: scan, chunks, lexical search", 1, index)
    texts = [document.text for file in changed for document in code_documents(_SCOPE, file)]
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        db = apsw.Connection(f"{folder}/naive.db")
        db.execute("CREATE VIRTUAL TABLE f USING fts5(content, tokenize='porter')")

        def naive(_: int) -> None:
            with db:
                db.executemany("INSERT INTO f(content) VALUES (?)", [(text,) for text in texts])

        yield _timed("baseline: the same chunks into naive FTS5, unread", 1, naive)
        db.close()


def _understanding(model: _Model) -> Iterator[Figure]:
    """Measure parsing and resolving alone, in this process, after all modules are loaded."""
    total = sum(map(len, model.code.values()))
    fresh: dict[str, SourceFile] = {}

    def parse(_: int) -> None:
        for path, data in model.code.items():
            fresh[path] = analyse(path, data, len(data), 0)

    one = _timed("", 1, parse)
    speed = f"{len(model.code) / max(one.cpu or 1, 1e-6) * 1e3:,.0f} files/s"
    yield replace(one, name=f"parse {len(model.code)} code files, {total / 1e6:.1f} MB ({speed})")

    def lines(_: int) -> None:
        for data in model.code.values():
            data.decode("utf-8", "replace").splitlines()

    yield _timed("baseline: decode and split the same files", 1, lines)

    def resolve(_: int) -> None:
        resolver = Resolver(model.root, list(model.files))
        for path, file in fresh.items():
            resolver.resolve(path, file.language, file.imports)

    count = sum(len(file.imports) for file in fresh.values())
    yield _timed(f"resolve {count} imports, set-up included", 3, resolve)


def _rescanning(model: _Model, versioned: bool, n: int = 5) -> Iterator[Figure]:
    files = code_index(model.view)
    # Files written a moment ago are read again until they are old enough: that once is not it.
    again = scan(model.root, files.of(_SCOPE))
    change = CodeChange(scope=_SCOPE, put=again.changed, same_text=again.same_text)
    model.view.commit(Changes(code=[change]))
    yield _timed("scan again, nothing changed", n, lambda _: scan(model.root, files.of(_SCOPE)))
    status = ["git", "--no-optional-locks", "status", "--porcelain"]
    if versioned:
        yield _timed("baseline: git status", n, _process(status, model.root))


def _searching(root: Path, n: int = 3) -> Iterator[Figure]:
    """Search six patterns, with contextd as an agent does (at most 100 lines) and with ripgrep."""
    count = len(PATTERNS) * n
    asked = PATTERNS * n
    yield _timed("grep, 6 patterns", count, lambda i: grep(root, asked[i]))
    if ripgrep():
        command = [ripgrep(), "--no-config", "--hidden", "-g", "!.git", "-n"]
        yield _timed(
            "baseline: ripgrep itself, all lines",
            count,
            lambda i: _process([*command, asked[i], "."], root)(i),
        )


def _reading(model: _Model) -> Iterator[Figure]:
    names = sorted(model.code)
    if not names:
        return
    asked = random.Random(SEED).choices(names, k=min(READS, 4 * len(names)))
    files = code_index(model.view)

    def view(i: int) -> None:
        read(model.root, asked[i], files.of(_SCOPE), include_deps=True)

    yield _timed("read_file with dependencies", len(asked), view)
    yield _timed(
        "baseline: read the file alone",
        len(asked),
        lambda i: (model.root / asked[i]).read_bytes(),
    )

    def mapped(_: int) -> None:
        repo_map(build_graph(files.of(_SCOPE).all()), budget=1_000)

    yield _timed("repo_map of 1,000 tokens, graph built anew", 3, mapped)
    graph = build_graph(files.of(_SCOPE).all())
    repo_map(graph, budget=1_000)
    yield _timed("repo_map of 1,000 tokens, graph kept", 3, lambda _: repo_map(graph, budget=1_000))
    yield _timed("baseline: load the stored files", 3, lambda _: files.of(_SCOPE).all())
