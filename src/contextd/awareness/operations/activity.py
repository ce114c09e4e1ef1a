"""Activity over time: reads, writes and misses by day, and the age of records."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from contextd.awareness.gap_inputs import everywhere, observed_in
from contextd.domain.awareness import STANDING
from contextd.domain.limits import Range
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_EVENTS_LOOKED_AT = 1_000
STALE_AFTER = 90
"""Days without a change after which a record counts as old."""


@dataclass(frozen=True, slots=True)
class Day:
    """Reads and writes on one day."""

    date: str
    reads: int = 0
    writes: int = 0
    misses: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """Days, oldest first. `complete` is false if the log no longer covers all of them."""

    days: list[Day]
    complete: bool

    def as_text(self) -> str:
        """One line per day with activity."""
        lines = [
            f"{d.date} {d.reads} reads, {d.writes} writes, {d.misses} misses"
            for d in self.days
            if d.reads + d.writes + d.misses
        ]
        return "\n".join(lines) or "no activity yet"


@operation("GET /api/activity", audience="owner")
def activity(runtime: Runtime, days: Annotated[int, Range(1, 90)] = 14) -> Activity:
    """Count reads, writes and misses per day, from the usage log of this project.

    Args:
        days: How many days, today included.
    """
    today = runtime.clock.now().date()
    dates = [(today - timedelta(days=n)).isoformat() for n in reversed(range(days))]
    counted = {date: [0, 0, 0] for date in dates}
    runtime = everywhere(runtime)
    scopes = observed_in(runtime)
    logged = runtime.view.observations.recent(scopes, _EVENTS_LOOKED_AT)
    for seen in logged:
        at = counted.get(seen.at.date().isoformat())
        if at is not None:
            at[0 if seen.action == "read" else 2 if seen.action == "miss" else 1] += 1
    summary = runtime.view.observations.summary(scopes)
    whole = len(logged) >= summary.reads + summary.writes + summary.misses
    reaches = bool(logged) and logged[-1].at.date().isoformat() < dates[0]
    return Activity([Day(date, *counted[date]) for date in dates], whole or reaches)


@dataclass(frozen=True, slots=True)
class Span:
    """Records whose last change is within a span of time; `fresh` until 90 days."""

    name: str
    count: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Spans:
    """Every active record is in one of the spans, the latest first."""

    spans: list[Span]

    def as_text(self) -> str:
        """One line per span."""
        return "\n".join(f"{span.name}: {span.count}" for span in self.spans)


_SPANS = (("7 d", 7), ("30 d", 30), ("60 d", 60), ("90 d", 90), ("180 d", 180), ("1 year", 365))


@operation("GET /api/records/ages", audience="owner")
def record_ages(runtime: Runtime) -> Spans:
    """Count records by how long ago they last changed."""
    now = runtime.clock.now()
    query = runtime.query(statuses=STANDING)
    since: list[int] = []
    total = 0
    # One tally yields two limits: how many changed after one, how many before the other.
    for (_, near), (_, far) in zip(_SPANS[::2], _SPANS[1::2], strict=True):
        tallies = runtime.view.survey.tally(
            query, recent=now - timedelta(days=near), stale=now - timedelta(days=far)
        )
        total = sum(tally.count for tally in tallies)
        since += [
            sum(tally.recent for tally in tallies),
            total - sum(tally.stale for tally in tallies),
        ]
    counts = [new - old for new, old in zip(since, [0, *since], strict=False)]
    spans = [
        Span(name, count, days <= STALE_AFTER)
        for (name, days), count in zip(_SPANS, counts, strict=True)
    ]
    return Spans([*spans, Span("older", total - since[-1], False)])
