"""The common form of all manifests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest, lock or version file.

    `dependencies` maps a name, as its ecosystem writes it, to what was asked for ("" for any);
    `dev` are those only needed to develop. `versions` are exact ones known here, of a lock file or
    a catalogue. `runtimes` maps "Node.js", "Python"… to what is required. `members` are patterns
    of directories that belong to this workspace. `commands` are programs it installs; `publishes`
    says that others can depend on it, `private` that nobody shall: never both. `images` are container images. `about` is what it says of
    itself; `topics` are its classifiers and keywords. `properties` are names that stand for versions.
    `references` are the folders of other packages of the repository that its build declares, None where
    the format declares none. `aliases` are the short names of a version catalogue: in the catalogue each with its
    dependency, in a build script each that the script uses, with "dev" where only tests do.
    """

    path: str
    ecosystem: str = ""
    name: str = ""
    dependencies: Mapping[str, str] = field(default_factory=dict[str, str])
    dev: frozenset[str] = frozenset()
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    runtimes: Mapping[str, str] = field(default_factory=dict[str, str])
    manager: str = ""
    members: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    publishes: bool = False
    private: bool = False
    images: tuple[str, ...] = ()
    about: str = ""
    topics: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    references: tuple[str, ...] | None = None
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    problem: str = ""


def agreed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Name → its first version, without names whose major versions differ.

    `8.1` and `8.2` are both 8; `8.1` and `9.0` have no common version.
    """
    first: dict[str, str] = {}
    differing: set[str] = set()
    for name, version in pairs:
        if _leading(first.setdefault(name, version)) != _leading(version):
            differing.add(name)
    return {name: version for name, version in first.items() if name not in differing}


def _leading(version: str) -> str:
    found = re.search(r"0\.\d+|\d+", version)
    return found[0] if found else version


def table(value: Any) -> dict[str, Any]:
    """`value` if it is a mapping, else an empty one."""
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def texts(value: Any) -> tuple[str, ...]:
    """The strings of a list; empty for anything else."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def plain(value: Any) -> str:
    """A text on one line; empty for anything else."""
    return " ".join(value.split())[:2_000] if isinstance(value, str) else ""


def wanted(value: Any) -> str:
    """The version of a dependency written as a string or as a table."""
    if isinstance(value, dict):
        value = value.get("version", "")
    return value.strip() if isinstance(value, str) else ""
