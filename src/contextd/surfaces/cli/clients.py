"""Connecting coding agents: the commands `install` and `uninstall`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextd.client import Reply
from contextd.domain.errors import Invalid, NotFound
from contextd.home import directory_from, home_directory
from contextd.interop.clients import INSTALLABLE, client_named
from contextd.interop.install import install, uninstall
from contextd.settings import load_settings
from contextd.surfaces.cli.guidance import closest
from contextd.surfaces.cli.output import Console, as_json_option

if TYPE_CHECKING:
    from contextd.surfaces.backend import OpenBackend


def build(standalone: OpenBackend) -> list[click.Command]:
    """Its commands; none of them needs a contextd in this process."""
    return [install_command, uninstall_command]


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in INSTALLABLE if name.startswith(incomplete)]


@click.command("install", epilog="Example: contextd install claude-code")
@click.argument("clients", nargs=-1, required=True, shell_complete=_names)
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@as_json_option
def install_command(clients: tuple[str, ...], scope: str, dry_run: bool, as_json: bool) -> int:
    """Connect coding agents: register the MCP server and the hooks. Backs up what it edits."""
    root = Path.cwd() if scope == "project" else None
    options = {
        "scope": scope,
        "dry_run": dry_run,
        "command": executable(),
        "settings": frozenset(_hooks_wanted(root)),
    }
    return _each_client(clients, as_json, install, **options)


@click.command("uninstall", epilog="Example: contextd uninstall claude-code")
@click.argument("clients", nargs=-1, required=True, shell_complete=_names)
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@as_json_option
def uninstall_command(clients: tuple[str, ...], scope: str, dry_run: bool, as_json: bool) -> int:
    """Disconnect coding agents; their files are put back byte for byte."""
    return _each_client(clients, as_json, uninstall, scope=scope, dry_run=dry_run)


def _hooks_wanted(root: Path | None) -> list[str]:
    """The settings that are on and bring hooks of their own."""
    chosen = load_settings(root)
    rows = (row.configured.events for row in INSTALLABLE.values())
    named = {event.setting for events in rows for event in events if event.setting}
    return [name for name in sorted(named) if chosen.flag(name)]


def _each_client(
    clients: tuple[str, ...], as_json: bool, change: Callable[..., Any], **options: Any
) -> int:
    console = Console(as_json)
    for name in clients:
        if name not in INSTALLABLE:
            _refuse(name)
    for name in clients:
        report = change(
            name,
            Path.home(),
            Path.cwd() if options["scope"] == "project" else None,
            config_dir=directory_from(INSTALLABLE[name].configured.variable),
            backups=home_directory() / "backups" / "clients",
            **options,
        )
        console.show(Reply(_plain(report) if as_json else None, report.as_text()))
    return 0


def _refuse(name: str) -> None:
    """Say that a client is unknown, or has to be configured by hand."""
    near = closest(name, INSTALLABLE)
    known = (
        (f"did you mean {near!r}? " if near else "") + "known clients: " + ", ".join(INSTALLABLE)
    )
    try:
        _ = client_named(name).configured
    except NotFound as error:
        raise Invalid(error.message, known) from None


def executable() -> list[str]:
    """How a client starts contextd: the command when it is on PATH, else this very program."""
    if shutil.which("contextd"):
        return ["contextd"]
    beside = Path(sys.argv[0]).absolute()
    if beside.name.startswith("contextd") and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-P", "-m", "contextd"]


def _plain(report: Any) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415 - 0.1 s

    return TypeAdapter(type(report)).dump_python(report, mode="json")
