"""Find the folders that are modules of a project.

These are packages, and below them the level of folders named after subjects, not after layers or a
language's conventions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field

from contextd_code.project.support_code import is_beside_name
from contextd_common.dataclass import dataclass

_WORKSPACES = frozenset("packages apps services libs plugins crates extensions projects".split())
_SOURCES = frozenset("src source sources main java kotlin scala groovy python js ts".split())
_WRAPPERS = _SOURCES | frozenset(
    "cmd pkg internal features feature modules domains domain bounded contexts".split()
)
"""Folders that only contain others."""

_SIDES = frozenset(
    "app lib server client backend frontend web api routes pages views site www".split()
)
"""Folders that contain subjects in one project and are a subject themselves in another."""

_SHOWN_WITH_SIDE = frozenset("client server frontend backend web".split())

_LAYERS = frozenset(
    """components component hooks contexts context layouts layout providers stores store models
    model controllers controller services service repositories repository entities entity dto dtos
    mappers middleware middlewares handlers routers router routes schemas schema crud core common
    shared config configs configuration settings api pages views screens widgets lib queries
    graphql jobs mailers channels policies requests exceptions console events listeners
    notifications db database theme themes i18n""".split()
)
"""Folders named after a type of code, not after a subject."""

_NO_MODULE = frozenset(
    """test tests __tests__ spec specs e2e __mocks__ mocks fixtures __fixtures__ testdata testing example
    examples samples demo demos docs doc documentation scripts script bin assets static public
    styles css typings constants migrations templates benchmarks benchmark benches vendor
    third_party stories storybook .storybook .github generated __generated__ fuzz fuzzer fuzzing
    tutorials tutorial step_definitions buildSrc playground playgrounds""".split()
)
_ONLY_LARGE = frozenset(
    "contrib images locales locale i18n types utils util helpers resources".split()
)
"""Folders that are only a subject if they have much code."""

_VERSION = re.compile(r"v\d+")
_UPKEEP = frozenset(
    "tools tool ci build config configs cmake gradle fastlane jni m4 packaging site sites".split()
)
"""Folders of the root that keep the project going and are no part of it."""

_JVM = re.compile(r"(?:^|/)src/\w+/(?:java|kotlin|scala)/")

_DOMINANT, _LARGE, _MUCH, _FEW_PACKAGES, _SMALL_PROJECT = 0.5, 30, 8, 3, 40


@dataclass(slots=True)
class Folder:
    """A folder in the tree of code files. `count` includes subfolders."""

    path: str
    count: int = 0
    direct: int = 0
    inner: dict[str, Folder] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Unit:
    """A folder that is a module; with `rest`, the files that a divided folder keeps itself."""

    path: str
    count: int
    rest: bool = False
    package: str = ""

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.path.rsplit("/", 1)[-1]


def tree_of(paths: Sequence[str]) -> Folder:
    """The folders of these files."""
    root = Folder("")
    for file in paths:
        here = root
        here.count += 1
        for part in file.split("/")[:-1]:
            path = f"{here.path}/{part}" if here.path else part
            here = here.inner.setdefault(part, Folder(path))
            here.count += 1
        here.direct += 1
    return root


def units_of(root: Folder, packages: Collection[str]) -> list[Unit]:
    """The modules of a file tree. `packages` are folders with a manifest of their own."""
    units = list(_Division(root, frozenset(packages) - {""}).opened(root, "", 0))
    if root.count > _SMALL_PROJECT:
        least = 2 if len(units) <= 12 else max(2, root.count // 200)
        units = [u for u in units if u.count >= least or u.path in packages]
    # The remaining files are counted again: the smallest modules became part of their parent
    # folder.
    modules = [unit for unit in units if not unit.rest]
    for unit in units:
        if unit.rest:
            nested = [u for u in modules if u.path.startswith(f"{unit.path}/")]
            outer = [u for u in nested if not any(_within(u.path, v.path) for v in nested)]
            count = unit.count - sum(u.count for u in outer)
            if count >= 2:
                modules.append(Unit(unit.path, count, True, unit.package))
    return modules


def _within(path: str, other: str) -> bool:
    return path.startswith(f"{other}/")


class _Division:
    """One tree being divided."""

    def __init__(self, root: Folder, packages: frozenset[str]) -> None:
        self.total = root.count or 1
        self.packages = packages
        self.few = len(packages) <= _FEW_PACKAGES

    def opened(self, folder: Folder, package: str, depth: int) -> Iterator[Unit]:
        """The modules in a folder that is not a module itself."""
        for name, inner in folder.inner.items():
            if self.is_left_out(name, inner):
                continue
            yield from self.looked_at(inner, folder, package, depth)
        if folder.path and folder.direct >= 2 and folder.name not in _WORKSPACES:
            yield Unit(folder.path, folder.count, True, package)

    def is_left_out(self, name: str, inner: Folder) -> bool:
        """Whether a folder is not part of the project. A package in it makes it a part."""
        if name.startswith((".", "[", "$")):
            return True
        if inner.path in self.packages and "/src/it/" not in f"/{inner.path}/":
            return name in _NO_MODULE
        if "src/main/java/" in inner.path or "src/main/kotlin/" in inner.path:
            return False
        if f"/{inner.path}".endswith(("/src/it", "/features/support")):
            # What only the integration tests of a Maven build, or Cucumber's features, need.
            return True
        plain = name.lower()
        if plain in _ONLY_LARGE:
            return inner.count < _MUCH or "src/main/" in inner.path
        return plain in _NO_MODULE or inner.path.lower() in _UPKEEP or is_beside_name(name)

    def looked_at(self, folder: Folder, around: Folder, package: str, depth: int) -> Iterator[Unit]:
        """The folder as a module, or the modules inside it."""
        is_package = folder.path in self.packages
        if is_package:
            package = folder.path
        if depth < 40 and self.is_opened(folder, around, is_package):
            yield from self.opened(folder, package, depth + 1)
        elif folder.count >= (1 if self.gathers(around) else 2) or is_package:
            while _JVM.search(folder.path) and len(folder.inner) == 1 and not folder.direct:
                # The parts of a package name before the one that says something.
                folder = next(iter(folder.inner.values()))
            yield Unit(folder.path, folder.count, package=package)

    def is_opened(self, folder: Folder, around: Folder, is_package: bool) -> bool:
        """Whether the folder contains modules and is not one itself."""
        share = folder.count / self.total
        subjects, layers = self.subjects_and_layers(folder)
        divides = sum(1 for inner in subjects + layers if inner.count > 1) >= 2
        only = len(folder.inner) == 1 and not folder.direct
        if is_package:
            large = share >= _DOMINANT or (self.few and folder.count >= _LARGE)
            only_gathers = not folder.direct and "src" not in folder.inner
            if only_gathers and self.packages_in(folder) > 1 and share >= _DOMINANT:
                return True
            return large and (divides or self.has_division(folder))
        if not folder.direct and self.packages_in(folder) >= 2:
            return True
        name = folder.name.lower()
        if around.name in _WORKSPACES and self.gathers(around) and name not in _WRAPPERS:
            return share >= _DOMINANT and divides and folder.count >= _LARGE
        if (self.gathers(folder) and name not in _SIDES) or folder.name.startswith("("):
            return bool(folder.inner) and (folder.direct <= 2 or bool(subjects) or divides)
        if name in _SIDES:
            lead = len(subjects) > len(layers)
            return lead or (share >= _DOMINANT and divides and folder.count >= 20) or only
        if only:
            return share >= 0.1 or "src/main/" in f"{folder.path}/"
        return share >= _DOMINANT and (divides or (folder.direct >= 3 and self.has_parts(folder)))

    def gathers(self, folder: Folder) -> bool:
        """Whether a folder only contains others: by its name; for `packages` or `plugins`, if it
        contains packages or is in the root.
        """
        name = folder.name.lower()
        if name in _WORKSPACES:
            return self.packages_in(folder) > 0 or "/" not in folder.path
        return name in _WRAPPERS or name in _SIDES

    def packages_in(self, folder: Folder) -> int:
        """The number of packages below a folder."""
        return sum(1 for path in self.packages if path.startswith(f"{folder.path}/"))

    def has_parts(self, folder: Folder) -> bool:
        """Whether one of its subfolders has more than one file."""
        return any(
            inner.count > 1
            for name, inner in folder.inner.items()
            if not self.is_left_out(name, inner)
        )

    def has_division(self, folder: Folder) -> bool:
        """Whether a folder has several parts below its wrapper folders."""
        while True:
            inner = [f for n, f in folder.inner.items() if not self.is_left_out(n, f)]
            if sum(1 for f in inner if f.count > 1) >= 2:
                return True
            if len(inner) != 1:
                return False
            folder = inner[0]

    def subjects_and_layers(self, folder: Folder) -> tuple[list[Folder], list[Folder]]:
        """The subfolders, by the subjects they stand for."""
        found: tuple[list[Folder], list[Folder]] = [], []
        for name, inner in folder.inner.items():
            if name.startswith("("):
                # A route group in Next.js is not part of the address.
                subjects, layers = self.subjects_and_layers(inner)
                found[0].extend(subjects)
                found[1].extend(layers)
            elif not self.is_left_out(name, inner):
                layer = name.lower() in _LAYERS or _VERSION.fullmatch(name) is not None
                found[layer].append(inner)
        return found


def by_name(units: Sequence[Unit], fallback: str) -> dict[str, list[Unit]]:
    """Units by module name. Equal names are one subject, unless they are packages."""
    found: dict[str, list[Unit]] = {}
    if len(units) == 1 and units[0].name.lower() in _SOURCES | {"lib"} and fallback:
        return {fallback: list(units)}
    plain = Counter(_plain(unit, fallback) for unit in units)
    for unit in units:
        name = _plain(unit, fallback)
        parts = unit.path.split("/")
        side = unit.package or next((p for p in parts[:-1] if p in _SHOWN_WITH_SIDE), "")
        vague = name.lower() in _LAYERS | _ONLY_LARGE
        if vague and not side and plain[name] > 1:
            side = parts[0]
        if unit.path != unit.package and vague and side not in ("", name):
            name = f"{side.rpartition('/')[2]}-{name}"
        elif (
            plain[name] > 1
            and len(parts) > 1
            and (parts[-2] in _WORKSPACES or unit.path == unit.package)
        ):
            name = f"{parts[-2]}-{name}"
        found.setdefault(name, []).append(unit)
    return found


def _plain(unit: Unit, fallback: str) -> str:
    parts = unit.path.split("/")
    # The remaining files of a `src` are named after its parent.
    while (unit.rest or len(parts) == 1) and parts and parts[-1].lower() in _SOURCES:
        parts.pop()
    name = parts[-1] if parts else fallback
    return re.sub(r"[^\w.-]+", "", name).strip("._-") or name or "root"


def prefixes_of(listed: Mapping[str, Sequence[Unit]]) -> dict[str, tuple[str, ...]]:
    """The folders of each module."""
    found = {}
    for name, units in listed.items():
        paths = {unit.path for unit in units}
        inner = {p for p in paths if any(_within(p, other) for other in paths)}
        found[name] = tuple(sorted(paths - inner))
    return found
