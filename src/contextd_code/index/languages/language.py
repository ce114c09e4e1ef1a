"""What a language is to the rest of the code engine."""

from __future__ import annotations

import hashlib
import posixpath
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

import tree_sitter
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from contextd_code.dataclass import dataclass
from contextd_code.errors import Unavailable
from contextd_code.index.languages.outline import Outline
from contextd_code.values.imports import said_words
from contextd_code.values.source import OVER_LIMIT, Import

Read = Callable[[str], str]
"""The text of a file of the project by its path; raises OSError when it is gone."""

_Made = TypeVar("_Made")


def made_of(read: Read, path: str, make: Callable[[str], _Made], *, reader: str = "") -> _Made:
    """What `make` makes of the text of a file; what it made of the same text before, where `read` keeps
    that: for longer than the process where it is said which `reader` it is, which a change of it changes,
    and then it is lists, tuples and text. Raises OSError when the file is gone.
    """
    if isinstance(read, KeepingRead):
        return read.made(path, make, reader)
    return make(read(path))


class KeepingRead(ABC):
    """A `Read` that keeps what was made of texts."""

    @abstractmethod
    def __call__(self, path: str) -> str:
        """See `Read`."""

    @abstractmethod
    def made(self, path: str, make: Callable[[str], _Made], reader: str = "") -> _Made:
        """See `made_of`."""


@cache
def reader_of(*modules: str) -> str:
    """What a reader that these files of source make up is called: another one once a line of them differs."""
    state = hashlib.blake2b(digest_size=12)
    for name in modules:
        state.update(Path(name).read_bytes())
    return f"{Path(modules[0]).stem}.{state.hexdigest()}"


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
    """Resolves imports to files, among the paths it was made with. If these are a set, `follow` gets the same
    set, and its owner sees added and removed files.
    """

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports of the file `path` with their targets; one that leads to several files
        becomes several.
        """
        ...

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """Update the resolver to the current paths, given those added and removed, and the configuration files
        whose content changed. False when a new resolver is needed.
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


_SHORT = 4_000
"""Bytes that no grammar reads for longer than others should wait: 20 ms for the worst."""


_STEP = 8_000
_GROWTH = 4.0
"""How much longer twice as much takes where time goes with the square of the size."""

_HINT = "give it more time, or take it as plain text"


class _Allowed(threading.local):
    """Until what CPU time of this thread a text may be parsed."""

    until = float("inf")


_allowed = _Allowed()


@contextmanager
def parsing_within(seconds: float) -> Iterator[None]:
    """Give this thread this many seconds of CPU to parse a file. Past that `parsed` raises `Unavailable`,
    possibly with a delay: a parser in error recovery does not check the limit.
    """
    before = _allowed.until
    _allowed.until = time.thread_time() + seconds
    try:
        yield
    finally:
        _allowed.until = before


def tree_of(load: Callable[[], object], data: bytes) -> Tree:
    """The tree of a text in a grammar. Raises `Unavailable` where `parsing_within` allows no more."""
    until = _allowed.until
    if until < float("inf") and len(data) >= _SHORT:
        _try(load, data, until)
    return parser(load).parse(data)


def _try(load: Callable[[], object], data: bytes, until: float) -> None:
    """Parse what can be broken off, and lets others in between. The library only does it with a text that it
    asks for, and the text of a node of such a tree ends the process: the tree is let go.

    In some errors a parser does not ask for long: 12 s for 30 kB that begin comment after comment in
    Python. So longer and longer beginnings are tried, as far as the time for the next one is likely there.
    """
    for size in _beginnings(data):
        some, began = data[:size], time.thread_time()
        try:
            # A parser of its own, as another thread may use the one that is kept meanwhile.
            Parser(grammar(load)).parse(
                partial(_rest_of, some), progress_callback=lambda _, __: time.thread_time() > until
            )
        except ValueError:
            raise Unavailable(OVER_LIMIT, _HINT) from None
        now = time.thread_time()
        if now + _GROWTH * (now - began) > until and (size < len(data) or now > until):
            raise Unavailable(OVER_LIMIT, _HINT)


def _rest_of(data: bytes, at: int, _point: object) -> bytes:
    return data[at:]


def _beginnings(data: bytes) -> Iterator[int]:
    """Growing sizes up to the whole text, each small enough for the time of the one before to predict its own.

    They end at the end of a line where there is one. Cut within an annotation, a valid class in Kotlin keeps its
    parser busy for ever.
    """
    size, one = len(data), _SHORT // 2
    while one < size:
        yield data.rfind(b"\n", one // 2, one) + 1 or one
        one += min(one, max(_STEP, one // 2))
    yield size


def parsed(language: Language, data: bytes) -> Tree:
    """The syntax tree of a file; for a file with embedded code, that of the code. A file with syntax errors
    gives the tree of the repaired text where that has fewer. Raises `Unavailable` beyond the limit of
    `parsing_within`.
    """
    if language.embedded is not None:
        code = language.embedded(data)
        return tree_of(code.grammar, code.data)
    tree = tree_of(language.grammar, data)
    if language.mend is None or not tree.root_node.has_error:
        return tree
    mended = language.mend(data)
    if mended == data:
        return tree
    other = tree_of(language.grammar, mended)
    return other if _errors(language, other) < _errors(language, tree) else tree


def _errors(language: Language, tree: Tree) -> int:
    """How many places of a tree make no sense."""
    found = captures(language.grammar, "[(ERROR) (MISSING)] @error", tree.root_node)
    return len(found.get("error", ()))


@cache
def parser(load: Callable[[], object]) -> Parser:
    """The parser of a grammar, made once. It keeps no state between files."""
    return Parser(grammar(load))


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
