"""Promises about the user's word and safety, each with the tests that guard it and a mutant that breaks it.

`tools/run_mutants.py` applies the mutants in a copy of `src` and sees that the tests fail. One module per sort of
promise; the first row of each is the one that the short run takes, so it has fast tests.
"""

from __future__ import annotations

from promise_table import (
    counted,
    ended,
    redacted,
    refused,
    restored,
    sent_away,
    taken_back,
    told,
    told_in_time,
    told_rules,
)
from promise_table.row import Promise

PROMISES: tuple[Promise, ...] = (
    *told.ROWS,
    *told_rules.ROWS,
    *told_in_time.ROWS,
    *counted.ROWS,
    *ended.ROWS,
    *taken_back.ROWS,
    *redacted.ROWS,
    *sent_away.ROWS,
    *refused.ROWS,
    *restored.ROWS,
)
"""Every row."""

__all__ = ["PROMISES", "Promise"]
