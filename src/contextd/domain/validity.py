"""Validity: whether what a record says still holds, and what replaced it."""

from __future__ import annotations

from contextd.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Validity:
    """Whether what a record or a message says still holds.

    `note` is what readers show beside it, in a few words: what replaced it, with its short id. `by` is the
    id of that; empty where no record says it. `replaced` text comes last in every list and is never
    injected. `contradicts` lists the short ids of records in an open contradiction with it, and `newer` the ids
    among those that were said later.
    """

    note: str = ""
    by: str = ""
    replaced: bool = False
    contradicts: str = ""
    newer: tuple[str, ...] = ()


TAKEN_BACK = "taken_back"
"""Where a session keeps which of its messages were taken back: after which event, up to which, the episode in
which the user did, and the words.
"""

CURRENT = Validity()
"""The validity of what nothing replaced or contradicts."""
