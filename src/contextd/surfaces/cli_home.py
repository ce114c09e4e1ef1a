"""Commands that open the home in this process: `init` and `restore`."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contextd import client
from contextd.client import Reply
from contextd.domain.access import OWNER
from contextd.domain.errors import Invalid, Unavailable
from contextd.home import LOCAL, database_path, endpoint_path, home_directory
from contextd.runtime import Request
from contextd.spawn import start_daemon
from contextd.surfaces.cli_output import Console, Progress, as_json_option

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend

STOP_SECONDS = 30.0


def build(standalone: OpenBackend) -> list[click.Command]:
    """Its commands. `standalone` opens a contextd in this process."""
    return [_init_command(standalone), _restore_command(standalone)]


def _init_command(standalone: OpenBackend) -> click.Command:
    @click.command("init", epilog="Example: cd my-repository && contextd init")
    @click.argument("path", default=".", type=click.Path(exists=True, file_okay=False))
    @click.option("--anyway", is_flag=True, help="Also where a project is not expected.")
    @click.option("--no-daemon", is_flag=True, help="Do not start the daemon for the vectors.")
    @as_json_option
    def init(path: str, anyway: bool, no_daemon: bool, as_json: bool) -> int:
        """Scan a repository: stack, modules, code index, .context/project.yaml."""
        backend = standalone()
        progress = Progress()
        try:
            request = Request(
                surface="cli",
                caller=OWNER,
                cwd=str(Path(path).resolve()),
                client="cli",
                alone=True,
                progress=progress,
            )
            answer = backend.call("init", request, {"anyway": anyway})
            progress.finish()
        finally:
            backend.close()
        Console(as_json).show(Reply(answer.value, answer.text))
        if answer.value["pending"] and not no_daemon:
            _start_quietly()
        return 0

    return init


def _start_quietly() -> None:
    """Have a daemon embed in the background. Nobody waits for it: where it cannot start, vectors
    follow when one does.
    """
    try:
        start_daemon(home_directory())
    except OSError as error:
        click.echo(f"! vectors will follow later: {error}", err=True)


def _restore_command(standalone: OpenBackend) -> click.Command:
    @click.command("restore", epilog="Example: contextd restore backups/local-20260101T000000Z.db")
    @click.argument("path", type=click.Path(exists=True, dir_okay=False))
    @as_json_option
    def restore(path: str, as_json: bool) -> int:
        """Put a backup in the store's place; the store that was there is kept beside it."""
        home = home_directory()
        with contextlib.suppress(Unavailable):
            client.control("stop", timeout=60)
        _wait_until_gone(home)
        kept = _swap(Path(path), home)
        backend = standalone()
        try:
            health = backend.health()
        finally:
            backend.close()
        text = f"restored {path}; {health['projects']} projects" + (
            f"; the store before it is {kept}" if kept else ""
        )
        Console(as_json).show(Reply({"restored": path, "kept": str(kept or "")}, text))
        return 0

    return restore


def _wait_until_gone(home: Path) -> None:
    """A daemon answers before it goes: give it the time to finish its writes."""
    deadline = time.monotonic() + STOP_SECONDS
    while endpoint_path(home).exists():
        if time.monotonic() > deadline:
            raise Unavailable("the daemon did not stop", "stop it with `contextd daemon stop`")
        time.sleep(0.05)


def _swap(backup: Path, home: Path) -> Path | None:
    store = database_path(home, LOCAL)
    head = backup.open("rb").read(16)
    if head != b"SQLite format 3\x00":
        raise Invalid(f"{backup} is not a backup", "choose a file `contextd backup` wrote")
    store.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = store.with_suffix(".restoring")
    shutil.copyfile(backup, fresh)
    kept = _put_aside(store) if store.exists() else None
    fresh.replace(store)
    return kept


def _put_aside(store: Path) -> Path:
    number = 1
    while (kept := store.with_suffix(f".before-restore-{number}.db")).exists():
        number += 1
    for suffix in ("-wal", "-shm"):
        side = store.with_name(store.name + suffix)
        if side.exists():
            side.replace(kept.with_name(kept.name + suffix))
    store.replace(kept)
    return kept
