"""Decide from manifests whether a project is a library for other projects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from contextd_code.project.manifests import Manifest
from contextd_code.project.stack import Stack
from contextd_code.project.stack_languages import LANGUAGES_OF

INDEX = re.compile(r"(?:(?:public|web|htdocs|html|www)/)?index\.php")
FRONT = re.compile(rf"{INDEX.pattern}|artisan|bin/console")
"""Entry points of PHP applications, which composer.json mostly does not declare."""
RUNNERS = {
    "plugin:org.springframework.boot", "org.springframework.boot:spring-boot-maven-plugin",
    "plugin:application", "plugin:war", "org.apache.maven.plugins:maven-war-plugin",
    "plugin:io.quarkus", "io.quarkus:quarkus-maven-plugin", "plugin:io.ktor.plugin",
    "plugin:io.micronaut.application", "io.micronaut.maven:micronaut-maven-plugin",
    "org.apache.maven.plugins:maven-shade-plugin", "org.apache.maven.plugins:maven-assembly-plugin",
    "plugin:com.github.johnrengelman.shadow", "plugin:com.gradleup.shadow", "plugin:com.android.application",
    "plugin:com.google.cloud.tools.jib", "com.google.cloud.tools:jib-maven-plugin",
}  # fmt: skip
"""Plugins by which a JVM build produces a program; a family of libraries uses none of them."""
_FAMILY = 3
_PACKERS = {
    "org.apache.maven.plugins:maven-shade-plugin",
    "org.apache.maven.plugins:maven-assembly-plugin",
}
"""Plugins that may also package sources, or the hidden dependencies of a library."""
_JVM_CODE = re.compile(r"(?:^|/)src/main/(?:java|kotlin|scala)/")
_JVM_START = re.compile(
    r"src/main/(?:java|kotlin|scala)/(?:.*/)?(?:\w*(?:Application|Main|Launcher)|App|Server)\.(?:java|kt|scala)$"
)
_STARTER = re.compile(r"org\.springframework\.boot:spring-boot-starter-(?!parent)")
"""Starters bundle the dependencies of an application."""


_PLUGIN = re.compile(r"(?:plugin|autoload|lua/[^/]+)/[^/]+\.(?:lua|vim)|lua/[^/]+\.lua")
"""Folders in which Neovim looks for plugins."""

_EMACS = re.compile(r"(?:(?:lisp|src)/)?[^/.]+\.el")


def why_family(manifests: Sequence[Manifest], own: Sequence[str]) -> str:
    """Why a workspace is a family of libraries: most packages are published, and private ones only
    try them out. Else empty.
    """
    known = set(own)
    members = [m for m in manifests if m.name and "/" in m.path and m.ecosystem in ("npm", "cargo")]
    public = [
        m
        for m in members
        if not m.private
        and (m.publishes or m.path.removesuffix("Cargo.toml") + "src/lib.rs" in known)
    ]
    programs = any(programs_of_crates(manifests, own).values())
    if len(public) < 3 or programs or 2 * len(public) < len(members):
        return ""
    listed = ", ".join(m.name for m in public[:3]) + (", …" if len(public) > 3 else "")
    return f"{len(public)} packages are published for others to depend on: {listed}."


def why_library(
    manifests: Sequence[Manifest], own: Sequence[str], programs: Sequence[str] = ()
) -> str:
    """Why a project is a package, or a family of packages, for other projects; else empty.

    `programs` are files with a main function.
    """
    starts = file_matching(own, FRONT)
    # Swift packages beside an Xcode project are parts of its app.
    built_by_xcode = any(".xcodeproj/" in path for path in own)
    for manifest in manifests:
        if manifest.ecosystem == "composer" and starts:
            continue
        if manifest.ecosystem == "swift" and "/" in manifest.path and built_by_xcode:
            continue
        part = manifest.ecosystem == "maven" and "/" in manifest.path
        if part and any(builds_program(m) for m in manifests):
            # A part that others can depend on says nothing of a family with a program.
            continue
        if manifest.publishes and manifest.path.count("/") <= 2:
            return f"{manifest.path} describes a package for others to depend on."
    others = {m.ecosystem for m in manifests if "/" not in m.path and m.name} - {"cargo"}
    if any(m.ecosystem == "cargo" for m in manifests) and not others:
        lib = file_named(own, r"src/lib\.rs")
        if lib and not any(programs_of_crates(manifests, own).values()):
            return f"{lib} is its entry and there is no program."
    go = any(m.ecosystem == "go" for m in manifests) and file_named(own, r".*\.go")
    if go and not program_of_go(own, programs):
        return "It is a Go module without a main package."
    nets = [m for m in manifests if m.ecosystem == "nuget" and m.name]
    if (
        nets
        and not any(m.commands for m in nets)
        and not any("sdk:microsoft.net.sdk.web" in m.dependencies for m in nets)
    ):
        return f"{nets[0].path} builds a library and there is no program."
    return ""


def program_of_go(own: Sequence[str], programs: Sequence[str]) -> str:
    """The entry file of a Go program: below `cmd` first, then the nearest; empty if there is none.

    A main package may be in a file of any name, so `programs` are files with a main function.
    """
    named = file_named(own, r"cmd/[^/]+/main\.go") or file_named(own, r"main\.go")
    return named or file_matching([p for p in programs if p in set(own)], re.compile(r".*\.go"))


def builds_program(manifest: Manifest) -> bool:
    """Whether a JVM build produces a program."""
    return not RUNNERS.isdisjoint(manifest.dependencies.keys() - manifest.dev)


def why_jvm_family(manifests: Sequence[Manifest]) -> str:
    """Why a JVM build is a family of libraries, else empty: many members are published and few can
    be run, or the root publishes all and none can be run.
    """
    builds = [m for m in manifests if m.ecosystem == "maven"]
    root = next((m for m in builds if "/" not in m.path and m.manager == "maven"), None)
    members = [m for m in builds if "/" in m.path]
    runs = [
        m for m in members if not (RUNNERS - _PACKERS).isdisjoint(m.dependencies.keys() - m.dev)
    ]
    public = [m for m in members if m.publishes and m not in runs and m.manager == "gradle"]
    if len(public) >= _FAMILY and len(public) > _FAMILY * len(runs):
        folders = sorted(m.path.rpartition("/")[0] for m in public)
        listed = ", ".join(folders[:3]) + (", …" if len(folders) > 3 else "")
        return f"{len(public)} members are published for others to depend on: {listed}."
    starts = [m for m in builds if not RUNNERS.isdisjoint(m.dependencies.keys() - m.dev)]
    if root is None or not root.publishes or starts or len(root.members) < _FAMILY:
        return ""
    return f"{root.path} publishes {len(root.members)} members, and none builds a program."


def why_loaded(stack: Stack, own: Sequence[str]) -> str:
    """Evidence that another program, such as an editor or a pipeline, loads the project."""
    language = stack.main_language
    if language == "Lua" and (start := file_matching(own, _PLUGIN)):
        return f"{start} is loaded by an editor."
    if language == "Emacs Lisp" and (start := file_matching(own, _EMACS)):
        return f"{start} and the files beside it are loaded by Emacs."
    step = next(
        (m for m in stack.manifests if m.ecosystem == "actions" and "/" not in m.path), None
    )
    if step is not None and not step.problem and not any(m.commands for m in stack.manifests):
        return f"{step.path} is a step that pipelines of others run."
    return ""


def why_jvm(stack: Stack, own: Sequence[str]) -> str:
    """Why a JVM build produces libraries, else empty: it produces no program, and has members or no
    entry point.
    """
    if stack.main_language not in LANGUAGES_OF["maven"]:
        return ""
    builds = [m for m in stack.manifests if m.ecosystem == "maven"]
    root = next((m for m in builds if "/" not in m.path), None)
    if root is None or any(m.commands for m in builds):
        return ""
    asked = {name for m in builds for name in m.dependencies.keys() - m.dev}
    members, path = max((len(m.members), m.path) for m in builds if "/" not in m.path)
    if members >= _FAMILY and RUNNERS.isdisjoint(asked):
        return f"{path} lists {members} members, and none builds a program."
    if not RUNNERS.isdisjoint(asked - _PACKERS) or any(map(_STARTER.match, asked)):
        return ""
    if any(map(_JVM_START.search, own)) or not any(map(_JVM_CODE.search, own)):
        return ""
    return f"{root.path} builds a package, and nothing in it is the start of a program."


def programs_of_crates(manifests: Sequence[Manifest], own: Sequence[str]) -> Mapping[str, str]:
    """Crate folder → its program, for publishable crates."""
    known = set(own)
    found = {}
    for manifest in manifests:
        if manifest.ecosystem == "cargo" and manifest.name and not manifest.private:
            folder = manifest.path.removesuffix("Cargo.toml")
            main = f"{folder}src/main.rs"
            inside = file_matching(
                own, re.compile(rf"{re.escape(folder)}src/bin/(?:[^/]+|[^/]+/main)\.rs")
            )
            program = main if main in known else inside
            found[folder] = program or (manifest.commands and manifest.path) or ""
    return found


def file_named(own: Sequence[str], pattern: str) -> str:
    """The nearest file whose name matches, optionally with leading folders."""
    return file_matching(own, re.compile(rf"(?:^|.*/){pattern}"))


def file_matching(own: Sequence[str], pattern: re.Pattern[str]) -> str:
    """The nearest file whose whole path matches."""
    hits = [path for path in own if pattern.fullmatch(path)]
    return min(hits, key=lambda path: (path.count("/"), path), default="")
