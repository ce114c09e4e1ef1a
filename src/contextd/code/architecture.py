"""What sort of project this is and how it is laid out, each with its reason."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from contextd.code.manifests import Manifest
from contextd.code.stack import Found, Stack, is_beside

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
_FEATURE_HOMES = {"features", "modules", "domains", "feature"}
_ROLE_FILE = re.compile(
    r"(?:Service|Repository|Controller|Resolver|Store|Manager|Handler|Router)\.\w+$"
    r"|\.(?:service|controller|module|repository|resolver|router)\.\w+$"
    r"|^(?:models|views|services|urls|routes|apps)\.py$"
)
_CODE = re.compile(
    r"\.(?:[mc]?[jt]sx?|py|go|rs|java|kt|scala|cs|php|rb|exs?|swift|dart|vue|svelte)$"
)

_API_ROUTE = re.compile(r"(?:^|/)(?:app|pages|routes)/api/")
_PAGES = (
    ".html", ".erb", ".blade.php", ".twig", ".heex", ".jinja", ".ejs", ".pug", ".hbs", ".jsp",
    ".cshtml", ".jinja2", ".gohtml", ".tmpl", ".mustache",
)  # fmt: skip
_PAGE_FOLDERS = {"templates", "views", "pages", "resources", "webapp"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A value of the project model, and one sentence saying why."""

    value: str
    reason: str


def project_type(paths: Sequence[str], stack: Stack) -> Verdict:
    """`web-app`, `api`, `cli`, `library`, `fullstack`, or `unknown`."""
    own = [path for path in paths if not is_beside(path)]
    full, back = _used(stack.of("fullstack")), _used(stack.of("backend"))
    front, app = _used(stack.of("frontend")), _used(stack.of("mobile", "desktop"))
    data = _used(stack.of("orm", "database", "api"))
    api = _used(stack.of("api"))
    library = _library(stack.manifests, own)
    command = _command(stack, own)
    if library and not command and not full and not (back and _serves(own)):
        return Verdict("library", library)
    if full:
        return _of_fullstack(full[0], back, front, data, api, paths)
    if command and not front and not (back and _serves(own)):
        return Verdict("cli", command)
    if back and (front or app):
        return Verdict("fullstack", f"{back[0].name} serves and {(front + app)[0].name} shows.")
    if back and _draws_pages(paths):
        return Verdict("web-app", f"{back[0].name} serves pages from templates.")
    if back:
        return Verdict("api", f"{back[0].name} serves, and nothing in it draws pages.")
    if front or app:
        return Verdict("web-app", f"It is built on {(front + app)[0].name}.")
    if command:
        return Verdict("cli", command)
    if library:
        return Verdict("library", library)
    return Verdict("unknown", "No manifest or file says what it is for.")


def _of_fullstack(
    main: Found,
    back: list[Found],
    front: list[Found],
    data: list[Found],
    api: list[Found],
    paths: Sequence[str],
) -> Verdict:
    routes = next((p for p in paths if _API_ROUTE.search(p)), "")
    if main.name in ("Django", "Rails", "Laravel", "Symfony", "Phoenix", "Wagtail"):
        if front:
            return Verdict("fullstack", f"{main.name} serves and {front[0].name} shows.")
        if _draws_pages(paths, few_count=not api):
            return Verdict("web-app", f"{main.name} serves pages from templates.")
        return Verdict("api", f"{main.name} serves, and hardly a template is in it.")
    if back:
        return Verdict("fullstack", f"{main.name} shows and {back[0].name} serves.")
    if routes or data:
        other = f"routes in {routes.rpartition('/')[0]}" if routes else data[0].name
        return Verdict("fullstack", f"{main.name} with {other}.")
    return Verdict("web-app", f"{main.name} shows pages, and no data layer is behind it.")


def architecture(paths: Sequence[str], stack: Stack) -> Verdict:
    """`monorepo`, `feature-based`, `layered`, `modular` or `unknown`."""
    own = [path for path in paths if not is_beside(path) and _CODE.search(path)]
    children = _children(own)
    several = _workspace(stack.manifests)
    if several:
        return Verdict("monorepo", several)
    for look in (_features, _layers, _sides, _components, _packages):
        found = look(own, children)
        if found:
            return found
    return Verdict("unknown", "The folders follow no pattern that is known here.")


def _used(found: Sequence[Found]) -> list[Found]:
    best = max((one.weight for one in found), default=0.0)
    return [one for one in found if not one.only_dev and one.weight >= 0.15 * best]


def _draws_pages(paths: Sequence[str], *, few_count: bool = True) -> bool:
    """Whether there are templates of pages, and, unless a few count, not only those of mails."""
    # They lie in folders that otherwise say nothing about the project.
    pages = sum(
        path.endswith(_PAGES) and not _PAGE_FOLDERS.isdisjoint(path.lower().split("/")[:-1])
        for path in paths
    )
    code = sum(1 for path in paths if _CODE.search(path))
    return pages > 0 and (few_count or 20 * pages >= code)


def _library(manifests: Sequence[Manifest], own: Sequence[str]) -> str:
    for manifest in manifests:
        if manifest.publishes and manifest.path.count("/") <= 2:
            return f"{manifest.path} describes a package for others to depend on."
    if any(m.ecosystem == "cargo" for m in manifests) and not _named(
        own, r"src/(?:main|bin/\w+)\.rs"
    ):
        lib = _named(own, r"src/lib\.rs")
        if lib:
            return f"{lib} is its entry and there is no program."
    if any(m.ecosystem == "go" for m in manifests) and own and not _named(own, r"main\.go"):
        return "It is a Go module without a main package."
    return ""


def _command(stack: Stack, own: Sequence[str]) -> str:
    libraries = _used(stack.of("cli"))
    for manifest in stack.manifests:
        if manifest.commands and manifest.path.count("/") <= 2:
            names = ", ".join(manifest.commands[:3])
            return f"{manifest.path} installs the command {names}."
    if libraries:
        return f"It is built on {libraries[0].name}."
    if any(m.ecosystem == "cargo" for m in stack.manifests):
        main = _named(own, r"src/main\.rs")
        return f"{main} is a program." if main else ""
    if any(m.ecosystem == "go" for m in stack.manifests):
        main = _named(own, r"cmd/[^/]+/main\.go")
        return f"{main} is a program." if main else ""
    return ""


def _serves(own: Sequence[str]) -> bool:
    """Whether something here is the start of a server, not only code for servers."""
    pattern = r"(?:main|app|server|wsgi|asgi|manage|index|Program|Application)\.\w+"
    return bool(_named(own, pattern) or _named(own, r"\w*Application\.(?:java|kt)"))


def _named(own: Sequence[str], pattern: str) -> str:
    compiled = re.compile(rf"(?:^|.*/){pattern}")
    hits = [path for path in own if compiled.fullmatch(path)]
    return min(hits, key=lambda path: (path.count("/"), path), default="")


def _children(own: Sequence[str]) -> dict[str, dict[str, int]]:
    """Folder → its sub-folders with source in them → how many files lie below."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in own:
        parts = path.split("/")[:-1]
        for depth, name in enumerate(parts):
            found["/".join(parts[:depth])][name] += 1
    return found


def _workspace(manifests: Sequence[Manifest]) -> str:
    below = {m.ecosystem for m in manifests if "/" in m.path and (m.name or m.dependencies)}
    for manifest in manifests:
        if manifest.members and "/" not in manifest.path and manifest.ecosystem in below:
            listed = ", ".join(manifest.members[:3])
            return f"{manifest.path} lists members: {listed}."
    homes: dict[str, list[str]] = defaultdict(list)
    for manifest in manifests:
        parts = manifest.path.split("/")
        if len(parts) == 3 and manifest.ecosystem and parts[0] in ("apps", "packages", "services"):
            homes[parts[0]].append(parts[1])
    several = [home for home, names in homes.items() if len(set(names)) > 1]
    return f"{several[0]}/ holds several packages with manifests of their own." if several else ""


def _features(own: Sequence[str], children: dict[str, dict[str, int]]) -> Verdict | None:
    for folder, below in sorted(children.items(), key=lambda one: one[0].count("/")):
        if folder.rpartition("/")[2] in _FEATURE_HOMES and len(below) > 1:
            return Verdict("feature-based", f"{folder}/ has a folder per feature{_names(below)}.")
    roles: dict[str, set[str]] = defaultdict(set)
    for path in own:
        folder, _, name = path.rpartition("/")
        parent, _, feature = folder.rpartition("/")
        if feature and feature not in _LAYERS and _ROLE_FILE.search(name):
            roles[parent].add(feature)
    parent, found = max(roles.items(), key=lambda one: len(one[1]), default=("", set[str]()))
    if len(found) < 2:
        return None
    where = f"{parent}/" if parent else "The root"
    named = _names(dict.fromkeys(sorted(found), 1))
    return Verdict("feature-based", f"{where} has a folder per feature{named}.")


def _layers(own: Sequence[str], children: dict[str, dict[str, int]]) -> Verdict | None:
    for folder, below in sorted(children.items(), key=lambda one: one[0].count("/")):
        layers = [name for name in below if name.lower() in _LAYERS]
        if len({_LAYERS[name.lower()] for name in layers}) >= 3:
            where = f"{folder}/" if folder else "The root"
            return Verdict(
                "layered", f"{where} has a folder per layer{_names(dict.fromkeys(layers, 1))}."
            )
    return None


def _sides(own: Sequence[str], children: dict[str, dict[str, int]]) -> Verdict | None:
    pairs = ("server", "client"), ("backend", "frontend"), ("api", "web")
    for folder, below in sorted(children.items(), key=lambda one: one[0].count("/"))[:50]:
        for one, other in pairs:
            if one in below and other in below:
                where = f"{folder}/" if folder else ""
                return Verdict(
                    "layered", f"Client-server: {where}{one} and {where}{other} stand apart."
                )
    return None


def _components(own: Sequence[str], children: dict[str, dict[str, int]]) -> Verdict | None:
    for folder in ("", "src", "app", "src/app"):
        if children.get(folder, {}).get("components", 0) >= 2:
            place = f"{folder}/components" if folder else "components"
            return Verdict("modular", f"Component-based: the parts of the pages stand in {place}/.")
    return None


def _packages(own: Sequence[str], children: dict[str, dict[str, int]]) -> Verdict | None:
    folder = ""
    while len(children.get(folder, {})) == 1:
        folder = f"{folder}/{next(iter(children[folder]))}".strip("/")
    for place in (folder, "src", "internal", "pkg", "lib", "crates"):
        below = {name: n for name, n in children.get(place, {}).items() if n > 1}
        if len(below) >= 3:
            where = f"{place}/" if place else "The root"
            return Verdict("modular", f"{where} is divided into packages{_names(below)}.")
    return None


def _names(below: dict[str, int]) -> str:
    largest = sorted(below, key=lambda name: (-below[name], name))[:4]
    more = ", …" if len(below) > 4 else ""
    return f": {', '.join(largest)}{more}"
