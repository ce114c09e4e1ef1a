"""Queries for files by the definitions they contain, import or re-export."""

from __future__ import annotations

from contextd_code.values.imports import import_words
from contextd_code.values.source import SourceFile
from contextd_common.dataclass import dataclass
from contextd_common.text.words import words

WHOLE = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defining:
    """Select files that define `name` (ignoring case), or a name that starts with `prefix`, or names that
    contain each of `words`.
    """

    name: str = ""
    prefix: str = ""
    words: frozenset[str] = frozenset()

    def is_of(self, file: SourceFile) -> bool:
        """Whether the query selects this file."""
        names = folded_names(file)
        return bool(
            (self.name and self.name in names)
            or (self.prefix and any(name.startswith(self.prefix) for name in names))
            or (self.words and self.words <= name_words(file))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Select files that may use a name: they import from one of `targets` and contain one of `words`, or
    re-export everything from somewhere.
    """

    targets: frozenset[str]
    words: frozenset[str]

    def is_of(self, file: SourceFile) -> bool:
        """Whether the query selects this file."""
        if self.targets.isdisjoint(one.target for one in file.imports):
            return False
        return passes_all_on(file) or not self.words.isdisjoint(import_words(file.imports))


def folded_names(file: SourceFile) -> frozenset[str]:
    """The names a file defines, case-folded."""
    return frozenset(symbol.name.casefold() for symbol in file.symbols)


def name_words(file: SourceFile) -> frozenset[str]:
    """The word parts of these names."""
    return frozenset(words(" ".join({symbol.name for symbol in file.symbols})))


def passes_all_on(file: SourceFile) -> bool:
    """Whether a file re-exports everything it imports from some module, so that any name may come from it."""
    return any(exported == WHOLE for exported, _, _ in file.exports)
