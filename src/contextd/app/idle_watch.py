"""Seeing that sessions are over, and that projects changed their shape under them: looked at twice a minute while
one is open, and never otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path

from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.ports.upkeep import Clock, Upkeep
from contextd.sessions.client_exit import client_exited

NAME = "idle watch"
LOOK_SECONDS = 30.0
"""A timeout holds to the minute, and a changed setting at once."""

_AT_ONCE = 1_000


class IdleWatch:
    """Calls `end` when a session was idle for longer than its timeout. `timeout` gives the minutes that
    hold in a checkout; `follow` is given the scopes that are worked in.
    """

    def __init__(
        self,
        upkeep: Upkeep,
        clock: Clock,
        timeout: Callable[[Path | None], int],
        end: Callable[[], object],
        follow: Callable[[Collection[Scope]], object],
    ) -> None:
        self._upkeep, self._clock, self._timeout, self._end = upkeep, clock, timeout, end
        self._follow = follow
        self._wanted = threading.Event()

    def wake(self) -> None:
        """Look now: a session was opened, or this is the end."""
        self._wanted.set()

    def look(self) -> bool:
        """Have idle sessions ended. Whether any session is open."""
        now = self._clock.now()
        active = self._upkeep.idle_sessions(now + timedelta(days=1), _AT_ONCE)
        if any(self._is_over(session) for session in active):
            self._end()
        self._follow({session.scope for session in active})
        return bool(active)

    def _is_over(self, session: Session) -> bool:
        root = Path(session.cwd) if session.cwd else None
        return client_exited(session) or session.is_idle(self._clock.now(), self._timeout(root))

    def run(self, stop: threading.Event) -> None:
        """Look until told to stop."""
        while not stop.is_set():
            some = self.look()
            self._wanted.wait(LOOK_SECONDS if some else None)
            self._wanted.clear()
