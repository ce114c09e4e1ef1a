"""What is wrong with a SQLite file itself."""

from __future__ import annotations

from contextd.stores.connection import STOP_HINT, SqliteDatabase
from contextd_common.errors import Unavailable

_MOST_DAMAGE = 5
"""Lines shown of SQLite's check: one damaged page can give a hundred."""


def file_problems(database: SqliteDatabase) -> list[str]:
    """Problems of the file: replaced since it was opened, truncated, or damaged inside. Reads all
    of it.
    """
    path = database.path
    if not database.is_in_place():
        return [f"{path} was deleted or replaced while it was open: {STOP_HINT}"]
    return [*_cut_off(database), *_damage(database)]


def _cut_off(database: SqliteDatabase) -> list[str]:
    path, page = database.path, int(database.value("PRAGMA page_size"))
    size = path.stat().st_size
    log = path.with_name(path.name + "-wal")
    # While the log has pages, the last page of the file may not be written yet.
    if size % page and not (log.exists() and log.stat().st_size):
        return [f"{path} is cut off: it ends {size % page} bytes into a page of {page}"]
    return []


def _damage(database: SqliteDatabase) -> list[str]:
    """The problems that SQLite's own check reports, one per line; SQLite joins several below a heading."""
    try:
        found = [text for (text,) in database.rows("PRAGMA integrity_check")]
    except Unavailable as error:
        # The check also evaluates indexes of expressions, and fails on the content of a damaged page.
        return [error.message]
    lines = [line.strip() for text in found if text != "ok" for line in text.splitlines()]
    named = [line for line in lines if line and not line.startswith("***")]
    if lines and not named:
        named = ["SQLite found damage that it does not name"]
    more = [f"and {len(named) - _MOST_DAMAGE} more"] if len(named) > _MOST_DAMAGE else []
    return [f"{database.path}: {line}" for line in [*named[:_MOST_DAMAGE], *more]]
