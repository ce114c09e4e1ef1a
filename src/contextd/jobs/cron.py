"""Compute the next time of a cron expression: minute, hour, day of the month, month, day of the week."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_NAMES = ("minute", "hour", "day of the month", "month", "day of the week")
_HINT = 'five fields, such as "0 3 * * *" for every night at three'
_LONGEST = 366 * 4 + 1
"""Days within which any satisfiable expression matches: 29 February."""


@dataclass(frozen=True, slots=True)
class Cron:
    """The minutes, hours, days, months and weekdays of an expression. As usual for cron, if both day
    fields are restricted, either may match.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    def next(self, after: datetime, zone: tzinfo | None = None) -> datetime:
        """The first match after `after`, in UTC. The fields are in this zone, by default the machine's."""
        local = after.astimezone(zone).replace(second=0, microsecond=0) + timedelta(minutes=1)
        for ahead in range(_LONGEST):
            day = (local + timedelta(days=ahead)).date()
            if not self._on(datetime(day.year, day.month, day.day, tzinfo=UTC)):
                continue
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    # Naive times are in the machine's zone, including daylight saving.
                    wall = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
                    moment = wall.astimezone(UTC)
                    if moment > after:
                        return moment
        raise Invalid("this schedule never runs", _HINT)

    def _on(self, day: datetime) -> bool:
        if day.month not in self.months:
            return False
        of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return of_month or of_week if self.either else of_month and of_week


def cron(expression: str) -> Cron:
    """Parse a cron expression. Raises `Invalid` naming the wrong field."""
    fields = expression.split()
    if len(fields) != len(_BOUNDS):
        raise Invalid(
            f"{expression!r} is not a cron expression: it has {len(fields)} fields", _HINT
        )
    sets = [
        _values(field, name, *bounds)
        for field, name, bounds in zip(fields, _NAMES, _BOUNDS, strict=True)
    ]
    weekdays = frozenset(day % 7 for day in sets[4])
    either = not fields[2].startswith("*") and not fields[4].startswith("*")
    found = Cron(sets[0], sets[1], sets[2], sets[3], weekdays, either)
    found.next(datetime(2024, 1, 1, tzinfo=UTC), UTC)
    return found


def _values(field: str, name: str, least: int, most: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        try:
            every = int(step) if step else 1
            start = least if first == "*" else int(first)
            end = most if first == "*" or (step and not last) else int(last or first)
        except ValueError:
            raise Invalid(f"{part!r} is no {name}", _HINT) from None
        if not (least <= start <= end <= most and every > 0):
            raise Invalid(f"{part!r} is not a valid {name}: {least} to {most}", _HINT)
        found.update(range(start, end + 1, every))
    return frozenset(found)
