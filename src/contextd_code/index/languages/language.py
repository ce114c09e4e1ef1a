"""The interface of a language: its row, its resolver, and parsing."""

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

from contextd_code.index.languages.outline import Outline
from contextd_code.values.imports import said_words
from contextd_code.values.source import OVER_LIMIT, Import
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unreadable

Read = Callable[[str], str]
"""Return the text of a project file by its path; raises OSError if the file is gone."""

_Made = TypeVar("_Made")


def made_of(read: Read, path: str, make: Callable[[str], _Made], *, reader: str = "") -> _Made:
    """The result of `make` for the text of a file, cached by the text if `read` supports it.

    With a `reader` id the cache is persistent; the id changes with the reader's code. Cached values
    are lists, tuples and text. Raises OSError if the file is gone.
    """
    if isinstance(read, KeepingRead):
        return read.made(path, make, reader)
    return make(read(path))


class KeepingRead(ABC):
    """A `Read` that caches results of texts."""

    @abstractmethod
    def __call__(self, path: str) -> str:
        """See `Read`."""

    @abstractmethod
    def made(self, path: str, make: Callable[[str], _Made], reader: str = "") -> _Made:
        """See `made_of`."""


@cache
def reader_of(*modules: str) -> str:
    """The id of a reader with these source files; changes with any line of them."""
    state = hashlib.blake2b(digest_size=12)
    for name in modules:
        state.update(Path(name).read_bytes())
    return f"{Path(modules[0]).stem}.{state.hexdigest()}"


def enclosing(folder: str) -> Iterator[str]:
    """A folder and its parents, nearest first, the root of the project last."""
    yield folder
    while folder:
        folder = posixpath.dirname(folder)
        yield folder


@dataclass(frozen=True, slots=True)
class ImportReach:
    """Which imports of a family may have other targets after a file was added or removed.

    Those that contain one of `words`; with `nameless`, those without any word, such as `..`; with
    `beside`, all in its folder; with `below`, also in subfolders; or `everywhere`.
    """

    words: frozenset[str] = frozenset()
    nameless: bool = False
    beside: bool = False
    below: bool = False
    everywhere: bool = False


def no_reach(_: str) -> ImportReach:
    """The reach of a file in a language where its definitions decide everything, or nothing does."""
    return ImportReach()


def reach_by_name(path: str) -> ImportReach:
    """The reach of a file that others can only import by its name."""
    words = frozenset(said_words(posixpath.splitext(posixpath.basename(path))[0]))
    return ImportReach(words, everywhere=not words)


class LanguageResolver(Protocol):
    """Resolves imports to files, among its paths.

    If these are a set, `follow` gets the same set, and its owner sees added and removed files.
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
    """A resolver that is needed to know which imports a file may attract."""

    def reach(self, path: str) -> ImportReach:
        """Which imports a file with this path may attract or divert.

        Imports that depend on definitions (see `defines` of the row), and imports that led to the
        file, are known already.
        """
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """The code in a file: its bytes with all else blanked, so that offsets stay; its grammar; and
    the spans of its parts.
    """

    data: bytes
    grammar: Callable[[], object]
    spans: tuple[tuple[int, int], ...]


def _presence(_path: str, _text: str) -> object:
    """The decisive content of a file whose mere existence affects imports."""
    return None


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    `grammar` imports the language's wheel on first use. `resolver` makes the resolver that all
    languages of one `family` share. `settings` are names of files that affect where imports lead,
    and `decisive` extracts the relevant part of their text; for some files their existence is
    enough. `reach` is the reach of a file if its path alone determines it; None means to ask the
    resolver. If definitions affect where imports lead, `defines` extracts those of a text as the
    resolver sees them, each with the last part of its imported name; the resolver may also use
    definitions of the families `seen`. `embedded` finds the code in a file that is mostly something
    else; only that is parsed. `mend` rewrites a text with syntax errors, to the same length, if the
    grammar lags behind its language.
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
    """The grammar of a row, loaded once."""
    return tree_sitter.Language(load())


_SHORT = 4_000
"""Texts with more bytes are not parsed while others wait: 20 ms in the worst case."""


_STEP = 8_000
_GROWTH = 4.0
"""The factor of time for twice the text, if time grows with the square of the size."""

_HINT = "give it more time, or take it as plain text"


class _Allowed(threading.local):
    """The CPU time of this thread until which parsing may run."""

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
    """Parse with a time limit, yielding to other threads.

    The library only supports this for a text that it reads in pieces, and reading a node's text in
    such a tree crashes the process, so the tree is discarded. During some errors the parser does
    not check the limit for long: 12 s for 30 kB in Python that open comment after comment. So
    growing prefixes are tried, as long as the next one is likely to finish in time.
    """
    for size in _beginnings(data):
        some, began = data[:size], time.thread_time()
        try:
            # A separate parser, because another thread may use the cached one
            # meanwhile.
            Parser(grammar(load)).parse(
                partial(_rest_of, some), progress_callback=lambda _, __: time.thread_time() > until
            )
        except ValueError:
            raise Unreadable(OVER_LIMIT, _HINT) from None
        now = time.thread_time()
        if now + _GROWTH * (now - began) > until and (size < len(data) or now > until):
            raise Unreadable(OVER_LIMIT, _HINT)


def _rest_of(data: bytes, at: int, _point: object) -> bytes:
    return data[at:]


def _beginnings(data: bytes) -> Iterator[int]:
    """Growing sizes up to the whole text, each small enough for its predecessor's time to predict
    its own.

    They end at a line end if possible. Cut inside an annotation, a valid class in Kotlin keeps its
    parser busy forever.
    """
    size, one = len(data), _SHORT // 2
    while one < size:
        yield data.rfind(b"\n", one // 2, one) + 1 or one
        one += min(one, max(_STEP, one // 2))
    yield size


def parsed(language: Language, data: bytes) -> Tree:
    """The syntax tree of a file, or of its embedded code.

    For a file with syntax errors, the tree of the repaired text if that has fewer. Raises
    `Unavailable` beyond the limit of `parsing_within`.
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
    """The number of syntax errors in a tree."""
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
    """The captures of a query below `node`, in source order, which the library does not keep.

    Queries are compiled once, because that costs more than a file.
    """
    found = QueryCursor(_query(load, source)).captures(node)
    for nodes in found.values():
        nodes.sort(key=_place)
    return found


def _place(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte
