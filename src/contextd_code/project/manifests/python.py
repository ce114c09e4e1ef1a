"""Python's many formats of requirements."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from contextd_code.project.manifests.model import Manifest, plain, table, texts, wanted
from contextd_common.files.yaml_text import load_plain

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^;#@]*)")


def plain_name(name: str) -> str:
    """A distribution's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _asked(lines: Iterable[str]) -> dict[str, str]:
    found = {}
    for line in lines:
        if not line.lstrip().startswith(("-", "#", "git+", "http:", "https:", ".", "/")) and (
            matched := _REQUIREMENT.match(line)
        ):
            # pip-compile writes the hashes of a distribution behind its version.
            found[plain_name(matched[1])] = matched[2].partition(" --")[0].strip(" ()")
    return found


def _tables(value: Any) -> dict[str, str]:
    return {plain_name(name): wanted(spec) for name, spec in table(value).items()}


def pyproject(path: str, text: str) -> Manifest:
    """PEP 621, dependency groups, Poetry, PDM and uv in one."""
    data = table(tomllib.loads(text))
    project, tool = table(data.get("project")), table(data.get("tool"))
    poetry, uv = table(tool.get("poetry")), table(tool.get("uv"))
    needed = _asked(texts(project.get("dependencies"))) | _tables(poetry.get("dependencies"))
    python = str(project.get("requires-python") or needed.pop("python", ""))
    extra: dict[str, str] = {}
    groups = [project.get("optional-dependencies"), data.get("dependency-groups")]
    groups.append(table(tool.get("pdm")).get("dev-dependencies"))
    for group in groups:
        for lines in table(group).values():
            extra |= _asked(texts(lines))
    extra |= _asked(texts(uv.get("dev-dependencies"))) | _tables(poetry.get("dev-dependencies"))
    for group in table(poetry.get("group")).values():
        extra |= _tables(table(group).get("dependencies"))
    manager = next((name for name in ("uv", "poetry", "pdm", "pixi") if tool.get(name)), "")
    name = str(project.get("name") or poetry.get("name") or "")
    scripts = {**table(project.get("scripts")), **table(poetry.get("scripts"))}
    return Manifest(
        path,
        "pypi",
        name,
        {**extra, **needed},
        frozenset(extra) - frozenset(needed),
        runtimes={"Python": python} if python else {},
        manager=manager,
        members=texts(table(uv.get("workspace")).get("members")),
        commands=tuple(scripts),
        publishes=bool(name and data.get("build-system")),
        about=plain(project.get("description") or poetry.get("description")),
        topics=(*texts(project.get("classifiers")), *texts(poetry.get("classifiers"))),
    )


_DRAWN_IN = re.compile(
    r"^\S[^\n]*\n(?=[ \t]+#[ \t]*via)(?:[ \t]+#(?![^\n]*(?:-r |\())[^\n]*(?:\n|\Z))+(?![ \t]+#)",
    re.MULTILINE,
)
"""A line that pip-compile or uv wrote for an indirect dependency."""


def requirements(path: str, text: str) -> Manifest:
    """requirements.txt; one named after tests or development lists development dependencies."""
    text = _DRAWN_IN.sub("", text.replace("\\\n", " "))
    asked = _asked(text.splitlines())
    only = re.search(r"dev|test|lint|doc|ci\b", PurePosixPath(path).stem)
    dev = frozenset(asked) if only else frozenset[str]()
    return Manifest(path, "pypi", dependencies=asked, dev=dev)


def setup_cfg(path: str, text: str) -> Manifest:
    """The declarative setup of setuptools."""
    config = configparser.RawConfigParser(strict=False)
    config.read_string(text)
    needed = _asked(config.get("options", "install_requires", fallback="").splitlines())
    extra: dict[str, str] = {}
    if config.has_section("options.extras_require"):
        for _, lines in config.items("options.extras_require"):
            extra |= _asked(lines.splitlines())
    python = config.get("options", "python_requires", fallback="")
    scripts = config.get("options.entry_points", "console_scripts", fallback="").splitlines()
    name = config.get("metadata", "name", fallback="")
    return Manifest(
        path, "pypi", name, {**extra, **needed}, frozenset(extra) - frozenset(needed),
        runtimes={"Python": python} if python else {}, publishes=bool(name),
        commands=tuple(line.partition("=")[0].strip() for line in scripts if "=" in line),
        about=plain(config.get("metadata", "description", fallback="")),
        topics=tuple(config.get("metadata", "classifiers", fallback="").strip().splitlines()),
    )  # fmt: skip


def setup_py(path: str, text: str) -> Manifest:
    """The literal arguments of `setup(…)`; the file is never run."""
    tree = ast.parse(text)
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        called = (
            getattr(node.func, "id", getattr(node.func, "attr", ""))
            if isinstance(node, ast.Call)
            else ""
        )
        if isinstance(node, ast.Call) and called == "setup":
            arguments = {word.arg: word.value for word in node.keywords if word.arg}
            given = {
                name: _literal(named.get(value.id, value) if isinstance(value, ast.Name) else value)
                for name, value in arguments.items()
            }
            return _of_setup(path, given)
    return Manifest(path, "pypi")


def _console_scripts(text: str) -> list[str]:
    """The lines below `[console_scripts]` of entry points in one text."""
    section = ""
    found = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line
        elif section == "[console_scripts]" and line:
            found.append(line)
    return found


def _of_setup(path: str, values: Mapping[str, Any]) -> Manifest:
    python = values.get("python_requires")
    points = values.get("entry_points")
    if isinstance(points, str):
        entries: list[str] = _console_scripts(points)
    else:
        scripts = table(points).get("console_scripts")
        entries = scripts.splitlines() if isinstance(scripts, str) else list(texts(scripts))
    lines = values.get("install_requires")
    needed = _asked(lines.splitlines() if isinstance(lines, str) else texts(lines))
    extra: dict[str, str] = {}
    for group in (*table(values.get("extras_require")).values(), values.get("tests_require")):
        extra |= _asked(texts(group))
    return Manifest(
        path, "pypi", str(values.get("name") or ""), {**extra, **needed},
        frozenset(extra) - frozenset(needed),
        runtimes={"Python": python} if isinstance(python, str) else {},
        commands=tuple(line.partition("=")[0].strip() for line in entries if "=" in line), publishes=True,
        about=plain(values.get("description")), topics=texts(values.get("classifiers")),
    )  # fmt: skip


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def pipfile(path: str, text: str) -> Manifest:
    """Pipenv."""
    data = table(tomllib.loads(text))
    needed, extra = _tables(data.get("packages")), _tables(data.get("dev-packages"))
    python = table(data.get("requires")).get("python_version")
    return Manifest(
        path, "pypi", "", {**extra, **needed}, frozenset(extra) - frozenset(needed),
        runtimes={"Python": str(python)} if python else {}, manager="pipenv",
    )  # fmt: skip


def conda(path: str, text: str) -> Manifest:
    """A Conda environment, with the pip list inside it."""
    listed = table(load_plain(text)).get("dependencies")
    lines = list(texts(listed))
    for item in listed if isinstance(listed, list) else ():
        lines += texts(table(item).get("pip"))
    asked = _asked(lines)
    python = asked.pop("python", "").lstrip("=")
    return Manifest(
        path, "pypi", "", asked, runtimes={"Python": python} if python else {}, manager="conda"
    )
