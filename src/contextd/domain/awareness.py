"""Aggregate facts about many records, and pairs of records that contradict each other."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from contextd_common.dataclass import dataclass

State = Literal["open", "dismissed", "resolved"]
Order = Literal["stalest", "most_used", "most_rated"]

STANDING = ("active", "inbox")
"""Statuses of records that still count as knowledge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts for one kind and context type (empty for none): records, first creation, last change, how
    many changed recently and how many are stale.
    """

    kind: str
    type: str
    count: int
    oldest: datetime
    newest: datetime
    recent: int
    stale: int

    def and_(self, other: Tally) -> Tally:
        """The sum of both tallies."""
        return Tally(
            kind=self.kind,
            type=self.type,
            count=self.count + other.count,
            oldest=min(self.oldest, other.oldest),
            newest=max(self.newest, other.newest),
            recent=self.recent + other.recent,
            stale=self.stale + other.stale,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two records that say opposite things. `a` and `b` are their ids; `a` is the smaller one.

    `kind` is the type of conflict (`polarity`, `choice`, `value`, `field`) and `reason` explains it. The
    status is open while both records are active, dismissed when a person decided that both are right, and
    resolved when one of them is no longer active. `note` is the comment given on dismissal.
    """

    a: str
    b: str
    kind: str
    reason: str
    found_at: datetime
    state: State = "open"
    note: str = ""


def ordered(one: str, other: str) -> tuple[str, str]:
    """The two ids of a pair in storage order."""
    return (one, other) if one < other else (other, one)
