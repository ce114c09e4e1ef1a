"""Resolve a module path to a file of the project by TypeScript's and Node's rules.

Only the walked paths count; nothing is looked up on disk.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Set
from typing import Any

from contextd_code.index.languages.folders import Folders
from contextd_code.index.languages.language import Read, made_of

_TRIED = (
    ".ts .tsx .d.ts .js .jsx .mts .cts .mjs .cjs .d.mts .d.cts .json .vue .svelte .astro".split()
)
_WRITTEN_AS = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".ts", ".d.ts", ".jsx", ".js"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
_BUILT = re.compile(
    r"^(?:dist|lib|build|out|es|esm|cjs|\.medusa/server)/(?:(?:esm|cjs|es|types|src)/)?"
)
_BUILT_NAME = re.compile(r"(?:\.d)?\.[mc]?[jt]sx?$")
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')
MAIN_FIELDS = ("types", "typings", "source", "module", "main")


def load_json(read: Read, path: str) -> dict[str, Any]:
    """The object in a JSON file, with comments and trailing commas allowed; empty for anything
    else.

    It is shared: do not modify it.
    """
    try:
        return made_of(read, path, parsed_object)
    except OSError:
        return {}


def parsed_object(text: str) -> dict[str, Any]:
    """The object in a JSON text, as in `load_json`."""
    try:
        value = json.loads(_COMMA.sub(r"\1", _COMMENT.sub(r"\1", text)), strict=False)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def strings(value: object) -> list[str]:
    """The strings in a value that may be a string, a list of them, or anything else."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def join(folder: str, path: str) -> str:
    """Join `path` to `folder` and normalise; the root is the empty string."""
    whole = posixpath.normpath(posixpath.join(folder, path))
    return "" if whole == "." else whole


def best_pattern(table: Mapping[str, Any], wanted: str) -> tuple[Any, str] | None:
    """The value of the key that equals `wanted`, or of the pattern with the longest prefix before
    its `*`, and the text that `*` matched.
    """
    if wanted in table and "*" not in wanted:
        return table[wanted], ""
    best: tuple[int, Any, str] | None = None
    for key, value in table.items():
        start, star, end = key.partition("*")
        if not star and key.endswith("/") and key != "/":
            start, star, end = key, "*", ""
            value = f"{value}*" if isinstance(value, str) else value
        fits = len(wanted) >= len(start) + len(end)
        better = bool(star) and (best is None or len(start) > best[0])
        if better and fits and wanted.startswith(start) and wanted.endswith(end):
            best = len(start), value, wanted[len(start) : len(wanted) - len(end)]
    return (best[1], best[2]) if best is not None else None


class ModulePaths:
    """Looks walked paths up as an import would."""

    def __init__(self, paths: Collection[str], manifests: Mapping[str, Mapping[str, Any]]) -> None:
        self.files = paths if isinstance(paths, Set) else frozenset(paths)
        self._manifests = manifests
        self.folders = Folders(self.files, rooted=True)

    def follow(self, came: Set[str], went: Set[str]) -> None:
        """Update for files added to and removed from the set of paths."""
        for path in went:
            self.folders.remove(path)
        for path in came:
            self.folders.add(path)

    def find(self, path: str, *, folder_only: bool = False) -> str:
        """The file of the module path `path` (from the root, without `.`), or an empty path."""
        if path.startswith("../"):
            return ""
        if not folder_only and path:
            for choice in self._spellings(path):
                if choice in self.files:
                    return choice
        return self._index(path) if path in self.folders else ""

    def spelled(self, path: str, found: str) -> bool:
        """Whether a module path has the file's extension, or that of its output."""
        stem, extension = posixpath.splitext(path)
        written = (stem + other for other in _WRITTEN_AS.get(extension, ()))
        return found == path or found in written

    def _spellings(self, path: str) -> Iterator[str]:
        stem, extension = posixpath.splitext(path)
        for other in _WRITTEN_AS.get(extension, ()):
            yield stem + other
        yield path
        for extension in _TRIED:
            yield path + extension

    def _index(self, folder: str) -> str:
        manifest = self._manifests.get(folder, {})
        for field in MAIN_FIELDS:
            main = manifest.get(field)
            if isinstance(main, str) and join("", main):
                found = self.source_of(folder, main)
                if found:
                    return found
        for extension in _TRIED:
            choice = join(folder, "index" + extension)
            if choice in self.files:
                return choice
        return ""

    def source_of(self, package: str, target: str) -> str:
        """The file of a manifest's `target`; for build output, its source."""
        path = join("", target)
        if path and not path.startswith(".."):
            found = self.find(join(package, path))
            if found:
                return found
        built = _BUILT.match(path)
        if built is None:
            return ""
        stems = {path[built.end() :]: None, path.split("/", 1)[1]: None}
        for rest in stems:
            stem = _BUILT_NAME.sub("", rest)
            for folder in ("src", ""):
                found = self.find(join(package, posixpath.join(folder, stem)))
                if found:
                    return found
        return ""
