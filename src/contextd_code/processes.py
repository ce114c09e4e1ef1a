"""The only place of this package that starts programs.

Programs read what strangers wrote, so each runs within limits of time, memory and output. Each leads a process
group of its own, which is killed as a whole: at the deadline, when its caller forgets it, and when this process
ends, even by `kill -9`.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal

from contextd_common.dataclass import dataclass
from contextd_common.errors import Unreadable

if sys.platform == "linux":
    import resource

MEMORY = 1 << 30
"""Bytes that a program may allocate. Of ordinary repositories git takes 200 MB at most, ripgrep 100 MB, and a
scan 130 MB; each of them would read `/dev/zero` without end."""

OUTPUT = 64 << 20
"""Bytes that a program may print. The longest answer measured, the diff of two releases of a kernel, has 60 MB."""

LINE = 1 << 20
"""Bytes of a line; longer ones are skipped. Source code has none, and a file of a gigabyte may be one line."""

PIPE, NOTHING = subprocess.PIPE, subprocess.DEVNULL

_COMPLAINTS = 1 << 16
"""Bytes kept of what a program complains about."""

_BLOCK = 1 << 16
_REAP_SECONDS = 1.0
"""How long a killed program is waited for: one that waits for a dead disk ends later."""

_GUARD = """
alive=' '
while read -r sign group; do
  case $sign in
    +) alive="$alive$group " ;;
    -) case $alive in *" $group "*) alive="${alive%% $group *} ${alive#* $group }" ;; esac ;;
  esac
done
for group in $alive; do kill -9 "-$group"; done
"""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: its exit code, negative after a signal, and what it printed. It was killed for
    printing too much if `cut`.
    """

    code: int
    output: bytes
    problem: bytes
    cut: bool = False


def start(
    command: Sequence[str],
    cwd: Path | None,
    environment: Mapping[str, str],
    *,
    stdin: int = NOTHING,
    stdout: int = PIPE,
    stderr: int = PIPE,
    memory: int | None = MEMORY,
) -> subprocess.Popen[bytes]:
    """Start a program that may allocate `memory` bytes, guarded until `end`. Raises `Unavailable`."""
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            # A group to kill as a whole. Without a terminal it cannot ask for a password either.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        name = Path(command[0]).name
        raise Unreadable(
            f"{name} cannot be started in {cwd or 'its folder'}: {error.strerror or error}",
            "check that the folder exists; `contextd doctor` says what is missing",
        ) from None
    if memory is not None:
        _limit_memory(process, memory)
    _guard.add(process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and what it started, if it still runs, and reap it."""
    kill(process)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_REAP_SECONDS)
    _guard.remove(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and what it started, if it still runs."""
    if process.returncode is not None:
        # Its number may belong to another process by now.
        return
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def end_all() -> None:
    """Kill every program of this process. Their callers get what each printed until then."""
    for process in _guard.running():
        kill(process)


class Child:
    """A running program whose output is collected later. Forgetting it ends the program."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        text: bytes | None = None,
        most: int = OUTPUT,
        memory: int | None = MEMORY,
    ) -> None:
        stdin = NOTHING if text is None else PIPE
        self._process = start(command, cwd, environment, stdin=stdin, memory=memory)
        self._end = weakref.finalize(self, end, self._process)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._output = _Reader(self._process.stdout, most, self._process)
        self._problem = _Reader(self._process.stderr, _COMPLAINTS)
        self._threads: list[threading.Thread] = [self._output, self._problem]
        if self._process.stdin is not None:
            self._threads.append(_Writer(self._process.stdin, text or b""))
        _start_threads(self._process, self._threads)

    def finish(self, seconds: float) -> Finished | None:
        """Wait for the program's end; None if it runs longer than `seconds`, and may be waited for again.
        Without any time there is no answer, even if it has ended.
        """
        if seconds <= 0:
            return None
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
            if thread.is_alive():
                return None
        try:
            code = self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None
        self.stop()
        return Finished(code, self._output.read, self._problem.read, self._output.cut)

    def stop(self) -> None:
        """End the program if it still runs."""
        self._end()


def run(
    command: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    seconds: float,
    text: bytes | None = None,
    memory: int | None = MEMORY,
) -> Finished:
    """Run a program to its end. Raises `Unavailable` if it cannot be started or takes longer."""
    child = Child(command, cwd, environment, text, memory=memory)
    finished = child.finish(seconds)
    if finished is None:
        child.stop()
        raise Unreadable(
            f"{Path(command[0]).name} did not end in {seconds:g} s",
            "try again when the machine is less busy",
        )
    return finished


class PrintedLines:
    """The lines that a program prints, as it prints them: iterate once, inside `with`. PrintedLines over `LINE` bytes
    are skipped.

    Then `code` is its exit code, `problem` what it complained about, and `stopped` why it was ended early:
    after `seconds`, or after `most` bytes.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        seconds: float,
        most: int = OUTPUT,
    ) -> None:
        self.code = 0
        self.stopped: Literal["", "time", "output"] = ""
        self.skipped = 0
        self._most = most
        self._process = start(command, cwd, environment)
        assert self._process.stderr is not None
        self._problem = _Reader(self._process.stderr, _COMPLAINTS)
        self._timer = threading.Timer(seconds, self._late)
        self._timer.daemon = True
        _start_threads(self._process, [self._problem, self._timer])

    def __enter__(self) -> PrintedLines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[bytes]:
        printed = self._process.stdout
        assert printed is not None
        size, whole = 0, True
        while line := printed.readline(LINE):
            size += len(line)
            begins, whole = whole, line.endswith(b"\n")
            if begins and (whole or len(line) < LINE):
                yield line
            self.skipped += begins and not whole and len(line) == LINE
            if size > self._most:
                self.stopped = self.stopped or "output"
                return
        # Its output ended: now it ends too.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)

    @property
    def problem(self) -> str:
        """What the program complained about, once it has ended."""
        return self._problem.read.decode("utf-8", "replace").strip()

    def close(self) -> None:
        """End the program if it still runs."""
        self._timer.cancel()
        end(self._process)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._problem.join(_REAP_SECONDS)
        self.code = self._process.returncode or 0

    def _late(self) -> None:
        self.stopped = "time"
        kill(self._process)


class _Reader(threading.Thread):
    """Reads a pipe to its end, and kills the program if it prints more than `most` bytes. Without a program to
    kill, the rest is dropped.
    """

    def __init__(
        self, pipe: IO[bytes], most: int, killed: subprocess.Popen[bytes] | None = None
    ) -> None:
        super().__init__(name="output of a program", daemon=True)
        self._pipe, self._most, self._killed = pipe, most, killed
        self._blocks: list[bytes] = []
        self.cut = False

    @property
    def read(self) -> bytes:
        """What was read so far."""
        return b"".join(self._blocks)

    def run(self) -> None:
        """Read."""
        size = 0
        with self._pipe, suppress(OSError):
            while block := os.read(self._pipe.fileno(), _BLOCK):
                if size < self._most:
                    self._blocks.append(block[: self._most - size])
                size += len(block)
                if size > self._most and self._killed is not None:
                    self.cut = True
                    kill(self._killed)
                    return


class _Writer(threading.Thread):
    """Writes a text to a program, which may end before it has read all of it."""

    def __init__(self, pipe: IO[bytes], text: bytes) -> None:
        super().__init__(name="input of a program", daemon=True)
        self._pipe, self._text = pipe, text

    def run(self) -> None:
        """Write."""
        with suppress(OSError), self._pipe:
            self._pipe.write(self._text)


def _start_threads(process: subprocess.Popen[bytes], threads: Sequence[threading.Thread]) -> None:
    try:
        for thread in threads:
            thread.start()
    except RuntimeError as error:
        end(process)
        raise Unreadable(f"a program cannot be read: {error}", "end some programs") from None


def _limit_memory(process: subprocess.Popen[bytes], memory: int) -> None:
    # What it allocates, not its address space: git maps whole packs, which cost no memory. After the start,
    # because code between fork and exec may deadlock in a process with threads.
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (memory, memory))


class _Guard:
    """Kills the programs of this process when it ends, however it ends: a shell waits for the end of a pipe
    that only this process holds. Not on Windows.

    Linux could send each program a signal instead (`PR_SET_PDEATHSIG`), but only by code between fork and exec,
    and it would come when the thread that started the program ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def running(self) -> list[subprocess.Popen[bytes]]:
        """The programs that were not ended yet."""
        with self._lock:
            return list(self._running)

    def add(self, process: subprocess.Popen[bytes]) -> None:
        """Guard a program."""
        with self._lock:
            self._running.add(process)
            self._tell(f"+ {process.pid}\n")

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Stop guarding a program."""
        with self._lock:
            if process in self._running:
                self._running.discard(process)
                self._tell(f"- {process.pid}\n")

    def forget(self) -> None:
        """In a copy of this process: leave its programs to the process that started them."""
        shell = self._shell
        if shell is not None and shell.stdin is not None:
            with suppress(OSError):
                shell.stdin.close()
            shell.returncode = 0
        self._lock = threading.Lock()
        self._running, self._shell = set(), None

    def close(self) -> None:
        """Kill the programs, and end the shell."""
        for process in self.running():
            kill(process)
        with self._lock:
            self._end_shell()

    def _tell(self, line: str) -> None:
        if sys.platform == "win32":
            return
        for _ in range(2):
            if self._shell is None:
                self._shell = _started_guard()
                line = "".join(f"+ {one.pid}\n" for one in self._running)
            if self._shell is None or self._shell.stdin is None:
                return
            try:
                os.write(self._shell.stdin.fileno(), line.encode())
            except BlockingIOError:
                return
            except OSError:
                # Somebody killed it: another one takes over.
                self._end_shell()
            else:
                return

    def _end_shell(self) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            self._shell.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self._shell.wait(_REAP_SECONDS)
        self._shell = None


def _started_guard() -> subprocess.Popen[bytes] | None:
    try:
        shell = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD],
            cwd="/",
            env={},
            stdin=PIPE,
            stdout=NOTHING,
            stderr=NOTHING,
            bufsize=0,
            start_new_session=True,
        )
    except OSError:
        return None
    assert shell.stdin is not None
    # A guard that hangs must not hold up anybody.
    os.set_blocking(shell.stdin.fileno(), False)
    return shell


_guard = _Guard()
atexit.register(_guard.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_guard.forget)
