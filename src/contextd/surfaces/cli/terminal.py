"""The environment of a command line: its own process, or a terminal at the other end of the daemon's socket.
Commands read the directory, the width and the streams from here, never from the process.

Light: the daemon imports it before click.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TextIO

OUT, ERR = 1, 2
"""The file descriptors of the two streams."""

Ask = Callable[[str, Mapping[str, Any], str], Any]
"""Calls an operation in this process, with its name, arguments and project; returns its `Answer`."""


class NotHere(Exception):
    """The command needs its own process: stdin, files, programs or a person at the terminal."""


class Terminal:
    """A remote terminal: its directory, its width, and the output for it."""

    def __init__(self, cwd: str, columns: int, terminals: frozenset[int], ask: Ask) -> None:
        self.cwd, self.columns, self.terminals = cwd, columns, terminals
        self.printed: list[tuple[int, str]] = []
        self.called = False
        self._ask = ask

    def ask(self, name: str, arguments: Mapping[str, Any], project: str) -> Any:
        """Call an operation for this terminal."""
        self.called = True
        return self._ask(name, arguments, project)

    def write(self, number: int, text: str) -> None:
        """Append output, in the order of printing."""
        if self.printed and self.printed[-1][0] == number:
            text = self.printed.pop()[1] + text
        self.printed.append((number, text))


_TERMINAL: ContextVar[Terminal | None] = ContextVar("terminal", default=None)


@contextmanager
def attached(terminal: Terminal) -> Iterator[None]:
    """Run code in this thread for a terminal. Other threads keep their own."""
    for name, number in (("stdout", OUT), ("stderr", ERR)):
        stream = getattr(sys, name)
        if not isinstance(stream, _Routed):
            # Installed once and never removed: a thread without a terminal writes to the original stream.
            setattr(sys, name, _Routed(stream, number))
    token = _TERMINAL.set(terminal)
    try:
        yield
    finally:
        _TERMINAL.reset(token)


def terminal() -> Terminal | None:
    """The terminal this thread runs for; None in a process of its own."""
    return _TERMINAL.get()


def own_process() -> None:
    """Require a process of its own. Raises `NotHere` in the daemon, before the command does anything."""
    if _TERMINAL.get() is not None:
        raise NotHere


def working_directory() -> Path:
    """The directory in which the command was typed."""
    there = _TERMINAL.get()
    return Path.cwd() if there is None else Path(there.cwd)


def columns() -> int:
    """The width of the terminal in characters; 80 where there is none."""
    there = _TERMINAL.get()
    return shutil.get_terminal_size().columns if there is None else there.columns


class _Routed(io.TextIOBase):
    """Replaces `sys.stdout` or `sys.stderr` in a process that runs several command lines at once."""

    def __init__(self, own: TextIO | None, number: int) -> None:
        self._own, self._number = own, number

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError("this stream takes text")
        there = _TERMINAL.get()
        if there is not None:
            there.write(self._number, text)
        elif self._own is not None:
            self._own.write(text)
        return len(text)

    def flush(self) -> None:
        if _TERMINAL.get() is None and self._own is not None:
            self._own.flush()

    def isatty(self) -> bool:
        there = _TERMINAL.get()
        if there is not None:
            return self._number in there.terminals
        return self._own is not None and self._own.isatty()

    def fileno(self) -> int:
        if self._own is None:
            raise OSError("no stream")
        return self._own.fileno()
