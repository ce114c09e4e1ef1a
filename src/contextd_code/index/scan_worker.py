"""Analyses files in processes of their own: py-tree-sitter holds the GIL, so threads add nothing, and
what takes forever or crashes the parser can only be ended from outside.

    python -P -m contextd_code.index.scan_worker BASE

Reads pickled lists of (file, known digest), answers each file with a pickled one, and ends with its
input. Not `multiprocessing`: that would run an importing program's main module again and leave a
fork server behind.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from contextd_code.index.analyse import analyse
from contextd_code.index.languages.language import parsing_within
from contextd_code.processes import NOTHING, PIPE, end, kill, start
from contextd_code.tree.content import content_digest
from contextd_code.tree.paths import read_listed
from contextd_code.tree.walk import WalkedFile
from contextd_code.values.source import OVER_LIMIT, READER_CRASHED, SourceFile
from contextd_common.errors import ContextdError, Unreadable

_RACY_NS = 20_000_000
_LARGEST_READ = 8_000_000

CPU_SECONDS = 3.0
"""Seconds of CPU per file; real files of half a megabyte take a third of it."""

_SECONDS, _START_SECONDS = 30.0, 120.0
"""Seconds per file, and to start: ten times what a file may take of CPU, for a busy machine. Then the file waits
for a dead disk.
"""

_DEFECTS = {
    signal.SIGPROF: OVER_LIMIT,
    signal.SIGSEGV: READER_CRASHED,
    signal.SIGBUS: READER_CRASHED,
    signal.SIGABRT: READER_CRASHED,
}

Group = Sequence[tuple[WalkedFile, str]]
"""Files, each with the digest of its known content, or an empty one."""


def analysed(base: Path, group: Group, within: float | None = None) -> list[SourceFile]:
    """Analyse a group of files: without facts if the digest is the known one, with size −1 if
    unreadable.

    A file whose parser takes much longer than `within` seconds of CPU is treated as plain text, and
    its `error` says so.
    """
    found: list[SourceFile] = []
    for file, digest in group:
        with parsing_within(within) if within is not None else nullcontext():
            found.append(_read(base, file, digest))
    return found


def analysed_by(
    count: int, base: Path, groups: Sequence[Group], seconds: float | None = None
) -> Iterator[list[SourceFile]]:
    """Analyse many groups, in order, in `count` processes.

    Each file may take `seconds` of CPU, or `CPU_SECONDS`. A file that takes more, or crashes its
    process, is treated as plain text, and its `error` says so. Raises `Unavailable` if processes
    cannot be started or are killed; results returned before stay valid.
    """
    workers: list[_Worker] = []
    idle: SimpleQueue[_Worker] = SimpleQueue()
    try:
        for _ in range(count):
            workers.append(_Worker(base, seconds or CPU_SECONDS))
            idle.put(workers[-1])
        with ThreadPoolExecutor(count) as pool:
            # Results read ahead are held in memory: at most one group more than there
            # are processes.
            asked: deque[Future[list[SourceFile]]] = deque()
            for group in groups:
                if len(asked) > count:
                    yield asked.popleft().result()
                asked.append(pool.submit(_ask, idle, group))
            while asked:
                yield asked.popleft().result()
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise Unreadable(
            f"the processes of a scan ended: {error}", "the scan goes on in this process"
        ) from None
    finally:
        for worker in workers:
            worker.end()


def _ask(idle: SimpleQueue[_Worker], group: Group) -> list[SourceFile]:
    worker = idle.get()
    try:
        return worker.read(group)
    finally:
        idle.put(worker)


class _Worker:
    """A process that reads files, restarted if a file crashes it."""

    def __init__(self, base: Path, seconds: float) -> None:
        self._base = base
        module = "contextd_code.index.scan_worker"
        self._command = [sys.executable, "-P", "-m", module, str(base), str(seconds)]
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        return start(self._command, None, os.environ, stdin=PIPE, stderr=NOTHING)

    def read(self, group: Group) -> list[SourceFile]:
        """Analyse a group of files. Raises `EOFError` if the process was killed from outside."""
        found: list[SourceFile] = []
        while len(found) < len(group):
            rest = group[len(found) :]
            late = threading.Event()
            timer = threading.Timer(_START_SECONDS + _SECONDS * len(rest), self._stop, (late,))
            timer.start()
            try:
                self._take(rest, found)
            except (OSError, EOFError, pickle.UnpicklingError):
                defect = OVER_LIMIT if late.is_set() else self._defect()
                if not defect:
                    raise
                file, _ = group[len(found)]
                found.append(_read(self._base, file, "", defect))
                self.end()
                self._process = self._started()
            finally:
                timer.cancel()
        return found

    def _stop(self, late: threading.Event) -> None:
        late.set()
        kill(self._process)

    def _take(self, group: Group, found: list[SourceFile]) -> None:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        pickle.dump(group, stdin, pickle.HIGHEST_PROTOCOL)
        stdin.flush()
        for _ in group:
            found.append(pickle.load(stdout))

    def _defect(self) -> str:
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return ""
        return _DEFECTS.get(signal.Signals(-code), "") if code < 0 else ""

    def end(self) -> None:
        """End the process."""
        # It ends with its input; the kill is for one that is still busy.
        end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _read(base: Path, file: WalkedFile, known: str, defect: str = "") -> SourceFile:
    bare = SourceFile(path=file.path, size=file.size, mtime_ns=file.mtime_ns, digest="")
    if file.size > _LARGEST_READ:
        stamp = content_digest(f"{file.size} {file.mtime_ns}".encode())
        return replace(bare, digest=stamp, error=f"larger than {_LARGEST_READ:,} bytes")
    try:
        data = read_listed(base, file.path, limit=_LARGEST_READ)
    except ContextdError as error:
        return replace(bare, size=-1, error=error.message)
    # A write within the clock's resolution of this read would keep the time stamp, and the
    # next scan would miss it: such a file gets a stamp that never matches.
    racy = time.time_ns() - file.mtime_ns < _RACY_NS
    mtime = file.mtime_ns - 1 if racy else file.mtime_ns
    digest = content_digest(data)
    if digest == known:
        return replace(bare, digest=digest, mtime_ns=mtime)
    return analyse(file.path, data, file.size, mtime, defect=defect)


def main() -> None:
    """Answer until the input ends."""
    base, seconds = Path(sys.argv[1]), float(sys.argv[2])
    # Accidental prints must not end up between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Trees contain no reference cycles; garbage collection would take a tenth of the time.
    gc.disable()
    while True:
        try:
            group: Group = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        for file, digest in group:
            # With the default handler, the signal also ends the process inside the
            # parser.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            found = _read(base, file, digest)
            signal.setitimer(signal.ITIMER_PROF, 0)
            pickle.dump(found, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
        gc.collect()


if __name__ == "__main__":
    main()
