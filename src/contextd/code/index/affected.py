"""Which unchanged files a change elsewhere may lead to other places."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import field

from contextd.code.index.languages.language import ImportReach, enclosing, said_words
from contextd.code.index.languages.table import BY_NAME, changes_resolution
from contextd.code.index.resolve import Resolver
from contextd.domain.code import Import, SourceFile
from contextd.domain.dataclass import dataclass

FEW = 1_000
"""So many files that come or go are asked one by one what they draw to themselves; more draw all."""

_NAME = re.compile(r"\w+|\*")
_ANY = "*"
_OPTIONS = '"compilerOptions"'


@dataclass(slots=True)
class _FamilyReach:
    """The reaches of many files, in one family of languages."""

    words: set[str] = field(default_factory=set[str])
    nameless: bool = False
    everywhere: bool = False
    folders: set[str] = field(default_factory=set[str])
    below: set[str] = field(default_factory=set[str])

    def add(self, path: str, reach: ImportReach) -> None:
        """Take in that of one file."""
        self.words |= reach.words
        self.nameless |= reach.nameless
        self.everywhere |= reach.everywhere
        if reach.beside:
            self.folders.add(posixpath.dirname(path))
        if reach.below:
            self.below.add(posixpath.dirname(path))

    def has(self, path: str, imports: Iterable[Import], words: frozenset[str]) -> bool:
        """Whether imports of the file `path`, which say these words, are among it."""
        if self.everywhere or not self.words.isdisjoint(words):
            return True
        folder = posixpath.dirname(path)
        if folder in self.folders or (self.below and not self.below.isdisjoint(enclosing(folder))):
            return True
        return self.nameless and any(not said_words(one.specifier) for one in imports)


@dataclass(slots=True)
class Affected:
    """What a scan found that may lead imports of unchanged files elsewhere: files that came or went,
    names that others define now, and settings. `all` is every import there is.
    """

    resolver: Resolver
    all: bool = False
    moved: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    _families: dict[str, _FamilyReach] = field(default_factory=dict[str, _FamilyReach])

    def __bool__(self) -> bool:
        return self.all or bool(self.moved or self.names)

    def change(self, stored: SourceFile | None, fresh: SourceFile | None) -> bool:
        """Note what a file says otherwise than it did; one of both is None when it came or went.
        Whether that may lead others elsewhere.
        """
        present = [file for file in (stored, fresh) if file is not None]
        settings = any(changes_resolution(f.path) or _configures(f) for f in present)
        names = {word for name in _defined(stored, fresh) for word in said_words(name) or [name]}
        self.all |= settings or _ANY in names
        self.names |= names
        return settings or bool(names)

    def move(self, path: str) -> None:
        """Note that a file came or went."""
        self.moved.add(path)
        self.all |= len(self.moved) > FEW or changes_resolution(path)

    def has(self, path: str, language: str, imports: tuple[Import, ...]) -> bool:
        """Whether the imports of a file may lead elsewhere now."""
        row = BY_NAME.get(language)
        if row is None or not imports:
            return False
        if self.all or any(one.target in self.moved for one in imports):
            return True
        spoken = [one.specifier for one in imports]
        spoken += [name for one in imports for name, _ in one.names]
        words = frozenset(said_words(" ".join(spoken)))
        if row.defines is not None and not self.names.isdisjoint(words):
            return True
        return bool(self.moved) and self._family(row.family, language).has(path, imports, words)

    def _family(self, family: str, language: str) -> _FamilyReach:
        known = self._families.get(family)
        if known is None:
            known = self._families[family] = _FamilyReach()
            for path in self.moved:
                known.add(path, self.resolver.reach(path, language))
        return known


def defines_names(language: str) -> bool:
    """Whether what the files of a language define decides where imports lead."""
    row = BY_NAME.get(language)
    return row is not None and row.defines is not None


def _configures(file: SourceFile) -> bool:
    """Whether a JSON file is one that configurations of TypeScript may extend, whatever its name."""
    return file.path.endswith(".json") and any(_OPTIONS in chunk.text for chunk in file.chunks)


def _defined(stored: SourceFile | None, fresh: SourceFile | None) -> set[str]:
    """The names that one of two readings of a file defines and the other does not; `*` stands for any."""
    file = fresh or stored
    row = BY_NAME.get(file.language) if file is not None else None
    if row is None or row.defines is None:
        return set()
    both: list[set[tuple[str, ...]]] = []
    for reading in (stored, fresh):
        if reading is not None and not reading.chunks and reading.size:
            # A file whose text is not kept says too little of what it is.
            return {_ANY}
        text = "".join(chunk.text for chunk in reading.chunks) if reading is not None else ""
        both.append({*row.defines(text)})
    return {name for one in both[0] ^ both[1] for name in _NAME.findall(one[-1])}
