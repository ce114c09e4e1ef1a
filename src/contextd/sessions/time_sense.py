"""Time for an agent: how long since the last session, how long in this one, and how to resume.

Pure functions of instants; nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from statistics import median
from typing import Literal

from contextd.domain.time import age
from contextd_common.dataclass import dataclass

WorkPattern = Literal["quick check-in", "working session", "deep work", "debugging"]

QUICK = timedelta(minutes=10)
DEEP = timedelta(minutes=45)
_NIGHT = timedelta(hours=5)
_FEWEST_ERRORS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSense:
    """Time facts of a session. `gap` and `last_seen` are None in the first session of a project."""

    now: datetime
    started: datetime
    gap: timedelta | None
    length: timedelta
    last_length: timedelta | None
    pattern: WorkPattern
    hint: str
    last_seen: datetime | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """For a prompt: current time, last interaction, session, pattern, hint."""
        length = in_words(self.length)
        started = f"started {length} ago" if self.length >= timedelta(minutes=1) else "just started"
        return (
            f"Current: {present(self.now)}",
            f"Last interaction: {gap_in_words(self.gap)}",
            f"Session: {started}",
            f"Pattern: {self.pattern}",
            f"Hint: {self.hint}",
        )


def sense(
    now: datetime,
    started: datetime,
    last_seen: datetime | None = None,
    *,
    last_length: timedelta | None = None,
    recent_lengths: Sequence[timedelta] = (),
    errors: int = 0,
    results: int = 0,
    zone: tzinfo | None = None,
) -> TimeSense:
    """Compute all time facts at once. `last_seen` is the last interaction before this session.
    `recent_lengths` of earlier sessions predict a young session's pattern. `errors` of `results` tool
    results failed. `zone` is the user's time zone, for days and hours. If the clock was set back,
    elapsed time is zero.
    """
    gap = _elapsed(last_seen, now) if last_seen is not None else None
    length = _elapsed(started, now)
    earlier = last_length or (recent_lengths[0] if recent_lengths else None)
    here = now.astimezone(zone) if zone is not None else now
    return TimeSense(
        now=here,
        started=started.astimezone(zone) if zone is not None else started,
        gap=gap,
        length=length,
        last_length=earlier,
        pattern=work_pattern(length, errors=errors, results=results, recent_lengths=recent_lengths),
        hint=hint(gap, here),
        last_seen=last_seen.astimezone(here.tzinfo) if last_seen is not None else None,
    )


def stamp(at: datetime) -> str:
    """An instant in absolute form: `2026-02-12 12:59 UTC`."""
    return f"{at:%Y-%m-%d %H:%M} {at.tzname() or ''}".rstrip()


def present(now: datetime) -> str:
    """The current instant with its weekday: `Thursday, 2026-02-12 12:59 UTC`."""
    return f"{now:%A}, {stamp(now)}"


def work_pattern(
    length: timedelta,
    *,
    errors: int = 0,
    results: int = 0,
    recent_lengths: Sequence[timedelta] = (),
) -> WorkPattern:
    """`debugging` if most results are errors (at least three), else by length: under 10 minutes `quick
    check-in`, over 45 `deep work`. A session under 10 minutes is judged by the median of recent ones if
    there are any, since it may have just begun.
    """
    if errors >= _FEWEST_ERRORS and 2 * errors > results:
        return "debugging"
    if length < QUICK and recent_lengths:
        usual = median(one.total_seconds() for one in recent_lengths)
        length = max(length, timedelta(seconds=usual))
    if length < QUICK:
        return "quick check-in"
    return "deep work" if length > DEEP else "working session"


def hint(gap: timedelta | None, now: datetime) -> str:
    """How to resume after a gap. A gap of five hours or more that crosses midnight in `now`'s zone is a
    new day.
    """
    if gap is None:
        return "First session: get to know the project"
    if gap < timedelta(minutes=5):
        return "Continue naturally"
    if gap < timedelta(minutes=30):
        return "Briefly say you are back to it, then continue"
    if gap <= timedelta(hours=2):
        return "Re-orient: read CONTEXT.md before continuing"
    if gap >= timedelta(hours=24) or (gap >= _NIGHT and (now - gap).date() != now.date()):
        return "Fresh start: review what was done last time first"
    return "Summarise where you left off"


def gap_in_words(gap: timedelta | None) -> str:
    """`first session`, `just now`, `12 min ago`, `3 h ago`, `5 days ago`."""
    if gap is None:
        return "first session"
    origin = datetime(2000, 1, 1, tzinfo=UTC)
    return age(origin, origin + gap)


def in_words(length: timedelta) -> str:
    """`under a minute`, `45 min`, `2 h 5 min`."""
    minutes = int(length.total_seconds() // 60)
    if minutes < 1:
        return "under a minute"
    hours, rest = divmod(minutes, 60)
    return f"{minutes} min" if not hours else f"{hours} h" + (f" {rest} min" if rest else "")


def _elapsed(since: datetime, now: datetime) -> timedelta:
    return max(timedelta(0), now - since)
