"""The commands `mcp`, `hook` and `statusline`, which are only named here: they start before anything is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend


def build(standalone: OpenBackend) -> list[click.Command]:
    """Its commands."""
    return [mcp, hook, statusline]


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


@click.command("statusline", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def statusline(arguments: tuple[str, ...]) -> None:
    """What a client's status line runs: takes the session on stdin, prints a line about the project."""
    raise click.UsageError("`contextd statusline` must be the first argument")
