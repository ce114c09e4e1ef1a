"""Validity: whether a statement still holds, and what replaced it."""

from __future__ import annotations

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Validity:
    """Whether the statement of a record or a message still holds.

    `note` is a short text for readers: what replaced it, with its short id. `by` is the replacing record's
    id; empty if no record replaces it. `replaced` text sorts last in every list and is never injected.
    `contradicts` lists the short ids of records in an open contradiction with it, and `newer` those of them
    that were stated later.
    """

    note: str = ""
    by: str = ""
    replaced: bool = False
    contradicts: str = ""
    newer: tuple[str, ...] = ()


TAKEN_BACK = "taken_back"
"""Session data that lists which messages were taken back: first and last event, the episode in which the
user did it, and the words.
"""

ENDED_RULES = "ended_rules"
"""Session data that lists which rules the user ended in it: the id of the rule, the words, and the id of the
rule that replaces it, or nothing.
"""

ENDINGS = "endings"
"""Session data that lists the sentences of the user that end rules, with their times: a rule that was said before one of
them may be read after it.
"""

CURRENT = Validity()
"""The validity of a statement that nothing replaced or contradicts."""
