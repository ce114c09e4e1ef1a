"""What folding saved, by who did it."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta
from typing import Annotated

from contextd.domain.dataclass import dataclass
from contextd.domain.limits import Range
from contextd.domain.savings import LEVELS, SAVED, SavingTotal, by_level, savings_in, totals
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime

_SESSIONS = 2_000
"""The latest sessions that are looked through."""

ABOUT = {
    "digest": "contextd folded it, and its bytes never entered the window",
    "subagent": "a sub-agent of the client read it, and only its result came back",
    "reset": "the window began anew, and what mattered was handed back",
    "bookkeeping": "in one conversation nobody keeps anything out: nothing is saved",
}
"""Who keeps the tokens out, level by level."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Measured savings. `raw` tokens stood there, `kept` entered the window of an agent."""

    days: int
    sessions: int
    saved: int
    levels: dict[str, int]
    rows: list[SavingTotal] = field(default_factory=list[SavingTotal])

    def as_text(self) -> str:
        """A line per level, and below it one per source."""
        lines = [
            f"{self.saved:,} tokens kept out in {self.days} days, {self.sessions} session{'s' * (self.sessions != 1)}"
        ]
        for level in LEVELS:
            lines.append(f"{level}: {self.levels[level]:,} ({ABOUT[level]})")
            lines += [
                f"  {row.source}: {row.times}×, {row.raw:,} → {row.kept:,}"
                for row in self.rows
                if row.level == level
            ]
        return "\n".join(lines)


@operation("GET /api/savings", profile="full")
def savings(runtime: Runtime, days: Annotated[int, Range(1, 3_650)] = 30) -> Savings:
    """Show how many tokens folding kept out of agents' windows, by level and source; measured ones only.

    Args:
        days: How far to look back.
    """
    runtime.sinks.settle()
    since = runtime.clock.now() - timedelta(days=days)
    here = frozenset({runtime.scope})
    found = [
        session
        for session in runtime.view.sessions.find(here, limit=_SESSIONS)
        if session.last_seen_at >= since and session.data.get(SAVED)
    ]
    measured = [
        event
        for session in found
        for event in runtime.view.sessions.events(session.id, types=("saving",))
        if event.at >= since
    ]
    rows = totals(savings_in(measured))
    levels = by_level(rows)
    return Savings(days, len(found), sum(levels.values()), levels, rows)
