"""Which packages of a repository each package is built with, where the build files declare it (Gradle, .NET, Cargo)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from contextd_code.project.manifests import Manifest

Builds = Mapping[str, frozenset[str]]
"""Folder of a package → the folders of the packages that its build can see, itself included."""


def declared_builds(manifests: Sequence[Manifest]) -> Builds:
    """Follow the declared references of each package; empty where no build declares any."""
    direct: dict[str, set[str]] = {}
    for ecosystem in ("maven", "nuget"):
        own = [
            m
            for m in manifests
            if m.ecosystem == ecosystem and m.references is not None and not m.problem
        ]
        root = [m for m in own if "/" not in m.path]
        # A root script may declare what the projects below it depend on, in ways that only Gradle follows.
        if any(m.references for m in own) and not any(m.references for m in root):
            by_name = {_plain(_folder(m)): _folder(m) for m in own}
            for m in own:
                found = (by_name.get(_plain(r), r) for r in m.references or ())
                direct.setdefault(_folder(m), set()).update(found)
    closed = {folder: _closure(folder, direct) for folder in direct}
    crates = {m.name: _folder(m) for m in manifests if m.ecosystem == "cargo" and m.name}
    for m in manifests:
        if m.ecosystem == "cargo" and m.name and not m.problem:
            # A crate names only what its own manifest declares, also where that hands out another crate's items.
            named = {crates[name] for name in m.dependencies if name in crates}
            closed[_folder(m)] = frozenset({_folder(m), *named, *(m.references or ())})
    return closed


def within_builds(
    weighted: Mapping[tuple[str, str], int], builds: Builds
) -> dict[tuple[str, str], int]:
    """The edges between files that no declared build contradicts.

    A file names a type of its own namespace without an import. Where two packages share a
    namespace, only the build says which of them it means.
    """
    if not builds:
        return dict(weighted)
    packages: dict[str, str | None] = {}

    def package(path: str) -> str | None:
        folder = path.rpartition("/")[0]
        if folder not in packages:
            packages[folder] = folder if folder in builds else (package(folder) if folder else None)
        return packages[folder]

    agreeing = {}
    for (start, end), weight in weighted.items():
        one, other = package(start), package(end)
        if not one or not other or other in builds[one]:
            agreeing[start, end] = weight
    return agreeing


def _closure(folder: str, direct: Mapping[str, set[str]]) -> frozenset[str]:
    found, todo = {folder}, [folder]
    while todo:
        more = direct.get(todo.pop(), set()) - found
        found |= more
        todo.extend(more)
    return frozenset(found)


def _folder(manifest: Manifest) -> str:
    return manifest.path.rpartition("/")[0]


def _plain(folder: str) -> str:
    """A folder as Gradle's type-safe accessors spell it: `wear-datalayer` is `wearDatalayer`."""
    return re.sub(r"[-_.]", "", folder).lower()
