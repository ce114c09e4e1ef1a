"""The store in one SQLite file: canonical tables and the index made from them."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from pathlib import Path

from contextd.domain.errors import Corrupt, Invalid, Unavailable
from contextd.ports import Clock
from contextd.stores.connection import BUSY_SECONDS, Database
from contextd.stores.filters import NOT_RECORDS
from contextd.stores.migrate import copy, migrate, migrations
from contextd.stores.sqlite_awareness import SqliteContradictions, SqliteSurvey
from contextd.stores.sqlite_files import SqliteFiles
from contextd.stores.sqlite_index import SqliteIndex
from contextd.stores.sqlite_jobs import SqliteJobs
from contextd.stores.sqlite_records import SqliteRecords
from contextd.stores.sqlite_sessions import SqliteSessions
from contextd.stores.sqlite_usage import SqliteObservations, SqliteProjects

_CHECKS = (
    (
        "SELECT abs((SELECT count(*) FROM docs) - (SELECT count(*) FROM lexicon_docsize))",
        "documents differ from the lexical index: run `contextd reindex`",
    ),
    (
        f"SELECT count(*) FROM docs WHERE kind NOT IN {NOT_RECORDS}"
        " AND NOT EXISTS (SELECT 1 FROM records WHERE records.id = docs.id)",
        "indexed documents have no record: run `contextd reindex`",
    ),
    (
        "SELECT count(*) FROM records WHERE status = 'active'"
        " AND kind IN (SELECT kind FROM docs)"
        " AND NOT EXISTS (SELECT 1 FROM docs WHERE docs.id = records.id)",
        "active records are not indexed: run `contextd reindex`",
    ),
    (
        "SELECT count(*) FROM pragma_foreign_key_check",
        "rows point to nothing: restore a backup",
    ),
)


class SqliteStore:
    """A `Store` in the file `path`."""

    def __init__(self, path: Path, clock: Clock, timeout: float = BUSY_SECONDS) -> None:
        self.path = path
        self._database = Database(path, clock, timeout)
        try:
            migrate(self._database, migrations())
        except BaseException:
            self._database.close()
            raise
        self.records = SqliteRecords(self._database)
        self.survey = SqliteSurvey(self._database, self.records)
        self.contradictions = SqliteContradictions(self._database)
        self.index = SqliteIndex(self._database)
        self.files = SqliteFiles(self._database)
        self.sessions = SqliteSessions(self._database)
        self.observations = SqliteObservations(self._database)
        self.projects = SqliteProjects(self._database)
        self.jobs = SqliteJobs(self._database)

    def transaction(self) -> AbstractContextManager[None]:
        """See `Store.transaction`. Raises `Busy` when other writers hold the store too long."""
        return self._database.transaction()

    def backup(self, target: Path) -> None:
        """See `Store.backup`. `target` is replaced only once the copy is complete."""
        copy(self._database, target)

    def check(self) -> list[str]:
        """See `Store.check`. Reads the whole file."""
        try:
            with self._database.snapshot():
                # A search makes FTS5 look at the present index: its integrity check alone trusts
                # what this connection saw before others wrote, and calls that corruption.
                self._database.rows("SELECT rowid FROM lexicon('\"x\"') LIMIT 1")
                found = [line for (line,) in self._database.rows("PRAGMA integrity_check")]
                problems = [f"{self.path}: {line}" for line in found if line != "ok"]
                for sql, message in _CHECKS:
                    count = self._database.value(sql)
                    if count:
                        problems.append(f"{count} {message}")
        except Corrupt as problem:
            return [f"{problem.message}; {problem.hint}"]
        return problems

    def close(self) -> None:
        """See `Store.close`."""
        self._database.close()


def open_sqlite(url: str, clock: Clock) -> SqliteStore:
    """The store at `sqlite:///absolute/path`; a missing file and its directory are made."""
    path = Path(url.partition("://")[2])
    if not path.is_absolute():
        raise Invalid(f"{url!r} has no absolute path", "write sqlite:///home/you/contextd.db")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Only a missing file is opened here: closing an existing one would drop SQLite's locks.
        with suppress(FileExistsError):
            path.touch(mode=0o600, exist_ok=False)
    except OSError as problem:
        raise Unavailable(
            f"cannot make {path}: {problem.strerror}", "choose a directory you can write to"
        ) from problem
    # Resolved, so that everyone queues at one gate whichever way they came.
    return SqliteStore(path.resolve(), clock)
