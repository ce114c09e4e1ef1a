"""Resolve TypeScript and JavaScript imports to files of the project."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence, Set
from dataclasses import replace

from contextd_code.index.languages.ecmascript_paths import (
    MAIN_FIELDS,
    ModulePaths,
    join,
    parsed_object,
)
from contextd_code.index.languages.language import ImportReach, Read, reach_by_name
from contextd_code.index.languages.packages import Packages, linked, manifests
from contextd_code.index.languages.tsconfig import NAMES, OPTIONS, TsConfigs
from contextd_code.values.imports import said_words
from contextd_code.values.source import Import

_MANIFESTS = ("package.json", "pnpm-workspace.yaml", "lerna.json")
SETTINGS = (*NAMES, *_MANIFESTS)
_DECISIVE = [*"name workspaces packages exports imports extends references".split(), *MAIN_FIELDS]
_FOREIGN = (".py", ".go", ".rs", ".java", ".kt", ".cs", ".c", ".h", ".cc", ".cpp", ".rb", ".php")
_ALIASES = ("@/", "~/")


def reach(path: str) -> ImportReach | None:
    """See `Language.reach`: an import names a file of another language only by its own name."""
    return reach_by_name(path) if path.endswith(_FOREIGN) else None


def decisive(path: str, text: str) -> object:
    """The parts of a manifest or configuration that affect where imports lead."""
    if not path.endswith(".json"):
        return text
    manifest = parsed_object(text)
    options = manifest.get("compilerOptions")
    found = {name: manifest[name] for name in _DECISIVE if name in manifest}
    found["options"] = (
        {name: options[name] for name in OPTIONS if name in options}
        if isinstance(options, dict)
        else None
    )
    return [found, linked(manifest)]


class EcmascriptResolver:
    """Resolves relative paths, `paths` and `baseUrl`, workspace packages, `exports` and `imports`
    maps.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        files = paths if isinstance(paths, Set) else frozenset(paths)
        self._read = read
        found = manifests(files, read)
        self._paths = ModulePaths(files, found)
        self._packages = Packages(self._paths, found, read)
        self._configs = TsConfigs(self._paths, self._packages.folder_of, read)
        self._known: dict[tuple[str, str], str] = {}
        self._aliases: tuple[frozenset[str], frozenset[str]] | None = None

    def reach(self, path: str) -> ImportReach:
        """See `ReachingResolver.reach`: targets of folders, packages and aliases have the words of
        those names.
        """
        own = reach_by_name(path)
        keys, places = self._mapped()
        if "index" not in own.words and places.isdisjoint(own.words):
            return own
        folder = posixpath.dirname(path)
        named = said_words(
            " ".join([posixpath.basename(folder), *self._packages.names_around(path)])
        )
        return ImportReach(
            own.words | keys | frozenset(named), nameless=True, everywhere=own.everywhere
        )

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        others = came | went | changed
        if any(posixpath.basename(path) in _MANIFESTS for path in others):
            return False
        if came or went:
            self._paths.follow(came, went)
            self._known.clear()
        if any(path.endswith(".json") for path in others):
            self._configs = TsConfigs(self._paths, self._packages.folder_of, self._read)
            self._known.clear()
            self._aliases = None
        return True

    def _mapped(self) -> tuple[frozenset[str], frozenset[str]]:
        """The words that configurations and packages map, and the words of their targets."""
        if self._aliases is None:
            maps = [*self._configs.mappings(), *self._packages.mappings()]
            keys, places = (" ".join(side) for side in zip(("", ""), *maps, strict=True))
            self._aliases = frozenset(said_words(keys)), frozenset(said_words(places))
        return self._aliases

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with targets; a target outside the project is empty."""
        return tuple(self._resolve(path, one) for one in imports)

    def _resolve(self, path: str, one: Import) -> Import:
        key = posixpath.dirname(path), one.specifier
        target = self._known.get(key)
        if target is None:
            target = self._known[key] = self._target(path, one.specifier.split("?", 1)[0])
        target = "" if target == path else target
        return one if target == one.target else replace(one, target=target)

    def _target(self, path: str, specifier: str) -> str:
        if specifier.startswith("."):
            folder = posixpath.dirname(path)
            last = specifier.rsplit("/", 1)[-1]
            only = last in ("", ".", "..")
            found = self._paths.find(join(folder, specifier), folder_only=only)
            return found or self._configs.elsewhere(path, specifier)
        if not specifier or specifier.startswith("/") or ":" in specifier.split("/", 1)[0]:
            return ""
        found, exact = self._configs.mapped(path, specifier)
        if not found or not exact:
            found = self._packages.find(path, specifier) or found
        if not found and specifier.startswith(_ALIASES):
            # No package can have these names; bundlers are configured to resolve
            # them.
            own = self._packages.around(path) or ""
            inner = specifier[2:]
            found = self._paths.find(join(own, "src/" + inner))
            found = found or self._paths.find(join(own, inner))
        return found
