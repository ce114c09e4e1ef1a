"""Send a person's command line to the daemon, which has the parser loaded. Standard library only: starting
Python takes 15 ms, importing the parser another 60.

The daemon answers with the command's output and exit code, or that the command needs a process of its own.
`contextd.surfaces.command_lines` describes the request and the answer.
"""

from __future__ import annotations

import os
import sys

from contextd.thin.channel import working_directory
from contextd.thin.exchange import Reached, Unanswered, ask
from contextd.thin.home import log_path, plain_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from contextd_common.errors import Unavailable

_MOST_CHARACTERS = 500_000
"""Bytes of all arguments together; the daemon reads lines of a few megabytes."""
_COLUMNS = 80
_WELCOME_SECONDS = 2.0
"""A running daemon sends its welcome within milliseconds; after this time the command runs in this process."""
_INTERRUPTED = 1


def run_in_daemon(arguments: Sequence[str]) -> int | Unavailable | None:
    """Run a command in the daemon, print its output and return its exit code; None if it has to run in this
    process and did not run yet; the error if it may have run and its answer is lost.
    """
    request = _request(arguments)
    cwd = working_directory()
    if request is None or not cwd:
        return None
    try:
        answer = _asked(request, cwd)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        return _INTERRUPTED
    if not isinstance(answer, dict):
        return answer
    printed, code = answer.get("printed"), answer.get("code")
    if not isinstance(printed, list) or not isinstance(code, int):
        return None
    return _print(printed, code)


def _request(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The request for the daemon; None if only this process can run the command."""
    if sys.platform == "win32" or "_CONTEXTD_COMPLETE" in os.environ:
        return None
    terminals = []
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        # Click handles text in any other encoding.
        if stream is None or stream.encoding.lower().replace("-", "") != "utf8":
            return None
        if stream.isatty():
            terminals.append(number)
    if sum(map(len, arguments)) > _MOST_CHARACTERS:
        return None
    return {
        "arguments": list(arguments),
        "columns": _columns(),
        "terminals": terminals,
        "environment": {name: os.environ.get(name) for name in ("HOME", "TZ")},
        # With a key the command can be sent again if its answer is lost.
        "key": os.urandom(16).hex(),
    }


def _columns() -> int:
    """Like `shutil.get_terminal_size`, whose import takes a third of the time of the whole command."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns > 0:
        return columns
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _COLUMNS


def _asked(request: dict[str, Any], cwd: str) -> dict[str, Any] | Unavailable | None:
    """The daemon's answer. A command whose answer is lost is sent again with its key."""
    try:
        home = plain_home()
        # The first attempt does not start a daemon: the command itself does, and reports errors.
        reached = Reached(cwd=cwd, client="cli", start=False, greeting=_WELCOME_SECONDS)
        answer, again = ask(home, "command", request, reached)
    except RuntimeError:
        return None
    except Unanswered as error:
        if not error.may_have_run:
            return None
        lost: Exception | str = error.cause
    else:
        if not again or "code" in answer:
            return answer
        lost = "another daemon runs now"
    from contextd_common.errors import Unavailable  # noqa: PLC0415 - only for what was lost

    return Unavailable(
        f"the daemon cannot be reached: {lost}; the command may have run",
        f"check the stored data before you repeat it; the daemon's log is {log_path(home)}",
    )


def _print(printed: Sequence[Any], code: int) -> int:
    try:
        for number, text in printed:
            stream = sys.stdout if number == 1 else sys.stderr
            stream.write(text)
            stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code
