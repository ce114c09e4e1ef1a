"""Calling operations of a running contextd from another process: the CLI and scripts use it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contextd.domain.errors import ContextdError, Unavailable, error_from
from contextd.thin.channel import Channel, connect, last_words, read_endpoint
from contextd.thin.home import home_directory, log_path
from contextd.thin.spawn import is_alive

START_SECONDS = 60.0
"""How long a daemon may take to start: 4 s of CPU where nothing else runs, 15 s were seen at a load of
30 on two cores.
"""
_ANSWER_SECONDS = 2.0
_MOST_STARTS = 3
_ATTEMPTS = 4
_LOST = (ConnectionResetError, BrokenPipeError)
_ENDING_SECONDS = 2.0
"""What a process that hung up may need to end."""


class Reply(NamedTuple):
    """What an operation gave: plain JSON data, and its compact text form."""

    value: Any
    text: str


def call(
    operation: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    project: str = "",
    cwd: str = "",
    client: str = "",
    home: Path | None = None,
    start: bool = True,
    timeout: float | None = None,
) -> Reply:
    """Run one operation in the daemon, starting the daemon when none runs.

    Raises what the operation raised, and `Unavailable` when the daemon cannot be reached or does
    not answer within `timeout` seconds (`None` waits as long as it takes).
    """
    given = {**({"project": project} if project else {}), **(arguments or {})}
    # With a key the same call can be sent again when its answer was lost.
    request = {"id": 1, "operation": operation, "arguments": given, "key": os.urandom(16).hex()}
    answer = _ask(home, "call", request, start, timeout, cwd, client)
    return Reply(answer.get("value"), str(answer.get("text", "")))


def control(
    do: str, *, home: Path | None = None, cwd: str = "", timeout: float | None = 10.0
) -> dict[str, Any]:
    """`status`, `signin`, `wake`, `stop` or `handover` of a running daemon. Never starts one: raises
    `Unavailable`.
    """
    return _ask(home, "control", {"do": do}, False, timeout, cwd)


def start(
    home: Path | None = None,
    *,
    until: str = "open",
    seconds: float = START_SECONDS,
    waiting: Callable[[str], None] = lambda stage: None,
) -> dict[str, Any]:
    """The status of the home's daemon, started when none runs, once it says `until`: `open` when it can
    work, `port` when it serves HTTP or knows that it cannot.

    Waits for as long as the daemon lives, but no longer than `seconds`. `waiting` is given what is
    waited for, again and again. Raises `Unavailable` when the daemon ends or takes longer, and the
    error that keeps it from opening its store.
    """
    home = home or home_directory()
    deadline = time.monotonic() + seconds
    starts = 0
    while True:
        if not starts or not is_alive(home):
            # Those met first may have been about to leave; one that was started and ended will again.
            if starts == _MOST_STARTS:
                raise _ended(home)
            starts += 1
            _meet(home, min(seconds, _ANSWER_SECONDS))
        try:
            status = control("status", home=home, timeout=_ANSWER_SECONDS)
        except Unavailable:
            status = {}
        if status.get(until) or (until == "port" and until in status):
            return status
        if isinstance(status.get("failure"), Mapping):
            raise error_from(status["failure"])
        stage = _next_stage(home, status)
        if time.monotonic() > deadline:
            raise Unavailable(
                f"the daemon lives, but {seconds:g} s were too short for it {stage}",
                f"try again when the machine is less busy; its log is {log_path(home)}",
            )
        waiting(stage)
        time.sleep(0.02)


def _meet(home: Path, seconds: float) -> None:
    """Connect once, which starts a daemon. One that lives and does not listen yet is met, too."""
    try:
        connect(home, "control", timeout=seconds).close()
    except TimeoutError:
        return
    except (OSError, ValueError) as error:
        raise _unreachable(home, error, True) from error


def _next_stage(home: Path, status: Mapping[str, Any]) -> str:
    """What a daemon that is not ready must do next, as an infinitive."""
    if status:
        return "to open its store"
    about = read_endpoint(home)
    return "to answer" if "port" in about else "to load its code" if about else "to start"


def _ask(
    home: Path | None,
    role: str,
    request: Mapping[str, Any],
    start: bool,
    timeout: float | None,
    cwd: str = "",
    client: str = "",
) -> dict[str, Any]:
    home = home or home_directory()
    again: dict[str, Any] = {}
    for attempt in range(_ATTEMPTS):
        welcomed = False
        try:
            with connect(home, role, start=start, cwd=cwd, client=client) as channel:
                channel.socket.settimeout(None)
                channel.send({**request, **again})
                answer = channel.receive(timeout)
                if welcomed := "welcome" in answer:
                    answer = channel.receive(timeout)
            break
        except (OSError, ValueError) as error:
            # A dying daemon's socket still takes connections. Unwelcomed, the call was not run.
            if not isinstance(error, _LOST) or not start or attempt == _ATTEMPTS - 1:
                raise _unreachable(home, error, start and not welcomed) from error
            again = {"again": True} if welcomed else again
            time.sleep(0.05 * (attempt + 1))
    if isinstance(answer.get("error"), Mapping):
        raise error_from(answer["error"])
    return answer


def _unreachable(home: Path, error: Exception, start: bool) -> ContextdError:
    if isinstance(error, ConnectionRefusedError):
        return Unavailable("no daemon is running", "`contextd daemon start` starts it")
    # One that hangs up on a newcomer could not run.
    if start and isinstance(error, _LOST) and _ends(home):
        return _ended(home)
    return Unavailable(f"the daemon cannot be reached: {error}", f"its log is {log_path(home)}")


def _ends(home: Path) -> bool:
    deadline = time.monotonic() + _ENDING_SECONDS
    while is_alive(home):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _ended(home: Path) -> Unavailable:
    return Unavailable(f"the daemon ended: {last_words(home)}", f"its log is {log_path(home)}")


__all__ = ["Channel", "Reply", "call", "connect", "control", "start"]
