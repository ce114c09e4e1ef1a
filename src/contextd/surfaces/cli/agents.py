"""Help entries for `mcp`, `hook` and `statusline`, which run before the command line is imported."""

from __future__ import annotations

from functools import partial

import click

from contextd.surfaces.cli.table import FIXED


def _refuse(name: str, arguments: tuple[str, ...]) -> None:
    raise click.UsageError(f"`contextd {name}` must be the first argument")


mcp, hook, statusline = (
    click.Command(
        name,
        params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
        callback=partial(_refuse, name),
        context_settings={"ignore_unknown_options": True},
        help=FIXED[name].about,
    )
    for name in ("mcp", "hook", "statusline")
)
