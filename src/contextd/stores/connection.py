"""SQLite through APSW: connections, the single write path, and translation of driver errors."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

import apsw

from contextd.domain.time import to_micros
from contextd.ports.upkeep import Clock
from contextd.stores.phrase_counts import OCCURRENCES, occurrences
from contextd.stores.write_lock import Turnstile
from contextd_common.errors import (
    Busy,
    Conflict,
    ContextdError,
    Corrupt,
    Invalid,
    TooLarge,
    Unavailable,
)

OLDEST_SQLITE = (3, 51, 3)
"""Older versions of SQLite can corrupt a WAL under concurrent checkpoints (sqlite.org/wal.html)."""

BUSY_SECONDS = 30.0
_LOG_PAGES = 256
"""WAL pages that trigger a checkpoint: one megabyte. SQLite's default of 1,000 would stay beside every
home permanently.
"""

_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA journal_size_limit=16777216",
    f"PRAGMA wal_autocheckpoint={_LOG_PAGES}",
    "PRAGMA cache_size=-16384",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA trusted_schema=OFF",
)

_DAMAGED = "the file was kept as it is: run `contextd doctor`, then restore a backup"
_AGAIN = "another process is using the store; try again in a moment"
STOP_HINT = "run `contextd daemon stop`; the next start reports what is left"
_OURS = "run `contextd doctor`; if it finds nothing, report this with the message above"

DRIVER_ERRORS: dict[type[apsw.Error], tuple[type[ContextdError], str, str]] = {
    apsw.BusyError: (Busy, "is locked", _AGAIN),
    apsw.LockedError: (Busy, "is locked", _AGAIN),
    apsw.ProtocolError: (Busy, "is locked", _AGAIN),
    apsw.SchemaChangeError: (Busy, "changed its schema", _AGAIN),
    apsw.ThreadingViolationError: (Busy, "is in use by another thread", _AGAIN),
    apsw.InterruptError: (Busy, "was interrupted", _AGAIN),
    apsw.AbortError: (Busy, "was interrupted", _AGAIN),
    apsw.CorruptError: (Corrupt, "is damaged", _DAMAGED),
    apsw.NotADBError: (Corrupt, "is not a database", _DAMAGED),
    apsw.FormatError: (Corrupt, "is not a database", _DAMAGED),
    apsw.FullError: (Unavailable, "cannot grow: the disk is full", "free some space"),
    apsw.ReadOnlyError: (Unavailable, "is read-only", "make it and its directory writable"),
    apsw.PermissionsError: (Unavailable, "may not be used", "check its permissions"),
    apsw.AuthError: (Unavailable, "may not be used", "check its permissions"),
    apsw.CantOpenError: (
        Unavailable,
        "cannot be opened",
        "check that its directory exists and is writable",
    ),
    apsw.IOError: (Unavailable, "cannot be read or written", "check the disk and its mount"),
    apsw.NoMemError: (Unavailable, "ran out of memory", "close other programs"),
    apsw.NoLFSError: (Unavailable, "is too large for this file system", "move the store"),
    apsw.ConnectionClosedError: (Unavailable, "was closed", "open the store again"),
    apsw.CursorClosedError: (Unavailable, "was closed", "open the store again"),
    apsw.TooBigError: (TooLarge, "cannot hold a value so large", "store a shorter text"),
    apsw.ConstraintError: (Conflict, "refused the value", "read it again, then retry"),
    apsw.MismatchError: (Invalid, "refused the value's type", "send the documented type"),
}
"""The meaning of each driver error. Any other is `Unavailable`: a defect of contextd."""


_LEAST_BYTES = 1 << 16
"""Free bytes below which a log cannot grow: its shared memory grows in steps of half of that."""


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _LEAST_BYTES
    except OSError:
        return False


def _code(problem: apsw.Error) -> str:
    """SQLite's name for an error, which stays while its words change: ` (SQLITE_IOERR_FSYNC)`."""
    name = apsw.mapping_extended_result_codes.get(getattr(problem, "extendedresult", 0), "")
    name = name or apsw.mapping_result_codes.get(getattr(problem, "result", 0), "")
    return f" ({name})" if name and name != "SQLITE_OK" else ""


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate driver errors. A lock is never reported as damage."""
    try:
        yield
    except apsw.Error as problem:
        # SQLite reports a log or shared memory that cannot grow as an I/O error.
        full = isinstance(problem, apsw.IOError) and _is_full(path)
        raised = apsw.FullError if full else type(problem)
        known = (DRIVER_ERRORS[kind] for kind in raised.__mro__ if kind in DRIVER_ERRORS)
        kind, failure, hint = next(known, (Unavailable, f"could not be used: {problem}", _OURS))
        raise kind(f"{path} {failure}{_code(problem)}", hint) from problem
    except (UnicodeEncodeError, OverflowError) as problem:
        raise Invalid(
            f"cannot be stored: {problem}", "send valid Unicode and 64-bit integers"
        ) from problem


def require_sqlite(version: str) -> None:
    """Raise `Unavailable` for a SQLite version with the WAL bug."""
    if tuple(int(part) for part in version.split(".")[:3]) < OLDEST_SQLITE:
        raise Unavailable(
            f"SQLite {version} can corrupt shared databases",
            "install apsw 3.51.3 or newer: pip install -U apsw",
        )


class _Local(threading.local):
    connection: apsw.Connection | None = None
    writing: bool = False


class SqliteDatabase:
    """One SQLite file: a connection per thread, reads fetched completely, writes one at a time."""

    def __init__(self, path: Path, clock: Clock, timeout: float = BUSY_SECONDS) -> None:
        require_sqlite(apsw.sqlite_lib_version())
        self.path = path
        self.clock = clock
        self.turnstile = Turnstile(path.with_name(path.name + ".gate"), timeout)
        self._local = _Local()
        self._connections: WeakSet[apsw.Connection] = WeakSet()
        self._lock = threading.Lock()
        self._closed = False
        self._opened: tuple[int, int] | None = None

    @property
    def connection(self) -> apsw.Connection:
        """This thread's connection. Use it inside `translated`."""
        if self._closed:
            raise Unavailable(f"{self.path} was closed", "open the store again")
        if self._local.connection is None:
            made = self._connect()
            made.set_busy_timeout(round(BUSY_SECONDS * 1000))
            for pragma in _PRAGMAS:
                made.execute(pragma)
            made.register_fts5_function(OCCURRENCES, occurrences)
            self._local.connection = made
            with self._lock:
                self._connections.add(made)
        return self._local.connection

    def _connect(self) -> apsw.Connection:
        """The first connection creates a missing file. A later one must find it, since a deleted database
        would come back empty.
        """
        with self._lock:
            if self._opened is not None:
                return apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
            made = apsw.Connection(str(self.path))
            self._opened = _identity(self.path)
            return made

    def is_in_place(self) -> bool:
        """Whether the opened file is still the one at its path."""
        return self._opened is None or _identity(self.path) == self._opened

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """Every row of a statement, fetched before it returns."""
        with translated(self.path):
            return self.connection.execute(sql, values).fetchall()

    def several(
        self, asked: Sequence[tuple[str, Sequence[Any] | dict[str, Any]]]
    ) -> list[list[Any]]:
        """See `Database.several`."""
        return [self.rows(sql, values) for sql, values in asked]

    def value(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """The first column of the first row; None without rows."""
        found = self.rows(sql, values)
        return found[0][0] if found else None

    @property
    def incarnation(self) -> object:
        """See `Database.incarnation`. A restored file is another one, which an open database refuses."""
        return self._opened

    def now(self) -> int:
        """The store's own time, in microseconds."""
        return to_micros(self.clock.now())

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a write."""
        return self._local.writing

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run several reads on one snapshot; may be nested."""
        with translated(self.path):
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("COMMIT")

    @contextmanager
    def write(self, *locks: str) -> Iterator[apsw.Connection]:
        """Run statements atomically. Keep it short: other writers wait, whatever their locks."""
        with self.turnstile.hold(), translated(self.path):
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            self._local.writing = True
            try:
                self._require_in_place()
                yield connection
                connection.execute("COMMIT")
            finally:
                self._local.writing = False
                # SQLite has rolled back already after some errors, such as a full disk.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _require_in_place(self) -> None:
        if not self.is_in_place():
            raise Unavailable(
                f"{self.path} was deleted or replaced while it was open; writing to it has stopped",
                STOP_HINT,
            )

    def close(self) -> None:
        """Close every thread's connection. A thread inside a call keeps its own until it ends."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.close()
            except apsw.ThreadingViolationError:
                continue
        self._local.connection = None
        self.turnstile.close()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_dev, about.st_ino
