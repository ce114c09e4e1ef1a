"""Clocks that tests can move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Ticking:
    """A clock that moves one second at every look."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


class Standing:
    """A clock that stands until it is moved."""

    def __init__(self, at: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def move(self, **by: float) -> None:
        self.at += timedelta(**by)


class Shifted:
    """The machine's clock, as far ahead as it was moved."""

    def __init__(self, **ahead: float) -> None:
        self._ahead = timedelta(**ahead)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def move(self, **by: float) -> None:
        self._ahead += timedelta(**by)
