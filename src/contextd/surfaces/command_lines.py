"""Command lines that arrive over the daemon's socket: run by one parser, answered with their output.

The request is `{"arguments", "columns", "terminals", "environment", "key"}`; the answer `{"code", "printed"}`,
or `{"local": true}` if the command must run in its own process; then nothing was done.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from contextd import __version__
from contextd.surfaces.calls import Call, CallNow, Calls, Peer
from contextd.surfaces.cli.terminal import ERR, NotHere, Terminal, attached
from contextd_common.errors import Invalid

logger = logging.getLogger(__name__)

RunLine = Callable[[Sequence[str]], int]
"""Runs a command line in this process and thread; returns its exit code."""

LOCAL: dict[str, Any] = {"local": True}
_FAILED = 1
_WIDEST = 10_000


class CommandLines:
    """Runs command lines. Without `run` each one has to run in its own process."""

    def __init__(self, calls: Calls, run: RunLine | None) -> None:
        self._calls, self._run = calls, run

    async def answer(self, about: Mapping[str, Any], line: Mapping[str, Any]) -> dict[str, Any]:
        """Run one line. Raises `Invalid` if the request is malformed."""
        arguments, cwd = _texts(line.get("arguments")), about.get("cwd")
        columns, terminals = line.get("columns"), line.get("terminals")
        if arguments is None or not isinstance(cwd, str) or not isinstance(columns, int):
            raise Invalid("a command line needs arguments, cwd and columns", "send all of them")
        if self._run is None or about.get("version") != __version__ or not _is_like(line):
            return LOCAL
        shown = frozenset(terminals) if isinstance(terminals, list) else frozenset()
        width = min(max(columns, 1), _WIDEST)
        peer = Peer("cli", cwd=cwd, client="cli")
        key = line.get("key")
        begin = _Calling(
            peer, key if isinstance(key, str) else "", line.get("again") is True, arguments
        )
        run = self._run

        def work(call: CallNow) -> dict[str, Any]:
            return _run(run, arguments, Terminal(cwd, width, shown, begin.through(call)))

        await self._calls.operations()
        answer: dict[str, Any] = await self._calls.run(work)
        return answer


class _Calling:
    """The calls of one line, numbered in order: a repeated line makes the same calls."""

    def __init__(self, peer: Peer, key: str, repeated: bool, line: Sequence[str]) -> None:
        self._peer, self._key, self._repeated, self._line = peer, key, repeated, tuple(line)

    def through(self, call: CallNow) -> Callable[[str, Mapping[str, Any], str], Any]:
        number = 0

        def ask(name: str, arguments: Mapping[str, Any], project: str) -> Any:
            nonlocal number
            number += 1
            given = {**({"project": project} if project else {}), **arguments}
            key = Call(self._key, number, self._repeated, self._line) if self._key else None
            return call(self._peer, name, given, key)

        return ask


def _run(run: RunLine, arguments: Sequence[str], terminal: Terminal) -> dict[str, Any]:
    try:
        with attached(terminal):
            code = run(arguments)
    except NotHere:
        if not terminal.called:
            return LOCAL
        logger.exception("a command needed its own process after it had called something")
        return _defect(terminal)
    except Exception:
        logger.exception("a command line failed")
        return _defect(terminal)
    return {"code": code, "printed": terminal.printed}


def _defect(terminal: Terminal) -> dict[str, Any]:
    terminal.write(
        ERR, "internal: the command failed\nhint: `contextd daemon logs` has the reason\n"
    )
    return {"code": _FAILED, "printed": terminal.printed}


def _is_like(line: Mapping[str, Any]) -> bool:
    """Whether the terminal's environment equals this process's in every variable that commands read."""
    theirs = line.get("environment")
    return isinstance(theirs, Mapping) and all(
        os.environ.get(name) == value for name, value in theirs.items()
    )


def _texts(value: Any) -> list[str] | None:
    fits = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return value if fits else None
