"""Distinguish a lost database from a new one, by the files beside it.

Opening a database for the first time creates a mark, a small file beside it. If a mark, a write-ahead log or
a copy exists without a database, it was lost; silently starting a new one would hide that. Nothing here opens
the database, because closing it would drop SQLite's locks.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from contextd.domain.time import iso
from contextd.stores.connection import SqliteDatabase
from contextd_common.errors import Corrupt

HEADER = 100
"""Bytes of a database's header; SQLite treats a shorter file as a new database."""

_EXPLANATION = """\
{name} was first opened by contextd at {at}. While this file is here, a missing or emptied {name} is
reported as lost instead of being created again.
"""


def refuse_lost(path: Path, backups: Path | None) -> None:
    """Raise `Corrupt` if the database at `path` is missing or truncated although it existed.

    Call it before anything opens the database: SQLite would delete the remaining log.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        size = -1
    except OSError:
        return  # opening it will report why it is inaccessible
    if size >= HEADER:
        return
    trace = _trace(path, backups)
    if size > 0:
        _refuse(path, f"is truncated: only {size} bytes are left", backups)
    elif trace:
        _refuse(path, f"is {'missing' if size < 0 else 'empty'}, though {trace}", backups)


def refuse_emptied(database: SqliteDatabase, backups: Path | None) -> None:
    """Raise `Corrupt` if the open database has no tables although it had them."""
    if not _trace(database.path, backups) or _has_tables(database):
        return
    # Another process may be creating them right now: its log exists before they do.
    with database.turnstile.hold():
        if not _has_tables(database):
            trace = _trace(database.path, backups)
            _refuse(database.path, f"has no tables, though {trace}", backups)


def _has_tables(database: SqliteDatabase) -> bool:
    return bool(database.value("SELECT count(*) FROM sqlite_schema"))


def mark(path: Path) -> None:
    """Create the mark beside a new database."""
    at = iso(datetime.now(UTC))
    with suppress(OSError), _mark_of(path).open("x", encoding="utf-8") as file:
        file.write(_EXPLANATION.format(name=path.name, at=at))


def ways_on(path: Path, backups: Path | None) -> str:
    """The options after a lost or damaged database. `backups` is None outside the home, where `contextd
    restore` does not work.
    """
    if backups is None:
        return f"restore a copy of it, or delete {_mark_of(path)} to start over"
    newest = newest_copy(path, backups)
    anew = "`contextd store restore --fresh` starts over and keeps the existing files"
    if newest is None:
        return f"there is no backup in {backups}: put the file back; {anew}"
    return f"`contextd store restore {newest}` restores the newest backup; {anew}"


def newest_copy(path: Path, backups: Path) -> Path | None:
    """The latest backup or copy made by a migration. Files set aside by a restore are excluded."""
    copies = [*backups.glob("*.db"), *path.parent.glob(f"{path.name}.before-[0-9]*[0-9]")]
    whole = [copy for copy in copies if copy.stat().st_size >= HEADER]
    return max(whole, key=lambda copy: copy.stat().st_mtime, default=None)


def _refuse(path: Path, what: str, backups: Path | None) -> NoReturn:
    raise Corrupt(f"{path} {what}", ways_on(path, backups))


def _trace(path: Path, backups: Path | None) -> str:
    """The evidence that there was a database at `path`; empty if none."""
    with suppress(OSError):
        made_at = datetime.fromtimestamp(_mark_of(path).stat().st_mtime, UTC)
        return f"contextd has used it since {iso(made_at)}"
    with suppress(OSError):
        log = path.with_name(path.name + "-wal")
        if log.stat().st_size:
            return f"{log.name} still exists"
    newest = newest_copy(path, backups) if backups else None
    return f"there is a backup of it, {newest}" if newest else ""


def _mark_of(path: Path) -> Path:
    return path.with_name(path.name + ".made")
