"""Commands that open the home in this process: `init` and those of the store."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contextd.domain.trust import agent_of
from contextd.domain.upkeep import WrittenSince
from contextd.runtime.runtime import Request
from contextd.surfaces.cli.output import Console, Progress, as_json_option
from contextd.thin import client
from contextd.thin.client import Reply
from contextd.thin.home import LOCAL, database_path, home_directory, make_home
from contextd.thin.spawn import start_daemon, take_lock
from contextd_common.errors import ContextdError, Invalid, Unavailable

if TYPE_CHECKING:
    from contextd.surfaces.backend import Backend, OpenBackend

STOP_SECONDS = 30.0
_STOP_AGAIN_SECONDS = 1.0
_PARTS = ("-wal", "-shm", "")
"""The files of a store, by what follows its name."""

_POLL_SECONDS = 0.002
"""Active agents start a new daemon within 5 to 50 ms, so the lock is polled more often."""


@click.command("init", epilog="Example: cd my-repository && contextd init")
@click.argument("path", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--anyway", is_flag=True, help="Also where a project is not expected.")
@click.option("--no-daemon", is_flag=True, help="Do not start the daemon for the vectors.")
@as_json_option
@click.pass_obj
def init(standalone: OpenBackend, path: str, anyway: bool, no_daemon: bool, as_json: bool) -> int:
    """Scan a repository: stack, modules, code index, .context/project.yaml.

    The folder is trusted from then on: its rules and settings apply, and are listed once.
    """
    backend = standalone()
    progress = Progress()
    try:
        request = Request(
            surface="cli",
            caller=backend.door.caller("cli"),
            cwd=str(Path(path).resolve()),
            client="cli",
            alone=True,
            progress=progress,
        )
        trusted = None
        if not agent_of(os.environ):
            trusted = backend.call("trust", request, {"by": "init"})
        answer = backend.call("init", request, {"anyway": anyway})
        progress.finish()
    finally:
        backend.close()
    value, text = answer.value, answer.text
    if trusted is not None and trusted.value["applies"]:
        value, text = {**value, "applies": trusted.value["applies"]}, f"{trusted.text}\n{text}"
    Console(as_json).show(Reply(value, text))
    if answer.value["pending"] and not no_daemon:
        start_quietly()
    return 0


def start_quietly() -> None:
    """Start a daemon that embeds and learns in the background. If it cannot start, only a warning is printed:
    vectors follow when one does.
    """
    try:
        started = start_daemon(home_directory())
    except OSError as error:
        click.echo(f"! vectors will follow later: {error}", err=True)
        return
    if started is None:
        # A running daemon sleeps for up to a minute before it checks for work from other processes.
        with contextlib.suppress(ContextdError):
            client.control("wake", timeout=2.0)


@click.command(
    "restore", epilog="Example: contextd store restore backups/local-20260101T000000Z.db"
)
@click.argument("path", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--fresh", is_flag=True, help="Begin with an empty store instead of a backup.")
@click.option("--yes", is_flag=True, help="Put newer writes aside without asking.")
@as_json_option
@click.pass_obj
def restore(
    standalone: OpenBackend, path: str | None, fresh: bool, yes: bool, as_json: bool
) -> int:
    """Replace the store by a backup; the replaced store is kept beside it."""
    if fresh is (path is not None):
        raise click.UsageError("give the file of a backup, or --fresh")
    home, backup = home_directory(), Path(path) if path else None
    if backup is not None:
        _check_backup(backup)
    was_running = client.stop()
    try:
        with _nobody_else(home):
            written = _written_since(standalone, backup)
            if written and not yes and not _asked(written):
                return 1
            aside = _swap(backup, home)
            backend = _opened(standalone, backup, home, aside)
            try:
                health = backend.health()
            finally:
                backend.close()
    finally:
        if was_running:
            start_quietly()
    value = {
        "restored": path or "",
        "kept": str(aside or ""),
        "changes_set_aside": written.changes,
        "sessions_set_aside": written.sessions,
        "daemon": "started again" if was_running else "",
    }
    lines = [
        f"restored {path}; {health['projects']} projects" if path else "created an empty store"
    ]
    if aside:
        lines.append(f"Set aside: {written.summary}{' that this backup lacks' * bool(path)}.")
        lines.append(f"The previous store is {aside}")
        lines.append(f"To restore it: contextd store restore {aside}")
    lines += ["The daemon was started again."] if was_running else []
    Console(as_json).show(Reply(value, "\n".join(lines)))
    return 0


@click.command("migrate", epilog="Example: contextd store migrate")
@as_json_option
@click.pass_obj
def migrate(standalone: OpenBackend, as_json: bool) -> int:
    """Create or upgrade the tables of a team's database, and open it."""
    backend = standalone(migrate=True)
    try:
        health = backend.health()
    finally:
        backend.close()
    text = f"the store is ready; {health['projects']} projects"
    Console(as_json).show(Reply({"projects": health["projects"]}, text))
    return 0


@click.command("move", epilog='Example: contextd store move "sqlite://$PWD/copy.db"')
@click.argument("url")
@as_json_option
@click.pass_obj
def move(standalone: OpenBackend, url: str, as_json: bool) -> int:
    """Copy the store to another database: to a team's, or back to a file.

    The database at URL must have no records. The old store stays as it is, and in use until you change store.url.
    """
    home = home_directory()
    was_running = client.stop()
    try:
        with _nobody_else(home):
            backend = standalone()
            try:
                counts = backend.move_store(url)
            finally:
                backend.close()
    finally:
        if was_running:
            start_quietly()
    rows = sum(counts.values())
    lines = [
        f"copied {rows} rows, {counts['records']} of them records, with their index and vectors",
        "To use the new store, set store.url in config.yaml to its address; without store.url contextd uses the"
        " file of the home.",
        "What is written until then stays in the old store.",
    ]
    Console(as_json).show(Reply({"rows": dict(counts)}, "\n".join(lines)))
    return 0


@click.command("delete", epilog="Example: contextd store delete local --yes")
@click.argument("organisation")
@click.option("--yes", is_flag=True, help="Delete without asking.")
@as_json_option
@click.pass_obj
def delete(standalone: OpenBackend, organisation: str, yes: bool, as_json: bool) -> int:
    """Delete an organisation from a team's database, with its bytes; nothing can bring it back but a backup.

    Run it as the owner of the tables, while no contextd uses the organisation.
    """
    if not yes and not sys.stdin.isatty():
        raise Invalid("this deletes everything of an organisation", "`--yes` deletes it")
    if not yes and not click.confirm(f"Delete everything of {organisation!r}?"):
        return 1
    client.stop()
    backend = standalone()
    try:
        copies = backend.delete_organisation(organisation)
    finally:
        backend.close()
    lines = [f"deleted {organisation}: no file of a table has its bytes. Copies remain in:"]
    lines += [f"- {one}" for one in copies]
    Console(as_json).show(
        Reply({"deleted": organisation, "copies": list(copies)}, "\n".join(lines))
    )
    return 0


def _written_since(standalone: OpenBackend, backup: Path | None) -> WrittenSince:
    try:
        backend = standalone()
    except ContextdError:
        # The store is lost or damaged, which is a reason to restore it.
        return WrittenSince(readable=False)
    try:
        return backend.written_since(backup)
    finally:
        backend.close()


def _opened(
    standalone: OpenBackend, backup: Path | None, home: Path, aside: Path | None
) -> Backend:
    """Open the restored store. Raises `Invalid` if the backup cannot be opened; the previous store is then back."""
    try:
        return standalone(fresh=backup is None)
    except ContextdError as error:
        if backup is None:
            raise
        _swap_back(aside, home)
        why = error.message.replace(str(database_path(home, LOCAL)), "it")
        raise Invalid(
            f"{backup} cannot be restored: {why}",
            "the store is unchanged; choose a file that `contextd store backup` of this or an earlier version wrote",
        ) from error


def _asked(written: WrittenSince) -> bool:
    """Whether a person agrees to set these writes aside. Raises `Invalid` without a terminal."""
    summary = f"the store has {written.summary} that this backup lacks"
    if not sys.stdin.isatty():
        raise Invalid(
            summary, "nothing was changed; `--yes` sets them aside, in a file that is kept"
        )
    click.echo(f"{summary[0].upper()}{summary[1:]}. They are set aside, in a file that is kept.")
    return click.confirm("Go on?")


def _check_backup(backup: Path) -> None:
    with backup.open("rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            raise Invalid(
                f"{backup} is not a backup", "choose a file that `contextd store backup` wrote"
            )


@contextlib.contextmanager
def _nobody_else(home: Path) -> Iterator[None]:
    """Wait until the daemon has stopped, and prevent other processes from starting one."""
    make_home(home)
    deadline = time.monotonic() + STOP_SECONDS
    look_again = time.monotonic() + _STOP_AGAIN_SECONDS
    while (lock := take_lock(home)) is None:
        now = time.monotonic()
        if now > deadline:
            raise Unavailable("the daemon did not stop", "stop it with `contextd daemon stop`")
        if now > look_again:
            # An active agent has started another one meanwhile.
            client.stop()
            look_again = now + _STOP_AGAIN_SECONDS
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        os.close(lock)


def _swap(backup: Path | None, home: Path) -> Path | None:
    """Replace the store by a backup or an empty one; return the path of the previous store.

    Raises `Unavailable` if the backup cannot be copied; the store then stays unchanged.
    """
    store = database_path(home, LOCAL)
    store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if backup is None:
        return _put_aside(store)
    # A store that was set aside after a crash has its last writes in a log beside it.
    parts = [part for part in ("-wal", "") if backup.with_name(backup.name + part).is_file()]
    fresh = store.with_suffix(".restoring")
    try:
        for part in parts:
            shutil.copyfile(
                backup.with_name(backup.name + part), fresh.with_name(fresh.name + part)
            )
    except OSError as error:
        for part in parts:
            fresh.with_name(fresh.name + part).unlink(missing_ok=True)
        raise Unavailable(
            f"{backup} cannot be copied to {store.parent}: {error.strerror}",
            "the store is unchanged; free some space or fix the reported cause, and restore again",
        ) from error
    aside = _put_aside(store)
    for part in parts:
        fresh.with_name(fresh.name + part).replace(store.with_name(store.name + part))
    return aside


def _swap_back(aside: Path | None, home: Path) -> None:
    """Delete the copy of a backup, and put the previous store in its place."""
    store = database_path(home, LOCAL)
    for suffix in _PARTS:
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    if aside is None:
        return
    # Of a lost store there may be only a log.
    name = aside.name.removesuffix("-wal").removesuffix("-shm")
    for suffix in _PARTS:
        part = aside.with_name(name + suffix)
        if part.exists():
            part.replace(store.with_name(store.name + suffix))


def _put_aside(store: Path) -> Path | None:
    """Rename the store and its log; None if neither exists. A log left behind would be applied to the next
    store.
    """
    number = 1
    while any(store.parent.glob(f"{store.stem}.before-restore-{number}.db*")):
        number += 1
    aside = store.with_suffix(f".before-restore-{number}.db")
    moved = None
    for suffix in _PARTS:
        part = store.with_name(store.name + suffix)
        if part.exists():
            moved = part.replace(aside.with_name(aside.name + suffix))
    return moved
