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
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from contextd.benchmarks.scratch import Bench, opened
from contextd.benchmarks.speed import COMMAND
from contextd.code.tree.walk import walk
from contextd.domain.errors import Unavailable
from contextd.home import LOCAL

CPU_PER_10_000 = 60.0
PEAK_MB = 500.0
CHANGE_MS = 300.0
SWITCHED = 500
_SAMPLED_EVERY = 0.05
_SAID = "zebra" + "quartz"
"""What no repository says, this one included."""


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
            root, home = Path(folder) / path.resolve().name, Path(folder) / "home"
            _git(Path(folder), "clone", "-q", "--local", str(path.resolve()), str(root))
            first = first_scan(root, home)
            print(
                f"\n## {path.name}: {first.files} files\n"
                f"first scan: {first.cpu:.1f} s CPU ({first.cpu_per_10_000:.1f} s per 10,000 files,"
                f" limit {CPU_PER_10_000:.0f}), {first.wall:.1f} s, peak {first.peak_mb:.0f} MB"
                f" (limit {PEAK_MB:.0f})\n"
                f"| change | ms | CPU ms | walk ms | beyond the walk, limit {CHANGE_MS:.0f} |\n|---|---|---|---|---|",
                file=out,
                flush=True,
            )
            met = met and not first.exceeded
            with opened(root, home, embedder_name="none") as bench:
                for change in changes(bench):
                    print(change.row(), file=out, flush=True)
                    met = met and (change.beyond <= CHANGE_MS or change.whole)
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
    """What it took until a search knew of a change, and what the look at the files took of it, in
    milliseconds; `whole` where everything was indexed first, which no answer waits for.
    """

    what: str
    wall: float
    cpu: float
    walk: float
    whole: bool = False

    @property
    def beyond(self) -> float:
        """CPU beyond the walk."""
        return max(0.0, self.cpu - self.walk)

    def row(self) -> str:
        """One line of the table."""
        return f"| {self.what} | {self.wall:.0f} | {self.cpu:.0f} | {self.walk:.0f} | {self.beyond:.0f} |"


def changes(bench: Bench) -> Iterator[ChangeCost]:
    """A file comes, is renamed and goes, in a folder of the largest language; many change at once."""
    root = bench.root
    sources = _sources(root)
    middle = sources[len(sources) // 2]
    new = root / Path(middle).with_name(f"contextdnew{Path(middle).suffix}")
    bench.call("codebase_search", query="anything at all")
    bench.call("codebase_search", query="anything at all")
    text = (root / middle).read_text("utf-8", "replace")

    def appears() -> None:
        new.write_text(f"{text}\n// {_SAID}\n", "utf-8")

    def renamed() -> None:
        new.rename(new.with_stem("contextdrenamed"))

    def goes() -> None:
        new.with_stem("contextdrenamed").unlink()

    yield _until_known(bench, "a new file", appears, {new.stem})
    yield _until_known(bench, "a renamed file", renamed, {"contextdrenamed"})
    yield _until_known(bench, "a deleted file", goes, set())
    some = sources[:: max(1, len(sources) // SWITCHED)][:SWITCHED]
    what = f"{len(some)} files of another branch"
    stems = {Path(path).stem for path in some}
    yield _until_known(bench, what, lambda: _switch(root, some), stems)
    yield _until_known(bench, f"all {what}", lambda: None, stems, whole=True)


def _sources(root: Path) -> list[str]:
    by_suffix: dict[str, list[str]] = {}
    for file in walk(root).files:
        if file.path.endswith((".py", ".ts", ".js", ".java", ".go", ".rs", ".c", ".rb", ".php")):
            by_suffix.setdefault(Path(file.path).suffix, []).append(file.path)
    return max(by_suffix.values(), key=len)


def _switch(root: Path, paths: Sequence[str]) -> None:
    for number, path in enumerate(paths):
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(f"\n// {_SAID} {number}\n")


def _until_known(
    bench: Bench, what: str, change: Callable[[], None], stems: set[str], *, whole: bool = False
) -> ChangeCost:
    """The cost of the search behind a change. It must find files with these stems, and no others. Where
    `whole`, all files are indexed before, as a job does it behind a daemon's back.
    """
    change()
    began = time.process_time()
    walk(bench.root)
    walked = (time.process_time() - began) * 1e3
    for tree in bench.host.organisation(LOCAL).caches.of("checkouts", 16).values():
        # As if the rest between two looks at the files were over.
        tree.looked_at = 0.0
    began, wall = _cpu(), time.perf_counter()
    if whole:
        bench.call("codebase_index")
    found = bench.call("codebase_search", query=_SAID).value["results"]
    cost = ChangeCost(
        what, (time.perf_counter() - wall) * 1e3, (_cpu() - began) * 1e3, walked, whole
    )
    if {Path(hit["path"]).stem for hit in found if _SAID in hit["text"]} - stems or (
        stems and not found
    ):
        raise Unavailable(f"{what}: the search found something else", "this is a defect")
    return cost


def _cpu() -> float:
    """CPU seconds of this process and of those that ended below it."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
