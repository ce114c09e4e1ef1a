"""What a store contains that a backup lacks."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from contextd.domain.upkeep import WrittenSince
from contextd.stores.missing_file import HEADER

_CHANGES = "SELECT scope, record_id, seq FROM {}.changes"
_SESSIONS = "SELECT scope, id FROM {}.sessions"
_MISSING = "SELECT count(*) FROM ({} EXCEPT {})"
_LATER = (
    "SELECT count(*) FROM main.changes WHERE at > (SELECT coalesce(max(at), 0) FROM kept.changes)"
)


def written_since(store: Path, backup: Path | None) -> WrittenSince:
    """How many record changes and sessions a backup lacks; all without a backup, and for one that cannot be
    compared. `readable` is false for a store in which nothing can be counted.
    """
    if not store.is_file():
        return WrittenSince()
    if store.stat().st_size < HEADER:
        # SQLite would treat it as a new database and delete the old one's log.
        return WrittenSince(readable=False)
    try:
        with closing(apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READWRITE)) as database:
            everything = _everything(database)
            return everything if backup is None else _lacking(database, backup, everything)
    except apsw.Error:
        return WrittenSince(readable=False)


def _everything(database: apsw.Connection) -> WrittenSince:
    changes, sessions = (
        _count(database, f"SELECT count(*) FROM ({rows.format('main')})")
        for rows in (_CHANGES, _SESSIONS)
    )
    return WrittenSince(changes, sessions)


def _lacking(database: apsw.Connection, backup: Path, everything: WrittenSince) -> WrittenSince:
    """What a backup lacks; `everything` for a damaged one, and for the database of another program."""
    try:
        database.execute("ATTACH ? AS kept", (str(backup),))
        return _compared(database)
    except apsw.Error:
        return everything


def _compared(database: apsw.Connection) -> WrittenSince:
    try:
        changes, sessions = (
            _count(database, _MISSING.format(rows.format("main"), rows.format("kept")))
            for rows in (_CHANGES, _SESSIONS)
        )
    except apsw.SQLError:
        # A backup of an older schema has other keys but the same times.
        return WrittenSince(_count(database, _LATER))
    return WrittenSince(changes, sessions)


def _count(database: apsw.Connection, sql: str) -> int:
    [row] = database.execute(sql)
    first: Any = row[0]
    return int(first)
