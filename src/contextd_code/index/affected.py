"""Find unchanged files whose imports may resolve differently after a change elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import field

from contextd_code.index.languages.language import ImportReach, Language, enclosing
from contextd_code.index.languages.table import BY_NAME, is_tsconfig, language_name
from contextd_code.index.resolve import Resolver
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.imports import Importing, has_wordless, import_words, said_words
from contextd_code.values.source import Import, SourceFile
from contextd_common.dataclass import dataclass

FEW = 1_000
"""For up to this many added or removed files, the imports that may now point to each are looked up one by one;
beyond that all are resolved again.
"""

_NAME = re.compile(r"\w+|\*")
_ANY = "*"
_OPTIONS = '"compilerOptions"'


@dataclass(slots=True)
class _FamilyReach:
    """The combined import reach of many files in one language family."""

    words: set[str] = field(default_factory=set[str])
    nameless: bool = False
    everywhere: bool = False
    folders: set[str] = field(default_factory=set[str])
    below: set[str] = field(default_factory=set[str])

    def add(self, path: str, reach: ImportReach) -> None:
        """Add the reach of one file."""
        self.words |= reach.words
        self.nameless |= reach.nameless
        self.everywhere |= reach.everywhere
        if reach.beside:
            self.folders.add(posixpath.dirname(path))
        if reach.below:
            self.below.add(posixpath.dirname(path))

    def has(self, path: str, imports: Iterable[Import], words: frozenset[str]) -> bool:
        """Whether the imports of the file `path`, which contain these words, are in it."""
        if self.everywhere or not self.words.isdisjoint(words):
            return True
        folder = posixpath.dirname(path)
        if folder in self.folders or (self.below and not self.below.isdisjoint(enclosing(folder))):
            return True
        return self.nameless and has_wordless(imports)


@dataclass(slots=True)
class Affected:
    """Changes of a scan that may affect imports of unchanged files: added or removed files, names with new
    definitions, by the family whose imports may mean them, and settings. `all` covers every import, `families`
    are those fully affected.
    """

    resolver: Resolver
    all: bool = False
    families: set[str] = field(default_factory=set[str])
    moved: set[str] = field(default_factory=set[str])
    names: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _reaches: dict[str, _FamilyReach] = field(default_factory=dict[str, _FamilyReach])

    def __bool__(self) -> bool:
        return self.all or bool(self.moved or self.names or self.families)

    def change(self, stored: SourceFile | None, fresh: SourceFile | None) -> bool:
        """Record the difference between two versions of a file; one of them is None when it was added or
        removed. Return whether other imports may be affected.
        """
        names = {word for name in _defined(stored, fresh) for word in said_words(name) or [name]}
        families = _set_otherwise(stored, fresh)
        if names:
            seeing = _seeing(fresh or stored)
            families |= seeing if _ANY in names else set()
            for family in seeing:
                self.names.setdefault(family, set()).update(names)
        self.families |= families
        return bool(families or names)

    def move(self, path: str) -> None:
        """Record that a file was added or removed."""
        self.moved.add(path)
        self.all |= len(self.moved) > FEW
        # A name of another family has no effect there, or only through its existence.
        self.families |= {row.family for row in _set_by(path)}

    def has(self, path: str, language: str, imports: tuple[Import, ...]) -> bool:
        """Whether the imports of a file may resolve differently now."""
        row = BY_NAME.get(language)
        if row is None or not imports:
            return False
        if self.all or row.family in self.families:
            return True
        if any(one.target in self.moved for one in imports):
            return True
        words = import_words(imports)
        if not self.names.get(row.family, frozenset()).isdisjoint(words):
            return True
        return bool(self.moved) and self._reach(row.family).has(path, imports, words)

    def concerned(self, files: CodeIndex) -> list[str]:
        """The paths of stored files that may be affected, in order."""
        reaches = [self._reach(family) for family in _FAMILIES] if self.moved else []
        families = self.families | {
            family for family, one in zip(_FAMILIES, reaches, strict=False) if one.everywhere
        }
        found: set[str] = set()
        if self.all or families:
            found.update(
                path for path in files.stamps() if self.all or _family_of(path) in families
            )
        if self.all:
            return sorted(found)
        asked = Importing(
            words=frozenset().union(*self.names.values(), *(one.words for one in reaches)),
            targets=frozenset(self.moved),
            wordless=any(one.nameless for one in reaches),
            folders=frozenset().union(*(one.folders for one in reaches)),
            below=frozenset().union(*(one.below for one in reaches)),
        )
        return sorted(found | files.importing(asked))

    def _reach(self, family: str) -> _FamilyReach:
        known = self._reaches.get(family)
        if known is None:
            known = self._reaches[family] = _FamilyReach()
            for path in self.moved:
                known.add(path, self.resolver.reach(path, family))
        return known


_FAMILIES = tuple(dict.fromkeys(row.family for row in BY_NAME.values()))


def _family_of(path: str) -> str:
    row = BY_NAME.get(language_name(path))
    return row.family if row is not None else ""


def _seeing(file: SourceFile | None) -> set[str]:
    """The families whose imports may resolve to definitions of this file."""
    own = _family_of(file.path) if file is not None else ""
    return {row.family for row in BY_NAME.values() if own in (row.family, *row.seen)}


def decides(path: str) -> bool:
    """Whether a file's content can affect the imports of others."""
    return path.endswith(".json") or bool(_set_by(path)) or defines_names(language_name(path))


def _set_by(path: str) -> list[Language]:
    """The languages in which a file of this name configures imports."""
    name = path.rsplit("/", 1)[-1]
    return [row for row in BY_NAME.values() if name in row.settings or is_tsconfig(name, row)]


def defines_names(language: str) -> bool:
    """Whether definitions in a language affect where imports resolve."""
    row = BY_NAME.get(language)
    return row is not None and row.defines is not None


def _set_otherwise(stored: SourceFile | None, fresh: SourceFile | None) -> set[str]:
    """The families for which exactly one of two versions of a file sets an import option."""
    file = fresh or stored
    assert file is not None
    rows = _set_by(file.path)
    if file.path.endswith(".json") and (_configures(stored) or _configures(fresh)):
        # Configurations of TypeScript may extend it, whatever its name.
        rows.append(BY_NAME["typescript"])
    return {row.family for row in rows if _decisive(row, stored) != _decisive(row, fresh)}


def _configures(file: SourceFile | None) -> bool:
    return file is not None and any(_OPTIONS in chunk.text for chunk in file.chunks)


def _decisive(row: Language, file: SourceFile | None) -> object:
    """The import settings in a version of a file; for a file without stored text, a value equal to no other."""
    if file is None:
        return ()
    if not file.chunks and file.size:
        return file.digest
    return [row.decisive(file.path, "".join(chunk.text for chunk in file.chunks))]


def _defined(stored: SourceFile | None, fresh: SourceFile | None) -> set[str]:
    """The names that exactly one of two versions of a file defines; `*` means any."""
    file = fresh or stored
    row = BY_NAME.get(file.language) if file is not None else None
    if row is None or row.defines is None:
        return set()
    both: list[set[tuple[str, ...]]] = []
    for reading in (stored, fresh):
        if reading is not None and not reading.chunks and reading.size:
            # A file without stored text reveals too little.
            return {_ANY}
        text = "".join(chunk.text for chunk in reading.chunks) if reading is not None else ""
        both.append({*row.defines(text)})
    return {name for one in both[0] ^ both[1] for name in _NAME.findall(one[-1])}
