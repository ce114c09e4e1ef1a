"""Write `.context/project.yaml`: scans fill it, sessions add to it, and a person's edits stay.

`.context/.generated.json` has a hash of each value contextd wrote last. A value that still has its
hash is generated and follows the next scan; any other value was edited or removed by a person and
stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from contextd.domain.time import iso
from contextd.files.disk import target_inside
from contextd.files.yaml_edit import Append, Edit, Remove, Set, dumped, edited, source_of
from contextd.projects.project_memory import Memory, Scrub, mark, put, recall
from contextd_code.project.project_model import LISTS, KeyFile, parse_model, read_text
from contextd_common.dataclass import dataclass
from contextd_common.errors import Conflict, NotFound
from contextd_common.files.yaml_text import load_plain

Same = Callable[[str, str], bool]

_HEADER = """\
# What agents are told about this project. Edit it freely and commit it: scans keep your edits.
# A module may also have lists of patterns, businessRules and commonIssues.
"""
_GENERATED = "description", "paths", "keyFiles", "dependencies"
_KNOWLEDGE = "patterns", "businessRules", "commonIssues"

_PLACES = (
    ("project", "description"), ("tech", "stack"), *(("tech", key) for key in LISTS), ("tech", "runtime"),
    ("tech", "packageManager"), ("architecture", "pattern"), ("architecture", "description"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """The data of one module in a scan."""

    name: str
    description: str = ""
    key_files: tuple[KeyFile, ...] = ()
    dependencies: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    """The data of the project in a scan.

    `id` is only given without git; `about` is one sentence in the project's own words, `tools` are
    its build, check and release tools.
    """

    name: str
    type: str = "unknown"
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
    modules: tuple[ModuleFacts, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleLearning:
    """A learning for a module. `solution`, `session_id` and `discovered_at` belong to issues."""

    module: str
    section: Literal["pattern", "rule", "issue"]
    text: str
    solution: str = ""
    session_id: str = ""
    discovered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """The result of a merge: every change as a line, and the edited values it kept."""

    created: bool = False
    lines: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the file changed."""
        return bool(self.lines)


def merge_scan(
    path: Path, facts: ProjectFacts, *, now: datetime | None = None, scrub: Scrub = str
) -> MergeReport:
    """Update project.yaml from a scan; create it if there is none.

    Byte-identical, dates included, if nothing changed. Raises `Invalid` for a malformed file, which
    stays unchanged, `Denied` if it is a link out of the project, `Conflict` if another program
    keeps writing it, `Unavailable` if the disk refuses.
    """
    moment = iso(now or datetime.now(UTC))
    target_inside(path.parent.parent, path)
    for _ in range(3):
        memory = recall(path)
        try:
            text = read_text(path)
        except NotFound:
            fresh = _first(facts, memory, moment)
            if put(path, None, fresh, memory, moment):
                return MergeReport(created=True, lines=(f"created {path.name}",))
            continue
        if not text.strip():
            # An empty file is the result of a failed save, not intended.
            fresh = _first(facts, memory, moment)
            if put(path, text, fresh, memory, moment, scrub):
                return MergeReport(lines=(f"filled {path.name}, which was empty",))
            continue
        parse_model(text, path)
        merge = _Merge(text, memory)
        merge.take(facts)
        dates = [Set(("metadata", key), moment) for key in ("updatedAt", "lastScanAt")]
        after = edited(text, [*merge.edits, *dates]) if merge.edits else text
        if put(path, text, after, memory, moment, scrub):
            return MergeReport(lines=tuple(merge.lines), left_alone=tuple(merge.left_alone))
    raise Conflict(f"{path} keeps changing while it is written", "try again in a moment")


def enrich(
    path: Path,
    additions: Iterable[ModuleLearning],
    *,
    same: Same | None = None,
    now: datetime | None = None,
    scrub: Scrub = str,
) -> list[str]:
    """Add learnings to modules; returns one line per change, empty if nothing is new.

    A learning that the list already contains (by normalised text, or by `same`), or that a person
    removed, is not added. One for an unknown module is skipped, and a line says so. Raises as
    `merge_scan` does, and `NotFound` without a file.
    """
    moment = iso(now or datetime.now(UTC))
    wanted = list(additions)
    target_inside(path.parent.parent, path)
    for _ in range(3):
        memory = recall(path)
        text = read_text(path)
        parse_model(text, path)
        edits, lines = _enrich(load_plain(text) or {}, wanted, same, memory, moment)
        if edits:
            edits.append(Set(("metadata", "updatedAt"), moment))
        if put(path, text, edited(text, edits), memory, moment, scrub):
            return lines
    raise Conflict(f"{path} keeps changing while it is written", "try again in a moment")


def withdraw(
    path: Path, text: str, *, now: datetime | None = None, scrub: Scrub = str
) -> list[str]:
    """Remove the learning `text` that `enrich` added, from any module; returns one line per change.

    A person's text and edits stay, and a removed learning is never added again. Raises as `enrich`
    does.
    """
    moment = iso(now or datetime.now(UTC))
    target_inside(path.parent.parent, path)
    for _ in range(3):
        memory = recall(path)
        before = read_text(path)
        parse_model(before, path)
        edits, lines = _without(load_plain(before) or {}, text, memory)
        if not edits:
            return []
        edits.append(Set(("metadata", "updatedAt"), moment))
        if put(path, before, edited(before, edits), memory, moment, scrub):
            return lines
    raise Conflict(f"{path} keeps changing while it is written", "try again in a moment")


def _first(facts: ProjectFacts, memory: Memory, moment: str) -> str:
    """Create the file, and store the hashes of its values."""
    wanted = _wanted(facts)
    memory.values = {".".join(place): mark(value) for place, value in wanted.items()}
    data: dict[str, Any] = {"version": "1.0"}
    for place, value in wanted.items():
        part = data
        for key in place[:-1]:
            part = part.setdefault(key, {})
        part[place[-1]] = value
        if place == ("project", "type"):
            part["path"] = "."
    if facts.modules:
        data["modules"] = {module.name: _module_values(module) for module in facts.modules}
    for module in facts.modules:
        _remember_module(memory, module)
    data["metadata"] = {"createdAt": moment, "updatedAt": moment, "lastScanAt": moment}
    sections = ["\n".join(dumped({key: value})) for key, value in data.items()]
    text = _HEADER + "\n" + "\n\n".join(sections) + "\n"
    return text.replace("\n  path: .\n", "\n  path: .  # the directory above .context\n", 1)


def _wanted(facts: ProjectFacts) -> dict[tuple[str, str], Any]:
    wanted: dict[tuple[str, str], Any] = {("project", "name"): facts.name}
    if facts.id:
        wanted["project", "id"] = facts.id
    wanted["project", "type"] = facts.type
    if facts.about:
        wanted["project", "description"] = facts.about
    wanted["tech", "stack"] = _each_once(facts.stack)
    for key in LISTS:
        wanted["tech", key] = _each_once(getattr(facts, key))
    wanted |= {
        ("tech", "runtime"): facts.runtime,
        ("tech", "packageManager"): facts.package_manager,
        ("architecture", "pattern"): facts.pattern if facts.pattern != "unknown" else "",
        ("architecture", "description"): facts.description,
    }
    return {place: value for place, value in wanted.items() if value}


def _each_once(texts: Iterable[str]) -> list[str]:
    """Merge items that a reader would consider duplicates."""
    return list(
        {
            " ".join(text.casefold().split()).rstrip("."): text for text in reversed([*texts])
        }.values()
    )[::-1]


def _module_values(module: ModuleFacts) -> dict[str, Any]:
    files = [
        {"path": file.path}
        | ({"role": file.role} if file.role != "core" else {})
        | ({"description": file.description} if file.description else {})
        for file in module.key_files
    ]
    values: dict[str, Any] = {
        "description": module.description,
        "paths": _each_once(module.paths),
        "keyFiles": files,
        "dependencies": _each_once(module.dependencies),
    }
    return {key: value for key, value in values.items() if value}


def _remember_module(memory: Memory, module: ModuleFacts) -> None:
    memory.values[f"modules.{module.name}"] = mark(module.name)
    for key, value in _module_values(module).items():
        memory.values[f"modules.{module.name}.{key}"] = mark(value)


class _Merge:
    """The merge of one scan into one file."""

    def __init__(self, text: str, memory: Memory) -> None:
        self.text, self.memory = text, memory
        self.data: dict[str, Any] = load_plain(text) or {}
        self.modules: dict[str, Any] = self.data.get("modules") or {}
        self.edits: list[Edit] = []
        self.lines: list[str] = []
        self.left_alone: list[str] = []

    def take(self, facts: ProjectFacts) -> None:
        wanted = _wanted(facts)
        for place, value in wanted.items():
            self._settle(place, value)
        for place in [*((top, key) for top, key in _PLACES if (top, key) not in wanted)]:
            self._empty(place)
        for module in facts.modules:
            self._take_module(module)
        found = {module.name for module in facts.modules}
        for name in self.modules:
            if name not in found and f"modules.{name}" in self.memory.values:
                self._let_go(name)

    def _settle(self, place: tuple[str, ...], value: Any) -> None:
        name, current = ".".join(place), _at(self.data, place)
        verdict = _verdict(current, value, self.memory.values.get(name))
        if verdict == "keep":
            self.left_alone.append(name)
            return
        self.memory.values[name] = mark(value)
        if verdict == "set":
            self.edits.append(Set(place, value))
            self.lines.append(f"{name}: {_shown(current)} → {_shown(value)}")

    def _empty(self, place: tuple[str, ...]) -> None:
        """Remove a generated value that the scan no longer finds."""
        name, current = ".".join(place), _at(self.data, place)
        ours = self.memory.values.pop(name, None)
        if current is not None and mark(current) == ours:
            self.edits.append(Remove(place))
            self.lines += [f"{name}: {_shown(current)} → nothing"] if current else []

    def _take_module(self, module: ModuleFacts) -> None:
        name = f"modules.{module.name}"
        if module.name in self.modules:
            self.memory.values[name] = mark(module.name)
            values = _module_values(module)
            for key in _GENERATED:
                place = ("modules", module.name, key)
                if key in values:
                    self._settle(place, values[key])
                else:
                    self._empty(place)
        elif name in self.memory.values:
            self.left_alone.append(f"{name} (taken out by hand)")
        else:
            self.edits.append(Set(("modules", module.name), _module_values(module)))
            self.lines.append(f"{name}: added")
            _remember_module(self.memory, module)

    def _let_go(self, name: str) -> None:
        place = f"modules.{name}"
        alone = len(self.modules) == 1
        if alone or not _is_untouched(self.modules[name], name, self.text, self.memory):
            self.left_alone.append(f"{place} (not found any more, but edited or with knowledge)")
            return
        self.edits.append(Remove(("modules", name)))
        self.lines.append(f"{place}: removed, because the scan no longer finds it")
        values = self.memory.values
        for key in [one for one in values if f"{one}.".startswith(f"{place}.")]:
            del values[key]


def _verdict(current: Any, value: Any, ours: str | None) -> Literal["same", "set", "keep"]:
    if current is not None and mark(current) == mark(value):
        return "same"
    if ours is None:
        return "set" if current in (None, "", [], "unknown") and value else "keep"
    # The same for a value that a person took out: None has never our mark.
    return "set" if mark(current) == ours else "keep"


def _is_untouched(module: Any, name: str, text: str, memory: Memory) -> bool:
    if not isinstance(module, dict) or any(module.get(section) for section in _KNOWLEDGE):
        return False
    known = {"name", *_GENERATED, *_KNOWLEDGE}
    values = memory.values
    same = all(
        values.get(f"modules.{name}.{key}") == mark(module[key])
        for key in _GENERATED
        if module.get(key) or f"modules.{name}.{key}" in values
        if key in module
    )
    # A comment means that a person maintains this value.
    return same and set(module) <= known and "#" not in source_of(text, ("modules", name))


def _enrich(
    data: dict[str, Any],
    additions: Sequence[ModuleLearning],
    same: Same | None,
    memory: Memory,
    moment: str,
) -> tuple[list[Edit], list[str]]:
    modules = data.get("modules") or {}
    edits: list[Edit] = []
    lines: list[str] = []
    for addition in additions:
        text = " ".join(addition.text.split())
        if addition.module not in modules:
            lines.append(f"skipped, there is no module {addition.module!r}: {text}")
            continue
        section = {"pattern": "patterns", "rule": "businessRules", "issue": "commonIssues"}[
            addition.section
        ]
        place = f"modules.{addition.module}.{section}"
        module = modules[addition.module]
        if module is None:
            module = modules[addition.module] = {}
        listed = module.setdefault(section, None) or []
        before = [_said(item) for item in listed]
        key = mark([place, _folded(text)])
        if not text or key in memory.added or _is_known(text, before, same):
            continue
        item = _item(addition, text, moment)
        module[section] = [*listed, item]
        memory.added[key] = text[:80]
        edits.append(Append(("modules", addition.module, section), (item,)))
        lines.append(f"{place}: added {text!r}")
    return edits, lines


def _without(data: dict[str, Any], text: str, memory: Memory) -> tuple[list[Edit], list[str]]:
    folded = _folded(text)
    edits: list[Edit] = []
    lines: list[str] = []
    for name, module in (data.get("modules") or {}).items():
        for section in _KNOWLEDGE:
            listed = module.get(section) or [] if isinstance(module, dict) else []
            place = f"modules.{name}.{section}"
            if mark([place, folded]) not in memory.added:
                continue
            left = [item for item in listed if _folded(_said(item)) != folded]
            if len(left) < len(listed):
                edits.append(Set(("modules", name, section), left))
                lines.append(f"{place}: took out {_shown(text)}")
    return edits, lines


def _item(addition: ModuleLearning, text: str, moment: str) -> Any:
    if addition.section != "issue":
        return text
    found = iso(addition.discovered_at) if addition.discovered_at else moment
    solution = " ".join(addition.solution.split())
    return {
        "description": text,
        "solution": solution,
        "sessionId": addition.session_id,
        "discoveredAt": found,
    }


def _is_known(text: str, before: Sequence[str], same: Same | None) -> bool:
    folded = _folded(text)
    if any(_folded(other) == folded for other in before):
        return True
    return same is not None and any(same(text, other) for other in before)


def _said(item: Any) -> str:
    return str(item.get("description", "")) if isinstance(item, dict) else str(item)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!;:\"'`")


def _at(data: Any, place: Sequence[str]) -> Any:
    for key in place:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str) if value else "nothing"
    return text if len(text) <= 80 else text[:79] + "…"
