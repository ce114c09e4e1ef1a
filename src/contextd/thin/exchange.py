"""One request to the daemon and its answer, whatever happens to the daemon meanwhile. Standard library only, and
light: commands and status lines wait for these imports.

The request follows the daemon's greeting: if it came first, a hung daemon could run it later, after its client
gave up. A request whose answer is lost is sent again, with the same key, so that it runs once.
"""

from __future__ import annotations

import time

from contextd.thin.channel import Channel, connect, dial, obstacle, preamble, read_endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from contextd.thin.home import Home

GREETING_SECONDS = 10.0
"""The time limit for the greeting of a daemon that has loaded its code. It takes milliseconds on an idle machine."""

_PROMPT_SECONDS = 0.5
"""Seconds without a greeting after which the reason is looked for: two such waits end within two seconds."""

START_SECONDS = 60.0
"""The time limit for a daemon to start: it takes 4 s of CPU on an idle machine, and took 15 s at a load of 30
on two cores.
"""
CHECK_SECONDS = 10.0
"""How long an answer may take before its daemon has to greet a second connection, to show that it works."""

_ATTEMPTS = 4
LOST = (ConnectionResetError, BrokenPipeError)
_GREETED = ("call", "command")
"""The roles that the daemon greets."""


class Unanswered(Exception):
    """No answer arrived. `cause` is the last error; without `may_have_run` the request was not sent."""

    def __init__(self, cause: Exception, may_have_run: bool) -> None:
        super().__init__(str(cause))
        self.cause, self.may_have_run = cause, may_have_run


class Reached:
    """How to reach the daemon: `start` starts a missing one, `again` sends a request again whose answer is lost,
    to a new daemon if need be. `greeting` limits the wait for the greeting, `timeout` that for the answer.
    """

    def __init__(
        self,
        *,
        cwd: str = "",
        client: str = "",
        start: bool = True,
        again: bool = True,
        greeting: float | None = None,
        timeout: float | None = None,
    ) -> None:
        self.cwd, self.client, self.start, self.again = cwd, client, start, again
        self.greeting, self.timeout = greeting, timeout


def ask(
    home: Home, role: str, request: Mapping[str, Any], reached: Reached
) -> tuple[dict[str, Any], bool]:
    """The answer to a request, and whether the request was sent again. Raises `Unanswered`."""
    lost: Exception | None = None
    for attempt in range(_ATTEMPTS):
        greeted = False
        try:
            start = reached.start or lost is not None
            with connect(
                home, role, start=start, cwd=reached.cwd, client=reached.client
            ) as channel:
                if role in _GREETED:
                    # A retry waits as long as a new daemon may take to start.
                    limit = None if lost else reached.greeting
                    greeting = _greeting(
                        home, channel, _greeting_limit(home) if limit is None else limit
                    )
                    if "welcome" not in greeting:
                        return greeting, lost is not None
                    greeted = True
                channel.socket.settimeout(reached.timeout)
                channel.send({**request, "again": True} if lost else request)
                return _answer(home, channel, role, reached.timeout), lost is not None
        except (OSError, ValueError, RuntimeError) as error:
            lost = error if greeted else lost
            # The socket of a stopping daemon still accepts connections.
            retried = lost is not None or (reached.start and isinstance(error, LOST))
            late = isinstance(error, TimeoutError) and (greeted or lost is None)
            if late or not retried or not reached.again or attempt == _ATTEMPTS - 1:
                raise Unanswered(lost or error, lost is not None) from error
            time.sleep(0.05 * (attempt + 1))
    raise AssertionError("the last attempt returns or raises")


def _greeting(home: Home, channel: Channel, limit: float) -> dict[str, Any]:
    """The greeting. Raises `TimeoutError`, and `DaemonStuck` soon for a daemon that cannot answer."""
    try:
        return channel.receive(min(limit, _PROMPT_SECONDS))
    except TimeoutError:
        why = obstacle(home)
        if why is not None:
            raise why from None
        if limit <= _PROMPT_SECONDS:
            raise
    return channel.receive(limit - _PROMPT_SECONDS)


def _greeting_limit(home: Home) -> float:
    # A daemon publishes its port once its code is loaded.
    return GREETING_SECONDS if "port" in read_endpoint(home) else START_SECONDS


def _answer(home: Home, channel: Channel, role: str, timeout: float | None) -> dict[str, Any]:
    """The answer on a connection. A request may take as long as it likes, unless its daemon hangs."""
    if timeout is not None or role not in _GREETED:
        return channel.receive(timeout)
    while True:
        try:
            return channel.receive(CHECK_SECONDS)
        except TimeoutError as error:
            if not _greets(home):
                raise TimeoutError(
                    f"it did not answer for {CHECK_SECONDS:g} s and hangs"
                ) from error


def _greets(home: Home) -> bool:
    """Whether the daemon greets a further connection. A hung one does not, nor does one that refuses it."""
    try:
        connection = dial(home, GREETING_SECONDS)
        if connection is None:
            # It is ending, and the connection ends with it.
            return True
        with Channel(connection) as channel:
            channel.send(preamble(home, "call"))
            channel.receive(GREETING_SECONDS)
    except TimeoutError:
        return False
    except (OSError, ValueError):
        return True
    return True
