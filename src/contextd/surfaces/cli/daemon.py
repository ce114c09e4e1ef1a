"""The commands `daemon` and `dashboard`."""

from __future__ import annotations

import json
import os
import sys
import time
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import click

from contextd.domain.quoting import quotation
from contextd.surfaces.cli.guidance import Guiding
from contextd.surfaces.cli.output import Console, as_json_option
from contextd.thin import client
from contextd.thin.channel import DaemonStuck, obstacle, read_endpoint
from contextd.thin.client import Reply
from contextd.thin.home import home_directory, log_path
from contextd.thin.spawn import is_alive, is_foreign
from contextd_common.errors import Unavailable

_PATIENCE_SECONDS = 2.0
"""Seconds before progress is printed: on an idle machine a start takes less."""


_ANSWER_SECONDS = 2.0
"""Seconds within which a daemon has to answer what state it is in: it takes milliseconds."""


class _Daemon(Guiding):
    synonyms: ClassVar = {
        "log": "logs",
        "up": "start",
        "down": "stop",
        "restart": "stop",
        "info": "status",
    }


@click.group("daemon", cls=_Daemon, epilog="Example: contextd daemon status")
def daemon() -> None:
    """Start, stop or inspect the daemon and its background jobs."""


@daemon.command("start")
@as_json_option
def daemon_start(as_json: bool) -> int:
    """Start the daemon if none runs, and wait until it answers."""
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
    """Stop the daemon after it finishes its writes."""
    text = "stopped" if client.stop() else "no daemon was running"
    Console(as_json).show(Reply({"state": text}, text))
    return 0


@daemon.command("status")
@as_json_option
def daemon_status(as_json: bool) -> int:
    """Show whether a daemon runs, and its state."""
    return _daemon_status(as_json)


def _daemon_status(as_json: bool) -> int:
    console = Console(as_json)
    home = home_directory()
    stuck = obstacle(home)
    if stuck is not None and is_foreign(home):
        raise Unavailable(str(stuck), stuck.hint)
    try:
        status = {} if stuck is not None else client.control("status", timeout=_ANSWER_SECONDS)
    except Unavailable:
        status = {}
    if not status:
        console.show(_unanswered(home, stuck))
        return 1
    status = {"running": True, **status}
    waiting = [f"events set aside: {one['text']}" for one in status.get("set_aside", [])]
    shown = {**status, "failure": "", "services": _in_trouble(status.get("services", {}))}
    shown["set_aside"] = []
    words = {True: "yes", False: "no"}
    lines = [
        f"{name.replace('_', ' ')}: {words[value] if isinstance(value, bool) else value}"
        for name, value in shown.items()
        if value not in ("", [], {})
    ]
    lines += waiting
    if "failure" in status:
        lines.append(f"! {status['failure']['message']} ({status['failure'].get('hint', '')})")
    console.show(Reply(status, "\n".join([*lines, f"log: {log_path(home_directory())}"])))
    return 0


def _unanswered(home: Path, stopped: DaemonStuck | None) -> Reply:
    """Whether a daemon runs that does not answer, why if that is known, and what to do."""
    if not is_alive(home):
        return Reply({"running": False}, "no daemon is running")
    about = read_endpoint(home)
    process = about.get("pid", "")
    if stopped is not None:
        text, hint = f"a daemon runs but does not answer: {stopped}", stopped.hint
    elif "port" not in about:
        text, hint = "a daemon is starting and does not answer yet", "ask again in some seconds"
    else:
        text = f"a daemon runs (process {process}) but did not answer within {_ANSWER_SECONDS:g} s"
        hint = f"ask again, it may be busy; `kill -9 {process}` ends one that hangs, and the next call starts another"
    return Reply({"running": True, "problem": text, "hint": hint}, f"{text}\nhint: {hint}")


def _in_trouble(services: Mapping[str, Mapping[str, Any]]) -> str:
    """The number of running services, and the names of stopped or restarted ones."""
    troubled = [
        f"{name} ({'failed ' + str(row['failures']) + ' times' if row['failures'] else 'stopped'})"
        for name, row in services.items()
        if row["failures"] or not row["running"]
    ]
    running = sum(bool(row["running"]) for row in services.values())
    return f"{running} of {len(services)} run" + "".join(f", {one}" for one in troubled)


@daemon.command("logs")
@click.option("--lines", default=40, show_default=True, help="How many of the latest lines.")
@as_json_option
def daemon_logs(lines: int, as_json: bool) -> int:
    """Print the end of the daemon's log."""
    path = log_path(home_directory())
    try:
        latest = path.read_text("utf-8", errors="replace").splitlines()[-max(0, lines) :]
    except FileNotFoundError:
        latest = []
    text = "\n".join(map(told_by_log, latest)) or f"nothing was logged yet; the log is {path}"
    Console(as_json, wrap=False).show(Reply({"path": str(path), "lines": latest}, text))
    return 0


def told_by_log(line: str) -> str:
    """Format a line of the log for a person. Lines that are not JSON objects, such as a crash, stay unchanged."""
    try:
        entry = json.loads(line)
        level = "" if entry["level"] == "INFO" else f"{entry['level'].lower()}: "
        row = quotation(f"{entry['at']} {level}{entry['text']}")
        return "\n".join([row, *filter(None, [entry.get("traceback")])])
    except (ValueError, LookupError, TypeError, AttributeError):
        return line


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
    heading = "opened in your browser; the link is" if opened else "open this link within a minute:"
    Console(as_json).show(Reply({"link": link, "opened": opened}, f"{heading}\n{link}"))
    return 0


def _has_screen() -> bool:
    """Whether a browser could be shown; over SSH or in a container it cannot."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
