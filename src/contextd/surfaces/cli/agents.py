"""Help entries for `mcp`, `hook` and `statusline`, which run before the command line is imported."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from contextd.surfaces.cli.table import FIXED

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend


def build(standalone: OpenBackend) -> list[click.Command]:
    """Its commands."""
    return [
        click.Command(
            name,
            params=[click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)],
            callback=partial(_refuse, name),
            context_settings={"ignore_unknown_options": True},
            help=row.about,
        )
        for name, row in FIXED.items()
        if row.module == "agents"
    ]


def _refuse(name: str, arguments: tuple[str, ...]) -> None:
    raise click.UsageError(f"`contextd {name}` must be the first argument")
