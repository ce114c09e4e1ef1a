"""What a language is to the rest of the code engine."""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from functools import cache
from typing import Protocol, TypeVar, runtime_checkable

import tree_sitter
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from contextd.code.index.languages.outline import Outline
from contextd.domain.code import Import
from contextd.domain.dataclass import dataclass
from contextd.domain.imports import said_words

Read = Callable[[str], str]
"""The text of a file of the project by its path; raises OSError when it is gone."""

_Made = TypeVar("_Made")


def made_of(read: Read, path: str, make: Callable[[str], _Made]) -> _Made:
    """What `make` makes of the text of a file; what it made of the same text before, where `read` keeps
    that. Raises OSError when the file is gone.
    """
    if isinstance(read, KeepingRead):
        return read.made(path, make)
    return make(read(path))


class KeepingRead(ABC):
    """A `Read` that keeps what was made of texts."""

    @abstractmethod
    def __call__(self, path: str) -> str:
        """See `Read`."""

    @abstractmethod
    def made(self, path: str, make: Callable[[str], _Made]) -> _Made:
        """See `made_of`."""


def enclosing(folder: str) -> Iterator[str]:
    """A folder and those around it, nearest first, the root of the project last."""
    yield folder
    while folder:
        folder = posixpath.dirname(folder)
        yield folder


@dataclass(frozen=True, slots=True)
class ImportReach:
    """Which imports of a family may lead elsewhere since a file came or went: those that say one of
    `words`; those that say no word at all, like `..`, when it is `nameless`; all in its own folder
    when `beside`, in that and those `below`, or `everywhere`.
    """

    words: frozenset[str] = frozenset()
    nameless: bool = False
    beside: bool = False
    below: bool = False
    everywhere: bool = False


def no_reach(_: str) -> ImportReach:
    """That of a file in a language where what files define says all, or nothing does."""
    return ImportReach()


def reach_by_name(path: str) -> ImportReach:
    """That of a file which others can only mean by its name."""
    words = frozenset(said_words(posixpath.splitext(posixpath.basename(path))[0]))
    return ImportReach(words, everywhere=not words)


class LanguageResolver(Protocol):
    """Finds the files that imports lead to, among the paths it was made with. Where these are a set, it is the
    one that `follow` is told of: whoever keeps it sees what comes and goes.
    """

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports of the file `path` with their targets; one that leads to several files
        becomes several.
        """
        ...

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """Be what one made of the paths as they are now would be: these came and went since, and of those that
        were read these say something else. False when it has to be made anew.
        """
        ...


@runtime_checkable
class ReachingResolver(LanguageResolver, Protocol):
    """One that is needed to know what a file may draw to itself."""

    def reach(self, path: str) -> ImportReach:
        """Which imports a file with this path may draw to itself, or away from others. Those that
        names decide, which a row's `defines` tells, and those that led to it, are known anyway.
        """
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """The code in a file: the file's bytes with all else blank, so that offsets and lines stay
    what they are; the grammar it is written in; and the spans of its parts.
    """

    data: bytes
    grammar: Callable[[], object]
    spans: tuple[tuple[int, int], ...]


def _presence(_path: str, _text: str) -> object:
    """What decides where imports lead in a file that only has to be there."""
    return None


@dataclass(frozen=True, slots=True)
class Language:
    """One row. `grammar` imports the language's wheel on first use. `resolver` makes the one
    resolver that languages with an equal `family` share; `settings` are the names of the files
    that change where imports lead, and `decisive` tells what of the text of one with this path does it: for
    some it is enough that they are there. `reach` is the reach of a file as far as its path alone tells it, and None
    where the resolver has to be asked. Where what files define decides where imports lead, `defines` tells what
    a text defines as the resolver sees it, each with the name others say last; a resolver may also see what files
    of the families `seen` define.
    `embedded` finds the code in a file that is mostly something else; only that is parsed.
    `mend` rewrites a text that has syntax errors, to the same length, where the grammar is behind
    its language.
    """

    name: str
    extensions: tuple[str, ...]
    family: str
    grammar: Callable[[], object]
    outline: Callable[[Node, bytes, str], Outline]
    resolver: Callable[[Collection[str], Read], LanguageResolver]
    reach: Callable[[str], ImportReach | None]
    settings: tuple[str, ...] = ()
    decisive: Callable[[str, str], object] = _presence
    seen: tuple[str, ...] = ()
    defines: Callable[[str], Iterable[tuple[str, ...]]] | None = None
    embedded: Callable[[bytes], Embedded] | None = None
    mend: Callable[[bytes], bytes] | None = None


@cache
def grammar(load: Callable[[], object]) -> tree_sitter.Language:
    """The grammar a row names, loaded once."""
    return tree_sitter.Language(load())


@cache
def parser(load: Callable[[], object]) -> Parser:
    """The parser of a grammar, made once. It keeps no state between files."""
    return Parser(grammar(load))


def parsed(language: Language, data: bytes) -> Tree:
    """The tree of a file in a language; of one with code embedded in it, that of the code. One
    with syntax errors is that of the mended text where it has fewer.
    """
    if language.embedded is not None:
        code = language.embedded(data)
        return parser(code.grammar).parse(code.data)
    tree = parser(language.grammar).parse(data)
    if language.mend is None or not tree.root_node.has_error:
        return tree
    mended = language.mend(data)
    if mended == data:
        return tree
    other = parser(language.grammar).parse(mended)
    return other if _errors(language, other) < _errors(language, tree) else tree


def _errors(language: Language, tree: Tree) -> int:
    """How many places of a tree make no sense."""
    found = captures(language.grammar, "[(ERROR) (MISSING)] @error", tree.root_node)
    return len(found.get("error", ()))


@cache
def _query(load: Callable[[], object], source: str) -> Query:
    return Query(grammar(load), source)


def captures(load: Callable[[], object], source: str, node: Node) -> dict[str, list[Node]]:
    """What a query captures below `node`, in source order, which the library does not keep.
    Compiled once: that costs more than a file does.
    """
    found = QueryCursor(_query(load, source)).captures(node)
    for nodes in found.values():
        nodes.sort(key=_place)
    return found


def _place(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte
