"""Resolve PHP names and includes: by PSR-4 maps of `composer.json`, else by path."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

from contextd_code.index.languages.language import Read
from contextd_code.values.source import Import

SETTINGS = ("composer.json",)
_SECTIONS = ("autoload", "autoload-dev")
_ENDINGS = (".php", ".inc", ".phtml")


class PhpResolver:
    """Resolves by the `psr-4` and `psr-0` maps of every `composer.json` of the project.

    Another name leads to the only file whose path ends with it, by two parts or more.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._files = {p for p in paths if p.endswith(_ENDINGS)}
        self._roots: list[tuple[str, str, bool]] = []
        for path in sorted(paths):
            if posixpath.basename(path) == "composer.json":
                self._roots += _autoload(path, read)
        self._roots.sort(key=lambda root: (-len(root[0]), root))
        self._by_ending: dict[str, list[str]] = {}
        for path in self._files:
            self._by_ending.setdefault(_ending(path), []).append(path)

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        if any(posixpath.basename(path) == "composer.json" for path in came | went | changed):
            return False
        for path in went & self._files:
            self._files.remove(path)
            self._by_ending[_ending(path)].remove(path)
        for path in came:
            if path.endswith(_ENDINGS):
                self._files.add(path)
                self._by_ending.setdefault(_ending(path), []).append(path)
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets."""
        return tuple(self._resolve(path, one) for one in imports)

    def _resolve(self, path: str, one: Import) -> Import:
        if one.names and one.names[0][0] == "*":
            found = self._included(path, one.specifier)
        else:
            found = self._class(one.specifier)
        return replace(one, target=found if found != path else "")

    def _included(self, path: str, specifier: str) -> str:
        folder = posixpath.dirname(path)
        # Without a dot, PHP searches the include path first, which mostly contains the
        # project's root.
        for base in (folder,) if specifier.startswith(".") else (folder, ""):
            choice = posixpath.normpath(posixpath.join(base, specifier.lstrip("/")))
            if choice in self._files:
                return choice
        return ""

    def _class(self, name: str) -> str:
        for prefix, folder, whole in self._roots:
            if name.startswith(prefix):
                inner = name if whole else name[len(prefix) :]
                choice = posixpath.join(folder, inner.replace("\\", "/") + ".php")
                if choice in self._files:
                    return choice
        parts = name.split("\\")
        ending = "/".join(parts[-2:]).lower() + ".php"
        found = self._by_ending.get(ending, ()) if len(parts) > 1 else ()
        return found[0] if len(found) == 1 and not self._mapped(name) else ""

    def _mapped(self, name: str) -> bool:
        """Whether a map determines the path of a name."""
        return any(prefix and name.startswith(prefix) for prefix, _, _ in self._roots)


def _ending(path: str) -> str:
    return "/".join(path.split("/")[-2:]).lower()


def decisive(_path: str, text: str) -> object:
    """The parts of a `composer.json` that affect where names lead."""
    try:
        manifest: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(manifest, dict):
        return None
    return [manifest.get(section) for section in _SECTIONS]


def _autoload(path: str, read: Read) -> Iterator[tuple[str, str, bool]]:
    """(prefix, folder, whether the prefix is part of the path) of one `composer.json`."""
    try:
        manifest: Any = json.loads(read(path))
    except (OSError, ValueError, RecursionError):
        return
    base = posixpath.dirname(path)
    for section in _SECTIONS:
        listed = manifest.get(section) if isinstance(manifest, dict) else None
        for standard in ("psr-4", "psr-0"):
            table = listed.get(standard) if isinstance(listed, dict) else None
            for prefix, folders in table.items() if isinstance(table, dict) else ():
                for folder in folders if isinstance(folders, list) else [folders]:
                    if isinstance(folder, str):
                        whole = posixpath.normpath(posixpath.join(base, folder or "."))
                        yield prefix, "" if whole == "." else whole, standard == "psr-0"
