"""Commands that are not operations and talk to the daemon, or are only named here."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from contextd import client
from contextd.client import Reply
from contextd.domain.errors import Unavailable
from contextd.home import home_directory, log_path
from contextd.surfaces.cli_output import Console, as_json_option, ask

if TYPE_CHECKING:
    from contextd.surfaces.host import OpenHost

_PORT_SECONDS = 20.0
_OPEN_SECONDS = 20.0


def build(standalone: OpenHost) -> list[click.Command]:
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
    with client.connect(home_directory(), "control", start=True):
        pass
    deadline = time.monotonic() + _OPEN_SECONDS
    while not client.control("status").get("open") and time.monotonic() < deadline:
        time.sleep(0.02)
    return _daemon_status(as_json)


@daemon.command("stop")
@as_json_option
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
@as_json_option
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
@as_json_option
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
