"""Calling operations of a running contextd from another process: the CLI and scripts use it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contextd.channel import Channel, connect
from contextd.domain.errors import ContextdError, Unavailable, error_from
from contextd.home import home_directory, log_path

_ATTEMPTS = 4


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
    request = {"id": 1, "operation": operation, "arguments": dict(arguments or {})}
    if project:
        request["project"] = project
    answer = _ask(home, "call", request, start, timeout, cwd, client)
    return Reply(answer.get("value"), str(answer.get("text", "")))


def control(
    do: str, *, home: Path | None = None, cwd: str = "", timeout: float | None = 10.0
) -> dict[str, Any]:
    """`status`, `signin`, `stop` or `handover` of a running daemon. Never starts one: raises
    `Unavailable`.
    """
    return _ask(home, "control", {"do": do}, False, timeout, cwd)


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
    for attempt in range(_ATTEMPTS):
        welcomed = False
        try:
            with connect(home, role, start=start, cwd=cwd, client=client) as channel:
                channel.socket.settimeout(None)
                channel.send(request)
                answer = channel.receive(timeout)
                if welcomed := "welcome" in answer:
                    answer = channel.receive(timeout)
            break
        except (OSError, ValueError) as error:
            # A dying daemon's socket still takes connections. Unwelcomed, the call was not run.
            lost = isinstance(error, (ConnectionResetError, BrokenPipeError))
            if welcomed or not lost or not start or attempt == _ATTEMPTS - 1:
                raise _unreachable(home, error, start) from error
            time.sleep(0.05 * (attempt + 1))
    if isinstance(answer.get("error"), Mapping):
        raise error_from(answer["error"])
    return answer


def _unreachable(home: Path, error: Exception, start: bool) -> ContextdError:
    if isinstance(error, ConnectionRefusedError) and not start:
        return Unavailable("no daemon is running", "`contextd daemon start` starts it")
    return Unavailable(f"the daemon cannot be reached: {error}", f"its log is {log_path(home)}")


__all__ = ["Channel", "Reply", "call", "connect", "control"]
