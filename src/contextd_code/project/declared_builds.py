"""The dependencies between packages of a repository that build files declare (Gradle, .NET, Cargo)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from contextd_code.project.manifests import Manifest

Builds = Mapping[str, frozenset[str]]
"""Package folder → the package folders visible to its build, itself included."""


def declared_builds(manifests: Sequence[Manifest]) -> Builds:
    """Follow the declared references of each package; empty if no build declares any."""
    direct: dict[str, set[str]] = {}
    for ecosystem in ("maven", "nuget"):
        own = [
            m
            for m in manifests
            if m.ecosystem == ecosystem and m.references is not None and not m.problem
        ]
        root = [m for m in own if "/" not in m.path]
        # A root script may declare dependencies of its subprojects in ways that only
        # Gradle understands.
        if any(m.references for m in own) and not any(m.references for m in root):
            by_name = {_plain(_folder(m)): _folder(m) for m in own}
            for m in own:
                found = (by_name.get(_plain(r), r) for r in m.references or ())
                direct.setdefault(_folder(m), set()).update(found)
    closed = {folder: _closure(folder, direct) for folder in direct}
    crates = {m.name: _folder(m) for m in manifests if m.ecosystem == "cargo" and m.name}
    for m in manifests:
        if m.ecosystem == "cargo" and m.name and not m.problem:
            # A crate names only crates in its own manifest, even if those re-export
            # items of another crate.
            named = {crates[name] for name in m.dependencies if name in crates}
            closed[_folder(m)] = frozenset({_folder(m), *named, *(m.references or ())})
    return closed


def within_builds(
    weighted: Mapping[tuple[str, str], int], builds: Builds
) -> dict[tuple[str, str], int]:
    """The edges between files that no declared build contradicts.

    A file names types of its own namespace without an import. If two packages share a namespace,
    only the build determines which one is meant.
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
