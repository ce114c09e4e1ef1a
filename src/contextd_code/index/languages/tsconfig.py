"""The module resolution settings of `tsconfig.json` and `jsconfig.json`."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

from contextd_code.index.languages.ecmascript_paths import (
    ModulePaths,
    best_pattern,
    join,
    load_json,
)
from contextd_code.index.languages.ecmascript_paths import strings as as_strings
from contextd_code.index.languages.language import Read
from contextd_common.dataclass import dataclass

NAMES = ("tsconfig.json", "jsconfig.json")
OPTIONS = ("baseUrl", "paths", "rootDirs", "module", "moduleResolution")
"""The `compilerOptions` that affect where imports lead."""

_LENIENT = frozenset(("node", "node10"))
_CONFIG_DIR = "${configDir}"


@dataclass(slots=True)
class _Options:
    """Merged options; folders are relative to the project's root."""

    base: str | None = None
    paths: Mapping[str, Any] | None = None
    paths_from: str = ""
    root_dirs: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    strict: bool = False


class TsConfigs:
    """Every configuration of the project, read when a file first needs it."""

    def __init__(
        self, paths: ModulePaths, package: Callable[[str, str], str | None], read: Read
    ) -> None:
        self._paths = paths
        self._package = package
        self._read = read
        self._nearest: dict[str, list[_Options]] = {}

    def mapped(self, path: str, specifier: str) -> tuple[str, bool]:
        """The file that a bare specifier in `path` maps to through `paths` or `baseUrl`, and
        whether the configuration's strict rules apply to the mapping.

        With Node's own rules, folders and missing extensions do not resolve.
        """
        for options in self._around(posixpath.dirname(path)):
            found, asked = self._through(options, specifier)
            if found:
                return found, not options.strict or self._paths.spelled(asked, found)
        return "", True

    def mappings(self) -> Iterator[tuple[str, str]]:
        """The names that configurations map, and their targets, as written."""
        for config in self._paths.files:
            if posixpath.basename(config) in NAMES:
                for options in self._around(posixpath.dirname(config)):
                    for key, targets in (options.paths or {}).items():
                        yield key, " ".join(as_strings(targets))

    def elsewhere(self, path: str, specifier: str) -> str:
        """The file of a relative specifier through `rootDirs`."""
        folder = posixpath.dirname(path)
        for options in self._around(folder):
            for here in options.root_dirs:
                if folder != here and not folder.startswith(here + "/"):
                    continue
                for there in options.root_dirs:
                    other = join(there, posixpath.relpath(folder, here or "."))
                    found = self._paths.find(join(other, specifier))
                    if found:
                        return found
        return ""

    def _through(self, options: _Options, specifier: str) -> tuple[str, str]:
        """A file, and the mapped path that found it."""
        match = best_pattern(options.paths, specifier) if options.paths else None
        if match is not None:
            base = options.paths_from if options.base is None else options.base
            for target in as_strings(match[0]):
                asked = join(base, target.replace("*", match[1]))
                found = self._paths.find(asked)
                if found:
                    return found, asked
        if options.base is None:
            return "", ""
        asked = join(options.base, specifier)
        return self._paths.find(asked), asked

    def _around(self, folder: str) -> list[_Options]:
        known = self._nearest.get(folder)
        if known is not None:
            return known
        found: list[_Options] = []
        config = next((join(folder, n) for n in NAMES if join(folder, n) in self._paths.files), "")
        if config:
            own = self._load(config, folder, frozenset())
            found = [own]
            # A solution file only lists the projects with the options.
            for reference in own.references if not own.paths else ():
                name = reference if reference.endswith(".json") else join(reference, NAMES[0])
                if name in self._paths.files:
                    found.append(self._load(name, posixpath.dirname(name), frozenset({config})))
        elif folder:
            found = self._around(posixpath.dirname(folder))
        self._nearest[folder] = found
        return found

    def _load(self, config: str, leaf: str, seen: frozenset[str]) -> _Options:
        """One configuration merged over those it extends; later ones in a list win."""
        raw = load_json(self._read, config)
        folder = posixpath.dirname(config)
        merged = _Options()
        for name in as_strings(raw.get("extends")):
            parent = self._extended(folder, name)
            if parent and parent not in seen and len(seen) < 20:
                other = self._load(parent, leaf, seen | {config})
                merged.base = other.base if other.base is not None else merged.base
                if other.paths is not None:
                    merged.paths, merged.paths_from = other.paths, other.paths_from
                merged.root_dirs = other.root_dirs or merged.root_dirs
                merged.strict = other.strict
        own = raw.get("compilerOptions")
        own = own if isinstance(own, dict) else {}
        if isinstance(own.get("baseUrl"), str):
            merged.base = _located(folder, leaf, own["baseUrl"])
        kind = own.get("moduleResolution", own.get("module"))
        if isinstance(kind, str):
            merged.strict = kind.lower().startswith("node") and kind.lower() not in _LENIENT
        if isinstance(own.get("paths"), dict):
            merged.paths_from = folder
            merged.paths = {
                key: [_placed(leaf, target, folder) for target in as_strings(value)]
                for key, value in own["paths"].items()
            }
        if own.get("rootDirs"):
            merged.root_dirs = [_located(folder, leaf, d) for d in as_strings(own["rootDirs"])]
        references = raw.get("references")
        for reference in references if isinstance(references, list) else ():
            if isinstance(reference, dict) and isinstance(reference.get("path"), str):
                merged.references.append(join(folder, reference["path"]))
        return merged

    def _extended(self, folder: str, name: str) -> str:
        if name.startswith("."):
            return self._config_file(join(folder, name))
        parts = name.split("/")
        length = 2 if name.startswith("@") else 1
        package = self._package("/".join(parts[:length]), f"{folder}/")
        if package is None:
            return ""
        inner = "/".join(parts[length:])
        return self._config_file(join(package, inner or NAMES[0]))

    def _config_file(self, path: str) -> str:
        choices = (path, path + ".json", join(path, NAMES[0]))
        return next((choice for choice in choices if choice in self._paths.files), "")


def _located(folder: str, leaf: str, path: str) -> str:
    if path.startswith(_CONFIG_DIR):
        return join(leaf, path[len(_CONFIG_DIR) :].lstrip("/") or ".")
    return join(folder, path)


def _placed(leaf: str, target: str, folder: str) -> str:
    """A target of `paths`, relative to `folder` instead of the leaf's folder."""
    if not target.startswith(_CONFIG_DIR):
        return target
    return posixpath.relpath(_located(folder, leaf, target) or ".", folder or ".")
