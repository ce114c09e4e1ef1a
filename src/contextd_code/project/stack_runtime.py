"""What a project runs on, and what installs its packages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from contextd_code.project.manifests import Manifest
from contextd_code.project.stack_evidence import (
    Share,
    allows_more,
    image_of,
    short_version,
    weight_of,
)
from contextd_code.project.stack_languages import (
    LANGUAGES_OF,
    MARKUP,
    NATIVE,
    RUNTIME_IMAGES,
    RUNTIME_OF,
)

_SERVING, _GOOD_PART = ("composer", "gem", "nuget"), 0.25
"""Ecosystems of sites whose pages are built with npm, and the share of the files that makes it one."""

_SMALL_PART = 0.1
"""A share of the programs below which a manifest deeper down speaks for a part and not for the project."""

_HARDLY = 0.05
"""A share of the files below which a language is what helps a project along."""


def primary_ecosystem(manifests: Sequence[Manifest], languages: Sequence[Share]) -> str:
    """The ecosystem the project belongs to: the nearest manifest's, and among equals the one
    whose languages it is written in.
    """
    share = {one.language: one.share for one in languages}
    compiled = share.get("C", 0.0) + share.get("C++", 0.0) > 0.5
    programs = sum(one.share for one in languages if one.language not in MARKUP)
    half = programs / 2
    main = next(
        (one.language for one in languages if one.share > half and one.language in NATIVE), ""
    )
    asking = [m for m in manifests if m.dependencies]
    needed = {m.ecosystem for m in asking if m.dependencies.keys() - m.dev}
    needed |= {m.ecosystem for m in manifests} - {m.ecosystem for m in asking}
    sites = {
        one for one in _SERVING if sum(share.get(n, 0.0) for n in LANGUAGES_OF[one]) >= _GOOD_PART
    }
    ranked: dict[str, float] = {}
    for manifest in manifests:
        system = manifest.ecosystem
        if system in RUNTIME_OF and not manifest.problem:
            written = sum(share.get(name, 0.0) for name in LANGUAGES_OF[system])
            if (compiled or main) and "/" in manifest.path and written < _HARDLY:
                # The tests of a server in C may be written in Python: it runs on neither.
                continue
            if "/" in manifest.path and written < _SMALL_PART * programs:
                # Bindings for another language run on what the project does not.
                continue
            if not written and system not in needed:
                # A linter of documents is no reason to call it a program of Node.js.
                continue
            score = weight_of(manifest.path) * (0.1 + written)
            if (
                system == "npm"
                and not manifest.publishes
                and sites & {m.ecosystem for m in manifests}
            ):
                # What draws the pages of a site is built with it; the site runs on what serves them.
                score *= 0.25
            ranked[system] = max(ranked.get(system, 0.0), score)
    return max(ranked, key=lambda system: ranked[system], default="")


def runtime_of(manifests: Sequence[Manifest], primary: str) -> tuple[str, str]:
    """What the project runs on with its version, and the file that says so."""
    expected = {RUNTIME_OF.get(primary, "")}
    if primary == "npm":
        expected |= {"Bun", "Deno"}
        if manager_of(manifests, primary)[0] != "bun":
            expected.discard("Bun")
    candidates: list[tuple[int, int, str, str, str]] = []
    for manifest in manifests:
        depth = manifest.path.count("/")
        for name, asked in manifest.runtimes.items():
            # What a package asks of its users goes before what it is developed with.
            promised = manifest.publishes and depth == 0
            rank = -1 if promised else len(manifest.dependencies) > 0
            candidates.append((depth, rank, name, asked, manifest.path))
        # An image deeper down is one of several that a project is tried or published in.
        for image, tag in map(image_of, manifest.images if depth < 2 else ()):
            if image in RUNTIME_IMAGES:
                candidates.append((depth, 2, RUNTIME_IMAGES[image], tag, manifest.path))
    fitting = [one for one in candidates if not primary or one[2] in expected]
    # The SDK that builds a project is not what it runs on, where a project says that.
    fitting = [one for one in fitting if not one[4].endswith("global.json")] or fitting
    if len({_runtime_version(n, asked) for *_, n, asked, _ in fitting if n == ".NET"}) > 1:
        # Of projects that are built for different versions none speaks for the others.
        fitting = [(*one[:3], "", one[4]) if one[2] == ".NET" else one for one in fitting]
    rivals = {one[2] for one in fitting}
    # Something that names Bun or Deno means it; everybody names Node.js.
    if rivals & {"Bun", "Deno"}:
        fitting = [one for one in fitting if one[2] != "Node.js"]
    ordered = sorted(fitting, key=lambda one: one[:2])
    for depth, rank, name, asked, path in ordered:
        if version := _runtime_version(name, asked):
            equal = {_runtime_version(name, o[3]) for o in ordered if o[:3] == (depth, rank, name)}
            # Of members that ask for different versions none speaks for the others.
            agreed = depth == 0 or len(equal - {""}) == 1
            return f"{name} {version}" if agreed else name, path
    name = next((one[2] for one in sorted(fitting)), RUNTIME_OF.get(primary, ""))
    return name, next((m.path for m in manifests if m.ecosystem == primary), "") if name else ""


def _runtime_version(name: str, asked: str) -> str:
    """`3.10+` for `>=3.10` and for `^3.10`, `3.10–3.12` for `>=3.10,<3.13`, `3.12` for one version."""
    found = re.search(r"\d+\.\d+", asked)
    whole = name in ("Node.js", "Java", ".NET", "Deno") or found is None
    version = short_version(asked) if whole or found is None else found[0]
    if "–" in version:
        return version
    if not whole and (last := _last_minor(asked, version)):
        return version if last == version else f"{version}–{last}"
    # A caret, and a tilde before two parts, allow every later minor.
    later = not whole and re.match(r"\s*(?:\^|~>\s*\d+\.\d+\s*$)", asked)
    more = version.endswith("+") or later or allows_more(asked, minors=not whole)
    return version.rstrip("+") + "+" * bool(version and more)


def _last_minor(asked: str, first: str) -> str:
    """The last minor version below an upper bound in the same major: `3.12` for `>=3.10,<3.13`. Empty without one."""
    found = re.search(r"<(=?)\s*v?(\d+)\.(\d+)", asked)
    major = first.partition(".")[0]
    if "|" in asked or found is None or found[2] != major or ">" not in asked:
        return ""
    last = int(found[3]) - (not found[1])
    return f"{major}.{last}" if last >= int(first.partition(".")[2]) else ""


def manager_of(manifests: Sequence[Manifest], primary: str) -> tuple[str, str]:
    """What installs the packages, and the file that says so."""
    fitting = [m for m in manifests if m.manager and m.ecosystem == primary]
    if any(m.ecosystem == "pypi" and m.publishes for m in manifests):
        fitting = [m for m in fitting if m.manager != "conda"]
    # `packageManager` first, then the nearest lock file.
    fitting.sort(
        key=lambda m: (
            not m.path.endswith("package.json"),
            m.path.count("/"),
            m.manager == "gradle",
        )
    )
    if fitting:
        return fitting[0].manager, fitting[0].path
    # A pyproject.toml alone says nothing of what installs it.
    sure = {
        "npm": r"(?:^|/)package\.json$",
        "pypi": r"(?:^|/)(?:require[^/]*\.(?:txt|in)|setup\.py)$",
    }
    named = re.compile(sure.get(primary, "$^"))
    path = next((m.path for m in manifests if named.search(m.path)), "")
    return {"npm": "npm", "pypi": "pip"}.get(primary, "") if path else "", path
