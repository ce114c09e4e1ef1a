"""The command `plugins`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from contextd.clients.plugins import write_plugins
from contextd.surfaces.cli.guidance import Guiding
from contextd.surfaces.cli.output import Console, as_json_option
from contextd.thin.client import Reply

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend


def build(standalone: OpenBackend) -> list[click.Command]:
    """The command, which does not open a contextd in this process."""
    return [plugins]


@click.group("plugins", cls=Guiding, epilog="Example: contextd dev plugins build contextd-plugins")
def plugins() -> None:
    """Write the plugins for coding agents: one folder for all of them."""


@plugins.command("build", epilog="Example: contextd dev plugins build contextd-plugins")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Also into a folder that holds other things.")
@as_json_option
def plugins_build(folder: Path, force: bool, as_json: bool) -> int:
    """Write the repository of plugins into a folder, or bring the one that is there up to date."""
    written = write_plugins(folder, force=force)
    value = {"folder": str(folder), "files": written}
    text = (
        f"wrote {len(written)} files to {folder}; its README.md says how each agent installs them"
    )
    Console(as_json).show(Reply(value, text))
    return 0
