"""What commands ask the daemon, and print: text for people, JSON when asked, colour only on a terminal."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from contextd import client
from contextd.domain.errors import ContextdError
from contextd.domain.unseen import visible_text

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def ask(name: str, arguments: Mapping[str, Any], *, project: str = "") -> client.Reply:
    """Call an operation of the daemon from here, starting the daemon when none runs."""
    return client.call(name, arguments, project=project, cwd=str(Path.cwd()), client="cli")


class Console:
    """Where a command prints."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def show(self, reply: Any) -> None:
        """Print a result: `value` as JSON when asked, else `text`, with ticks and crosses coloured."""
        if self.as_json:
            click.echo(json.dumps(reply.value, indent=2, ensure_ascii=False))
            return
        # What records and file names say must not steer the terminal; a pipe gets it as it is.
        text = visible_text(reply.text) if sys.stdout.isatty() else reply.text
        for line in text.splitlines():
            click.echo(_coloured(line))

    def error(self, error: ContextdError) -> None:
        """Print an error and its hint on stderr."""
        if self.as_json:
            click.echo(json.dumps({"error": error.as_dict()}, ensure_ascii=False), err=True)
            return
        click.secho(f"{error.code}: {error.message}", fg="red", err=True)
        if error.hint:
            click.echo(f"hint: {error.hint}", err=True)


class Progress:
    """A progress line on a terminal, shown once work has taken over a second."""

    WIDTH = 24

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = self._last = 0.0
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, what: str, done: int, total: int) -> None:
        """Told that `done` of `total` are through."""
        now = time.monotonic()
        if not self._live or now - self._began < 1.0 or now - self._last < 0.1:
            return
        self._last = self._shown = now
        filled = round(self.WIDTH * done / max(1, total))
        bar = "█" * filled + "░" * (self.WIDTH - filled)
        click.echo(f"\r{what} {bar} {done}/{total}", err=True, nl=False)

    def finish(self) -> None:
        """Take the line away."""
        if self._shown:
            click.echo("\r\x1b[2K", err=True, nl=False)


def _coloured(line: str) -> str:
    marks = {"✓": "green", "✗": "red", "!": "yellow"}
    mark = line[:1]
    if mark in marks and line[1:2] == " ":
        return click.style(mark, fg=marks[mark]) + line[1:]
    return line
