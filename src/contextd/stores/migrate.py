"""Forward-only migrations, run when a store is opened: `migrations/initial.sql`, then `NNNN_name.sql`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from importlib import resources
from pathlib import Path

import apsw

from contextd.stores.connection import SqliteDatabase, translated
from contextd_common.errors import Invalid, Unavailable

_log = logging.getLogger(__name__)


_FIRST = 18
"""The schema that `initial.sql` creates. Older ones were never released."""
_UPGRADE = {17: "from_0017.sql"}
"""The script that upgrades the schema of an unreleased version to the first release."""


def migrations() -> list[str]:
    """The SQL that creates the first schema, and that of every migration after it."""
    folder = resources.files("contextd.stores") / "migrations"
    later = sorted(entry.name for entry in folder.iterdir() if entry.name[:4].isdigit())
    return [(folder / name).read_text("utf-8") for name in ("initial.sql", *later)]


def schema_of(scripts: Sequence[str]) -> int:
    """The number of the schema after the last script."""
    return _FIRST - 1 + len(scripts)


def migrate(database: SqliteDatabase, scripts: Sequence[str]) -> None:
    """Migrate the schema to the last script, each in its own transaction; all of a new database in one, which
    waits for the disk once.

    Writes a copy of the existing database first. Raises `Unavailable` for a database of a newer contextd, of
    another program, or from before the first release.
    """
    if _version(database, scripts) == schema_of(scripts):
        return
    with database.turnstile.hold(), translated(database.path):
        done = _version(database, scripts)
        if done == schema_of(scripts):
            return
        connection = database.connection
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
        if done:
            copy(database, database.path.with_name(f"{database.path.name}.before-{done + 1:04}"))
        numbered = _pending(done, scripts)
        for steps in [[step] for step in numbered] if done else [numbered]:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for number, script in steps:
                    connection.execute(script)
                    connection.execute(f"PRAGMA user_version={number}")
                connection.execute("COMMIT")
                _log.info("%s: schema %d of %d", database.path, steps[-1][0], schema_of(scripts))
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


def _pending(done: int, scripts: Sequence[str]) -> list[tuple[int, str]]:
    """The scripts to run on a database of schema `done`, each with the schema it leads to."""
    numbered = list(enumerate(scripts, _FIRST))
    if done in _UPGRADE:
        folder = resources.files("contextd.stores") / "migrations"
        return [(_FIRST, (folder / _UPGRADE[done]).read_text("utf-8")), *numbered[1:]]
    return [step for step in numbered if step[0] > done]


def _version(database: SqliteDatabase, scripts: Sequence[str]) -> int:
    # One snapshot: between two reads another process may commit the first schema.
    with database.snapshot():
        version = int(database.value("PRAGMA user_version"))
        is_empty = not database.value("SELECT count(*) FROM sqlite_schema")
    if version > schema_of(scripts):
        raise Unavailable(
            f"{database.path} was made by a newer contextd (schema {version},"
            f" this one knows {schema_of(scripts)})",
            "upgrade contextd, or open another store",
        )
    if 0 < version < min(_UPGRADE):
        raise Unavailable(
            f"{database.path} was made by a contextd from before its first release (schema {version})",
            f"open it once with a version that knows schema {min(_UPGRADE)}, then with this one",
        )
    if not version and not is_empty:
        raise Unavailable(f"{database.path} belongs to another program", "open another file")
    return version


def copy(database: SqliteDatabase, target: Path) -> None:
    """Write a consistent copy to `target`, in one step that does not block writers."""
    if target.resolve() == database.path.resolve():
        raise Invalid(f"{target} is the store itself", "choose another file")
    partial = target.with_name(target.name + ".partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        with translated(partial):
            out = apsw.Connection(str(partial))
            try:
                with translated(database.path):
                    source = database.connection
                with out.backup("main", source, "main") as steps:
                    while not steps.done:
                        steps.step(-1)
            finally:
                out.close()
        partial.replace(target)
    except OSError as problem:
        raise Unavailable(
            f"cannot write {target}: {problem.strerror}", "choose a directory you can write to"
        ) from problem
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
