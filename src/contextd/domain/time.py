"""Instants, and their age in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch, the unit of stores."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def from_micros(micros: int) -> datetime:
    """The instant of a number from `to_micros`."""
    return _EPOCH + timedelta(microseconds=micros)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with a Z, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_instant(text: str) -> datetime:
    """An ISO 8601 instant; one without a zone is taken as UTC. Raises `ValueError`."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def day(at: datetime) -> str:
    """The day as people write it: `8 May 2023`."""
    return f"{at.day} {at:%B %Y}"


def age(then: datetime, now: datetime) -> str:
    """The age of `then`: `just now`, `12 min ago`, `3 h ago`, `5 days ago`."""
    seconds = max(0.0, (now - then).total_seconds())
    if seconds < 90:
        return "just now"
    if seconds < 5_400:
        return f"{round(seconds / 60)} min ago"
    if seconds < 129_600:
        return f"{round(seconds / 3600)} h ago"
    days = round(seconds / 86_400)
    return f"{days} days ago" if days < 60 else f"{round(days / 30)} months ago"


def moment(at: datetime, now: datetime) -> str:
    """When something happened, for a reader who may look much later: the age within a day, else the date."""
    return age(at, now) if now - at < timedelta(days=1) else day(at)
