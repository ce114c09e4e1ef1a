"""The crates of a repository, from `Cargo.toml`: packages, their roots and names."""

from __future__ import annotations

import posixpath
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from itertools import islice
from typing import Any

from contextd_code.index.languages.language import Read, enclosing
from contextd_common.dataclass import dataclass

MANIFEST = "Cargo.toml"
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_UNDECISIVE = frozenset("version description license authors keywords features".split())
_TARGETS = (("bin", "src/bin"), ("example", "examples"), ("test", "tests"), ("bench", "benches"))


@dataclass(frozen=True, slots=True)
class Package:
    """A package.

    It has the root file of its library, or none, the roots of its other targets, and the crates of
    the repository that its code can name, by that name.
    """

    folder: str
    name: str
    library: str
    roots: tuple[str, ...]
    crates: dict[str, str] = field(default_factory=dict)
    old_paths: bool = False


def packages(paths: Set[str], read: Read) -> list[Package]:
    """Every package below the root, innermost folders first."""
    manifests = {
        posixpath.dirname(path): _toml(read, path)
        for path in sorted(paths)
        if posixpath.basename(path) == MANIFEST
    }
    sources = sorted(path for path in paths if path.endswith(".rs"))
    found: dict[str, Package] = {}
    for folder, manifest in manifests.items():
        package = manifest.get("package")
        if isinstance(package, dict) and isinstance(package.get("name"), str):
            found[folder] = _package(folder, manifest, package, paths, sources, manifests)
    by_name: dict[str, Package] = {}
    for one in found.values():
        by_name.setdefault(one.name, one)
    for folder, one in found.items():
        if one.library:
            one.crates[_crate(_library_name(manifests[folder], one.name))] = one.library
        for called, target in _dependencies(folder, manifests, found, by_name):
            if target.library:
                one.crates.setdefault(called, target.library)
    return sorted(found.values(), key=lambda one: (-len(one.folder), one.folder))


def decisive(_path: str, text: str) -> object:
    """The parts of a manifest that affect where paths lead: all but versions and the like."""
    try:
        return _without_versions(tomllib.loads(text))
    except (ValueError, RecursionError):
        return None


def _without_versions(table: Mapping[str, Any]) -> dict[str, Any]:
    decisive_part: dict[str, Any] = {}
    for name, value in table.items():
        if name in _TABLES and isinstance(value, dict):
            decisive_part[name] = {
                called: [wanted.get(key) for key in ("path", "package", "workspace")]
                if isinstance(wanted, dict)
                else None
                for called, wanted in value.items()
            }
        elif isinstance(value, dict):
            decisive_part[name] = _without_versions(value)
        elif name not in _UNDECISIVE:
            decisive_part[name] = value
    return decisive_part


def _toml(read: Read, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(read(path))
    except (OSError, ValueError, RecursionError):
        return {}


def _crate(name: str) -> str:
    return name.replace("-", "_")


def _join(folder: str, path: str) -> str:
    whole = posixpath.normpath(posixpath.join(folder, path))
    return "" if whole == "." else whole


def _library_name(manifest: Mapping[str, Any], package: str) -> str:
    library = manifest.get("lib")
    named = library.get("name") if isinstance(library, dict) else None
    return named if isinstance(named, str) else package


def _package(
    folder: str,
    manifest: Mapping[str, Any],
    package: Mapping[str, Any],
    paths: Set[str],
    sources: Sequence[str],
    manifests: Mapping[str, Mapping[str, Any]],
) -> Package:
    library = manifest.get("lib")
    given = library.get("path") if isinstance(library, dict) else None
    root = _join(folder, given if isinstance(given, str) else "src/lib.rs")
    edition = package.get("edition", "2015")
    if isinstance(edition, dict):
        edition = next(
            (
                value
                for around in enclosing(folder)
                for value in [_shared(manifests, around, "package").get("edition")]
                if isinstance(value, str)
            ),
            "2021",
        )
    return Package(
        folder=folder,
        name=package["name"],
        library=root if root in paths else "",
        roots=tuple(dict.fromkeys(_roots(folder, manifest, package, paths, sources))),
        old_paths=edition == "2015",
    )


def _shared(
    manifests: Mapping[str, Mapping[str, Any]], folder: str, table: str
) -> Mapping[str, Any]:
    """A table under `[workspace]` of the manifest in a folder; empty when there is none."""
    workspace = manifests.get(folder, {}).get("workspace")
    found = workspace.get(table) if isinstance(workspace, dict) else None
    return found if isinstance(found, dict) else {}


def _roots(
    folder: str,
    manifest: Mapping[str, Any],
    package: Mapping[str, Any],
    paths: Set[str],
    sources: Sequence[str],
) -> Iterator[str]:
    listed = [t.get("path") for kind, _ in _TARGETS for t in _rows(manifest.get(kind))]
    build = package.get("build", "build.rs")
    for path in ["src/main.rs", build, *listed]:
        root = _join(folder, path) if isinstance(path, str) else ""
        if root in paths:
            yield root
    for _, place in _TARGETS:
        start = _join(folder, place) + "/"
        for path in islice(sources, bisect_left(sources, start), None):
            if not path.startswith(start):
                break
            inner = path[len(start) :]
            if "/" not in inner or inner.split("/")[1:] == ["main.rs"]:
                yield path


def _rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _dependencies(
    folder: str,
    manifests: Mapping[str, Mapping[str, Any]],
    found: Mapping[str, Package],
    by_name: Mapping[str, Package],
) -> Iterator[tuple[str, Package]]:
    """(the name in code, the package) of each dependency that lies in the repository."""
    for key, value in _listed(manifests[folder]):
        row, place = value if isinstance(value, dict) else {}, folder
        if row.get("workspace") is True:
            place = next((f for f in enclosing(folder) if key in _deps(manifests, f)), folder)
            inherited = _deps(manifests, place).get(key)
            row = inherited if isinstance(inherited, dict) else {}
        path, name = row.get("path"), row.get("package", key)
        package = found.get(_join(place, path)) if isinstance(path, str) else by_name.get(name)
        if package is not None:
            renamed = isinstance(row.get("package"), str)
            library = _library_name(manifests[package.folder], package.name)
            yield _crate(key if renamed else library), package


def _deps(manifests: Mapping[str, Mapping[str, Any]], folder: str) -> Mapping[str, Any]:
    return _shared(manifests, folder, "dependencies")


def _listed(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    platforms = manifest.get("target")
    tables = [manifest, *(platforms.values() if isinstance(platforms, dict) else ())]
    for table in tables:
        for name in _TABLES if isinstance(table, dict) else ():
            listed = table.get(name)
            yield from listed.items() if isinstance(listed, dict) else ()
