"""The command `config`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from contextd.client import Reply
from contextd.settings import load_settings
from contextd.surfaces.cli.output import Console, as_json_option

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend


def build(standalone: OpenBackend) -> list[click.Command]:
    """Its command."""
    return [config]


@click.command("config", epilog="Example: contextd config --json")
@as_json_option
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
