"""Packages of one repository that import each other by name: `package.json` and workspaces."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Set
from itertools import takewhile
from typing import Any

from contextd_code.index.languages.ecmascript_paths import (
    MAIN_FIELDS,
    ModulePaths,
    best_pattern,
    join,
    load_json,
    strings,
)
from contextd_code.index.languages.language import Read

_CONDITIONS = "source types import module node browser development default require".split()
_ITEM = re.compile(r"""\s*-\s*['"]?([^'"#\n]+?)['"]?\s*(?:#.*)?$""")
_FLOW = re.compile(r"""packages\s*:\s*\[(.*?)\]""", re.S)
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_LOCAL = ("file:", "link:", "portal:")


def manifests(paths: Set[str], read: Read) -> dict[str, dict[str, Any]]:
    """Every `package.json` that is an object, by its folder."""
    found = {}
    for path in sorted(paths):
        if path == "package.json" or path.endswith("/package.json"):
            manifest = load_json(read, path)
            if manifest:
                found[posixpath.dirname(path)] = manifest
    return found


def linked(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The dependencies that a manifest takes from folders, by name."""
    return [
        (name, version)
        for field in _DEPENDENCIES
        for name, version in _items(manifest.get(field))
        if isinstance(version, str) and version.startswith(_LOCAL)
    ]


def _items(table: object) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []


class Packages:
    """Resolves bare specifiers to the packages of the workspace, and `#` imports."""

    def __init__(
        self, paths: ModulePaths, manifests: Mapping[str, Mapping[str, Any]], read: Read
    ) -> None:
        self._paths = paths
        self._manifests = manifests
        self._read = read
        self._folders = self._named()

    def folder_of(self, name: str, path: str) -> str | None:
        """The folder of the package with this name nearest to `path`.

        A repository may hold several workspaces with packages of the same name.
        """
        folders = self._folders.get(name)
        if not folders:
            return None
        return max(folders, key=lambda folder: _shared(folder, path))

    def _named(self) -> dict[str, list[str]]:
        wanted: list[re.Pattern[str]] = []
        unwanted: list[re.Pattern[str]] = []
        for folder, glob in self._globs():
            (unwanted if glob.startswith("!") else wanted).append(_matcher(folder, glob))
        named: dict[str, list[str]] = {}
        for folder, manifest in self._manifests.items():
            inside = any(glob.match(folder) for glob in wanted)
            if inside and not any(glob.match(folder) for glob in unwanted):
                name = manifest.get("name")
                if isinstance(name, str) and name:
                    named.setdefault(name, []).append(folder)
        for name, folder in self._linked():
            named.setdefault(name, []).append(folder)
        return named

    def _globs(self) -> Iterator[tuple[str, str]]:
        for folder, manifest in self._manifests.items():
            listed = manifest.get("workspaces")
            if isinstance(listed, dict):
                listed = listed.get("packages")
            yield from ((folder, glob) for glob in strings(listed))
        for path in self._paths.files:
            name = posixpath.basename(path)
            folder = posixpath.dirname(path)
            if name == "pnpm-workspace.yaml":
                yield from ((folder, glob) for glob in self._pnpm(path))
            elif name == "lerna.json":
                listed = load_json(self._read, path).get("packages")
                yield from ((folder, glob) for glob in strings(listed))

    def _pnpm(self, path: str) -> list[str]:
        try:
            text = self._read(path)
        except OSError:
            return []
        flow = _FLOW.search(text)
        if flow:
            return [part.strip(" '\"\n") for part in flow[1].split(",") if part.strip(" '\"\n")]
        found, listing = [], False
        for line in text.splitlines():
            item = _ITEM.match(line)
            if re.match(r"packages\s*:", line):
                listing = True
            elif listing and item:
                found.append(item[1])
            elif line.strip() and not line.startswith((" ", "\t", "#")):
                listing = False
        return found

    def _linked(self) -> Iterator[tuple[str, str]]:
        for folder, manifest in self._manifests.items():
            for name, version in linked(manifest):
                target = join(folder, version.split(":", 1)[1])
                if target in self._manifests:
                    yield name, target

    def around(self, path: str) -> str | None:
        """The folder of the package around `path`."""
        folder = posixpath.dirname(path)
        while folder not in self._manifests:
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        return folder

    def names_around(self, path: str) -> Iterator[str]:
        """The names of the packages around `path`: their own, those used by others, and their
        folders.
        """
        inside = f"{path}/"
        for folder, manifest in self._manifests.items():
            if not folder or inside.startswith(f"{folder}/"):
                yield f"{manifest.get('name', '')} {posixpath.basename(folder)}"
                yield from (name for name, places in self._folders.items() if folder in places)

    def mappings(self) -> Iterator[tuple[str, str]]:
        """The names that packages map, and their targets, as written."""
        for manifest in self._manifests.values():
            own = manifest.get("imports")
            places = [manifest.get(name) for name in (*MAIN_FIELDS, "exports", "imports")]
            yield " ".join(own if isinstance(own, dict) else ()), " ".join(_targets(places))

    def find(self, path: str, specifier: str) -> str:
        """The file of a bare or `#` specifier in `path`, or an empty path."""
        own = self.around(path)
        if specifier.startswith("#"):
            table = self._manifests[own].get("imports") if own is not None else None
            found = self._mapped(own or "", table, specifier)
            return found if isinstance(found, str) else ""
        parts = specifier.split("/")
        length = 2 if specifier.startswith("@") else 1
        name, inner = "/".join(parts[:length]), "/".join(parts[length:])
        folder = self.folder_of(name, path)
        if folder is None and own is not None and self._manifests[own].get("name") == name:
            folder = own
        return self._within(folder, inner) if folder is not None else ""

    def _within(self, folder: str, inner: str) -> str:
        exports = self._manifests[folder].get("exports")
        if exports is not None:
            table = exports if _by_path(exports) else {".": exports}
            found = self._mapped(folder, table, f"./{inner}" if inner else ".")
            if found is None:
                return ""
            if isinstance(found, str) and found:
                return found
        if not inner:
            found = self._paths.find(folder, folder_only=True)
            if found and not found.endswith("package.json"):
                return found
            return self._paths.find(join(folder, "src"), folder_only=True)
        direct = self._paths.find(join(folder, inner)) or self._paths.source_of(folder, inner)
        return direct or self._paths.find(join(folder, "src/" + inner))

    def _mapped(self, folder: str, table: object, wanted: str) -> str | None:
        """The result of an `exports` or `imports` map: a path, None if forbidden, else ''."""
        match = best_pattern(table, wanted) if isinstance(table, dict) else None
        if match is None:
            return ""
        if match[0] is None:
            return None
        for target in _targets(match[0]):
            whole = target.replace("*", match[1])
            if whole.startswith("."):
                found = self._paths.source_of(folder, whole)
            else:
                found = self.find(join(folder, "package.json"), whole) if whole != wanted else ""
            if found:
                return found
        return ""


def _shared(folder: str, path: str) -> int:
    """The number of leading folders that two paths share."""
    pairs = zip(folder.split("/"), path.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _by_path(exports: object) -> bool:
    return isinstance(exports, dict) and any(str(key).startswith(".") for key in exports)


def _targets(value: object) -> Iterator[str]:
    """The targets of a conditional map, sources and types before build output."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            known = [one[key] for key in _CONDITIONS if key in one]
            others = [one[key] for key in one if key not in _CONDITIONS]
            waiting.extend(reversed(known + others))


def _matcher(folder: str, glob: str) -> re.Pattern[str]:
    whole = join(folder, glob.lstrip("!").rstrip("/"))
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", whole)
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts) + r"\Z")
