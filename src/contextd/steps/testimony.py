"""How many sessions speak for a record, read from its history."""

from __future__ import annotations

from dataclasses import dataclass

from contextd.domain.records import Record
from contextd.runtime import Runtime

SAID_AGAIN, USED = "said again in session ", "used: told in session "
"""How the reasons of those changes begin (`steps/witnesses.py`)."""


@dataclass(frozen=True, slots=True)
class Testimony:
    """How many sessions said it, the first one counted, and how many used it when they were told."""

    said: int = 1
    used: int = 0


def testimony_of(runtime: Runtime, record: Record) -> Testimony:
    """What the history of a record says of it."""
    reasons = {one.reason for one in runtime.view.records.history(record.id)}
    return Testimony(
        1 + sum(reason.startswith(SAID_AGAIN) for reason in reasons),
        sum(reason.startswith(USED) for reason in reasons),
    )
