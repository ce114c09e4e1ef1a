"""Analyses files in processes of their own: py-tree-sitter holds the GIL, so threads add nothing.

    python -P -m contextd.code.index.scan_worker BASE

Reads pickled lists of (file, known digest), answers each with a pickled list of files, and ends
with its input. Not `multiprocessing`: that would run an importing program's main module again and
leave a fork server behind.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from contextd.code.index.analyse import analyse
from contextd.code.tree.content import content_digest
from contextd.code.tree.paths import read_listed
from contextd.code.tree.walk import WalkedFile
from contextd.domain.code import SourceFile
from contextd.domain.errors import ContextdError, Unavailable

_RACY_NS = 20_000_000
_LARGEST_READ = 8_000_000

Group = Sequence[tuple[WalkedFile, str]]
"""Files, each with the digest its content is known by, or an empty one."""


def analysed(base: Path, group: Group) -> list[SourceFile]:
    """The files of a group: analysed, bare when the digest is the known one, of size −1 when they
    cannot be read.
    """
    return [_read(base, file, digest) for file, digest in group]


def analysed_by(count: int, base: Path, groups: Sequence[Group]) -> Iterator[list[SourceFile]]:
    """The same for many groups, in order, by `count` processes. Raises `Unavailable` when they
    cannot be started or are killed; what was given out before stays right.
    """
    command = [sys.executable, "-P", "-m", "contextd.code.index.scan_worker", str(base)]
    workers: list[subprocess.Popen[bytes]] = []
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    try:
        for _ in range(count):
            pipe, none = subprocess.PIPE, subprocess.DEVNULL
            workers.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=none))
            idle.put(workers[-1])
        with ThreadPoolExecutor(count) as pool:
            yield from pool.map(lambda group: _ask(idle, group), groups)
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise Unavailable(
            f"the processes of a scan ended: {error}", "the scan goes on in this process"
        ) from None
    finally:
        for worker in workers:
            # It ends with its input; a kill is for one that is still busy.
            worker.kill()
            worker.communicate()


def _ask(idle: SimpleQueue[subprocess.Popen[bytes]], group: Group) -> list[SourceFile]:
    worker = idle.get()
    try:
        assert worker.stdin is not None
        assert worker.stdout is not None
        pickle.dump(group, worker.stdin, pickle.HIGHEST_PROTOCOL)
        worker.stdin.flush()
        answer: list[SourceFile] = pickle.load(worker.stdout)
        return answer
    finally:
        idle.put(worker)


def _read(base: Path, file: WalkedFile, known: str) -> SourceFile:
    bare = SourceFile(path=file.path, size=file.size, mtime_ns=file.mtime_ns, digest="")
    if file.size > _LARGEST_READ:
        stamp = content_digest(f"{file.size} {file.mtime_ns}".encode())
        return replace(bare, digest=stamp, error=f"larger than {_LARGEST_READ:,} bytes")
    try:
        data = read_listed(base, file.path, limit=_LARGEST_READ)
    except ContextdError as error:
        return replace(bare, size=-1, error=error.message)
    # A write within the clock's tick of this read would leave the time as it is, and be missed by
    # the next scan: such a file gets a time that never matches.
    racy = time.time_ns() - file.mtime_ns < _RACY_NS
    mtime = file.mtime_ns - 1 if racy else file.mtime_ns
    digest = content_digest(data)
    if digest == known:
        return replace(bare, digest=digest, mtime_ns=mtime)
    return analyse(file.path, data, file.size, mtime)


def main() -> None:
    """Answer until the input ends."""
    base = Path(sys.argv[1])
    # Anything printed by accident must not end up between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            group = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(analysed(base, group), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


if __name__ == "__main__":
    main()
