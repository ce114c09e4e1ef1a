"""Convert rows of the table `records` to records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contextd.domain.records import Record
from contextd.runtime.caches import Cache
from contextd.runtime.kept_memory import Kept
from contextd.stores import codec

COLUMNS = (
    "id", "kind", "scope", "status", "session", "confidence", "usage_count", "last_used_at",
    "valid_from", "valid_to", "created_at", "updated_at",
)  # fmt: skip
"""Fields with a column of their own; all others are in the body."""

LISTED = ", ".join((*COLUMNS, "version", "body"))

_USES = slice(COLUMNS.index("usage_count"), COLUMNS.index("last_used_at") + 1)

_MOST = 1_000
_PER_RECORD = 2_000
"""Bytes of the columns and fields of a row and its record."""
_LONGEST = 8_000
"""Characters of a body above which records are not cached, so that the cache takes 20 MB at most."""


def record_of(row: Sequence[Any]) -> Record:
    """The record of a row of `LISTED`."""
    body = codec.loads(row[-1])
    body.update(zip(COLUMNS, row, strict=False))
    return codec.record_from_json(body, row[-2])


def _weight(known: tuple[tuple[Any, ...], Record]) -> int:
    # The row's text, and the record made of it.
    return _PER_RECORD + 2 * len(known[0][-1])


class RecordRows:
    """A cache of records by scope and id. A record is only returned for an equal row, so the cache needs
    no invalidation.
    """

    def __init__(self) -> None:
        self._known: Cache[tuple[str, str], tuple[tuple[Any, ...], Record]]
        self._known = Cache(_MOST, weigh=_weight)

    def kept(self) -> list[Kept]:
        """See `Keeper.kept`."""
        return self._known.kept("records")

    def record(self, row: tuple[Any, ...]) -> Record:
        """The record of a row of `LISTED`."""
        key = row[2], row[0]
        known = self._known.get(key)
        if known is not None and known[0] == row:
            return known[1]
        record = None if known is None else _used_since(*known, row)
        record = record or record_of(row)
        if len(row[-1]) <= _LONGEST:
            self._known.put(key, (row, record))
        return record


def _used_since(before: tuple[Any, ...], record: Record, row: tuple[Any, ...]) -> Record | None:
    """The record of a row that only differs in its use counters, at a fifth of the cost of parsing: every
    search that returns a record counts a use. None for other rows.
    """
    uses, last = row[_USES]
    if (*before[: _USES.start], uses, last, *before[_USES.stop :]) != row:
        return None
    return record.with_(usage_count=uses, last_used_at=codec.instant(last))
