"""Call facts of the files of a checkout, read on request and cached."""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

from contextd_code.calls.call_facts import FileFacts, Site
from contextd_code.calls.extract import facts_of
from contextd_code.calls.queries import QUERIES
from contextd_code.calls.stored_facts import facts_in, kept, reader, words_in
from contextd_code.calls.word_index import WordIndex
from contextd_code.index.languages.table import BY_NAME
from contextd_code.symbols.symbol_graph import SymbolGraph
from contextd_code.tree.content import content_digest, decode
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.tree.paths import read_inside
from contextd_code.tree.word_lines import lines_naming
from contextd_code.values.code_index import CodeIndex
from contextd_code.values.source import FileCalls
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError

_PER_FILE, _PER_READ_FILE = 9_300, 45_000
"""Bytes of a file's words, and of its facts, some of them unpacked: measured 14 MB for 1,520 files, and 51 MB for
1,143.
"""
_MOST_SHARED = 500
"""Files whose facts stay between two queries, some 23 MB; reading one again takes 0.1 ms."""
_SECONDS = 5.0
_AT_ONCE = 100
_FEW = 40
"""Up to this many files are read directly: searching them for words starts a program, which takes as long."""
_MEMBER = re.compile(r"[.:]\s*([\w$]+)")
_WORD = re.compile(r"[\w$#]+")
_KEY = re.compile(r"\b(?=[A-Za-z_]*[0-9])[A-Za-z0-9_]{16,}+")
"""A word that could be a secret or a part of one; few files have such a word."""
_BUILDING = re.compile(
    r"^\s*\*?[\w.]+(?:\[[^\]]*\])?\s*(?:`.*|//.*|,)?$|\b(?:class|interface|impl|trait|extends|implements)\b"
)
"""A line on which a type may name a base: an embedded field of Go, or the head of a type."""
_HEADED = frozenset(("python", "ecmascript", "java", "c"))
"""Families in which a type's signature names its bases."""
_TYPES = frozenset(("class", "interface", "type", "enum", "struct", "record", "trait"))

Kept = dict[str, FileFacts | None]
"""By path and digest: facts survive a scan in which their file did not change."""


@dataclass(frozen=True, slots=True)
class StoredCalls:
    """The store of call facts of a project's files."""

    files: CodeIndex


@dataclass
class CodeFacts:
    """The facts of the files under `root`, which the graph describes. `shared` and `words` are shared by
    successive graphs of one checkout. Facts missing from `stored` wait in `unsaved`, except those of a text with
    a secret, which could be among its names: they are read again in each process.
    """

    root: Path
    graph: SymbolGraph
    shared: Kept = field(default_factory=Kept)
    words: WordIndex = field(default_factory=WordIndex)
    stored: StoredCalls | None = None
    unsaved: list[FileCalls] = field(default_factory=list[FileCalls])
    has_secret: Callable[[str], bool] = lambda text: False
    _ahead: Iterator[str] | None = None
    _unread: dict[str, None] = field(default_factory=dict[str, None])
    _naming: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    _members: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])
    _bases: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    def __post_init__(self) -> None:
        """Load the words of files whose facts are stored."""
        files, words = self.graph.files, self.words
        for path in words.paths():
            if path not in files or not words.holds(path, files[path].digest):
                words.drop(path)
        readable = [path for path, file in files.items() if _is_read(file.language, file.error)]
        if self.stored is not None and any(
            not words.holds(path, files[path].digest) for path in readable
        ):
            known = self.stored.files.calling(reader())
            for path, (digest, names) in known.items():
                fresh = path in files and files[path].digest == digest
                if fresh and not words.holds(path, digest):
                    words.put(path, digest, names.split())
        self._unread = {
            path: None for path in readable if not words.holds(path, files[path].digest)
        }

    @property
    def weight(self) -> int:
        """Its estimated bytes now; it grows with the files that are read."""
        return _PER_FILE * self.words.size + _PER_READ_FILE * len(self.shared)

    def trim(self) -> None:
        """Forget the facts read first, beyond what one query needs: they are read again from the store."""
        for key in list(self.shared)[: max(0, len(self.shared) - _MOST_SHARED)]:
            self.shared.pop(key, None)

    def get(self, path: str) -> FileFacts | None:
        """The facts of a file; None where its language is not supported."""
        file = self.graph.files.get(path)
        if file is None or not _is_read(file.language, file.error):
            return None
        key = f"{file.digest} {path}"
        if key not in self.shared:
            self.fetch([path])
        try:
            return self.shared[key]
        except KeyError:
            found = self._read(path)
        if found is None:
            return None
        self.shared[key] = found[0]
        return found[0]

    def fetch(self, paths: Iterable[str]) -> None:
        """Load the facts of some files from the store in one go."""
        if self.stored is None:
            return
        files = self.graph.files
        wanted = [
            path
            for path in paths
            if path not in self._unread and f"{files[path].digest} {path}" not in self.shared
        ]
        if not wanted:
            return
        found = self.stored.files.calls(reader(), wanted)
        for path, (digest, facts) in found.items():
            self.shared[f"{digest} {path}"] = facts_in(digest, facts)

    def _read(self, path: str) -> tuple[FileFacts | None] | None:
        """The facts of a file's current content, as they are stored: with all of its nested tuples, a file takes
        ten times as much. None where it cannot be read.
        """
        file = self.graph.files[path]
        try:
            raw = read_inside(self.root, path)
        except ContextdError:
            return None
        text = decode(raw)
        data = text.encode("utf-8", "replace")
        found = facts_of(path, file.language, data, file.digest)
        packed = kept(path, file.digest, found)
        # The next scan updates a file that is newer than the index.
        if path in self._unread and content_digest(raw) == file.digest:
            self.words.put(path, file.digest, words_in(found) if found is not None else ())
            if _KEY.search(text) is None or not self.has_secret(text):
                self.unsaved.append(packed)
            self._unread.pop(path, None)
        return (facts_in(file.digest, packed.facts),)

    def read_ahead(self, most: int, seconds: float) -> bool:
        """Read files in advance, the most imported first, for this many `seconds`. Return whether all are read,
        or `most` of them.
        """
        if self._ahead is None:
            rank = self.graph.rank
            first = sorted(self._unread, key=lambda path: (-rank.get(path, 0.0), path))
            self._ahead = iter(first[:most])
        end = time.monotonic() + seconds
        for path in self._ahead:
            if path in self._unread:
                found = self._read(path)
                if found is not None and self.stored is None:
                    self.shared[f"{self.graph.files[path].digest} {path}"] = found[0]
            if time.monotonic() > end:
                return False
        return True

    def sites(self, path: str, name: str) -> Sequence[Site]:
        """The sites of a file whose last name is this."""
        found = self.get(path)
        return found.by_name.get(name, ()) if found is not None else ()

    def naming(self, name: str) -> Sequence[str]:
        """The code files that may have a site or a base with this last name, in order of path."""
        # The search may read files, whose words are then known.
        self.look_for([name])
        return sorted(self._not_read(self._naming.get(name, ())) | self.words.naming(name))

    def building(self, name: str) -> Sequence[str]:
        """The code files that may have a type with a base of this name, in order of path."""
        found: set[str] = set()
        if self._unread:
            found |= self._headed.get(name, set())
            if self._unheaded:
                self.look_for([name])
                found |= self._bases.get(name, set())
        return sorted(self._not_read(found) | self.words.building(name))

    def filling(self, name: str) -> Sequence[str]:
        """The code files that may assign a function to a field of this name, in order of path."""
        self.look_for([name])
        return sorted(self._not_read(self._naming.get(name, ())) | self.words.filling(name))

    def _not_read(self, paths: Iterable[str]) -> set[str]:
        """Those of these files that are not read yet. Call it before checking words of the others: reading in
        advance removes a file here only once its words are known.
        """
        return {path for path in paths if path in self._unread}

    @cached_property
    def _headed(self) -> Mapping[str, set[str]]:
        """The files by the words in the heads of their types, where these name the bases."""
        found: dict[str, set[str]] = {}
        # A copy, here and below: reading in advance removes files from it.
        for path in list(self._unread):
            for symbol in self.graph.files[path].symbols if self._is_headed(path) else ():
                if symbol.kind in _TYPES:
                    for word in set(_WORD.findall(symbol.signature)):
                        found.setdefault(word, set()).add(path)
        return found

    @cached_property
    def _unheaded(self) -> bool:
        return any(not self._is_headed(path) for path in list(self._unread))

    def _is_headed(self, path: str) -> bool:
        return BY_NAME[self.graph.files[path].language].family in _HEADED

    def has_member(self, path: str, name: str) -> bool:
        """Whether a file has the name after a dot, judging by its lines."""
        if path not in self._unread:
            return self.words.has_member(path, name)
        return name not in self._members or path in self._members[name]

    def look_for(self, names: Iterable[str], seconds: float = _SECONDS) -> None:
        """Find the files that contain any of these words, in one pass: each search reads all files. Words not
        searched within this many `seconds` are searched again the next time.
        """
        if len(self._unread) <= _FEW:
            for path in list(self._unread):
                self._read(path)
        if not self._unread:
            return
        wanted = [name for name in dict.fromkeys(names) if name and name not in self._naming]
        unread = list(self._unread) if wanted else []
        suffixes = {posixpath.splitext(path)[1] for path in unread}
        for first in range(0, len(wanted), _AT_ONCE):
            some = wanted[first : first + _AT_ONCE]
            naming: dict[str, set[str]] = {name: set() for name in some}
            members: dict[str, set[str]] = {name: set() for name in some}
            bases: dict[str, set[str]] = {name: set() for name in some}
            try:
                for path, line in lines_naming(self.root, some, suffixes, seconds):
                    if path not in self._unread:
                        continue
                    words = naming.keys() & set(_WORD.findall(line))
                    builds = _BUILDING.search(line) is not None
                    for word in words:
                        naming[word].add(path)
                        if builds:
                            bases[word].add(path)
                    for word in words & set(_MEMBER.findall(line)):
                        members[word].add(path)
            except (OSError, TimeoutError):
                continue
            self._members |= members
            self._bases |= bases
            self._naming |= naming


def _is_read(language: str, error: str) -> bool:
    row = BY_NAME.get(language)
    return row is not None and row.family in QUERIES and error not in UNWRITTEN
