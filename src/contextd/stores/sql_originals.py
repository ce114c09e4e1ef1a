"""The full texts behind digests, in SQLite."""

from __future__ import annotations

import zlib

from contextd.domain.originals import Original
from contextd.domain.time import from_micros, to_micros
from contextd.stores import codec, rules
from contextd.stores.database import Connection, Database
from contextd.stores.granted_rows import GrantedRows
from contextd.stores.sql_conditions import placeholders

Row = tuple[str, str, str, int, int, bytes]

_REPLACED = "DELETE FROM originals WHERE scope = ? AND id = ?"
_KEEP = """INSERT INTO originals (scope, id, about, tokens, at, body)
    VALUES (?, ?, ?, ?, ?, ?)"""
_SURPLUS = """DELETE FROM originals WHERE scope = ?1 AND no NOT IN
    (SELECT no FROM originals WHERE scope = ?1 ORDER BY no DESC LIMIT ?2)"""
_FAST = 1
"""zlib level: logs shrink nearly as much, in a third of the time."""


class SqlOriginals:
    """`Originals` in the table `originals`, limited to a grant."""

    def __init__(self, database: Database, granted: GrantedRows) -> None:
        self._database, self._scopes = database, granted.everywhere()

    def get(self, id: str) -> Original | None:
        """See `Originals.get`."""
        rows = self._database.rows(
            "SELECT scope, id, about, tokens, at, body FROM originals"
            f" WHERE id = ? AND scope IN ({placeholders(self._scopes)}) ORDER BY no DESC LIMIT 1",
            (id, *self._scopes),
        )
        if not rows:
            return None
        [(scope, found, about, tokens, at, body)] = rows
        return Original(
            scope=codec.parse_scope(scope),
            id=found,
            about=about,
            text=zlib.decompress(body).decode(),
            tokens=tokens,
            at=from_micros(at),
        )


def original_row(original: Original) -> Row:
    """An original in stored form. Raises `Invalid` for a text that UTF-8 cannot encode."""
    codec.check_text(original.about, original.text)
    body = zlib.compress(original.text.encode(), _FAST)
    at = to_micros(original.at)
    return str(original.scope), original.id, original.about, original.tokens, at, body


def keep_original(connection: Connection, row: Row) -> None:
    """Store an original; only the latest of a scope are kept."""
    # One that is kept again is the latest again.
    connection.execute(_REPLACED, row[:2])
    connection.execute(_KEEP, row)
    connection.execute(_SURPLUS, (row[0], rules.ORIGINALS_KEPT))
