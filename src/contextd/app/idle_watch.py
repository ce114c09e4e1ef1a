"""End idle sessions and detect changes in the structure of their projects: twice a minute while a session is
open, never otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path

from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.ports.upkeep import Clock, Upkeep
from contextd.sessions.client_exit import client_exited

NAME = "idle watch"
LOOK_SECONDS = 30.0
"""Timeouts are checked to the minute, and a changed setting takes effect at once."""

_AT_ONCE = 1_000


class IdleWatch:
    """Calls `end` if a session was idle for longer than its timeout. `timeout` returns the minutes for a
    checkout; `follow` is called with the scopes of open sessions.
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

    def look(self) -> bool:
        """End idle sessions. Returns whether any session is open."""
        now = self._clock.now()
        active = self._upkeep.idle_sessions(now + timedelta(days=1), _AT_ONCE)
        if any(self._is_over(session) for session in active):
            self._end()
        self._follow({session.scope for session in active})
        return bool(active)

    def _is_over(self, session: Session) -> bool:
        root = Path(session.cwd) if session.cwd else None
        return client_exited(session) or session.is_idle(self._clock.now(), self._timeout(root))

    def step(self) -> float | None:
        """Check; return the seconds until the next check, None while no session is open."""
        return LOOK_SECONDS if self.look() else None
