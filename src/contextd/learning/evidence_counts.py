"""How many sessions support a record, from its history."""

from __future__ import annotations

from contextd.domain.records import Record
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

SAID_AGAIN = "said again in session "
"""The beginning of the change reason when another session repeats a record."""

TOLD = ": told in session "
"""The text in a change reason between the outcome of an injection and its session."""


@dataclass(frozen=True, slots=True)
class Testimony:
    """How many sessions stated it, including the first, and how many used it after an injection."""

    times_said: int = 1
    used: int = 0


def testimony_of(runtime: Runtime, record: Record) -> Testimony:
    """The evidence in a record's history."""
    reasons = {one.reason for one in runtime.view.records.history(record.id)}
    return Testimony(
        1 + sum(reason.startswith(SAID_AGAIN) for reason in reasons),
        sum(reason.startswith((f"used{TOLD}", f"proved{TOLD}")) for reason in reasons),
    )
