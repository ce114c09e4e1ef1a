"""Evidence for technologies: what asks for them, in which version, and how near to the root."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath

from contextd_code.dataclass import dataclass
from contextd_code.project.manifests import Manifest
from contextd_code.project.manifests.jvm import filled
from contextd_code.project.stack_table import TECHNOLOGIES, Category, Technology

# A client library's version is not its server's, nor a protocol's.
_VERSION_OF_CLIENT = {"database", "messaging"}
_UNVERSIONED = {
    "GraphQL", "gRPC", "MCP", "Android", "Cloudflare Workers", "Testing Library", "Apollo", "LangChain",
    "Supabase", "Firebase", "Jetpack Compose",
}  # fmt: skip
"""Families of packages with versions of their own, and what is only known by a tool for it."""

_OTHER_VERSION = {"github-pages", "mkdocs-material"}
"""Packages that bring a technology and are numbered by themselves."""

_UPPER = re.compile(r"(?:<=?|!=?)\s*v?\d[\w.*+-]*")
"""A bound from above, or what is left out: neither is a version that is used."""

_UNKNOWN = re.compile(r"\$\{?[\w.-]*\}?")


@dataclass(frozen=True, slots=True)
class Share:
    """A language's part of the project's source files, 0 to 1."""

    language: str
    share: float
    files: int


@dataclass(frozen=True, slots=True)
class FoundTechnology:
    """A technology in use. `version` is as short as it is sure: `14`, `4+`, or empty. `weight`
    falls with the distance from the root and rises with the number of places. `evidence` are
    lines like `apps/web/package.json: next ^14.1.0`. `only_dev` when nothing but development
    asks for it.
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
    """What a requirement comes down to: `^14.1` is `14`, `>=4.2` is `4+`, `0.110.1` is `0.110`.

    Alternatives (`^18 || ^20`) come down to the lowest and what follows: `18+`. Empty when no version
    is named.
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
        found_versions.setdefault((major, minor), text + "+" * bool(lower_only))
    if not found_versions:
        return ""
    lowest = found_versions[min(found_versions)]
    several = len({one.rstrip("+") for one in found_versions.values()}) > 1
    return f"{lowest.rstrip('+')}+" if several else lowest


def allows_more(asked: str, *, minors: bool) -> bool:
    """Whether a requirement allows major, or with `minors` minor, versions past its first: `>=5,<7` does, `>=5,<6`
    does not.
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
        versions = sorted(self.versions, key=lambda v: (v[1].endswith("+"), -v[0]))
        version = versions[0][1] if versions else ""
        equal = {v.rstrip("+") for weight, v in versions if weight == versions[0][0]}
        if len(equal) > 1 and versions[0][0] < 1:
            # Of members that ask for different versions none speaks for the others.
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
    """What manifests, file names and imports of standard modules prove, heaviest first. `trials` are
    manifests of tests: they tell what tests are run with.
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
    for manifest in manifests:
        folder, _, name = manifest.path.rpartition("/")
        # The Gemfile of a gem lists what the gem is developed and tried out with.
        beside = manifest.path in aside or (name == "Gemfile" and folder in gems)
        known = _Known(own_names, locked, properties, beside, is_family=bool(aside - tried))
        _from_packages(manifest, known, tallies)
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
    """Packages that only try out or build what a repository of libraries is about: the private ones
    where at least as many are for others to depend on.
    """
    named = [m for m in manifests if m.name and "/" in m.path]
    offered = [m for m in named if m.publishes and not m.private]
    private = [m.path for m in named if m.private]
    few = len(offered) < 3 or len(private) > len(offered)
    return frozenset[str]() if few else frozenset(private)


def _tried_out(manifests: Sequence[Manifest]) -> frozenset[str]:
    """What lies in a folder whose own manifest is neither published nor a member, where the root publishes a
    package of the same ecosystem: an application that only tries the package out.
    """
    top = [m for m in manifests if "/" not in m.path]
    offered = {m.ecosystem for m in top if m.publishes and not m.private}
    offered -= {m.ecosystem for m in top if m.members}
    apps = {
        f"{m.path.rpartition('/')[0]}/"
        for m in manifests
        if "/" in m.path and m.ecosystem in offered and not m.publishes and m.dependencies
    }
    return frozenset(m.path for m in manifests if m.path.startswith(tuple(apps)))


@dataclass(frozen=True, slots=True)
class _Known:
    """What other manifests say that one of them needs. `aside`: it is not what the project is;
    `is_family`: that is several packages for others to use.
    """

    own_names: Set[tuple[str, str]]
    locked: Mapping[tuple[str, str], str]
    properties: Mapping[str, str]
    aside: bool
    only: str = ""
    is_family: bool = False


def _from_packages(manifest: Manifest, known: _Known, tallies: dict[Technology, _Tally]) -> None:
    weight = weight_of(manifest.path) * (0.1 if known.aside else 1.0)
    for name, written in manifest.dependencies.items():
        if (manifest.ecosystem, name) in known.own_names:
            continue
        for row in _rows_for(f"{manifest.ecosystem}/{name}"):
            if known.only and row.category != known.only:
                continue
            asked = _UNKNOWN.sub("", filled(written, known.properties))
            version = short_version(asked)
            exact = known.locked.get((manifest.ecosystem, name), "")
            if exact and (not version or allows_more(asked, minors=version.startswith("0."))):
                version = short_version(_UNKNOWN.sub("", exact))
            other = row.category in _VERSION_OF_CLIENT or row.name in _UNVERSIONED
            if other or name in _OTHER_VERSION:
                version = ""
            # Front ends are built, so their frameworks often stand among the tools.
            dev = known.aside or (
                name in manifest.dev
                and not (
                    manifest.ecosystem == "npm"
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
    """How much a manifest there counts: 1 in the root, less the deeper it lies."""
    return 1.0 / (1 + path.count("/"))


def image_of(image: str) -> tuple[str, str]:
    """Name and tag of a container image."""
    place, _, tag = image.partition("@")[0].rpartition(":")
    if not place or "/" in tag:
        place, tag = image, ""
    return PurePosixPath(place).name, tag
