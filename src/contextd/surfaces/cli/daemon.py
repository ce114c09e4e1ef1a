"""Commands that are not operations and talk to the daemon, or are only named here."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from contextd import client
from contextd.client import Reply
from contextd.domain.errors import Unavailable
from contextd.home import home_directory, log_path
from contextd.spawn import is_alive
from contextd.surfaces.cli.output import Console, as_json_option, ask

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend

_PATIENCE_SECONDS = 2.0
"""Before it is said what is waited for: on an idle machine a start takes less."""


def build(standalone: OpenBackend) -> list[click.Command]:
    """Its commands; none of them needs a contextd in this process."""
    return [show, daemon, dashboard, mcp, hook]


@click.command("show", epilog="Example: contextd show --module auth")
@click.option("--module", help="One module with what is known about it.")
@click.option("--sessions", is_flag=True, help="The latest sessions.")
@click.option("--stats", is_flag=True, help="Counts of everything.")
@click.option("--project", default="", help="Another project's name.")
@as_json_option
def show(module: str | None, sessions: bool, stats: bool, project: str, as_json: bool) -> int:
    """Show what contextd knows about the project."""
    console = Console(as_json)
    if module:
        console.show(ask("project_module", {"name": module}, project=project))
    else:
        options = {"sessions": sessions, "stats": stats}
        console.show(ask("show", options, project=project))
    return 0


@click.group("daemon", epilog="Example: contextd daemon status")
def daemon() -> None:
    """Start, stop or look at the daemon."""


@daemon.command("start")
@as_json_option
def daemon_start(as_json: bool) -> int:
    """Start the daemon when none runs, and wait until it answers."""
    client.start(waiting=_say_after_a_while())
    return _daemon_status(as_json)


def _say_after_a_while() -> Callable[[str], None]:
    began = time.monotonic()
    last = ""

    def say(stage: str) -> None:
        nonlocal last
        if stage != last and time.monotonic() - began > _PATIENCE_SECONDS:
            click.echo(f"waiting for the daemon {stage} …", err=True)
            last = stage

    return say


@daemon.command("stop")
@as_json_option
def daemon_stop(as_json: bool) -> int:
    """Have the daemon finish its writes and exit."""
    try:
        client.control("stop", timeout=60)
        text = "stopped"
    except Unavailable:
        if is_alive(home_directory()):
            raise
        text = "no daemon was running"
    Console(as_json).show(Reply({"state": text}, text))
    return 0


@daemon.command("status")
@as_json_option
def daemon_status(as_json: bool) -> int:
    """Say whether a daemon runs, and what it does."""
    return _daemon_status(as_json)


def _daemon_status(as_json: bool) -> int:
    console = Console(as_json)
    try:
        status = client.control("status")
    except Unavailable:
        alive = is_alive(home_directory())
        text = "a daemon runs but does not answer" if alive else "no daemon is running"
        console.show(Reply({"running": alive}, text))
        return 1
    status = {"running": True, **status}
    shown = {**status, "failure": ""}
    lines = [f"{name}: {value}" for name, value in shown.items() if value not in ("", [], {})]
    if "failure" in status:
        lines.append(f"! {status['failure']['message']} ({status['failure'].get('hint', '')})")
    console.show(Reply(status, "\n".join([*lines, f"log: {log_path(home_directory())}"])))
    return 0


@daemon.command("run")
def daemon_run() -> None:
    """Run the daemon here, in the foreground."""
    raise click.UsageError("`contextd daemon run` takes no options")


@click.command("dashboard", epilog="Example: contextd dashboard /records")
@click.argument("page", default="/")
@click.option("--no-open", is_flag=True, help="Only print the link.")
@as_json_option
def dashboard(page: str, no_open: bool, as_json: bool) -> int:
    """Open the dashboard in the browser, with a link that works once, for a minute."""
    status = client.start(until="port", waiting=_say_after_a_while())
    if not status.get("port"):
        raise Unavailable(
            "the daemon has no port", "another program may use it: see `contextd config`"
        )
    answer = client.control("signin", cwd=str(Path.cwd()))
    query = {"code": answer["code"], **({"next": page} if page != "/" else {})}
    link = f"http://127.0.0.1:{status['port']}/signin?{urlencode(query)}"
    opened = not no_open and _has_screen() and webbrowser.open(link)
    told = "opened in your browser; the link is" if opened else "open this link within a minute:"
    Console(as_json).show(Reply({"link": link, "opened": opened}, f"{told}\n{link}"))
    return 0


def _has_screen() -> bool:
    """Whether a browser could be shown; over SSH or in a container it cannot."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


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
