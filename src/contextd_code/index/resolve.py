"""Resolve imports to files, for every language."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from contextd_code.index.languages.language import (
    ImportReach,
    KeepingRead,
    Language,
    LanguageResolver,
    ReachingResolver,
)
from contextd_code.index.languages.table import BY_NAME, LANGUAGES
from contextd_code.tree.content import decode
from contextd_code.tree.paths import read_listed
from contextd_code.tree.walk import WalkedFile, changed_ns
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import Import, KeptReading
from contextd_common.errors import ContextdError

_LARGEST_SETTING = 2_000_000
_RACY_NS = 20_000_000
"""A younger file may change again within the same time stamp."""

_NEVER = (-1, -1)
_Made = TypeVar("_Made")

Stamp = tuple[int, int]
"""Size in bytes, and `changed_ns`."""

_NONE: Mapping[str, Stamp] = {}


class Resolver:
    """Resolves imports among `paths`, the walked files of `root`.

    A language family is set up at the first file of it. Setting up reads files: configurations, and
    all sources if names decide. To resolve repeatedly, keep one resolver and let it `follow` the
    files.
    """

    def __init__(self, root: Path, paths: Collection[str]) -> None:
        self._root = root
        self._base = Path(os.path.realpath(root))
        self._paths = set(paths)
        self._endings = Counter(map(_ending, self._paths))
        self._walked: Mapping[str, WalkedFile] = {}
        self._by_family: dict[str, LanguageResolver] = {}
        self._readers: dict[str, _Reader] = {}
        self._made: dict[str, dict[object, tuple[Stamp, Any]]] = {}
        self._left: Mapping[str, Stamp] = _NONE
        self._known_readings = _KeptReadings()

    @classmethod
    def of(cls, root: Path, files: Iterable[WalkedFile]) -> Resolver:
        """A resolver for files as a walk found them."""
        found = cls(root, ())
        found.follow(files)
        return found

    def apart(self, files: Iterable[WalkedFile]) -> Resolver:
        """Another resolver, for files of a walk, that reuses the parsed data of this one."""
        fresh = Resolver(self._root, ())
        fresh._made, fresh._known_readings = self._made, self._known_readings
        fresh.follow(files)
        return fresh

    def follow(self, files: Iterable[WalkedFile], left: Mapping[str, Stamp] = _NONE) -> None:
        """Update this resolver to these files: report added, removed and changed files to each
        family.

        Data parsed from the files in `left`, the previous state, stays valid if their stamps are
        the same.
        """
        self._walked = {file.path: file for file in files}
        came = {path for path in self._walked if path not in self._paths}
        came.update(path for path in left if path not in self._paths)
        went = {path for path in self._paths if path not in self._walked and path not in left}
        self._paths -= went
        self._paths |= came
        self._endings.subtract(map(_ending, went))
        self._endings.update(map(_ending, came))
        for path in went:
            self._made.pop(path, None)
        self._left = left
        for family, resolver in tuple(self._by_family.items()):
            reader = self._readers[family]
            for path in went:
                reader.stamps.pop(path, None)
            reader.left = left
            changed = {
                path for path, stamp in reader.stamps.items() if not self._still(path, stamp)
            }
            if not resolver.follow(came, went, changed):
                del self._by_family[family], self._readers[family]

    def _still(self, path: str, stamp: Stamp) -> bool:
        """Whether a file read at one stamp is unchanged. A file old enough to be trusted stays so."""
        left, walked = self._left.get(path), self._walked.get(path)
        if left is None and walked is not None:
            return stamp == (walked.size, walked.mtime_ns)
        return _NEVER != stamp == (left or self._stamp(path))

    def kept_in(self, files: CodeIndex) -> Resolver:
        """The same, for which what was made of texts and is kept in this store need not be made again."""
        self._known_readings.files = files
        return self

    def unkept(self) -> list[KeptReading]:
        """The data parsed since the last call that is worth storing."""
        some = [self._known_readings.unkept.pop() for _ in range(len(self._known_readings.unkept))]
        return [one for one in some if (one.size, one.mtime_ns) != _NEVER]

    def ready(self, languages: Collection[str]) -> None:
        """Set up the families of these languages now."""
        for name in languages:
            if name in BY_NAME:
                self._family(BY_NAME[name])

    def resolve(self, path: str, language: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports of the file `path` with their targets, empty outside the project."""
        if language not in BY_NAME or not imports:
            return tuple(imports)
        return self._family(BY_NAME[language]).resolve(path, imports)

    def reach(self, path: str, family: str) -> ImportReach:
        """Which imports of a family a file with this path may attract, or divert."""
        row = _OF_FAMILY[family]
        known = row.reach(path)
        if known is not None:
            return known
        if not any(self._endings[one] for one in _ENDINGS[family]):
            return ImportReach()
        resolver = self._family(row)
        assert isinstance(resolver, ReachingResolver)
        return resolver.reach(path)

    def _family(self, row: Language) -> LanguageResolver:
        resolver = self._by_family.get(row.family)
        if resolver is None:
            reader = _Reader(self._base, self._stamp, self._made, self._left, self._known_readings)
            self._readers[row.family] = reader
            resolver = self._by_family[row.family] = row.resolver(self._paths, reader)
        return resolver

    def _stamp(self, path: str) -> Stamp:
        """The stamp from the walk, which precedes any read; a later write has another stamp."""
        walked = self._walked.get(path)
        if walked is not None:
            size, mtime_ns = walked.size, walked.mtime_ns
        else:
            try:
                about = os.stat(self._base / path)  # noqa: PTH116 - half the time of Path.stat
            except (OSError, ValueError):
                return _NEVER
            size, mtime_ns = about.st_size, changed_ns(about)
        return _NEVER if time.time_ns() - mtime_ns < _RACY_NS else (size, mtime_ns)


_OF_FAMILY = {row.family: row for row in reversed(LANGUAGES)}
_ENDINGS = {
    family: [e for row in LANGUAGES if row.family == family for e in row.extensions]
    for family in _OF_FAMILY
}


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


class _KeptReadings:
    """The stored data of a reader, and the data it lacks."""

    def __init__(self) -> None:
        self.files: CodeIndex | None = None
        self.unkept: list[KeptReading] = []
        self._loaded: set[str] = set()

    def load(
        self, reader: str, make: object, made: dict[str, dict[object, tuple[Stamp, Any]]]
    ) -> None:
        """Take in what a reader made, the first time it is asked for."""
        if self.files is None or reader in self._loaded:
            return
        self._loaded.add(reader)
        for one in self.files.readings(reader):
            made.setdefault(one.path, {}).setdefault(make, ((one.size, one.mtime_ns), one.value))


class _Reader(KeepingRead):
    """Reads files for a family and notes their stamps. `made` outlives it."""

    def __init__(
        self,
        base: Path,
        stamp: Callable[[str], Stamp],
        made: dict[str, dict[object, tuple[Stamp, Any]]],
        left: Mapping[str, Stamp],
        known_readings: _KeptReadings,
    ) -> None:
        self.stamps: dict[str, Stamp] = {}
        self.left = left
        self._base, self._stamp, self._made, self._known_readings = (
            base,
            stamp,
            made,
            known_readings,
        )

    def __call__(self, path: str) -> str:
        """See `Read`."""
        self.stamps[path] = self._stamp(path)
        try:
            return decode(read_listed(self._base, path, limit=_LARGEST_SETTING))
        except ContextdError as error:
            raise OSError(error.message) from None

    def made(self, path: str, make: Callable[[str], _Made], reader: str = "") -> _Made:
        """See `made_of`."""
        if reader:
            self._known_readings.load(reader, make, self._made)
        known = self._made.get(path, {}).get(make)
        left = self.left.get(path)
        stamp = left if known is not None and known[0] == left else self._stamp(path)
        if known is not None and known[0] == stamp != _NEVER:
            self.stamps[path] = stamp
            made: _Made = known[1]
            return made
        made = make(self(path))
        self._made.setdefault(path, {})[make] = self.stamps[path], made
        if reader:
            size, mtime_ns = self.stamps[path]
            self._known_readings.unkept.append(
                KeptReading(path=path, size=size, mtime_ns=mtime_ns, reader=reader, value=made)
            )
        return made
