"""Connect coding agents: the commands `install`, `uninstall` and `dev plugins`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from contextd.clients import CLIENTS, client_named
from contextd.clients.client import Client, InstallScope
from contextd.clients.client_versions import installed_versions
from contextd.clients.detection import present_clients
from contextd.clients.install import InstallReport, Launch, install, uninstall
from contextd.clients.plugins import write_plugins
from contextd.domain.result_display import text_form
from contextd.runtime.settings import load_settings
from contextd.surfaces.cli.guidance import Guiding, closest
from contextd.surfaces.cli.output import Console, as_json_option
from contextd.thin.client import Reply
from contextd.thin.home import directory_from, home_directory
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError, Invalid, NotFound

_PROFILES = ("core", "standard", "full")


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in CLIENTS if name.startswith(incomplete)]


_clients = click.argument("clients", nargs=-1, shell_complete=_names)
_named = click.option(
    "--client",
    "named",
    multiple=True,
    help="The name of a client; repeatable.",
    shell_complete=_names,
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change.")
_yes = click.option("--yes", is_flag=True, help="Go on without asking.")


@click.command("install", epilog="Example: contextd install")
@_clients
@_named
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True)
@click.option("--profile", type=click.Choice(_PROFILES), help="Which tools they are shown.")
@click.option("--status-line", is_flag=True, help="In Claude Code also a line on the project.")
@_yes
@_dry_run
@as_json_option
def install_command(
    clients: tuple[str, ...],
    named: tuple[str, ...],
    scope: InstallScope,
    profile: str | None,
    status_line: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Connect coding agents: register the MCP server and the hooks. Backs up what it edits.

    Without a name it looks which are on this machine, says what it would write, and asks.
    """
    root = Path.cwd() if scope == "project" else None
    wanted = _wanted((*clients, *named))
    found = [] if wanted else present_clients(Path.home())
    settings = frozenset(_hooks_wanted(root))
    versions = installed_versions(wanted or [one.client for one in found], Path.home())

    def connect(client: Client, dry: bool) -> InstallReport:
        version = versions[client.name]
        return install(
            client.name,
            Path.home(),
            root,
            launch=Launch(executable(), settings, profile or "", status_line, version),
            **_common(client, scope, dry),
        )

    console = Console(as_json)
    if wanted:
        return _each(console, [_Change(row, connect) for row in wanted], dry_run)
    able = [one for one in found if one.client.configuration.held(scope)]
    if not able:
        raise NotFound(
            "no coding agent that contextd knows was found on this machine",
            "name one: contextd install NAME; known: " + ", ".join(CLIENTS),
        )
    signs = {one.client.name: one.sign for one in able}
    plan = _planned([_Change(one.client, connect) for one in able])
    return _go(console, plan, "install", yes, dry_run, signs)


@click.command("uninstall", epilog="Example: contextd uninstall claude-code")
@_clients
@_named
@click.option("--scope", type=click.Choice(["user", "project"]), help="Only for this; else both.")
@_yes
@_dry_run
@as_json_option
def uninstall_command(
    clients: tuple[str, ...],
    named: tuple[str, ...],
    scope: InstallScope | None,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Disconnect coding agents; their files are restored byte for byte.

    Without a name: all that are connected, for every project and for the one it is run in.
    """
    console = Console(as_json)
    wanted = _wanted((*clients, *named))
    if wanted:
        reach: InstallScope = scope or "user"
        return _each(console, [_Change(row, _disconnecting(reach)) for row in wanted], dry_run)
    # In the home directory, files that look like a project's belong to the user.
    both: tuple[InstallScope, ...] = ("user",) if Path.cwd() == Path.home() else ("user", "project")
    every = [
        _Change(row, _disconnecting(reach))
        for reach in ((scope,) if scope else both)
        for row in CLIENTS.values()
        if row.configuration.held(reach)
    ]
    plan = [one for one in _planned(every) if one.matters]
    if not plan:
        console.show(Reply(_value(plan, {}, done=True), "contextd is connected to no agent here"))
        return 0
    return _go(console, plan, "uninstall", yes, dry_run, {})


@dataclass
class _Change:
    """The changes to one client, and their result."""

    client: Client
    carry_out: Callable[[Client, bool], InstallReport]
    report: InstallReport | None = None
    error: ContextdError | None = None

    @property
    def matters(self) -> bool:
        """Whether there are files to change, or a formerly connected client to report."""
        backup_folder = _backups() / self.client.name
        return (self.report is not None and self.report.changed) or (
            self.error is not None and backup_folder.is_dir()
        )

    def run(self, dry: bool) -> None:
        """Make the changes, or compute them with `dry`."""
        self.error = None
        try:
            self.report = self.carry_out(self.client, dry)
        except ContextdError as error:
            self.error = error


def _disconnecting(scope: InstallScope) -> Callable[[Client, bool], InstallReport]:
    root = Path.cwd() if scope == "project" else None

    def disconnect(client: Client, dry: bool) -> InstallReport:
        return uninstall(client.name, Path.home(), root, **_common(client, scope, dry))

    return disconnect


def _common(client: Client, scope: InstallScope, dry: bool) -> dict[str, Any]:
    return {
        "scope": scope,
        "dry_run": dry,
        "config_dir": directory_from(client.configuration.variable),
        "backups": _backups(),
    }


def _backups() -> Path:
    return home_directory() / "backups" / "clients"


def _hooks_wanted(root: Path | None) -> list[str]:
    """The enabled settings that need hooks of their own."""
    chosen = load_settings(root)
    rows = (row.configuration.events for row in CLIENTS.values())
    named = {event.setting for events in rows for event in events if event.setting}
    return [name for name in sorted(named) if chosen.flag(name)]


def _wanted(names: Sequence[str]) -> list[Client]:
    for name in names:
        try:
            client_named(name)
        except NotFound as error:
            near = closest(name, CLIENTS)
            known = "known clients: " + ", ".join(CLIENTS)
            raise Invalid(
                error.message, (f"did you mean {near!r}? " if near else "") + known
            ) from None
    return list({row.name: row for row in map(client_named, names)}.values())


def _each(console: Console, changes: Sequence[_Change], dry_run: bool) -> int:
    """Change the clients that were named, without confirmation."""
    for change in changes:
        report = change.carry_out(change.client, dry_run)
        console.show(Reply(_plain(report) if console.as_json else None, text_form(report)))
    return 0


def _planned(changes: Sequence[_Change]) -> list[_Change]:
    for change in changes:
        change.run(dry=True)
    return list(changes)


def _go(
    console: Console,
    plan: Sequence[_Change],
    command: str,
    yes: bool,
    dry_run: bool,
    signs: dict[str, str],
) -> int:
    """Show the changes to several clients, and make them once they are confirmed."""
    to_do = [one for one in plan if one.report and one.report.changed and not one.error]
    asked = not yes and not dry_run and bool(to_do)
    if not console.as_json and (not yes or dry_run):
        console.show(Reply(None, "\n".join(_told(plan, signs))))
    if (asked and console.as_json) or (asked and not sys.stdin.isatty()):
        hint = f"nothing was changed; to go on: contextd {command} --yes"
        if console.as_json:
            console.show_value(_value(plan, signs, done=False) | {"next": hint})
        else:
            console.show(Reply(None, hint))
        return 1
    if dry_run or (asked and not click.confirm("Go on?")):
        if console.as_json:
            console.show_value(_value(plan, signs, done=False))
        elif not dry_run:
            console.show(Reply(None, "nothing was changed"))
        return 0 if dry_run else 1
    for change in to_do:
        change.run(dry=False)
    failed = any(one.error for one in plan)
    text = _told(plan, signs) if yes else _outcome(to_do, command)
    console.show(Reply(_value(plan, signs, done=True), "\n".join(text)))
    return int(failed)


def _told(plan: Sequence[_Change], signs: dict[str, str]) -> list[str]:
    """A heading per client, and a line per file."""
    lines: list[str] = []
    for one in plan:
        sign = signs.get(one.client.name, "")
        heading = one.client.title + (f" ({sign})" if sign else "")
        if one.error:
            lines += [f"✗ {heading}: {one.error.message}; {one.error.hint}"]
        elif one.report and not one.report.changed:
            lines += [f"✓ {heading}: connected, nothing to change"]
            lines += [f"  {note}" for file in one.report.files for note in file.changes]
            lines += _warned(one.report)
        elif one.report:
            lines += [f"{heading}, {one.report.scope}:"]
            lines += [f"  {line}" for line in one.report.lines()]
    return lines


def _outcome(done: Sequence[_Change], command: str) -> list[str]:
    """The outcome of each confirmed change, in lines."""
    lines: list[str] = []
    for one in done:
        if one.error:
            lines.append(f"✗ {one.client.title}: {one.error.message}; {one.error.hint}")
            continue
        lines.append(
            f"✓ {one.client.title}: {'connected' if command == 'install' else 'disconnected'}"
        )
        if one.report:
            lines += _warned(one.report)
        if one.report and one.report.afterwards:
            lines.append(f"  {one.report.afterwards}")
    return lines


def _warned(report: InstallReport) -> list[str]:
    return [f"  warning: {report.warning}"] if report.warning else []


def _value(plan: Sequence[_Change], signs: dict[str, str], *, done: bool) -> dict[str, Any]:
    return {
        "done": done,
        "clients": [
            {
                "client": one.client.name,
                "sign": signs.get(one.client.name, ""),
                "report": _plain(one.report) if one.report else None,
                "error": one.error.as_dict() if one.error else None,
            }
            for one in plan
        ],
    }


def executable() -> list[str]:
    """The command with which a client starts contextd: `contextd` if it is on PATH, else this program."""
    if shutil.which("contextd"):
        return ["contextd"]
    beside = Path(sys.argv[0]).absolute()
    if beside.name.startswith("contextd") and os.access(beside, os.X_OK):
        return [str(beside)]
    return [sys.executable, "-P", "-m", "contextd"]


def _plain(report: Any) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415 - 0.1 s

    return TypeAdapter(type(report)).dump_python(report, mode="json")


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
