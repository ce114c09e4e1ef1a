"""The project model of `.context/project.yaml`: its shape, and reading it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, nearest
from contextd_common.files import yaml_text
from contextd_common.files.guarded import read_file

ProjectType = Literal[
    "web-app", "mobile-app", "desktop-app", "api", "cli", "library", "fullstack", "infrastructure",
    "data", "notebooks", "documentation", "configuration", "unknown",
]  # fmt: skip
Pattern = Literal["feature-based", "layered", "modular", "monorepo", "unknown"]
Role = Literal["entry", "config", "core", "test"]

ROOT = "."
"""In the paths of a module: files in the root itself."""

VERSION = "1.0"
"""The supported version of the file format."""

LARGEST = 2_000_000
LONGEST_NAME = 100
LISTS = "languages", "databases", "testing", "tools", "ci", "executables", "commands"
"""Lists below `tech` other than the stack."""

_TOLD = 20
"""The most problems named in a message."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """An important file. `path` is relative to the project's root."""

    path: str
    role: str = "core"
    description: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """A known issue and its solution. `discovered_at` is ISO 8601 or empty."""

    description: str
    solution: str = ""
    session_id: str = ""
    discovered_at: str = ""


@dataclass(frozen=True, slots=True)
class Module:
    """A feature or domain of the project. `dependencies` are names of other modules, `paths` its
    folders and files.
    """

    name: str
    description: str = ""
    key_files: tuple[KeyFile, ...] = ()
    patterns: tuple[str, ...] = ()
    business_rules: tuple[str, ...] = ()
    common_issues: tuple[Issue, ...] = ()
    dependencies: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def holds(self, path: str) -> int:
        """How well a file matches the module: the length of the longest of `paths` around it, more
        for an exact path or key file, 0 for none.

        Without `paths` the folders of the key files count.
        """
        if any(path == file.path for file in self.key_files) or path in self.paths:
            return len(path) + 1
        if "/" not in path and ROOT in self.paths:
            return 1
        folders = self.paths or tuple(f.path.rpartition("/")[0] for f in self.key_files)
        return max((len(f) for f in folders if f and path.startswith(f"{f}/")), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectModel:
    """The content of project.yaml. Instants are ISO 8601 text, empty if missing.

    `warnings` name values that the schema does not allow, with their lines: unknown, too long,
    duplicate. They are kept as written.
    """

    name: str
    version: str = "1.0"
    id: str = ""
    type: str = "unknown"
    path: str = "."
    stack: tuple[str, ...] = ()
    runtime: str = ""
    package_manager: str = ""
    about: str = ""
    languages: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    testing: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    ci: tuple[str, ...] = ()
    executables: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    pattern: str = "unknown"
    description: str = ""
    modules: Mapping[str, Module] = field(default_factory=dict[str, Module])
    created_at: str = ""
    updated_at: str = ""
    last_scan_at: str = ""
    warnings: tuple[str, ...] = ()


def load(path: Path) -> ProjectModel:
    """Read and validate a project.yaml. Unknown keys are allowed and ignored.

    Raises `NotFound` if there is none, and `Invalid` naming every problem with its line.
    """
    return parse_model(read_text(path), path)


def read_text(path: Path) -> str:
    """The text of a YAML file. Raises `NotFound`, or `Invalid` if it is not text."""
    try:
        data = read_file(path, LARGEST + 1, within=path.parent.parent, cut=True)
    except FileNotFoundError as error:
        raise NotFound(f"there is no {path}", "run `contextd init`") from error
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}", "check the file") from error
    if len(data) > LARGEST:
        raise Invalid(f"{path} has more than {LARGEST:,} bytes", "keep what people need in it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Invalid(f"{path}, line {line}: not UTF-8", "save the file as UTF-8") from error


def parse_model(text: str, path: Path) -> ProjectModel:
    """The model that `text` describes; `path` only names it in errors. Raises `Invalid`."""
    walk = _Walk(path)
    top = walk.mapping(compose(text, path), "")
    project, tech = (
        walk.mapping(top.get("project"), "project"),
        walk.mapping(top.get("tech"), "tech"),
    )
    layout = walk.mapping(top.get("architecture"), "architecture")
    dates = walk.mapping(top.get("metadata"), "metadata")
    modules = walk.mapping(top.get("modules"), "modules")
    model = ProjectModel(
        name=walk.name(project.get("name"), "project.name") or path.absolute().parent.parent.name,
        version=walk.one_of(top.get("version"), "version", (VERSION,)),
        id=walk.text(project.get("id"), "project.id"),
        type=walk.one_of(project.get("type"), "project.type", get_args(ProjectType)),
        path=walk.text(project.get("path"), "project.path") or ".",
        stack=walk.texts(tech.get("stack"), "tech.stack"),
        runtime=walk.text(tech.get("runtime"), "tech.runtime"),
        package_manager=walk.text(tech.get("packageManager"), "tech.packageManager"),
        about=walk.text(project.get("description"), "project.description"),
        **{key: walk.texts(tech.get(key), f"tech.{key}") for key in LISTS},
        pattern=walk.one_of(layout.get("pattern"), "architecture.pattern", get_args(Pattern)),
        description=walk.text(layout.get("description"), "architecture.description"),
        modules={name: walk.module(name, node) for name, node in modules.items()},
        created_at=walk.date(dates.get("createdAt"), "metadata.createdAt"),
        updated_at=walk.date(dates.get("updatedAt"), "metadata.updatedAt"),
        last_scan_at=walk.date(dates.get("lastScanAt"), "metadata.lastScanAt"),
    )
    walk.finish()
    return replace(model, warnings=tuple(dict.fromkeys(walk.warnings)))


def compose(text: str, path: Path) -> yaml.Node | None:
    """The node tree of one YAML document. Raises `Invalid` with the line, also for bombs."""
    try:
        return yaml_text.compose(text)
    except (yaml.YAMLError, ValueError) as error:
        line, problem = yaml_text.explained(error)
        place = f", line {line}" if line else ""
        raise Invalid(
            f"{path}{place}: {problem}", "correct it by hand; nothing was changed"
        ) from error


class _Walk:
    """Reads nodes as written, and collects problems."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.warnings: list[str] = []

    def finish(self) -> None:
        if self.problems:
            named = "; ".join(self.problems[:_TOLD])
            left = len(self.problems) - _TOLD
            raise Invalid(
                f"{self.path}, {named}" + (f"; and {left} more" if left > 0 else ""),
                "correct it by hand; nothing was changed",
                {"problems": self.problems},
            )

    def mapping(self, node: yaml.Node | None, where: str) -> dict[str, yaml.Node]:
        if _is_empty(node):
            return {}
        if not isinstance(node, yaml.MappingNode):
            self._wrong(node, where or "the file", "must be a mapping of names to values")
            return {}
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in found:
                self._wrong(key, f"{where}.{name}".strip("."), "is there twice")
            found[name] = value
        return found

    def text(self, node: yaml.Node | None, where: str) -> str:
        if _is_empty(node):
            return ""
        if not isinstance(node, yaml.ScalarNode):
            self._wrong(node, where, "must be a text")
            return ""
        return str(node.value)

    def name(self, node: yaml.Node | None, where: str) -> str:
        name = self.text(node, where)
        if len(name) > LONGEST_NAME:
            self._odd(node, where, f"has {len(name)} characters; keep it under {LONGEST_NAME + 1}")
        return name

    def date(self, node: yaml.Node | None, where: str) -> str:
        timestamp = self.text(node, where)
        try:
            datetime.fromisoformat(timestamp or "2000-01-01")
        except ValueError:
            self._odd(node, where, f"is {timestamp[:40]!r}; write it like 2025-01-15T08:00:00Z")
        return timestamp

    def texts(self, node: yaml.Node | None, where: str) -> tuple[str, ...]:
        nodes = self.list(node, where)
        found = tuple(self.text(item, f"{where}[{n}]") for n, item in enumerate(nodes))
        self._once(nodes, found, where)
        return found

    def _once(self, nodes: Sequence[yaml.Node], texts: Sequence[str], where: str) -> None:
        """Warn of duplicates in a list, ignoring spaces and case."""
        first: dict[str, int] = {}
        for n, (node, text) in enumerate(zip(nodes, texts, strict=True)):
            folded = " ".join(text.casefold().split()).rstrip(".")
            before = first.setdefault(folded, n)
            if folded and before != n:
                self._odd(node, f"{where}[{n}]", f"says the same as {where}[{before}]")

    def list(self, node: yaml.Node | None, where: str) -> list[yaml.Node]:
        if _is_empty(node):
            return []
        if not isinstance(node, yaml.SequenceNode):
            self._wrong(node, where, "must be a list")
            return []
        return list(node.value)

    def one_of(self, node: yaml.Node | None, where: str, allowed: tuple[str, ...]) -> str:
        choice = self.text(node, where) or allowed[-1]
        if node is not None and choice not in allowed:
            hint = nearest(choice, allowed) or "known: " + ", ".join(allowed)
            self._odd(node, where, f"is {choice[:80]!r}; {hint}")
        return choice

    def module(self, name: str, node: yaml.Node) -> Module:
        where = f"modules.{name}"
        found = self.mapping(node, where)
        files = []
        listed = self.list(found.get("keyFiles"), f"{where}.keyFiles")
        for n, item in enumerate(listed):
            here = f"{where}.keyFiles[{n}]"
            entry = self.mapping(item, here)
            if not self.text(entry.get("path"), f"{here}.path"):
                self._wrong(item, here, "needs a path")
            role = self.one_of(
                entry.get("role"), f"{here}.role", ("entry", "config", "test", "core")
            )
            description = self.text(entry.get("description"), f"{here}.description")
            files.append(KeyFile(self.text(entry.get("path"), here), role, description))
        self._once(listed, [file.path for file in files], f"{where}.keyFiles")
        issues = []
        known = self.list(found.get("commonIssues"), f"{where}.commonIssues")
        for n, item in enumerate(known):
            here = f"{where}.commonIssues[{n}]"
            entry = self.mapping(item, here)
            keys = "description", "solution", "sessionId", "discoveredAt"
            issues.append(Issue(*(self.text(entry.get(key), f"{here}.{key}") for key in keys)))
        self._once(known, [issue.description for issue in issues], f"{where}.commonIssues")
        return Module(
            self.name(found.get("name"), f"{where}.name") or name,
            self.text(found.get("description"), f"{where}.description"),
            tuple(files),
            self.texts(found.get("patterns"), f"{where}.patterns"),
            self.texts(found.get("businessRules"), f"{where}.businessRules"),
            tuple(issues),
            self.texts(found.get("dependencies"), f"{where}.dependencies"),
            self.texts(found.get("paths"), f"{where}.paths"),
        )

    def _odd(self, node: Any, where: str, what: str) -> None:
        self.warnings.append(f"line {node.start_mark.line + 1}: {where} {what}")

    def _wrong(self, node: Any, where: str, problem: str) -> None:
        self.problems.append(f"line {node.start_mark.line + 1}: {where} {problem}")


def _is_empty(node: yaml.Node | None) -> bool:
    return node is None or (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null"))
