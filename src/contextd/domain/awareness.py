"""What the store can say about many records at once, and about pairs that disagree."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from contextd.domain.dataclass import dataclass

State = Literal["open", "dismissed", "resolved"]
Order = Literal["stalest", "most_used", "most_rated"]

STANDING = ("active", "inbox")
"""Statuses of records that still say something."""

OFTEN_USED = 5
"""Records used less are never among the most used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The records of one kind and context type (empty for none): how many there are, when the first
    was created and the last changed, how many changed lately and how many not for long.
    """

    kind: str
    type: str
    count: int
    oldest: datetime
    newest: datetime
    recent: int
    stale: int

    def and_(self, other: Tally) -> Tally:
        """Both together."""
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
    """Two records that say opposite things: `a` and `b` are their ids, `a` the smaller one.

    `kind` is how they do (`polarity`, `choice`, `value`, `field`), `reason` says it in words. It is
    open while both records stand, dismissed once somebody decided that both are right, and
    resolved while one of them is no longer active. `note` is what was said when dismissing it.
    """

    a: str
    b: str
    kind: str
    reason: str
    found_at: datetime
    state: State = "open"
    note: str = ""


def ordered(one: str, other: str) -> tuple[str, str]:
    """The two ids of a pair in the order they are kept."""
    return (one, other) if one < other else (other, one)
