"""Call the daemon and print results: text for people, JSON on request, colour only on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextd.domain.invisible_characters import visible_json, visible_text
from contextd.domain.trust import require_person
from contextd.surfaces.cli.terminal import columns, own_process, terminal
from contextd_common.errors import ContextdError

if TYPE_CHECKING:
    from contextd.thin.client import Reply

_AS_JSON: dict[str, Any] = {"is_flag": True, "help": "Print the result as JSON."}
as_json_option = click.option("--json", "as_json", **_AS_JSON)


OF_A_PERSON = {
    "trust": "trust a folder",
    "join_project": "join projects",
    "part_project": "part projects",
    "project_team": "give a project to a team",
}
"""Operations that no agent may call in its shell, and what they do."""


def json_option() -> click.Option:
    """The option of every command that prints a result."""
    return click.Option(["--json", "as_json"], **_AS_JSON)


def ask(name: str, arguments: Mapping[str, Any], *, project: str = "") -> Reply:
    """Call an operation of the daemon, starting the daemon if none runs. Raises `Denied` for operations reserved
    to people, in a shell that belongs to an agent.
    """
    if name in OF_A_PERSON and not arguments.get("revoke"):
        # The environment shows whether a person typed this.
        own_process()
        require_person(os.environ, OF_A_PERSON[name])
    if (there := terminal()) is not None:
        answer: Reply = there.ask(name, arguments, project)
        return answer
    # This import takes 10 ms, which help and completion do not need.
    from contextd.thin import client  # noqa: PLC0415

    return client.call(name, arguments, project=project, cwd=str(Path.cwd()), client="cli")


class Console:
    """The output of a command. Text other than code is wrapped to the width of a terminal."""

    def __init__(self, as_json: bool, *, wrap: bool = True) -> None:
        self.as_json = as_json
        self._wrap = wrap

    def show(self, reply: Any) -> None:
        """Print a result: `value` as JSON on request, else `text`, with ticks and crosses coloured."""
        if self.as_json:
            self.show_value(reply.value)
            return
        # Also in a pipe: an agent reads it, and `less` passes it on to a terminal.
        text = visible_text(reply.text)
        if not sys.stdout.isatty():
            click.echo(text)
            return
        for line in text.splitlines():
            for part in _wrapped(line) if self._wrap else [line]:
                click.echo(_coloured(part))

    def show_value(self, value: Any) -> None:
        """Print plain JSON data."""
        click.echo(visible_json(json.dumps(value, indent=2, ensure_ascii=False)))

    def error(self, error: ContextdError) -> None:
        """Print an error and its hint on stderr."""
        if self.as_json:
            payload = json.dumps({"error": error.as_dict()}, ensure_ascii=False)
            click.echo(visible_json(payload), err=True)
            return
        click.secho(visible_text(f"{error.code}: {error.message}"), fg="red", err=True)
        if error.hint:
            click.echo(visible_text(f"hint: {error.hint}"), err=True)


class Progress:
    """A progress line on a terminal, shown once work has taken over a second."""

    WIDTH = 24

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._shown = self._last = 0.0
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that `done` of `total` are finished."""
        now = time.monotonic()
        if not self._live or now - self._began < 1.0 or now - self._last < 0.1:
            return
        self._last = self._shown = now
        filled = round(self.WIDTH * done / max(1, total))
        bar = "█" * filled + "░" * (self.WIDTH - filled)
        click.echo(f"\r{what} {bar} {done}/{total}", err=True, nl=False)

    def finish(self) -> None:
        """Remove the line."""
        if self._shown:
            click.echo("\r\x1b[2K", err=True, nl=False)


def _wrapped(line: str) -> list[str]:
    """Split a line into parts that fit the terminal, later ones indented below the text of the first."""
    width = columns()
    if len(line) <= width:
        return [line]
    mark = re.match(r"\s*(?:[-*✓✗!ℹ→] |\d+\. )?", line)
    indent = " " * (mark.end() if mark else 0)
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=indent if indent else "  ",
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def _coloured(line: str) -> str:
    marks = {"✓": "green", "✗": "red", "!": "yellow"}
    mark = line[:1]
    if mark in marks and line[1:2] == " ":
        return click.style(mark, fg=marks[mark]) + line[1:]
    return line
