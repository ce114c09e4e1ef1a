"""Detect coding clients on this machine, and whether they are connected."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Literal

from contextd.clients import CLIENTS
from contextd.clients.client import Client, InstallScope
from contextd.clients.config_text import decode, load
from contextd.clients.install import files_of, moved_files, uninstall
from contextd.thin.home import directory_from
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

Connection = Literal["connected", "partly", "not connected", "unreadable"]


@dataclass(frozen=True, slots=True)
class PresentClient:
    """A client on this machine, and the evidence for it."""

    client: Client
    sign: str


def sign_of(client: Client, home: Path) -> str:
    """The evidence that a client is on this machine; empty without any."""
    chosen = directory_from(client.configuration.variable)
    for place in client.presence.made:
        path = place.paths(home, chosen)[0]
        with suppress(OSError):
            path.stat()
            return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
    found = next((name for name in client.presence.programs if shutil.which(name)), "")
    return f"{found} on PATH" if found else ""


def present_clients(home: Path) -> list[PresentClient]:
    """The clients on this machine, in table order."""
    signs = ((row, sign_of(row, home)) for row in CLIENTS.values())
    return [PresentClient(row, sign) for row, sign in signs if sign]


def connection_of(client: Client, home: Path, root: Path | None) -> tuple[Connection, str]:
    """Whether contextd is configured in a client's files, of the project when `root` is given, and in which of
    them it is missing; for unreadable files, what is wrong.
    """
    scope: InstallScope = "user" if root is None else "project"
    if not client.configuration.held(scope):
        return "not connected", ""
    try:
        report = uninstall(
            client.name,
            home,
            root,
            scope=scope,
            config_dir=directory_from(client.configuration.variable),
            dry_run=True,
        )
    except ContextdError as error:
        return "unreadable", f"{error.message} ({error.hint})"
    missing = [str(file.path) for file in report.files if file.state == "unchanged"]
    if not missing:
        return "connected", ""
    return ("partly", ", ".join(missing)) if report.changed else ("not connected", "")


def unfit_entries(client: Client, home: Path, root: Path | None, version: str) -> str:
    """What this version of the client, empty when unknown, does not understand of contextd's entries, as a clause;
    empty if nothing. `root` as for `connection_of`.
    """
    chosen = directory_from(client.configuration.variable)
    for path, parts in moved_files(client, home, root, chosen).items():
        with suppress(ContextdError):
            text, _ = decode(load(path), path, parts)
            if any(part.without(text, client.name)[1] for part in parts):
                return f"{path}: some versions refuse to start with a file there"
    for path, parts in files_of(client, home, root, chosen).items():
        with suppress(ContextdError):
            text, _ = decode(load(path), path, parts)
            for part in parts:
                if fault := part.unfit(text, client.name, version):
                    return f"{path}: {fault}"
    return ""
