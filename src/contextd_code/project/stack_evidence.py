"""Evidence for technologies: their requirements, versions, and distance from the root."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath

from contextd_code.project.manifests import Manifest
from contextd_code.project.manifests.jvm import filled
from contextd_code.project.stack_table import TECHNOLOGIES, Category, Technology
from contextd_common.dataclass import dataclass

# A client library's version is not that of its server or protocol.
_VERSION_OF_CLIENT = {"database", "messaging"}
_UNVERSIONED = {
    "GraphQL", "gRPC", "MCP", "Android", "Cloudflare Workers", "Testing Library", "Apollo", "LangChain",
    "Supabase", "Firebase", "Jetpack Compose",
}  # fmt: skip
"""Package families with separate versions, and technologies known only through a tool."""

_OTHER_VERSION = {"github-pages", "mkdocs-material", "@reduxjs/toolkit"}
"""Packages that imply a technology but have their own version numbers."""

_UPPER = re.compile(r"(?:<=?|!=?)\s*v?\d[\w.*+-]*")
"""An upper bound or an exclusion, which is not a version in use."""

_UNKNOWN = re.compile(r"\$\{?[\w.-]*\}?")


@dataclass(frozen=True, slots=True)
class Share:
    """A language's part of the project's source files, 0 to 1."""

    language: str
    share: float
    files: int


@dataclass(frozen=True, slots=True)
class FoundTechnology:
    """A technology in use.

    `version` is as precise as certain: `14`, `4+`, or empty. `weight` falls with the distance from
    the root and rises with the number of places. `evidence` are lines like `apps/web/package.json:
    next ^14.1.0`. `only_dev` if only development requires it.
    """

    name: str
    category: Category
    version: str = ""
    weight: float = 0.0
    evidence: tuple[str, ...] = ()
    only_dev: bool = False

    @property
    def label(self) -> str:
        """Name and version: `Next.js 14`."""
        return f"{self.name} {self.version}".strip()


def short_version(asked: str) -> str:
    """Reduce a requirement to a version: `^14.1` is `14`, `>=4.2` is `4+`, `0.110.1` is `0.110`.

    Alternatives (`^18 || ^20`) come down to the lowest and what follows: `18+`, a range over several majors to
    both ends: `>=3.5,<5.0` is `3–4`. Empty when no version is named.
    """
    found_versions: dict[tuple[int, int], str] = {}
    for alternative in re.split(r"\|\|?", asked):
        one = _UPPER.sub("", alternative).strip(" ,")
        found = re.search(r"(?<![\w.])v?(\d+)(?:\.(\d+))?", one)
        if found is None or len(found[1]) > 4:
            continue
        major, minor = int(found[1]), int(found[2] or 0)
        text = f"0.{minor}" if major == 0 and found[2] else str(major)
        lower_only = re.match(r">=?", one) and not re.search(r"<|~|-\s", alternative)
        last = "" if "." in text else _last_major(alternative)
        text = f"{text}–{last}" if last and int(last) > major else text
        found_versions.setdefault((major, minor), text + "+" * bool(lower_only))
    if not found_versions:
        return ""
    lowest = found_versions[min(found_versions)]
    several = len({one.rstrip("+") for one in found_versions.values()}) > 1
    return f"{lowest.rstrip('+').partition('–')[0]}+" if several else lowest


def _last_major(asked: str) -> str:
    """The last major version below the upper bound of a range such as `>=3.5,<5.0`; empty without one."""
    found = re.search(r"<(=?)\s*v?(\d+)(?:\.(\d+))?", asked)
    if found is None or ">" not in asked:
        return ""
    open_end = not found[1] and not int(found[3] or 0)
    return str(int(found[2]) - open_end)


def allows_more(asked: str, *, minors: bool) -> bool:
    """Whether a requirement allows further major (with `minors`, minor) versions: `>=5,<7` does,
    `>=5,<6` does not.
    """
    if "|" in asked:
        return short_version(asked).endswith("+") or (
            minors and len(set(re.findall(r"(\d+\.\d+)", asked))) > 1
        )
    first = re.match(r"(?:[^>|]*,)?\s*>=?\s*v?(\d+)(?:\.(\d+))?", asked)
    if first is None or re.search(r"~|-\s", asked):
        return False
    last = re.search(r"<(=?)\s*v?(\d+)(?:\.(\d+))?", asked)
    if last is None:
        return "<" not in asked
    major, minor = int(first[1]), int(first[2] or 0)
    following = (major, minor + 1) if minors else (major + 1, 0)
    end = int(last[2]), int(last[3] or 0)
    return end > following or (bool(last[1]) and end == following)


@cache
def _index() -> tuple[dict[str, list[Technology]], list[tuple[str, Technology]]]:
    exact: dict[str, list[Technology]] = defaultdict(list)
    prefixes = []
    for row in TECHNOLOGIES:
        for package in row.packages:
            if package.endswith("*"):
                prefixes.append((package[:-1], row))
            else:
                exact[package].append(row)
    return exact, prefixes


def _rows_for(package: str) -> list[Technology]:
    exact, prefixes = _index()
    starts = (row for prefix, row in prefixes if package.startswith(prefix))
    return exact.get(package) or list(dict.fromkeys(starts))


class _Tally:
    """Evidence for one technology."""

    def __init__(self) -> None:
        self.weight = 0.0
        self.lines: list[str] = []
        self.versions: list[tuple[float, str]] = []
        self.only_dev = True

    def add(self, weight: float, line: str, version: str = "", *, dev: bool = False) -> None:
        self.weight += weight * (0.4 if dev else 1.0)
        self.lines.append(line)
        if version:
            self.versions.append((weight, version))
        self.only_dev &= dev

    def as_found(self, row: Technology) -> FoundTechnology:
        # The version nearest to the root; a sure one before an open one.
        versions = sorted(self.versions, key=lambda v: (v[1].endswith("+") or "–" in v[1], -v[0]))
        version = versions[0][1] if versions else ""
        equal = {v.rstrip("+") for weight, v in versions if weight == versions[0][0]}
        if len(equal) > 1 and versions[0][0] < 1:
            # If members require different versions, none is shown.
            version = ""
        lines = tuple(dict.fromkeys(self.lines))[:5]
        weight = round(self.weight, 3)
        return FoundTechnology(row.name, row.category, version, weight, lines, self.only_dev)


def technologies(
    manifests: Sequence[Manifest],
    own: Sequence[str],
    every: Sequence[str],
    used: Iterable[tuple[str, str]] = (),
    trials: Sequence[Manifest] = (),
) -> tuple[FoundTechnology, ...]:
    """The technologies shown by manifests, file names and imports of standard modules, heaviest
    first.

    `trials` are manifests of tests, which only name test tools.
    """
    tallies: dict[Technology, _Tally] = defaultdict(_Tally)
    locked: dict[tuple[str, str], str] = {}
    own_names = {(manifest.ecosystem, manifest.name) for manifest in manifests}
    properties: dict[str, str] = {}
    for manifest in reversed(manifests):
        locked |= {(manifest.ecosystem, name): v for name, v in manifest.versions.items()}
        properties |= manifest.properties
    locked = {name: filled(version, properties) for name, version in locked.items()}
    tried = _tried_out(manifests)
    aside = private_beside_published(manifests) | tried
    gems = {m.path.rpartition("/")[0] for m in manifests if m.path.endswith(".gemspec")}
    offered = any(m.ecosystem == "pypi" and m.publishes for m in manifests)
    for manifest in manifests:
        folder, _, name = manifest.path.rpartition("/")
        # The Gemfile of a gem lists its development dependencies.
        beside = manifest.path in aside or (name == "Gemfile" and folder in gems)
        # The environment of a published package is what it is developed in.
        beside |= offered and manifest.manager == "conda"
        known = _Known(own_names, locked, properties, beside, is_family=bool(aside - tried))
        if not _is_second_suite(manifest, manifests):
            _from_packages(manifest, known, tallies)
        else:
            _from_packages(manifest, replace(known, never="test"), tallies)
        if manifest.path not in tried:
            _from_images(manifest, tallies)
    for manifest in trials:
        known = _Known(own_names, locked, properties, aside=False, only="test")
        _from_packages(manifest, known, tallies)
    folders = tuple(f"{path.rpartition('/')[0]}/" for path in aside)
    _from_files([path for path in own if not path.startswith(folders)], every, tallies)
    for language, module in sorted(set(used)):
        for row in _rows_for(f"std/{language}:{module}"):
            tallies[row].add(0.2, f"import {module}")
    found = [tally.as_found(row) for row, tally in tallies.items()]
    return tuple(sorted(found, key=lambda one: (-one.weight, one.name)))


def private_beside_published(manifests: Sequence[Manifest]) -> frozenset[str]:
    """Packages that only try out or build the libraries of a repository: the private ones, if at
    least as many are published.
    """
    named = [m for m in manifests if m.name and "/" in m.path]
    offered = [m for m in named if m.publishes]
    private = [m.path for m in named if m.private]
    few = len(offered) < 3 or len(private) > len(offered)
    return frozenset[str]() if few else frozenset(private)


def trial_folders(manifests: Sequence[Manifest]) -> tuple[str, ...]:
    """Folders, each with a slash at its end, whose own manifest is neither published nor a member, where the root
    publishes a package of the same ecosystem: applications that only try the package out.
    """
    top = [m for m in manifests if "/" not in m.path]
    offered = {m.ecosystem for m in top if m.publishes}
    offered -= {m.ecosystem for m in top if m.members}
    published = {m.path.rpartition("/")[0] for m in manifests if m.publishes}
    folders = {
        m.path.rpartition("/")[0]: ""
        for m in manifests
        if "/" in m.path and m.ecosystem in offered and not m.publishes and m.dependencies
    }
    return tuple(f"{one}/" for one in folders if one not in published)


def apart_from_root(manifests: Sequence[Manifest]) -> frozenset[str]:
    """Packages of npm in folders of a repository whose root is one itself and lists no members: they serve its upkeep."""
    roots = [m for m in manifests if m.path == "package.json" and m.name and not m.problem]
    if not roots or any(m.members for m in manifests):
        return frozenset()
    return frozenset(m.path for m in manifests if m.ecosystem == "npm" and "/" in m.path)


def _tried_out(manifests: Sequence[Manifest]) -> frozenset[str]:
    apps = trial_folders(manifests)
    return frozenset(m.path for m in manifests if m.path.startswith(apps))


@dataclass(frozen=True, slots=True)
class _Known:
    """The technologies that other manifests need.

    `aside`: it is not the project's main manifest; `is_family`: the project is several packages for
    others to use.
    """

    own_names: Set[tuple[str, str]]
    locked: Mapping[tuple[str, str], str]
    properties: Mapping[str, str]
    aside: bool
    only: str = ""
    never: str = ""
    is_family: bool = False


def _is_second_suite(manifest: Manifest, manifests: Sequence[Manifest]) -> bool:
    """Whether a folder that is no member of a workspace declares tests of its own, beside those of the root."""
    if "/" not in manifest.path:
        return False
    top = [m for m in manifests if "/" not in m.path and m.ecosystem == manifest.ecosystem]
    asked = (f"{m.ecosystem}/{name}" for m in top for name in m.dependencies)
    tested = any(row.category == "test" for one in asked for row in _rows_for(one))
    return tested and not any(m.members for m in top)


def _from_packages(manifest: Manifest, known: _Known, tallies: dict[Technology, _Tally]) -> None:
    weight = weight_of(manifest.path) * (0.1 if known.aside else 1.0)
    for name, written in manifest.dependencies.items():
        if (manifest.ecosystem, name) in known.own_names:
            continue
        for row in _rows_for(f"{manifest.ecosystem}/{name}"):
            if known.only not in ("", row.category) or known.never == row.category:
                continue
            asked = _UNKNOWN.sub("", filled(written, known.properties))
            version = short_version(asked)
            exact = known.locked.get((manifest.ecosystem, name), "")
            if exact and (not version or allows_more(asked, minors=version.startswith("0."))):
                version = short_version(_UNKNOWN.sub("", exact))
            other = row.category in _VERSION_OF_CLIENT or row.name in _UNVERSIONED
            if other or name in _OTHER_VERSION:
                version = ""
            # Front ends are built, so their frameworks are often development
            # dependencies.
            dev = known.aside or (
                name in manifest.dev
                and not (
                    manifest.ecosystem == "npm"
                    and not manifest.publishes
                    and row.category in ("frontend", "fullstack", "ui")
                    and not known.is_family
                )
            )
            line = f"{manifest.path}: {name} {asked}".rstrip()
            tallies[row].add(weight, line, version, dev=dev)


def _from_images(manifest: Manifest, tallies: dict[Technology, _Tally]) -> None:
    for image in manifest.images:
        name, tag = image_of(image)
        for row in TECHNOLOGIES:
            if name in row.images:
                line = f"{manifest.path}: {image}"
                tallies[row].add(weight_of(manifest.path), line, short_version(tag))


def _from_files(
    own: Sequence[str], every: Sequence[str], tallies: dict[Technology, _Tally]
) -> None:
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in own:
        by_name[path.rpartition("/")[2]].append(path)
    for row in TECHNOLOGIES:
        for pattern in row.files:
            if "/" in pattern or row.category == "ci":
                hits = [path for path in every if _same_place(path, pattern)]
            elif "*" in pattern:
                hits = [p for name, ps in by_name.items() if fnmatchcase(name, pattern) for p in ps]
            else:
                hits = by_name.get(pattern, [])
            for path in sorted(hits, key=lambda p: p.count("/"))[:3]:
                tallies[row].add(0.5 * weight_of(path), path)


def _same_place(path: str, pattern: str) -> bool:
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)


def weight_of(path: str) -> float:
    """The weight of a manifest: 1 in the root, less the deeper it is."""
    return 1.0 / (1 + path.count("/"))


def image_of(image: str) -> tuple[str, str]:
    """Name and tag of a container image."""
    place, _, tag = image.partition("@")[0].rpartition(":")
    if not place or "/" in tag:
        place, tag = image, ""
    return PurePosixPath(place).name, tag
