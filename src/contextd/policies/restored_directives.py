"""Restore directives that older versions demoted, archived or distrusted for lack of use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from contextd.domain.directives import WORDED, is_directive, unweakened
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.knowledge.writing import change
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Stale

REASON = "restored: no decision had ended or weakened this directive, only disuse"

_PAGE = 500

_READ: tuple[str, ...] = ("active", "candidate", "archived")
"""Statuses that disuse could leave a record in."""


def restore_silenced(runtime: Runtime, check: Callable[[], None]) -> int:
    """Restore directives that no ending act weakened; return how many changed. `check` is called before
    each change and raises to stop the work.
    """
    kinds = tuple(dict.fromkeys((*kinds_that("directive"), *WORDED)))
    query = runtime.query(*kinds, statuses=_READ, limit=_PAGE)
    restored = 0
    for record in runtime.every(query):
        # An unchanged record lost nothing: its history need not be read.
        if is_directive(record) and record.version > 1:
            check()
            restored += _restored(runtime, record)
    return restored


def _restored(runtime: Runtime, record: Record) -> bool:
    before = unweakened(record, runtime.view.records.history(record.id))
    if before == record:
        return False
    with suppress(Stale):  # Changed concurrently: the next run reads it again.
        change(runtime, record, before, action="restore", reason=REASON)
        return True
    return False
