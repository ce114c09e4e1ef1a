"""Every setting, once: its default, its meaning, and where a value came from.

Flags > environment (`CONTEXTD_…`) > project `.context/config.yaml` > user `config.yaml` > defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from contextd.domain.errors import Invalid, nearest
from contextd.home import home_directory
from contextd.yaml_text import load_plain

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. `least` is the smallest number allowed."""

    name: str
    default: Value
    description: str
    choices: tuple[str, ...] = ()
    least: float | None = None

    @property
    def environment(self) -> str:
        """The environment variable that sets it."""
        return "CONTEXTD_" + self.name.upper().replace(".", "_")

    def parse(self, value: Any, origin: str) -> Value:
        """`value` as this setting's type. Raises `Invalid` naming the origin."""
        kind = type(self.default)
        try:
            if kind is bool:
                parsed: Value = _boolean(value)
            elif value is None or isinstance(value, (bool, Mapping, list)):
                raise ValueError
            else:
                parsed = kind(value)
        except (TypeError, ValueError):
            raise Invalid(
                f"{self.name} in {origin} must be a {kind.__name__}, not {value!r}",
                self.description,
            ) from None
        if self.choices and parsed not in self.choices:
            hint = nearest(str(parsed), self.choices) or "one of " + ", ".join(self.choices)
            raise Invalid(f"{self.name} in {origin} cannot be {parsed!r}", hint)
        if self.least is not None and not isinstance(parsed, str) and parsed < self.least:
            raise Invalid(
                f"{self.name} in {origin} must be at least {self.least:g}", self.description
            )
        return parsed


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "1": True, "yes": True, "on": True}
    known |= {"false": False, "0": False, "no": False, "off": False}
    return known[str(value).lower()] if str(value).lower() in known else bool(int("?"))


SETTINGS: dict[str, Setting] = {
    row.name: row
    for row in (
        Setting("store.url", "", "Where records live; empty means SQLite in the home"),
        Setting("embedder.name", "minilm", "Which embedder makes vectors", ("minilm", "none")),
        Setting("embedder.threads", 1, "Threads the embedder may use", least=1),
        Setting("mcp.profile", "core", "Which tools agents see", ("core", "standard", "full")),
        Setting("daemon.idle_minutes", 30, "Minutes without a client until it exits", least=0),
        Setting(
            "daemon.port",
            0,
            "Port of the loopback HTTP server; 0 takes the one used last, 7433, or a free one",
            least=0,
        ),
        Setting("daemon.workers", 8, "Calls that may run at once", least=1),
        Setting("sessions.timeout_minutes", 30, "Minutes without activity that end a session"),
        Setting("sessions.archive_days", 7, "Days until a completed session is archived"),
        Setting("sessions.discoveries", 5, "Discoveries kept per session", least=0),
        Setting("briefing.tokens", 600, "Tokens a briefing may take", least=50),
        Setting("prompt.tokens", 300, "Tokens added to a prompt at most; 0 adds none", least=0),
        Setting("injection.tokens", 2000, "Tokens session_start may inject", least=0),
        Setting("injection.experiences", 3, "Memories injected at once at most", least=0),
        Setting("hooks.deadline_ms", 1000, "Time after which a hook gives up", least=50),
        Setting("window.tokens", 100_000, "Tokens a session's context window holds", least=1000),
        Setting("recall.other_branches", False, "Brief with what only unmerged branches know"),
        Setting("recall.history", True, "Let commits like a question say where to look"),
        Setting("log.level", "info", "How much is logged", ("debug", "info", "warning", "error")),
    )
}
"""Every setting by name."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force and the origin of each."""

    home: Path
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])

    def text(self, name: str) -> str:
        """A setting whose value is text."""
        return str(self._value(name))

    def number(self, name: str) -> int:
        """A setting whose value is a whole number."""
        return int(self._value(name))

    def flag(self, name: str) -> bool:
        """A setting that is on or off."""
        return bool(self._value(name))

    def _value(self, name: str) -> Value:
        return self.values.get(name, SETTINGS[name].default)

    def rows(self) -> list[tuple[Setting, Value, str]]:
        """Every setting with its value and origin, for `contextd config`."""
        return [(s, self._value(s.name), self.origins.get(s.name, "default"))
                for s in SETTINGS.values()]  # fmt: skip


def load_settings(
    root: Path | None = None, flags: Mapping[str, Any] | None = None, home: Path | None = None
) -> Settings:
    """Read every layer. Raises `Invalid` for an unknown key, with the nearest known one."""
    home = home or home_directory()
    layers: list[tuple[str, Mapping[str, Any]]] = [
        (str(home / "config.yaml"), _flatten(_read(home / "config.yaml")))
    ]
    if root is not None:
        path = root / ".context" / "config.yaml"
        layers.append((str(path), _flatten(_read(path))))
    layers.append(("environment", _environment()))
    layers.append(("flag", flags or {}))
    values: dict[str, Value] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        for name, value in layer.items():
            setting = SETTINGS.get(name)
            if setting is None:
                hint = nearest(name, list(SETTINGS)) or "`contextd config` lists the settings"
                raise Invalid(f"unknown setting {name!r} in {origin}", hint)
            values[name] = setting.parse(value, origin)
            origins[name] = origin
    return Settings(home, values, origins)


def _environment() -> dict[str, str]:
    known = {setting.environment: name for name, setting in SETTINGS.items()}
    return {known[key]: value for key, value in os.environ.items() if key in known and value}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        content = load_plain(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (yaml.YAMLError, ValueError) as error:
        raise Invalid(f"{path} is not valid YAML: {error}", "correct or remove the file") from error
    except OSError as error:
        raise Invalid(
            f"{path} cannot be read: {error.strerror}", "check its permissions"
        ) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise Invalid(f"{path} must hold names and values", "for example `daemon: {port: 0}`")
    return content


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat |= _flatten(value, name + ".")
        else:
            flat[name] = value
    return flat
