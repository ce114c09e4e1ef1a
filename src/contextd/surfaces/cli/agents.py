"""Help entries for `mcp`, `hook` and `statusline`, which run before the command line is imported."""

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
    """Serve MCP over stdin and stdout; agents run it."""
    raise click.UsageError("`contextd mcp` must be the first argument")


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def hook(arguments: tuple[str, ...]) -> None:
    """Handle one hook event on stdin; agents' hooks run it."""
    raise click.UsageError("`contextd hook` must be the first argument")


@click.command("statusline", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def statusline(arguments: tuple[str, ...]) -> None:
    """Print a line about the project for the session on stdin; status lines run it."""
    raise click.UsageError("`contextd statusline` must be the first argument")
