"""Where TypeScript and JavaScript imports lead, among the files of the project."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import replace

from contextd.code.index.languages.ecmascript_paths import ModulePaths, join
from contextd.code.index.languages.language import ImportReach, Read, reach_by_name, said_words
from contextd.code.index.languages.packages import Packages, manifests
from contextd.code.index.languages.tsconfig import NAMES, TsConfigs
from contextd.domain.code import Import

SETTINGS = (*NAMES, "package.json", "pnpm-workspace.yaml", "lerna.json")
_ALIASES = ("@/", "~/")


class EcmascriptResolver:
    """Relative paths, `paths` and `baseUrl`, workspace packages, `exports` and `imports` maps."""

    def __init__(self, paths: Collection[str], read: Read) -> None:
        files = frozenset(paths)
        found = manifests(files, read)
        self._paths = ModulePaths(files, found)
        self._packages = Packages(self._paths, found, read)
        self._configs = TsConfigs(self._paths, self._packages.folder_of, read)
        self._known: dict[tuple[str, str], str] = {}
        self._aliases: tuple[frozenset[str], frozenset[str]] | None = None

    def reach(self, path: str) -> ImportReach:
        """See `LanguageResolver.reach`. What folders, packages and aliases stand for is called as they are."""
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

    def _mapped(self) -> tuple[frozenset[str], frozenset[str]]:
        """The words of what configurations and packages map, and of where they map it to."""
        if self._aliases is None:
            maps = [*self._configs.mappings(), *self._packages.mappings()]
            keys, places = (" ".join(side) for side in zip(("", ""), *maps, strict=True))
            self._aliases = frozenset(said_words(keys)), frozenset(said_words(places))
        return self._aliases

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with targets; one that leads nowhere in the project has an empty one."""
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
            # No package can have these names; bundlers are told elsewhere what they mean.
            own = self._packages.around(path) or ""
            inner = specifier[2:]
            found = self._paths.find(join(own, "src/" + inner))
            found = found or self._paths.find(join(own, inner))
        return found
