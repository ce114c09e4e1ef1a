"""What a large repository costs: its first scan in CPU and memory, and then single changes."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TextIO

from contextd.thin.home import LOCAL
from contextd_bench.scratch import Bench, cloned, opened
from contextd_bench.speed import COMMAND
from contextd_code.tree.walk import walk
from contextd_common.errors import Unavailable

CPU_PER_10_000 = 60.0
PEAK_MB = 500.0
CHANGE_MS = 300.0
SWITCHED = 500
_SAMPLED_EVERY = 0.05
TIMES = 5
_WALKED = 3
_USUAL = 60_000
"""Bytes of a file that is changed, at most."""

_SAID, _NAMED = "zebra" + "quartz", "quagga" + "basalt"
"""What no repository says, this one included."""

_DEFINITIONS = {
    ".py": "def {name}():\n    return 1",
    ".ts": "export function {name}() {{ return 1; }}",
    ".js": "function {name}() {{ return 1; }}",
    ".java": "class {name} {{ }}",
    ".kt": "class {name}",
    ".cs": "class {name} {{ }}",
    ".go": "func {name}() int {{ return 1 }}",
    ".rs": "pub fn {name}() -> i32 {{ 1 }}",
    ".c": "int {name}(void) {{ return 1; }}",
    ".rb": "def {name}\n  1\nend",
    ".php": "function {name}() {{ return 1; }}",
}
"""How a file of a language defines one thing more."""


@dataclass(frozen=True, slots=True)
class FirstScan:
    """What `contextd init` of `files` files took: CPU of all its processes, and their memory together
    at its highest.
    """

    files: int
    cpu: float
    wall: float
    peak_mb: float

    @property
    def cpu_per_10_000(self) -> float:
        """CPU seconds for as many files as the limit is given for."""
        return self.cpu / max(1, self.files) * 10_000

    @property
    def exceeded(self) -> bool:
        """Whether it took more than it may."""
        return self.cpu_per_10_000 > CPU_PER_10_000 or self.peak_mb > PEAK_MB


def run(paths: Sequence[Path], *, out: TextIO) -> bool:
    """Measure each repository in a clone of its own. Whether all kept within the limits."""
    met = True
    for path in paths:
        with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
            root, home = cloned(path, Path(folder) / "tree"), Path(folder) / "home"
            first = first_scan(root, home)
            print(
                f"\n## {path.name}: {first.files} files\n"
                f"first scan: {first.cpu:.1f} s CPU ({first.cpu_per_10_000:.1f} s per 10,000 files,"
                f" limit {CPU_PER_10_000:.0f}), {first.wall:.1f} s, peak {first.peak_mb:.0f} MB"
                f" (limit {PEAK_MB:.0f})\nCPU ms, median (worst): the walk, which lists the files and looks at"
                f" each, and what a question takes beyond it (limit {CHANGE_MS:.0f})\n{TABLE}",
                file=out,
                flush=True,
            )
            met = met and not first.exceeded
            with opened(root, home, embedder_name="none") as bench:
                for change in changes(bench):
                    print(change.row(), file=out, flush=True)
                    met = met and not change.exceeded
    return met


def first_scan(root: Path, home: Path) -> FirstScan:
    """`contextd init` in a home of its own, watched from outside."""
    environment = {**os.environ, "CONTEXTD_HOME": str(home)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen(
        [*COMMAND, "init", "--no-daemon", str(root)], stdout=subprocess.DEVNULL, env=environment
    )
    with _peak_of(child.pid) as peak:
        code = child.wait()
    wall = time.monotonic() - began
    if code:
        raise subprocess.CalledProcessError(code, "contextd init")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return FirstScan(len(walk(root).files), cpu, wall, peak() / 1e6)


@contextmanager
def _peak_of(process: int) -> Iterator[Callable[[], int]]:
    """The most bytes that a process and those below it hold together while this lasts."""
    peak, over = 0, threading.Event()

    def sample() -> None:
        nonlocal peak
        while not over.wait(_SAMPLED_EVERY):
            peak = max(peak, sum(map(_resident, _family(process))))

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    try:
        yield lambda: peak
    finally:
        over.set()
        sampler.join()


def _family(process: int) -> Iterator[int]:
    yield process
    try:
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _family(int(child))
    except OSError:
        return


def _resident(process: int) -> int:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize()


@dataclass(frozen=True, slots=True)
class ChangeCost:
    """What it took until each of three questions knew of a change, CPU milliseconds beyond the walk, by the
    times it was tried. The first one brings the index up to date. `whole` where everything was indexed before, which
    no answer waits for.
    """

    what: str
    walks: Sequence[float]
    search: Sequence[float]
    symbol: Sequence[float] = ()
    grep: Sequence[float] = ()
    whole: bool = False

    @property
    def exceeded(self) -> bool:
        """Whether one of the questions usually waits longer than it may."""
        asked = (self.search, self.symbol, self.grep)
        return not self.whole and any(median(one) > CHANGE_MS for one in asked if one)

    def row(self) -> str:
        """One line of the table: medians, and the worst."""
        cells = [_cell(one) for one in (self.walks, self.search, self.symbol, self.grep)]
        return f"| {self.what} | {len(self.search)} | {' | '.join(cells)} |"


def _cell(values: Sequence[float]) -> str:
    return f"{median(values):.0f} ({max(values):.0f})" if values else ""


TABLE = "| change | n | walk | codebase_search | find_symbol | grep_codebase |\n|---|---|---|---|---|---|"


@dataclass(slots=True)
class _Tried:
    """The measurements of one kind of change."""

    walks: list[float] = field(default_factory=list[float])
    search: list[float] = field(default_factory=list[float])
    symbol: list[float] = field(default_factory=list[float])
    grep: list[float] = field(default_factory=list[float])

    def cost(self, what: str, *, whole: bool = False) -> ChangeCost:
        return ChangeCost(what, self.walks, self.search, self.symbol, self.grep, whole)


def changes(bench: Bench, times: int = TIMES) -> Iterator[ChangeCost]:
    """A file of the largest language comes, is changed, renamed and goes, each several times in other folders;
    then many change at once. The first one is told apart: to it nothing is at hand that a scan keeps.
    """
    root = bench.root
    sources = _sources(root)
    for question in ("codebase_search", "codebase_search"):
        bench.call(question, query="anything at all")
    first = True
    tried = {what: _Tried() for what in ("new", "changed", "renamed", "deleted")}
    step = max(1, len(sources) // (times + 1))
    for number, source in enumerate(sources[step::step][:times]):
        # A digit would part it into words that others say as well.
        name = f"{_NAMED}{chr(ord('a') + number)}"
        new = root / Path(source).with_name(f"{name}{Path(source).suffix}")
        other = new.with_stem(f"{name}renamed")
        text = (root / source).read_text("utf-8", "replace")
        new.write_text(_with(text, new.suffix, name), "utf-8")
        here = str(new.relative_to(root))
        if first:
            yield _asked(bench, _Tried(), name, {here}).cost("a new file, the first after a start")
        else:
            _asked(bench, tried["new"], name, {here})
        first = False
        new.write_text(_with(text, new.suffix, f"{name}changed"), "utf-8")
        _asked(bench, tried["changed"], f"{name}changed", {here})
        new.rename(other)
        _asked(bench, tried["renamed"], f"{name}changed", {str(other.relative_to(root))})
        other.unlink()
        _asked(bench, tried["deleted"], f"{name}changed", set())
    for what, one in tried.items():
        yield one.cost(f"a {what} file")
    some = sources[:: max(1, len(sources) // SWITCHED)][:SWITCHED]
    _switch(root, some)
    what = f"{len(some)} files of another branch"
    yield _asked(bench, _Tried(), _SAID, set(some)).cost(what)
    yield _asked(bench, _Tried(), _SAID, set(some), whole=True).cost(f"all {what}", whole=True)


def _sources(root: Path) -> list[str]:
    by_suffix: dict[str, list[str]] = {}
    for file in walk(root).files:
        if Path(file.path).suffix in _DEFINITIONS and file.size < _USUAL:
            by_suffix.setdefault(Path(file.path).suffix, []).append(file.path)
    return max(by_suffix.values(), key=len)


def _with(text: str, suffix: str, name: str) -> str:
    return f"{text}\n{_DEFINITIONS[suffix].format(name=name)}\n"


def _switch(root: Path, paths: Sequence[str]) -> None:
    for path in paths:
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(f"\n{_DEFINITIONS[Path(path).suffix].format(name=_SAID)}\n")


def _asked(
    bench: Bench, tried: _Tried, name: str, paths: set[str], *, whole: bool = False
) -> _Tried:
    """Ask for a name in the three ways; each must find it in some of these paths, and nowhere else. Where
    `whole`, all files are indexed before, as a job does it behind a daemon's back.
    """
    # What else goes on can make it look dearer than it is, and a question cheaper.
    walked = min(_cpu_of(lambda: walk(bench.root)) for _ in range(_WALKED))
    tried.walks.append(walked)

    def beyond(ask: Callable[[], set[str]]) -> float:
        for tree in bench.host.organisation(LOCAL).caches.of("checkouts", 16).values():
            # As if the rest between two looks at the files were over.
            tree.looked_at = 0.0
        found: set[str] = set()
        spent = _cpu_of(lambda: found.update(ask()))
        if found - paths or (paths and not found):
            raise Unavailable(f"{name}: found in {sorted(found)[:3]}", "this is a defect")
        return max(0.0, spent - walked)

    def searched() -> set[str]:
        if whole:
            bench.call("codebase_index")
        hits = bench.call("codebase_search", query=name).value["results"]
        return {hit["path"] for hit in hits if name in hit["text"]}

    def found() -> set[str]:
        hits = bench.call("find_symbol", name=name).value["symbols"]
        return {hit["path"] for hit in hits if hit["name"].rpartition(".")[2] == name}

    def grepped() -> set[str]:
        lines = bench.call("grep_codebase", pattern=rf"\b{name}\b").value["matches"]
        return {line["path"] for line in lines}

    for ask, spent in ((searched, tried.search), (found, tried.symbol), (grepped, tried.grep)):
        spent.append(beyond(ask))
    return tried


def _cpu_of(run: Callable[[], object]) -> float:
    """CPU milliseconds that something took in this process, and in those that ended below it."""
    began = _cpu()
    run()
    return (_cpu() - began) * 1e3


def _cpu() -> float:
    own, below = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
