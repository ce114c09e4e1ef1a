"""The store in one SQLite file: canonical tables and the derived index."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from contextd.domain.access import Grant
from contextd.domain.code_places import CodePlace
from contextd.ports.knowledge import Scrub
from contextd.ports.upkeep import Clock
from contextd.stores.connection import BUSY_SECONDS, Database
from contextd.stores.migrate import migrate, migrations
from contextd.stores.missing_file import mark, refuse_emptied, refuse_lost, ways_on
from contextd.stores.sqlite_directory import SqliteDirectory
from contextd.stores.sqlite_index import IndexMemory
from contextd.stores.sqlite_jobs import SqliteQueue
from contextd.stores.sqlite_upkeep import SqliteUpkeep
from contextd.stores.sqlite_view import SqliteView
from contextd_code.errors import Corrupt, Invalid, Unavailable


class SqliteStore:
    """A `Store` in the file `path`.

    Unless `fresh`, raises `Corrupt` if the file is missing or empty although it existed, naming the newest
    copy in `backups`.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        scrub: Scrub,
        timeout: float = BUSY_SECONDS,
        backups: Path | None = None,
        fresh: bool = False,
    ) -> None:
        self.path = path
        self._scrub = scrub
        if not fresh:
            refuse_lost(path, backups)
        self._database = Database(path, clock, timeout)
        try:
            if not fresh:
                refuse_emptied(self._database, backups)
            migrate(self._database, migrations())
            mark(path)
        except BaseException:
            self._database.close()
            raise
        self._memory = IndexMemory(self._database)
        self.directory = SqliteDirectory(self._database, scrub)
        self.queue = SqliteQueue(self._database, scrub)
        self.upkeep = SqliteUpkeep(self._database, scrub)

    def view(self, grant: Grant, code: CodePlace | None = None) -> SqliteView:
        """See `Store.view`."""
        return SqliteView(self._database, grant, self._memory, self._scrub, code)

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a write, where embedding and disk reads are forbidden."""
        return self._database.writing

    def close(self) -> None:
        """See `Store.close`."""
        self._database.close()


def open_sqlite(
    url: str, clock: Clock, scrub: Scrub, backups: Path | None = None, fresh: bool = False
) -> SqliteStore:
    """The store at `sqlite:///absolute/path`; creates a new file and its directory."""
    path = Path(url.partition("://")[2])
    if not path.is_absolute():
        raise Invalid(f"{url!r} has no absolute path", "write sqlite:///home/you/contextd.db")
    if not fresh:
        refuse_lost(path.resolve(), backups)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Only a missing file is opened here: closing an existing one would drop SQLite's locks.
        with suppress(FileExistsError):
            path.touch(mode=0o600, exist_ok=False)
    except OSError as problem:
        raise Unavailable(
            f"cannot make {path}: {problem.strerror}", "choose a directory you can write to"
        ) from problem
    # Resolved, so that all processes use one lock for all spellings of the path.
    path = path.resolve()
    try:
        return SqliteStore(path, clock, scrub, backups=backups, fresh=fresh)
    except Corrupt as problem:
        if backups is None:
            raise
        raise Corrupt(
            problem.message, f"the file was kept unchanged: {ways_on(path, backups)}"
        ) from problem
