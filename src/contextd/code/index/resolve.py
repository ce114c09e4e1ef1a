"""Where imports lead, whatever the language."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from contextd.code.index.languages.language import ImportReach, KeepingRead, LanguageResolver
from contextd.code.index.languages.table import BY_NAME
from contextd.code.tree.content import decode
from contextd.code.tree.paths import read_listed
from contextd.code.tree.walk import WalkedFile
from contextd.domain.code import Import
from contextd.domain.errors import ContextdError

_LARGEST_SETTING = 2_000_000
_RACY_NS = 20_000_000
"""A file this young may change again without getting another time."""

_NEVER = (-1, -1)
_Made = TypeVar("_Made")

Stamp = tuple[int, int]
"""Size and mtime_ns."""


class Resolver:
    """Resolves imports among `paths`, the walked files of `root`. A family of languages is only
    set up when a file of it is asked for.

    Setting up reads files: configurations, and all sources where names decide. Whoever resolves
    again and again keeps one and asks `after` for the next.
    """

    def __init__(self, root: Path, paths: Collection[str]) -> None:
        self._root = root
        self._base = Path(os.path.realpath(root))
        self._paths = frozenset(paths)
        self._by_family: dict[str, LanguageResolver] = {}
        self._stamps: dict[str, dict[str, Stamp]] = {}
        self._made: dict[tuple[str, object], tuple[Stamp, Any]] = {}
        self._left: Mapping[str, Stamp] = {}

    def beside(self, paths: Collection[str], left: Mapping[str, Stamp]) -> Resolver:
        """A resolver for these paths to whom the files `left` say what was made of them when they had
        these stamps, where that is known still, whatever they say now. This one is not changed.
        """
        fresh = Resolver(self._root, paths)
        fresh._made, fresh._left = self._made, left
        return fresh

    def after(self, files: Sequence[WalkedFile]) -> Resolver:
        """A resolver for the files as they are now, with the families set up here for which none of
        the files they read is another one now. This one itself is not changed.
        """
        paths = frozenset(file.path for file in files)
        fresh = Resolver(self._root, paths)
        fresh._made = self._made
        if paths != self._paths:
            return fresh
        # One set of strings is enough, and the kept families hold this one.
        fresh._paths = self._paths
        now = {file.path: (file.size, file.mtime_ns) for file in files}
        for family, read in self._stamps.items():
            if family in self._by_family and all(now.get(p) == s for p, s in read.items()):
                fresh._by_family[family] = self._by_family[family]
                fresh._stamps[family] = read
        return fresh

    def outlasts(self, changed: Collection[str]) -> bool:
        """Whether it is still right when the content of these files changed, and no other's."""
        read = self._stamps.values()
        return self._paths.issuperset(changed) and not any(
            _NEVER in one.values() or not one.keys().isdisjoint(changed) for one in read
        )

    def ready(self, languages: Collection[str]) -> None:
        """Set up the families of these languages now."""
        for name in languages:
            if name in BY_NAME:
                self._family(name)

    def resolve(self, path: str, language: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports of the file `path` with their targets, empty outside the project."""
        if language not in BY_NAME or not imports:
            return tuple(imports)
        return self._family(language).resolve(path, imports)

    def reach(self, path: str, language: str) -> ImportReach:
        """Which imports of files in a language one with this path may draw to itself, or away from others."""
        return self._family(language).reach(path) if language in BY_NAME else ImportReach()

    def _family(self, language: str) -> LanguageResolver:
        row = BY_NAME[language]
        resolver = self._by_family.get(row.family)
        if resolver is None:
            read = _Reader(self._base, self._stamp, self._made, self._left)
            self._stamps[row.family] = read.stamps
            resolver = self._by_family[row.family] = row.resolver(self._paths, read)
        return resolver

    def _stamp(self, path: str) -> Stamp:
        try:
            about = os.stat(self._base / path)  # noqa: PTH116 - half the time of Path.stat
        except (OSError, ValueError):
            return _NEVER
        young = time.time_ns() - about.st_mtime_ns < _RACY_NS
        return _NEVER if young else (about.st_size, about.st_mtime_ns)


class _Reader(KeepingRead):
    """Reads files for a family, and notes the stamps they had. `made` outlives it."""

    def __init__(
        self,
        base: Path,
        stamp: Callable[[str], Stamp],
        made: dict[tuple[str, object], tuple[Stamp, Any]],
        left: Mapping[str, Stamp],
    ) -> None:
        self.stamps: dict[str, Stamp] = {}
        self._base, self._stamp, self._made, self._left = base, stamp, made, left

    def __call__(self, path: str) -> str:
        """See `Read`."""
        # Before it is read: what is written later has another time.
        self.stamps[path] = self._stamp(path)
        try:
            return decode(read_listed(self._base, path, limit=_LARGEST_SETTING))
        except ContextdError as error:
            raise OSError(error.message) from None

    def made(self, path: str, make: Callable[[str], _Made]) -> _Made:
        """See `made_of`."""
        known = self._made.get((path, make))
        left = self._left.get(path)
        stamp = left if known is not None and known[0] == left else self._stamp(path)
        if known is not None and known[0] == stamp != _NEVER:
            self.stamps[path] = stamp
            made: _Made = known[1]
            return made
        made = make(self(path))
        self._made[path, make] = self.stamps[path], made
        return made
