"""What a language is to the rest of the code engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import tree_sitter
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from contextd.code.languages.outline import Outline
from contextd.domain.code import Import

Read = Callable[[str], str]
"""The text of a file of the project by its path; raises OSError when it is gone."""


class Resolver(Protocol):
    """Finds the files that imports lead to, among the paths it was made with."""

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports of the file `path` with their targets; one that leads to several files
        becomes several.
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


@dataclass(frozen=True, slots=True)
class Language:
    """One row. `grammar` imports the language's wheel on first use. `resolver` makes the one
    resolver that languages with an equal `family` share; `settings` are the names of the files
    that change where imports lead. `embedded` finds the code in a file that is mostly something
    else; only that is parsed.
    """

    name: str
    extensions: tuple[str, ...]
    family: str
    grammar: Callable[[], object]
    outline: Callable[[Node, bytes, str], Outline]
    resolver: Callable[[Collection[str], Read], Resolver]
    settings: tuple[str, ...] = ()
    embedded: Callable[[bytes], Embedded] | None = None


@cache
def grammar(load: Callable[[], object]) -> tree_sitter.Language:
    """The grammar a row names, loaded once."""
    return tree_sitter.Language(load())


@cache
def parser(load: Callable[[], object]) -> Parser:
    """The parser of a grammar, made once. It keeps no state between files."""
    return Parser(grammar(load))


def parsed(language: Language, data: bytes) -> Tree:
    """The tree of a file in a language; of one with code embedded in it, that of the code."""
    if language.embedded is None:
        return parser(language.grammar).parse(data)
    code = language.embedded(data)
    return parser(code.grammar).parse(code.data)


@cache
def _query(load: Callable[[], object], source: str) -> Query:
    return Query(grammar(load), source)


def captures(load: Callable[[], object], source: str, node: Node) -> dict[str, list[Node]]:
    """What a query captures below `node`. Compiled once: that costs more than a file does."""
    return QueryCursor(_query(load, source)).captures(node)
