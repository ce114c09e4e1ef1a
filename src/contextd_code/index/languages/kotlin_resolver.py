"""Resolve Kotlin imports to files; a package may be in any folder, and contain Java too."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import replace

from contextd_code.index.languages.language import Read
from contextd_code.index.languages.namespaces import Namespaces
from contextd_code.values.source import Import


class KotlinResolver:
    """Looks names up in the packages of the project: an imported name in its package; a used type
    in the file's own package and in `*` imports.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._table = Namespaces(paths, read, (".kt", ".kts", ".java"))

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        self._table.follow(came, went, changed)
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets. Idempotent."""
        found: list[Import] = []
        wildcards: dict[str, int] = {}
        left: dict[str, None] = {}
        line = 1
        for one in imports:
            if one.specifier.endswith(".*") or not one.specifier:
                left.update(dict.fromkeys(name for name, _ in one.names))
                if one.specifier:
                    wildcards.setdefault(one.specifier[:-2], one.line)
                else:
                    line = one.line
            else:
                target, _ = self._table.qualified(one.specifier)
                found.append(replace(one, target=target if target != path else ""))
        own = self._table.of(path) or [""]
        for package in dict.fromkeys([*own, *wildcards]):
            by_file: dict[str, list[str]] = {}
            for name in tuple(left):
                target = self._table.file(package, name)
                if target:
                    del left[name]
                    by_file.setdefault(target, []).append(name)
            specifier = "" if package in own else f"{package}.*"
            at = wildcards.get(package, line)
            for target, names in by_file.items():
                if target != path:
                    pairs = tuple((name, name) for name in sorted(names))
                    found.append(Import(specifier=specifier, line=at, target=target, names=pairs))
            if package in wildcards and (package in own or not by_file):
                found.append(Import(specifier=f"{package}.*", line=wildcards[package]))
        if left:
            found.append(Import(specifier="", line=line, names=tuple((n, n) for n in sorted(left))))
        return tuple(sorted(found, key=lambda one: (one.line, one.specifier, one.target)))
