"""Resolve Python imports to files of the project."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Collection, Sequence, Set
from dataclasses import replace

from contextd_code.index.languages.folders import Folders
from contextd_code.index.languages.language import ImportReach, Read
from contextd_code.values.imports import said_words
from contextd_code.values.source import Import

SETTINGS = ("pyproject.toml", "setup.py", "setup.cfg", "manage.py", "requirements.txt")
_SOURCES = (".py", ".pyi")
_SOURCE_FOLDERS = ("src", "lib", "python")


def reach(path: str) -> ImportReach:
    """See `Language.reach`: a file that makes a folder a package affects imports of that folder;
    without it, scripts there import their neighbours.
    """
    if not path.endswith(_SOURCES):
        return ImportReach()
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    package = stem == "__init__"
    inner = posixpath.basename(folder)
    words = frozenset(said_words(inner if package else stem))
    source = package and inner in _SOURCE_FOLDERS
    return ImportReach(words, nameless=package, beside=package, everywhere=source or not words)


class PythonResolver:
    """Resolves imports among the walked paths.

    Import roots are the project's, every folder with a packaging file or `manage.py`, and `src/`,
    `lib/` and `python/` in those, nearest first.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._files = {path for path in paths if path.endswith(_SOURCES)}
        self._folders = Folders(self._files, rooted=False)
        self._settings = {path for path in paths if posixpath.basename(path) in SETTINGS}
        self._roots = self._find_roots()
        self._known_bases: dict[tuple[str, str], list[str]] = {}

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        new = {path for path in came if path.endswith(_SOURCES)}
        lost_files = went & self._files
        settings = {path for path in came if posixpath.basename(path) in SETTINGS}
        if not (new or lost_files or settings or went & self._settings):
            return True
        for path in lost_files:
            self._folders.remove(path)
        for path in new:
            self._folders.add(path)
        self._files -= lost_files
        self._files |= new
        self._settings = (self._settings - went) | settings
        self._roots = self._find_roots()
        self._known_bases.clear()
        return True

    def _find_roots(self) -> list[str]:
        roots = {""} | {posixpath.dirname(path) for path in self._settings}
        for root in tuple(roots):
            for name in _SOURCE_FOLDERS:
                folder = posixpath.join(root, name)
                if folder in self._folders and f"{folder}/__init__.py" not in self._files:
                    roots.add(folder)
        return sorted(roots, key=lambda root: (-len(root), root))

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with targets. `from package import module, name` is split in two."""
        return tuple(found for one in imports for found in self._resolve(path, one))

    def _resolve(self, path: str, one: Import) -> list[Import]:
        name = one.specifier.lstrip(".")
        level = len(one.specifier) - len(name)
        parts = name.split(".") if name else []
        for base in self._bases(path, level, parts):
            whole = len(one.names) == 1 and one.names[0][0] == "*" and one.names[0][1] != "*"
            found = self._module(base, parts, one) if whole else self._names(base, parts, one)
            if any(each.target not in ("", path) for each in found):
                return _with_rest([each for each in found if each.target not in ("", path)], one)
        return [replace(one, target="")]

    def _bases(self, path: str, level: int, parts: list[str]) -> list[str]:
        folder = posixpath.dirname(path)
        if level:
            for _ in range(level - 1):
                if not folder:
                    return []
                folder = posixpath.dirname(folder)
            return [folder]
        if not parts:
            return []
        key = folder, parts[0]
        known = self._known_bases.get(key)
        if known is None:
            known = self._known_bases[key] = self._whole_bases(folder, parts[0])
        return known

    def _whole_bases(self, folder: str, first: str) -> list[str]:
        """The import roots, for an import in a folder, that contain this top-level name."""
        inside = f"{folder}/"
        roots = [r for r in self._roots if not r or inside.startswith(r + "/")]
        # Only a module on the project's own path hides one of Python's standard library.
        if first not in sys.stdlib_module_names:
            # A script imports its neighbours; a package of the same repository may be
            # installed.
            beside = [folder] if folder not in roots and not self._package(folder) else []
            far = [r for r in self._roots if r not in roots and self._package(f"{r}/{first}")]
            roots = roots + beside + sorted(far, key=lambda root: -_shared(root, inside))
        return [base for base in roots if self._starts(base, first)]

    def _package(self, folder: str) -> bool:
        return f"{folder}/__init__.py" in self._files

    def _starts(self, base: str, first: str) -> bool:
        head = posixpath.join(base, first)
        return head in self._folders or head + ".py" in self._files or head + ".pyi" in self._files

    def _file(self, base: str, parts: Sequence[str]) -> str:
        stem = "/".join([*filter(None, [base]), *parts])
        # Python prefers the package when both a package and a module have the name.
        choices = [f"{stem}/__init__.py", f"{stem}.py", f"{stem}.pyi", f"{stem}/__init__.pyi"]
        if not stem:
            choices = ["__init__.py", "__init__.pyi"]
        return next((choice for choice in choices if choice in self._files), "")

    def _module(self, base: str, parts: list[str], one: Import) -> list[Import]:
        for length in range(len(parts), 0, -1):
            target = self._file(base, parts[:length])
            if target:
                return [replace(one, target=target)]
        return []

    def _names(self, base: str, parts: list[str], one: Import) -> list[Import]:
        package = self._file(base, parts)
        targets: dict[str, list[tuple[str, str]]] = {}
        for name, local in one.names:
            inner = self._file(base, [*parts, name]) if name != "*" else ""
            target = inner or package
            targets.setdefault(target, []).append((name, local))
        return [replace(one, target=t, names=tuple(names)) for t, names in targets.items()]


def _with_rest(found: list[Import], one: Import) -> list[Import]:
    """The resolved names, and the unresolved ones, which may exist later."""
    led = {pair for each in found for pair in each.names}
    rest = tuple(pair for pair in one.names if pair not in led)
    return [*found, replace(one, target="", names=rest)] if rest else found


def _shared(root: str, path: str) -> int:
    return len(posixpath.commonprefix([root + "/", path]))
