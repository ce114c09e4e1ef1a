"""What a file says of definitions: those it has, and those of others that it imports or passes on."""

from __future__ import annotations

from contextd.domain.code import SourceFile
from contextd.domain.dataclass import dataclass
from contextd.domain.imports import import_words
from contextd.domain.words import words

WHOLE = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defining:
    """Files asked for by what they define: something called `name` but for its case, or that begins like
    `prefix`, or with each of `words` in some name.
    """

    name: str = ""
    prefix: str = ""
    words: frozenset[str] = frozenset()

    def is_of(self, file: SourceFile) -> bool:
        """Whether a file is among them."""
        names = folded_names(file)
        return bool(
            (self.name and self.name in names)
            or (self.prefix and any(name.startswith(self.prefix) for name in names))
            or (self.words and self.words <= name_words(file))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """Files asked for by what they may use: those that import from one of `targets` and either say one of
    `words` or pass on all that they import from somewhere.
    """

    targets: frozenset[str]
    words: frozenset[str]

    def is_of(self, file: SourceFile) -> bool:
        """Whether a file is among them."""
        if self.targets.isdisjoint(one.target for one in file.imports):
            return False
        return passes_all_on(file) or not self.words.isdisjoint(import_words(file.imports))


def folded_names(file: SourceFile) -> frozenset[str]:
    """The names of what a file defines, without their case."""
    return frozenset(symbol.name.casefold() for symbol in file.symbols)


def name_words(file: SourceFile) -> frozenset[str]:
    """The parts of these names."""
    return frozenset(words(" ".join({symbol.name for symbol in file.symbols})))


def passes_all_on(file: SourceFile) -> bool:
    """Whether what a file imports from somewhere can be imported from it, whatever it is called."""
    return any(exported == WHOLE for exported, _, _ in file.exports)
