"""A terminal with a program in it, as a person has one: some agent programs learn nothing from a session
that a program ran.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

_ROWS, _COLUMNS = 50, 160
_END_SECONDS = 20.0


class Screen:
    """A program on a terminal. What it prints is read all the time; `printed` has the end of it."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process, self._terminal = process, terminal
        self._printed = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def printed(self) -> str:
        """The end of what was printed, with the terminal's control sequences."""
        return self._printed[-4_000:].decode("utf-8", "replace")

    def type(self, text: str) -> None:
        """Type a line as fast as a person would not: the Enter behind it comes alone."""
        os.write(self._terminal, text.encode())
        time.sleep(0.5)
        os.write(self._terminal, b"\r")

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
        """Wait until something is true while the program lives."""
        deadline = time.monotonic() + seconds
        while not condition():
            ended = self.process.poll()
            assert ended is None, f"ended with {ended} before {what}: {self.printed}"
            assert time.monotonic() < deadline, f"not in {seconds:g} s: {what}: {self.printed}"
            time.sleep(0.05)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                if select.select([self._terminal], [], [], 0.2)[0]:
                    piece = os.read(self._terminal, 1 << 16)
                    if not piece:
                        return
                    self._printed = (self._printed + piece)[-64_000:]
                elif self.process.poll() is not None:
                    return

    def close(self) -> None:
        """End the program, gently first."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                self.process.wait(_END_SECONDS if number == signal.SIGKILL else 0.1)
            except subprocess.TimeoutExpired:
                self.process.send_signal(number)
        self.process.wait()
        self._reader.join(2)
        os.close(self._terminal)


@contextlib.contextmanager
def screen(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Iterator[Screen]:
    """A program on a terminal of its own, which is ended afterwards."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    process = subprocess.Popen(
        command, cwd=cwd, env=dict(environment), stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    shown = Screen(process, ours)
    try:
        yield shown
    finally:
        shown.close()
