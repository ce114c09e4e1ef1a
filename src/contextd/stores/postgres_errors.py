"""What errors of PostgreSQL and of its driver mean, and what to do about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import PoolTimeout

from contextd_common.errors import (
    Busy,
    Conflict,
    ContextdError,
    Corrupt,
    Invalid,
    TooLarge,
    Unavailable,
)

_AGAIN = "try again in a moment"
_MIGRATE = "run `contextd store migrate`"
_WRITABLE = (
    "name the primary server in store.url, or turn default_transaction_read_only off for this user"
)

DRIVER_ERRORS: tuple[tuple[type[psycopg.Error], type[ContextdError], str, str], ...] = (
    (errors.SerializationFailure, Busy, "is busy", _AGAIN),
    (errors.DeadlockDetected, Busy, "is busy", _AGAIN),
    (errors.LockNotAvailable, Busy, "is locked", _AGAIN),
    (errors.QueryCanceled, Busy, "took too long", _AGAIN),
    (errors.TooManyConnections, Busy, "has no connection left", _AGAIN),
    (errors.IntegrityError, Conflict, "refused the value", "read it again, then retry"),
    (errors.ProgramLimitExceeded, TooLarge, "cannot hold a value so large", "store a shorter text"),
    (
        errors.DiskFull,
        Unavailable,
        "cannot grow: its disk is full",
        "free space on the server's disk; what was confirmed before is stored",
    ),
    (
        errors.InsufficientPrivilege,
        Unavailable,
        "may not be used by this user",
        f"{_MIGRATE} as the owner of the database, then GRANT contextd_replica to this user",
    ),
    (errors.DataCorrupted, Corrupt, "is damaged", "restore a backup"),
    (errors.IndexCorrupted, Corrupt, "is damaged", "restore a backup"),
    (errors.DataError, Invalid, "refused the value", "send valid Unicode and 64-bit integers"),
    (errors.ReadOnlySqlTransaction, Unavailable, "is read-only", _WRITABLE),
    (errors.UndefinedTable, Unavailable, "has no tables of contextd", _MIGRATE),
    (errors.InvalidSchemaName, Unavailable, "has no tables of contextd", _MIGRATE),
    (
        psycopg.OperationalError,
        Unavailable,
        "cannot be reached",
        "check that it runs, and try again",
    ),
)
"""The meaning of each driver error, first match. Any other is `Unavailable`: a defect of contextd."""

_REFUSALS: tuple[tuple[str, type[ContextdError], str, str], ...] = (
    (
        r'database ".*" does not exist|no such database',
        Unavailable,
        "does not exist",
        f"create it (`createdb NAME`) and {_MIGRATE}, or correct store.url",
    ),
    (
        r"too many (clients|connections)|connection slots are reserved|no more connections allowed",
        Busy,
        "has no connection left",
        "try again in a moment; raise max_connections, or put PgBouncer in front",
    ),
    (
        r"is starting up|shutting down|in recovery mode|not (yet |currently )?accepting connections",
        Busy,
        "takes no connections now",
        "try again in a moment; if it is a standby, name the primary server in store.url",
    ),
    (
        r"session is read-only|in hot standby mode",
        Unavailable,
        "is read-only",
        _WRITABLE,
    ),
    (
        r"does not support SSL",
        Unavailable,
        "offers no TLS, which store.url demands",
        "turn ssl on in postgresql.conf; use sslmode=disable only inside a machine",
    ),
    (
        r"does not match host name",
        Unavailable,
        "shows the certificate of another host",
        "name the host in store.url as its certificate does",
    ),
    (
        r"root certificate file",
        Unavailable,
        "cannot be verified without the certificate of its authority",
        "add sslrootcert=FILE to store.url, or sslrootcert=system for a public authority",
    ),
    (
        r"certificate verify failed",
        Unavailable,
        "shows a certificate that does not verify",
        "add sslrootcert=FILE to store.url, with the certificate of the authority that signed it",
    ),
    (
        r"password authentication failed|no password supplied|authentication failed for user"
        r"|password is required",
        Unavailable,
        "did not accept the user or the password",
        "correct them in store.url, or give the password in PGPASSWORD or in ~/.pgpass",
    ),
    (
        r'role ".*" does not exist',
        Unavailable,
        "does not have this user",
        "create it (`createuser NAME`), or correct store.url",
    ),
    (
        r"pg_hba\.conf",
        Unavailable,
        "does not admit this user from here",
        "add a line for user, database and address to pg_hba.conf on the server, then reload it",
    ),
    (
        r"permission denied for database|is not permitted to log in",
        Unavailable,
        "may not be used by this user",
        "GRANT CONNECT ON DATABASE to this user, and let it log in",
    ),
    (
        r"resolve host|translate host name",
        Unavailable,
        "cannot be reached: the host of store.url is unknown",
        "correct the host, or the name service of this machine",
    ),
)
"""A refused connection has no SQLSTATE in the driver, only words: of libpq, or of the server in its language."""

_REACHED = ": FATAL: "
_PARAMETER = re.compile(r'^invalid URI query parameter: "(\w{1,40})"$', re.MULTILINE)
_PORTS = re.compile(r"[0-9,]*")


def checked_url(url: str) -> str:
    """The URL, if it can be read. Raises `Invalid`, which quotes nothing: the driver's error would show the password."""
    server, _, database = url.partition("://")[2].partition("/")
    try:
        ports = str(conninfo_to_dict(url).get("port", ""))
    except psycopg.Error as problem:
        unknown = _PARAMETER.search(str(problem))
        if unknown:
            raise Invalid(
                f"the address of the database has an unknown parameter {unknown[1]!r}",
                "use those of libpq, such as sslmode and sslrootcert",
            ) from None
        ports = "unreadable"
    if not _PORTS.fullmatch(ports) or server.count("@") > 1 or "@" in database.partition("?")[0]:
        # Without the driver's error as its cause, which a log would show.
        raise Invalid(
            "the address of the database cannot be read",
            "write store.url as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and @ : / ? # % and spaces in a"
            " password as %40 %3A %2F %3F %23 %25 %20",
        ) from None
    return url


@contextmanager
def raising() -> Iterator[None]:
    """Turn the driver's errors in this context into contextd's."""
    try:
        yield
    except PoolTimeout as problem:
        raise Unavailable(
            "the database cannot be reached: no connection in time",
            "check that it runs, and try again",
        ) from problem
    except psycopg.Error as problem:
        raise meaning(problem) from problem


def meaning(problem: psycopg.Error) -> ContextdError:
    """A driver error as one of contextd. Its details may quote values of other callers, so only its first line is shown."""
    text = str(problem).partition("\n")[0]
    if problem.sqlstate is None and isinstance(problem, psycopg.OperationalError):
        for words, kind, failure, hint in _REFUSALS:
            if re.search(words, text):
                return kind(f"the database {failure}: {text}", hint)
        if _REACHED in text:
            return Unavailable(f"the database refused the connection: {text}", "correct store.url")
    for driver_error, kind, failure, hint in DRIVER_ERRORS:
        if isinstance(problem, driver_error):
            return kind(f"the database {failure}: {text}", hint)
    return Unavailable(f"the database could not be used: {text}", "report this")
