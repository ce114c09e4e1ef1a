"""The store in one SQLite file: canonical tables and the derived index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from contextd.domain.access import Grant
from contextd.domain.checkout_keys import CheckoutKey
from contextd.ports.knowledge import Scrub
from contextd.ports.upkeep import Clock
from contextd.runtime.kept_memory import Kept
from contextd.stores.connection import BUSY_SECONDS, SqliteDatabase
from contextd.stores.migrate import migrate, migrations
from contextd.stores.missing_file import mark, refuse_emptied, refuse_lost, ways_on
from contextd.stores.silent_signals import SilentSignals
from contextd.stores.sql_directory import SqlDirectory
from contextd.stores.sql_index import IndexCaches
from contextd.stores.sql_jobs import SqlQueue
from contextd.stores.sql_replicas import SqlReplicas
from contextd.stores.sqlite_upkeep import SqliteUpkeep
from contextd.stores.sqlite_view import SqliteView
from contextd_common.errors import Corrupt, Invalid, Unavailable

if TYPE_CHECKING:
    from contextd.stores.database import Database
    from contextd.stores.word_tables import WordTables


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
        self.database = SqliteDatabase(path, clock, timeout)
        try:
            if not fresh:
                refuse_emptied(self.database, backups)
            migrate(self.database, migrations())
            mark(path)
        except BaseException:
            self.database.close()
            raise
        self._caches = IndexCaches(self.database, _fts5)
        self.directory = SqlDirectory(self.database, scrub)
        self.queue = SqlQueue(self.database, scrub)
        self.replicas = SqlReplicas(self.database)
        self.signals = SilentSignals()
        self.upkeep = SqliteUpkeep(self.database, scrub)
        self.members = None

    def view(self, grant: Grant, code: CheckoutKey | None = None) -> SqliteView:
        """See `Store.view`."""
        return SqliteView(self.database, grant, self._caches, self._scrub, code)

    def kept(self) -> Iterator[Kept]:
        """See `Keeper.kept`: the index in memory."""
        return self._caches.kept()

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a write, where embedding and disk reads are forbidden."""
        return self.database.writing

    def close(self) -> None:
        """See `Store.close`."""
        self.database.close()


def _fts5(database: Database) -> WordTables:
    from contextd.stores.sqlite_words import Fts5Words  # noqa: PLC0415 - numpy: 0.13 s

    return Fts5Words(database)


def open_sqlite(
    url: str,
    organisation: str,
    clock: Clock,
    scrub: Scrub,
    backups: Path | None = None,
    fresh: bool = False,
) -> SqliteStore:
    """The store at `sqlite:///absolute/path`, all of which belongs to one organisation; creates a new file and
    its directory.
    """
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
