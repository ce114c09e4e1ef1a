"""Call operations of a running contextd from another process, such as the CLI or a script."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contextd.thin.channel import (
    Channel,
    DaemonEnded,
    DaemonStuck,
    connect,
    last_words,
    obstacle,
    read_endpoint,
)
from contextd.thin.exchange import LOST, START_SECONDS, Reached, Unanswered, ask
from contextd.thin.home import home_directory, home_problem, log_path
from contextd.thin.spawn import is_alive
from contextd_common.errors import ContextdError, Unavailable, error_from

_ANSWER_SECONDS = 2.0
_MOST_STARTS = 3
_ENDING_SECONDS = 2.0
"""The time a process may need to end after it closed its socket."""


class Reply(NamedTuple):
    """The result of an operation: plain JSON data, and its compact text form."""

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
    """Run one operation in the daemon, starting the daemon if none runs.

    Raises the operation's error, and `Unavailable` if the daemon cannot be reached or does not answer within
    `timeout` seconds (`None` waits without limit).
    """
    given = {**({"project": project} if project else {}), **(arguments or {})}
    # With a key the same call can be sent again if its answer is lost.
    request = {"id": 1, "operation": operation, "arguments": given, "key": os.urandom(16).hex()}
    reached = Reached(cwd=cwd, client=client, start=start, again=start, timeout=timeout)
    answer = _ask(home, "call", request, reached)
    return Reply(answer.get("value"), str(answer.get("text", "")))


_LISTENS_SECONDS = 10.0
"""Seconds within which a daemon that has its lock listens: it takes 0.4 s on an idle core."""


def control(
    do: str, *, home: Path | None = None, cwd: str = "", timeout: float | None = 10.0
) -> dict[str, Any]:
    """Send `status`, `signin`, `wake`, `stop` or `handover` to a running daemon. Never starts one: raises
    `Unavailable`.
    """
    reached = Reached(cwd=cwd, start=False, again=False, timeout=timeout)
    return _ask(home, "control", {"do": do}, reached)


def stop(home: Path | None = None, *, seconds: float = 60.0) -> bool:
    """Stop the home's daemon after it finishes its writes, and wait until it has left the home: only then can
    another process have its store alone. Returns whether one was running.

    Raises `Unavailable` if it does not answer or takes longer than `seconds`.
    """
    home = home or home_directory()
    deadline = time.monotonic() + seconds
    pid = read_endpoint(home).get("pid")
    listens_by = time.monotonic() + min(seconds, _LISTENS_SECONDS)
    while True:
        try:
            control("stop", home=home, timeout=seconds)
            break
        except Unavailable as error:
            if not is_alive(home):
                return False
            if (why := obstacle(home)) is not None:
                raise Unavailable(str(why), why.hint) from None
            # A daemon holds its lock before it listens, and for a moment after.
            unanswered = error.__cause__
            refused = isinstance(getattr(unanswered, "cause", None), ConnectionRefusedError)
            if not refused or time.monotonic() > listens_by:
                raise
        time.sleep(0.02)
    # Its lock is the last that it releases; a busy agent may have started the next one meanwhile.
    while is_alive(home) and read_endpoint(home).get("pid") in (None, pid):
        if time.monotonic() > deadline:
            raise Unavailable(
                f"the daemon (process {pid}) has not stopped within {seconds:.0f} s",
                "`contextd daemon logs` shows what it does; end the process if it does not",
            )
        time.sleep(0.02)
    return True


def start(
    home: Path | None = None,
    *,
    until: str = "open",
    seconds: float = START_SECONDS,
    waiting: Callable[[str], None] = lambda stage: None,
) -> dict[str, Any]:
    """Start the home's daemon if none runs, and return its status once it reports `until`: `open` if it can
    work, `port` if it serves HTTP or cannot.

    Waits while the daemon lives, but at most `seconds`. `waiting` is called repeatedly with the next stage.
    Raises `Unavailable` if the daemon ends or takes longer, and the error of opening its store.
    """
    home = home or home_directory()
    deadline = time.monotonic() + seconds
    starts = 0
    while True:
        if not starts or not is_alive(home):
            # A daemon met first may have been stopping; one that was started and ended will end again.
            if starts == _MOST_STARTS:
                raise _ended(home)
            starts += 1
            _meet(home, min(seconds, _ANSWER_SECONDS))
        try:
            status = control("status", home=home, timeout=_ANSWER_SECONDS)
        except Unavailable:
            status = {}
            if (why := obstacle(home)) is not None:
                raise Unavailable(str(why), why.hint) from None
        if status.get(until) or (until == "port" and until in status):
            return status
        if isinstance(status.get("failure"), Mapping):
            raise error_from(status["failure"])
        stage = _next_stage(home, status)
        if time.monotonic() > deadline:
            raise Unavailable(
                f"the daemon is running, but {seconds:g} s were not enough {stage}",
                f"try again when the machine is less busy; its log is {log_path(home)}",
            )
        waiting(stage)
        time.sleep(0.02)


def _meet(home: Path, seconds: float) -> None:
    """Connect once, which starts a daemon; also wait for one that runs and does not listen yet."""
    try:
        connect(home, "control", timeout=seconds).close()
    except TimeoutError:
        return
    except (OSError, ValueError) as error:
        raise _unreachable(home, error, True) from error


def _next_stage(home: Path, status: Mapping[str, Any]) -> str:
    """The next start-up stage of a daemon that is not ready, as an infinitive."""
    if status:
        return "to open its store"
    about = read_endpoint(home)
    return "to answer" if "port" in about else "to load its code" if about else "to start"


def _ask(
    home: Path | None, role: str, request: Mapping[str, Any], reached: Reached
) -> dict[str, Any]:
    home = home or home_directory()
    try:
        answer, _ = ask(home, role, request, reached)
    except Unanswered as error:
        start = reached.start and not error.may_have_run
        raise _unreachable(home, error.cause, start) from error
    if isinstance(answer.get("error"), Mapping):
        raise error_from(answer["error"])
    return answer


def _unreachable(home: Path, error: Exception, start: bool) -> ContextdError:
    if isinstance(error, ConnectionRefusedError):
        return Unavailable("no daemon is running", "`contextd daemon start` starts it")
    problem, advice = home_problem(home, error)
    if problem:
        return Unavailable(problem, advice)
    if isinstance(error, DaemonStuck):
        return Unavailable(str(error), error.hint)
    if isinstance(error, DaemonEnded):
        return _ended(home)
    # A daemon that closes new connections could not run.
    if start and isinstance(error, LOST) and _ends(home):
        return _ended(home)
    if isinstance(error, TimeoutError):
        process = read_endpoint(home).get("pid")
        return Unavailable(
            f"the daemon does not answer: {error}",
            f"if it hangs, end its process{f' {process}' if process else ''}; its log is {log_path(home)}",
        )
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


__all__ = ["Channel", "Reply", "call", "connect", "control", "start", "stop"]
