"""Telling a database that was lost from one that is new, by what lies beside it.

A database that is opened for the first time gets a mark, a small file beside it. Where a mark, a
write-ahead log or a copy is found without a database, there was one: beginning anew in silence would
hide that everything is gone. Nothing here opens the database: closing it would drop SQLite's locks.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from contextd.domain.errors import Corrupt
from contextd.domain.time import iso
from contextd.stores.connection import Database

_HEADER = 100
"""Bytes of a database's header; SQLite takes a shorter file for a new database."""

_EXPLANATION = """\
{name} was first opened by contextd at {at}. While this file is here, a missing or emptied {name} is
reported as lost instead of being made anew.
"""


def refuse_lost(path: Path, backups: Path | None) -> None:
    """Raise `Corrupt` when the database at `path` is missing or too short although there was one.

    To be called before anything opens it: SQLite would delete the log that is left of it.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        size = -1
    except OSError:
        return  # whoever opens it says why it cannot be reached
    if size >= _HEADER:
        return
    trace = _trace(path, backups)
    if size > 0:
        _refuse(path, f"is cut off: {size} bytes of it are left", backups)
    elif trace:
        _refuse(path, f"is {'missing' if size < 0 else 'empty'}, though {trace}", backups)


def refuse_emptied(database: Database, backups: Path | None) -> None:
    """Raise `Corrupt` when the open database has no tables although it had them."""
    if not _trace(database.path, backups) or _has_tables(database):
        return
    # Another process may be making them at this moment: the log it writes is there before they are.
    with database.turnstile.hold():
        if not _has_tables(database):
            trace = _trace(database.path, backups)
            _refuse(database.path, f"has no tables, though {trace}", backups)


def _has_tables(database: Database) -> bool:
    return bool(database.value("SELECT count(*) FROM sqlite_schema"))


def mark(path: Path) -> None:
    """Note beside a database that it was made."""
    at = iso(datetime.now(UTC))
    with suppress(OSError), _mark_of(path).open("x", encoding="utf-8") as file:
        file.write(_EXPLANATION.format(name=path.name, at=at))


def ways_on(path: Path, backups: Path | None) -> str:
    """What can be done about a lost or damaged database. `backups` is None for one outside the home,
    which `contextd store restore` does not reach.
    """
    if backups is None:
        return f"put a copy of it back, or delete {_mark_of(path)} to begin anew"
    newest = newest_copy(path, backups)
    anew = "`contextd store restore --fresh` begins anew and keeps what is there"
    if newest is None:
        return f"there is no backup in {backups}: put the file back; {anew}"
    return f"`contextd store restore {newest}` puts the newest backup in its place; {anew}"


def newest_copy(path: Path, backups: Path) -> Path | None:
    """The latest of the backups and of the copies that migrations made. What restoring put aside is
    none: it was put aside for a reason.
    """
    copies = [*backups.glob("*.db"), *path.parent.glob(f"{path.name}.before-[0-9]*[0-9]")]
    whole = [copy for copy in copies if copy.stat().st_size >= _HEADER]
    return max(whole, key=lambda copy: copy.stat().st_mtime, default=None)


def _refuse(path: Path, what: str, backups: Path | None) -> NoReturn:
    raise Corrupt(f"{path} {what}", ways_on(path, backups))


def _trace(path: Path, backups: Path | None) -> str:
    """How it is known that there was a database at `path`; empty when nothing says so."""
    with suppress(OSError):
        made_at = datetime.fromtimestamp(_mark_of(path).stat().st_mtime, UTC)
        return f"contextd has used it since {iso(made_at)}"
    with suppress(OSError):
        log = path.with_name(path.name + "-wal")
        if log.stat().st_size:
            return f"{log.name} is left of it"
    newest = newest_copy(path, backups) if backups else None
    return f"there is a backup of it, {newest}" if newest else ""


def _mark_of(path: Path) -> Path:
    return path.with_name(path.name + ".made")
