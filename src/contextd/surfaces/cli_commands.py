"""Commands that are not operations: they prepare a machine, or look after the daemon."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from contextd import client
from contextd.client import Reply
from contextd.domain.errors import ContextdError, Invalid, Unavailable
from contextd.home import directory_from, endpoint_path, home_directory, log_path
from contextd.interop.clients import CLIENTS
from contextd.interop.install import install, uninstall
from contextd.operations.scanning import initialise
from contextd.settings import load_settings
from contextd.surfaces.cli_output import Console, Progress
from contextd.surfaces.host import Host

OpenHost = Callable[[], Host]
STOP_SECONDS = 30.0

_PORT_SECONDS = 20.0

_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def ask(name: str, arguments: Mapping[str, Any], *, project: str = "") -> client.Reply:
    """Call an operation of the daemon from here, starting the daemon when none runs."""
    return client.call(name, arguments, project=project, cwd=str(Path.cwd()), client="cli")


def build(standalone: OpenHost) -> list[click.Command]:
    """The fixed commands."""
    return [
        _init_command(standalone),
        show,
        install_command,
        uninstall_command,
        daemon,
        dashboard,
        _restore_command(standalone),
        config,
        mcp,
        hook,
    ]


def _init_command(standalone: OpenHost) -> click.Command:
    @click.command("init", epilog="Example: cd my-repository && contextd init")
    @click.argument("path", default=".", type=click.Path(exists=True, file_okay=False))
    @click.option("--no-daemon", is_flag=True, help="Do not start the daemon for the vectors.")
    @_json
    def init(path: str, no_daemon: bool, as_json: bool) -> int:
        """Scan a repository: stack, modules, code index, .context/project.yaml."""
        host = standalone()
        progress = Progress()
        try:
            runtime = host.runtime("cli", cwd=str(Path(path).resolve()), client="cli")
            made = initialise(runtime, progress)
            progress.finish()
        finally:
            host.close()
        if made.pending and not no_daemon:
            _start_quietly()
        # Its fields are JSON as they are: no need for pydantic, 0.1 s.
        Console(as_json).show(Reply(asdict(made), made.as_text()))
        return 0

    return init


def _start_quietly() -> None:
    """Have a daemon embed in the background; without one it happens at the next start."""
    try:
        client.call("status", cwd=str(Path.cwd()), client="cli", timeout=20)
    except ContextdError as error:
        click.echo(f"! vectors will follow later: {error.message}", err=True)


@click.command("show", epilog="Example: contextd show --module auth")
@click.option("--module", help="One module with what is known about it.")
@click.option("--sessions", is_flag=True, help="The latest sessions.")
@click.option("--stats", is_flag=True, help="Counts of everything.")
@click.option("--project", default="", help="Another project's name.")
@_json
def show(module: str | None, sessions: bool, stats: bool, project: str, as_json: bool) -> int:
    """Show what contextd knows about the project."""
    console = Console(as_json)
    if module:
        console.show(ask("project_module", {"name": module}, project=project))
    else:
        options = {"sessions": sessions, "stats": stats}
        console.show(ask("show", options, project=project))
    return 0


@click.command("install", epilog="Example: contextd install claude-code")
@click.argument("clients", nargs=-1, required=True)
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@_json
def install_command(clients: tuple[str, ...], scope: str, dry_run: bool, as_json: bool) -> int:
    """Connect coding agents: register the MCP server and the hooks. Backs up what it edits."""
    options = {"scope": scope, "dry_run": dry_run, "command": executable()}
    return _each_client(clients, as_json, install, **options)


@click.command("uninstall", epilog="Example: contextd uninstall claude-code")
@click.argument("clients", nargs=-1, required=True)
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@_json
def uninstall_command(clients: tuple[str, ...], scope: str, dry_run: bool, as_json: bool) -> int:
    """Disconnect coding agents; their files are put back byte for byte."""
    return _each_client(clients, as_json, uninstall, scope=scope, dry_run=dry_run)


def _each_client(
    clients: tuple[str, ...], as_json: bool, change: Callable[..., Any], **options: Any
) -> int:
    console = Console(as_json)
    unknown = [name for name in clients if name not in CLIENTS]
    if unknown:
        raise Invalid(f"no client {unknown[0]!r}", "known clients: " + ", ".join(CLIENTS))
    for name in clients:
        report = change(
            name,
            Path.home(),
            Path.cwd() if options["scope"] == "project" else None,
            config_dir=directory_from(CLIENTS[name].variable),
            backups=home_directory() / "backups" / "clients",
            **options,
        )
        console.show(Reply(_plain(report), report.as_text()))
    return 0


def executable() -> list[str]:
    """How a client starts contextd: the command when it is on PATH, else this very program."""
    if shutil.which("contextd"):
        return ["contextd"]
    beside = Path(sys.argv[0]).absolute()
    if beside.name.startswith("contextd") and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-P", "-m", "contextd"]


@click.group("daemon", epilog="Example: contextd daemon status")
def daemon() -> None:
    """Start, stop or look at the daemon."""


@daemon.command("start")
@_json
def daemon_start(as_json: bool) -> int:
    """Start the daemon when none runs."""
    with client.connect(home_directory(), "control", start=True):
        pass
    return _daemon_status(as_json)


@daemon.command("stop")
@_json
def daemon_stop(as_json: bool) -> int:
    """Have the daemon finish its writes and exit."""
    try:
        client.control("stop", timeout=60)
        text = "stopped"
    except Unavailable:
        text = "no daemon was running"
    Console(as_json).show(Reply({"state": text}, text))
    return 0


@daemon.command("status")
@_json
def daemon_status(as_json: bool) -> int:
    """Say whether a daemon runs, and what it does."""
    return _daemon_status(as_json)


def _daemon_status(as_json: bool) -> int:
    console = Console(as_json)
    try:
        status = client.control("status")
    except Unavailable:
        console.show(Reply({"running": False}, "no daemon is running"))
        return 1
    status = {"running": True, **status}
    lines = [f"{name}: {value}" for name, value in status.items() if value not in ("", [], {})]
    console.show(Reply(status, "\n".join([*lines, f"log: {log_path(home_directory())}"])))
    return 0


@daemon.command("run")
def daemon_run() -> None:
    """Run the daemon here, in the foreground."""
    raise click.UsageError("`contextd daemon run` takes no options")


@click.command("dashboard", epilog="Example: contextd dashboard /records")
@click.argument("page", default="/")
@click.option("--no-open", is_flag=True, help="Only print the link.")
@_json
def dashboard(page: str, no_open: bool, as_json: bool) -> int:
    """Open the dashboard in the browser, with a link that works once, for a minute."""
    home = home_directory()
    with client.connect(home, "control", start=True):
        pass
    port = _port()
    answer = client.control("signin", cwd=str(Path.cwd()))
    query = {"code": answer["code"], **({"next": page} if page != "/" else {})}
    link = f"http://127.0.0.1:{port}/signin?{urlencode(query)}"
    opened = not no_open and _has_screen() and webbrowser.open(link)
    told = "opened in your browser; the link is" if opened else "open this link within a minute:"
    Console(as_json).show(Reply({"link": link, "opened": opened}, f"{told}\n{link}"))
    return 0


def _port() -> int:
    """The daemon's port. A daemon that just started publishes it after a moment."""
    deadline = time.monotonic() + _PORT_SECONDS
    while True:
        facts = client.control("status")
        if facts.get("port"):
            return int(facts["port"])
        if "port" in facts or time.monotonic() > deadline:
            raise Unavailable(
                "the daemon has no port", "another program may use it: see `contextd config`"
            )
        time.sleep(0.05)


def _has_screen() -> bool:
    """Whether a browser could be shown; over SSH or in a container it cannot."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _restore_command(standalone: OpenHost) -> click.Command:
    @click.command("restore", epilog="Example: contextd restore backups/local-20260101T000000Z.db")
    @click.argument("path", type=click.Path(exists=True, dir_okay=False))
    @_json
    def restore(path: str, as_json: bool) -> int:
        """Put a backup in the store's place; the store that was there is kept beside it."""
        home = home_directory()
        with contextlib.suppress(Unavailable):
            client.control("stop", timeout=60)
        _wait_until_gone(home)
        kept = _swap(Path(path), home)
        host = standalone()
        try:
            health = host.health()
        finally:
            host.close()
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
    from contextd.operations.location import ORGANISATION  # noqa: PLC0415

    store = home / "orgs" / ORGANISATION / "contextd.db"
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


@click.command("config", epilog="Example: contextd config --json")
@_json
def config(as_json: bool) -> int:
    """Print every setting, its value and where the value came from."""
    rows = load_settings(Path.cwd()).rows()
    value = {s.name: {"value": v, "origin": origin} for s, v, origin in rows}
    width = max(len(setting.name) for setting, _, _ in rows)
    text = "\n".join(
        f"{s.name:{width}}  {v!s:12} {origin:24} {s.description}" for s, v, origin in rows
    )
    Console(as_json).show(Reply(value, text))
    return 0


@click.command("mcp", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def mcp(arguments: tuple[str, ...]) -> None:
    """What agents run: MCP over stdin and stdout, served by the daemon."""
    raise click.UsageError("`contextd mcp` must be the first argument")


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def hook(arguments: tuple[str, ...]) -> None:
    """What a client's hooks run: takes the event on stdin."""
    raise click.UsageError("`contextd hook` must be the first argument")


def _plain(result: Any) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(type(result)).dump_python(result, mode="json")


__all__ = ["OpenHost", "ask", "build", "executable"]
