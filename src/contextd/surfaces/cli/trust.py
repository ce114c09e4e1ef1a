"""The command `trust`: which folders' own rules and settings apply."""

from __future__ import annotations

from pathlib import Path

import click

from contextd.surfaces.cli.output import Console, as_json_option, ask


@click.command("trust", epilog="Example: cd my-repository && contextd trust")
@click.argument("path", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--list", "listing", is_flag=True, help="List every folder, and who trusts it.")
@click.option("--revoke", is_flag=True, help="Trust the folder no longer.")
@as_json_option
def trust(path: str, listing: bool, revoke: bool, as_json: bool) -> int:
    """Trust a folder: its rules, settings, schema, skills and files for agents apply."""
    console = Console(as_json)
    if listing:
        console.show(ask("trusted_folders", {}))
        return 0
    console.show(ask("trust", {"path": str(Path(path).resolve()), "revoke": revoke}))
    return 0
