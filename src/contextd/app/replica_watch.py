"""What a replica of a shared store does regularly: attend, settle orphaned jobs, and look for others' changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta

from contextd.domain.scope import Scope
from contextd.jobs.table import MOVABLE
from contextd.ports.work import Replicas

NAME = "replica"
ATTENDANCE = "attendance"

POLL_SECONDS = 2.0
"""How late a replica learns of another one's changes and jobs when no signal arrives."""

BEAT_SECONDS = 60.0
GONE_AFTER = timedelta(days=7)
"""A closed laptop comes back after a weekend or a week of holidays, and then does its own work."""

_log = logging.getLogger(__name__)


class ReplicaWatch:
    """Attends for one place, and calls `changed` with each scope that any process changed."""

    def __init__(self, replicas: Replicas, place: str, changed: Callable[[Scope], object]) -> None:
        self._replicas, self._place, self._changed = replicas, place, changed
        self._clocks: Mapping[Scope, int] | None = None

    def attend(self) -> float:
        """Attend, and settle orphaned jobs; return the seconds until it is time again."""
        self._replicas.attend(self._place)
        for job in self._replicas.settle_orphans(GONE_AFTER, MOVABLE):
            if job.state == "failed":
                _log.error("job %s of %s failed: %s", job.name, job.scope, job.error)
            else:
                _log.warning("%s of %s may run anywhere: its machine is gone", job.name, job.scope)
        return BEAT_SECONDS

    def look(self) -> float:
        """Read the clocks and tell of each scope whose clock advanced since the last look; return the seconds until it
        is time again.
        """
        self.compare(self._replicas.clocks())
        return POLL_SECONDS

    def compare(self, clocks: Mapping[Scope, int]) -> None:
        """Tell of each scope whose clock advanced since the last look."""
        before, self._clocks = self._clocks, clocks
        if before is None:
            return
        for scope, clock in clocks.items():
            if before.get(scope) != clock:
                self._changed(scope)
