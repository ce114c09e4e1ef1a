"""Detect the layout of a project, with the reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from contextd_code.project.content_type import layout, substance
from contextd_code.project.manifests import Manifest
from contextd_code.project.project_type import CODE, ReasonedValue
from contextd_code.project.stack import Stack
from contextd_code.project.support_code import is_beside

_LAYERS = {
    "controllers": "controllers", "controller": "controllers", "handlers": "controllers",
    "routes": "routes", "routers": "routes", "services": "services", "service": "services",
    "usecases": "services", "use_cases": "services", "repositories": "repositories",
    "repository": "repositories", "dao": "repositories", "models": "models", "model": "models",
    "entities": "models", "entity": "models", "domain": "domain", "application": "application",
    "infrastructure": "infrastructure", "presentation": "presentation", "views": "views",
    "middleware": "middleware", "middlewares": "middleware", "adapters": "adapters",
    "ports": "ports", "persistence": "persistence", "api": "api", "core": "core",
}  # fmt: skip
_KINDS = _LAYERS.keys() | set(
    """composables stores store hooks components utils helpers providers jobs commands exceptions errors logging
    traits http console mail notifications rules policies observers listeners events resources factories
    seeders exception contracts interfaces enums dto concerns common shared lib util""".split()
)
"""Folders named after the role of their files, not after a feature."""

_GOOD_PART, _SIDE = 0.25, 0.05
_SENT = {"static", "public", "assets", "dist"}
"""Folders with static files of a server, which are not packages of the program."""

_FEATURE_HOMES = {"features", "modules", "domains", "feature"}
_ROLE_FILE = re.compile(
    r"(?:Service|Repository|Controller|Resolver|Store|Manager|Handler|Router)\.\w+$"
    r"|\.(?:service|controller|module|repository|resolver|router)\.\w+$"
    r"|^(?:models|views|services|urls|routes|apps)\.py$"
)


def architecture(paths: Sequence[str], stack: Stack) -> ReasonedValue:
    """`monorepo`, `feature-based`, `layered`, `modular` or `unknown`."""
    own = [path for path in paths if not is_beside(path) and CODE.search(path)]
    other = substance(paths, own)
    if other is not None:
        return ReasonedValue("unknown", layout(*other, paths))
    children = _children(own)
    several = _workspace(stack.manifests, own)
    if several:
        return ReasonedValue("monorepo", several)
    for look in (_features, _layers, _sides, _components, _packages, _flat):
        found = look(own, children)
        if found:
            return found
    if own:
        return ReasonedValue("unknown", _places(own, "The code"))
    if paths:
        return ReasonedValue("unknown", _places(paths, "What is here"))
    return ReasonedValue("unknown", "")


def _places(own: Sequence[str], what: str) -> str:
    """The layout by location of the files, if nothing else is known."""
    homes = Counter(path.partition("/")[0] if "/" in path else "" for path in own)
    names = [f"{name}/" if name else "the root" for name, _ in homes.most_common(4)]
    return f"{what} lies in {', '.join(names)}{', …' * (len(homes) > 4)}."


def _children(own: Sequence[str]) -> dict[str, dict[str, int]]:
    """Folder → its subfolders with source files → the number of files below."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in own:
        parts = path.split("/")[:-1]
        for depth, name in enumerate(parts):
            found["/".join(parts[:depth])][name] += 1
    return found


def _workspace(manifests: Sequence[Manifest], own: Sequence[str]) -> str:
    below = {m.ecosystem for m in manifests if "/" in m.path and (m.name or m.dependencies)}
    for manifest in manifests:
        alone = len(manifest.members) == 1 and "*" not in manifest.members[0]
        if (
            manifest.members
            and not alone
            and "/" not in manifest.path
            and manifest.ecosystem in below
        ):
            more = ", …" if len(manifest.members) > 3 else ""
            listed = ", ".join(manifest.members[:3]) + more
            return f"{manifest.path} lists members: {listed}."
    if sides := _two_sides(manifests, own):
        return sides
    homes: dict[str, list[str]] = defaultdict(list)
    for manifest in manifests:
        parts = manifest.path.split("/")
        if len(parts) == 3 and manifest.ecosystem and parts[0] in ("apps", "packages", "services"):
            homes[parts[0]].append(parts[1])
    several = [home for home, names in homes.items() if len(set(names)) > 1]
    return f"{several[0]}/ holds several packages with manifests of their own." if several else ""


def _two_sides(manifests: Sequence[Manifest], own: Sequence[str]) -> str:
    """Two folders of the root that are packages of their own, such as backend and frontend."""
    if any("/" not in m.path and (m.name or m.dependencies) for m in manifests):
        return ""
    sides = {m.path.split("/")[0]: m for m in manifests if m.path.count("/") == 1 and m.ecosystem
             and (m.name or m.dependencies)}  # fmt: skip
    files = Counter(path.partition("/")[0] for path in own)
    # A program that only tries out the package beside it is no side.
    sides = {one: m for one, m in sides.items() if files[one] >= _SIDE * len(own)}
    if len(sides) < 2:
        return ""
    named = ", ".join(sorted(sides)[:4])
    return f"Each of these folders is a package with a manifest of its own: {named}."


def _features(own: Sequence[str], children: dict[str, dict[str, int]]) -> ReasonedValue | None:
    for folder, below in sorted(children.items(), key=lambda one: one[0].count("/")):
        much = sum(below.values()) >= _GOOD_PART * len(own)
        if folder.rpartition("/")[2] in _FEATURE_HOMES and len(below) > 1 and much:
            return ReasonedValue(
                "feature-based", f"{folder}/ has a folder per feature{_names(below)}."
            )
    roles: dict[str, set[str]] = defaultdict(set)
    for path in own:
        folder, _, name = path.rpartition("/")
        parent, _, feature = folder.rpartition("/")
        kinds = {feature.lower(), parent.rpartition("/")[2].lower()}
        if feature and kinds.isdisjoint(_KINDS) and _ROLE_FILE.search(name):
            roles[parent].add(feature)
    parent, found = max(roles.items(), key=lambda one: len(one[1]), default=("", set[str]()))
    if len(found) < 2 or 2 * len(found) < len(children.get(parent, {})):
        return None
    prefix = f"{parent}/" if parent else ""
    if _GOOD_PART * len(own) > sum(path.startswith(prefix) for path in own):
        # Only one part of the project may have this layout.
        return None
    where = f"{parent}/" if parent else "The root"
    named = _names(dict.fromkeys(sorted(found), 1))
    return ReasonedValue("feature-based", f"{where} has a folder per feature{named}.")


def _layers(own: Sequence[str], children: dict[str, dict[str, int]]) -> ReasonedValue | None:
    for folder, below in sorted(children.items(), key=lambda one: one[0].count("/")):
        # A .NET solution names them Shop.Domain, Shop.Infrastructure.
        ends = {name: name.rpartition(".")[2].lower() for name in below}
        layers = [name for name in below if ends[name] in _LAYERS]
        products = {name.rpartition(".")[0] for name in layers if "." in name}
        if len(products) > 1:
            # Catalog.API and Basket.API are services, each with its own layers.
            continue
        if _GOOD_PART * len(own) > sum(below.values()):
            # Only one part of the project may have this layout.
            continue
        if 2 * sum(below[name] for name in layers) < sum(below.values()):
            # Most of the code is outside these folders.
            continue
        if len({_LAYERS[ends[name]] for name in layers}) >= 3:
            where = f"{folder}/" if folder else "The root"
            return ReasonedValue(
                "layered", f"{where} has a folder per layer{_names(dict.fromkeys(layers, 1))}."
            )
    return None


def _sides(own: Sequence[str], children: dict[str, dict[str, int]]) -> ReasonedValue | None:
    pairs = ("server", "client"), ("backend", "frontend"), ("api", "web")
    for folder in ("", "src", "app", "apps", "packages"):
        below = children.get(folder, {})
        for one, other in pairs:
            if one in below and other in below:
                where = f"{folder}/" if folder else ""
                return ReasonedValue(
                    "layered", f"Client-server: {where}{one} and {where}{other} stand apart."
                )
    return None


def _components(own: Sequence[str], children: dict[str, dict[str, int]]) -> ReasonedValue | None:
    for folder in ("", "src", "app", "src/app"):
        if children.get(folder, {}).get("components", 0) >= 2:
            place = f"{folder}/components" if folder else "components"
            return ReasonedValue(
                "modular", f"Component-based: the parts of the pages stand in {place}/."
            )
    return None


def _packages(own: Sequence[str], children: dict[str, dict[str, int]]) -> ReasonedValue | None:
    folder = ""
    while len(children.get(folder, {})) == 1:
        folder = f"{folder}/{next(iter(children[folder]))}".strip("/")
    alone = [_alone(children, home) for home in ("include", "src", "lua", "lib")]
    for place in (folder, "src", "internal", "pkg", "lib", "crates", *alone):
        sure = place in ("internal", "pkg", "crates")
        below = {
            name: n
            for name, n in children.get(place, {}).items()
            if (n > 1 or sure) and name not in _SENT
        }
        if len(below) >= (2 if sure else 3):
            if not place:
                beside = any("/" not in path for path in own)
                where = "in the root and in its folders" if beside else "in folders of the root"
                return ReasonedValue("unknown", f"The code lies {where}{_names(below)}.")
            return ReasonedValue("modular", f"{place}/ is divided into packages{_names(below)}.")
    return None


def _alone(children: dict[str, dict[str, int]], folder: str) -> str:
    """The only folder below another one, at any depth: `include/shop`."""
    while len(children.get(folder, {})) == 1:
        folder = f"{folder}/{next(iter(children[folder]))}"
    return folder


def _flat(own: Sequence[str], children: dict[str, dict[str, int]]) -> ReasonedValue | None:
    """One flat folder with nearly all files."""
    folders: dict[str, int] = defaultdict(int)
    for path in own:
        folders[path.rpartition("/")[0]] += 1
    folder, count = max(folders.items(), key=lambda one: one[1], default=("", 0))
    if count < 3 or 2 * count <= len(own):
        return None
    where = f"{folder}/" if folder else "the root"
    return ReasonedValue(
        "unknown",
        f"Without tests, examples and the like, most of the code lies side by side in {where}.",
    )


def _names(below: dict[str, int]) -> str:
    largest = sorted(below, key=lambda name: (-below[name], name))[:4]
    more = ", …" if len(below) > 4 else ""
    return f": {', '.join(largest)}{more}"
