"""Show what folding saved, by level."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta
from typing import Annotated

from contextd.domain.limits import Range
from contextd.domain.savings import LEVELS, SAVED, SavingTotal, by_level, savings_in, totals
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_SESSIONS = 2_000
"""Maximum sessions examined, latest first."""

ABOUT = {
    "digest": "folded by contextd; never entered the window",
    "subagent": "read by a sub-agent of the client; only its result came back",
    "reset": "the window was restarted, and only the essentials were restored",
    "bookkeeping": "same conversation: nothing is saved",
}
"""What kept the tokens out, by level."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Measured savings. `raw` tokens existed, `kept` entered an agent's window."""

    days: int
    sessions: int
    saved: int
    levels: dict[str, int]
    rows: list[SavingTotal] = field(default_factory=list[SavingTotal])

    def as_text(self) -> str:
        """One line per level, then one per source."""
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
    found = [
        session
        for session in runtime.sessions(limit=_SESSIONS)
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
