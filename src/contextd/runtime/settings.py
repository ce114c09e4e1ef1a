"""The settings in force, and the origin of each value. The rows are in `setting_table.py`.

Flags > environment (`CONTEXTD_…`) > project `.context/config.yaml` > user `config.yaml` > defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from contextd.domain.problems import FileProblem
from contextd.runtime.setting import Setting, Value
from contextd.runtime.setting_table import SETTINGS
from contextd.runtime.settings_file import text_of, tree_of
from contextd.thin.home import home_directory
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, nearest
from contextd_common.files.yaml_text import compose, explained, flattened, lines_of_names

PROJECT_FILE = ".context/config.yaml"
"""A project's own settings, below its root."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force and the origin of each. `flags` are the process's own; `next` are values that
    apply after a restart; `problems` are mistakes in files and the environment.
    """

    home: Path
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: Mapping[str, Any] = field(default_factory=dict[str, Any])
    next: Mapping[str, Value] = field(default_factory=dict[str, Value])
    problems: tuple[FileProblem, ...] = ()

    def text(self, name: str) -> str:
        """A setting whose value is text."""
        return str(self._value(name))

    def number(self, name: str) -> int:
        """A setting whose value is a whole number."""
        return int(self._value(name))

    def fraction(self, name: str) -> float:
        """A setting whose value is a number, possibly with a fraction."""
        return float(self._value(name))

    def flag(self, name: str) -> bool:
        """A setting that is on or off."""
        return bool(self._value(name))

    def _value(self, name: str) -> Value:
        return self.values.get(name, SETTINGS[name].default)

    def files(self, root: Path | None) -> list[Path]:
        """The files that are read for a checkout, or outside any."""
        return [self.home / "config.yaml", *([root / PROJECT_FILE] if root is not None else [])]

    def within(self, process: Settings) -> Settings:
        """These settings as they apply in a running process that was started with others."""
        fixed = [row.name for row in SETTINGS.values() if row.reach == "process"]
        values, origins = dict(self.values), dict(self.origins)
        waiting: dict[str, Value] = {}
        for name in fixed:
            if self._value(name) != process._value(name):
                waiting[name] = self._value(name)
            values.pop(name, None)
            origins.pop(name, None)
            if name in process.values:
                values[name], origins[name] = process.values[name], process.origins[name]
        return replace(self, values=values, origins=origins, next=waiting)

    def rows(self) -> list[tuple[Setting, Value, str]]:
        """Every setting with its value and origin, for `contextd config`."""
        return [(s, self._value(s.name), self.origins.get(s.name, "default"))
                for s in SETTINGS.values()]  # fmt: skip


def load_settings(
    root: Path | None = None, flags: Mapping[str, Any] | None = None, home: Path | None = None
) -> Settings:
    """Read every layer. A wrong name or value in a file or the environment is skipped and listed among the
    problems, so that one mistyped line does not stop every client. Raises `Invalid` for a wrong flag,
    and for an unreadable file of the home: without it, records could go to another store.
    """
    home = home or home_directory()
    file = home / "config.yaml"
    text = text_of(file)
    layers = [(str(file), *_right(flattened(tree_of(text, file)), str(file), text))]
    if root is not None:
        layers.append((str(root / PROJECT_FILE), *_of_project(root / PROJECT_FILE, home)))
    layers.append(("environment", *_right(_environment(), "environment")))
    given = {name: _parsed_one(name, value, "flag") for name, value in (flags or {}).items()}
    layers.append(("flag", given, ()))
    problems = tuple(problem for _, _, found in layers for problem in found)
    chosen: dict[str, Value] = {}
    origins: dict[str, str] = {}
    for origin, layer, _ in layers:
        chosen |= layer
        origins |= dict.fromkeys(layer, origin)
    return Settings(home, chosen, origins, dict(flags or {}), problems=problems)


def _parsed_one(name: str, value: Any, origin: str) -> Value:
    setting = SETTINGS.get(name)
    if setting is None:
        hint = nearest(name, list(SETTINGS)) or "`contextd config` lists the settings"
        raise Invalid(f"unknown setting {name!r} in {origin}", hint)
    return setting.parse(value, origin)


def _of_project(path: Path, home: Path) -> tuple[dict[str, Value], tuple[FileProblem, ...]]:
    """The settings in a project's own file, and its problems."""
    try:
        text = text_of(path, path.parent.parent)
        layer = flattened(tree_of(text, path))
    except Invalid as error:
        line = explained(error.__cause__)[0] if isinstance(error.__cause__, Exception) else 0
        what = " ".join(error.message.removeprefix(f"{path}, line {line}: ").split())
        return {}, (FileProblem(PROJECT_FILE, line, what, error.hint),)
    return _right(layer, PROJECT_FILE, text, home)


def names_set_in(root: Path) -> list[str]:
    """The settings that the file of the project at `root` names, valid or not; empty if it cannot be read."""
    path = root / PROJECT_FILE
    try:
        return sorted(map(str, flattened(tree_of(text_of(path, root), path))))
    except Invalid:
        return []


def _right(
    layer: Mapping[str, Any], origin: str, text: str = "", home: Path | None = None
) -> tuple[dict[str, Value], tuple[FileProblem, ...]]:
    """The valid settings of a layer, and a problem for each invalid one. With `home`, the layer is a
    project's, which may not set everything.
    """
    lines = lines_of_names(compose(text)) if text else {}
    values: dict[str, Value] = {}
    problems: list[FileProblem] = []
    for name, value in layer.items():
        try:
            parsed = _parsed_one(name, value, origin)
            if home is not None:
                _require_reach(name, origin, home)
        except Invalid as error:
            problems.append(FileProblem(origin, lines.get(name, 0), error.message, error.hint))
        else:
            values[name] = parsed
    return values, tuple(problems)


def _require_reach(name: str, origin: str, home: Path) -> None:
    """Raise `Invalid` for settings that must be the same for all projects."""
    if SETTINGS[name].reach != "project":
        raise Invalid(
            f"{name} in {origin} is not a per-project setting",
            f"set it in {home / 'config.yaml'}",
        )


def _environment() -> dict[str, str]:
    known = {setting.environment: name for name, setting in SETTINGS.items()}
    return {known[key]: value for key, value in os.environ.items() if key in known and value}
