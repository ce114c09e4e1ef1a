"""How many sessions speak for a record, read from its history."""

from __future__ import annotations

from contextd.domain.dataclass import dataclass
from contextd.domain.records import Record
from contextd.runtime.runtime import Runtime

SAID_AGAIN = "said again in session "
"""How the reason begins for which a record that another session says too is trusted more."""

TOLD = ": told in session "
"""What stands in the reason between what came of telling a record and the session that was told."""


@dataclass(frozen=True, slots=True)
class Testimony:
    """How many sessions said it, the first one counted, and how many used it when they were told."""

    times_said: int = 1
    used: int = 0


def testimony_of(runtime: Runtime, record: Record) -> Testimony:
    """What the history of a record says of it."""
    reasons = {one.reason for one in runtime.view.records.history(record.id)}
    return Testimony(
        1 + sum(reason.startswith(SAID_AGAIN) for reason in reasons),
        sum(reason.startswith(f"used{TOLD}") for reason in reasons),
    )
