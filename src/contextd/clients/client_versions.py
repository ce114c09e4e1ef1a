"""The versions of the clients on this machine, and what is too old."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from contextd.clients.client import Client, is_older
from contextd_code.git.programs import git_environment, program
from contextd_code.processes import run
from contextd_common.errors import Unavailable
from contextd_common.files.guarded import read_file

_SECONDS = 5.0
"""The slowest client took 2.4 s on a busy machine to say its version."""

_AT_ONCE = 4
_LARGEST = 1 << 20
"""Bytes of a manifest of an npm package."""

_LINKS = 5
"""The most links between the name on `PATH` and a program."""
_ABOVE = 4
"""The most folders between a program and the manifest of its npm package."""

_VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+(?:\.\d+)?)")


def installed_versions(clients: Iterable[Client], home: Path) -> dict[str, str]:
    """The version of each client by its name; empty where it is not on `PATH` or does not say."""
    rows = list(clients)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = threads.map(lambda row: _installed_version(row, home), rows)
        return {row.name: version for row, version in zip(rows, found, strict=True)}


def too_old(client: Client, version: str) -> str:
    """What an installed version lacks and how to get it, in a sentence; empty if it is not known to be too old."""
    need = client.versions
    if not version or not need.minimum or not is_older(version, need.minimum):
        return ""
    return (
        f"{client.title} {version} is too old: contextd needs {need.needs}, in {need.minimum} or later; "
        f"{need.update}"
    )


def _installed_version(client: Client, home: Path) -> str:
    for name in client.presence.programs:
        with suppress(Unavailable):
            path = program(name)
            return _packaged(Path(path), name) or _told(client, path, home)
    return ""


def _packaged(path: Path, name: str) -> str:
    """The version in the manifest of the npm package that a program belongs to; empty without one."""
    # A package may link its program to that of another package, for one platform.
    for _ in range(_LINKS):
        for folder in list(path.parents)[:_ABOVE]:
            with suppress(OSError, ValueError):
                manifest = json.loads(read_file(folder / "package.json", _LARGEST))
                if isinstance(manifest, dict) and name in _names_of_programs(manifest.get("bin")):
                    return _first_version(str(manifest.get("version")))
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
    return ""


def _names_of_programs(value: Any) -> Iterable[str]:
    return value if isinstance(value, dict) else ()


def _told(client: Client, path: str, home: Path) -> str:
    """What a program answers to `--version`. It starts in the user's home: some read the folder they start in."""
    if not client.versions.asks:
        return ""
    with suppress(Unavailable):
        # Without a limit of memory: some runtimes reserve gigabytes and use little of them.
        finished = run([path, "--version"], home, git_environment(), _SECONDS, memory=None)
        # A program that refuses to start may name the versions of others.
        if finished.code == 0:
            return _first_version(os.fsdecode(finished.output))
    return ""


def _first_version(text: str) -> str:
    found = _VERSION.search(text)
    return found[1] if found else ""
