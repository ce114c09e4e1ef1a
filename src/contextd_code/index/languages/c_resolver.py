"""Resolve the includes of C and C++ to files of the project."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace

from contextd_code.index.languages.language import Read
from contextd_code.values.source import Import

_ROOTS = frozenset(("include", "inc", "src", "source", "lib"))
_LIBRARY = frozenset(
    f"{name}.h"
    for name in """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
    signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
    threads time uchar wchar wctype unistd pthread fcntl""".split()
)
"""Headers that `<…>` takes from the standard library, even if a project file has the name."""

_ENDINGS = tuple(
    ".h .hh .hpp .hxx .h++ .ipp .inl .inc .tpp .txx .def .c .cc .cpp .cxx .c++ .cu .cuh".split()
)


def _roots_around(path: str) -> Iterator[str]:
    """Names of folders that serve as include roots for files around them."""
    folder = posixpath.dirname(path)
    while folder:
        if posixpath.basename(folder) in _ROOTS:
            yield folder
        folder = posixpath.dirname(folder)


class CResolver:
    """Resolves an include: beside the file, then in the include roots around it and those of the
    project, then by the only file with this path ending.

    `<…>` is never looked up beside the file.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._files: set[str] = set()
        self._by_name: dict[str, list[str]] = {}
        self._below: Counter[str] = Counter({"": 1})
        for path in paths:
            if path.lower().endswith(_ENDINGS):
                self._take(path)
        self._find_roots()

    def _take(self, path: str) -> None:
        self._files.add(path)
        self._by_name.setdefault(posixpath.basename(path), []).append(path)
        self._below.update(_roots_around(path))

    def _find_roots(self) -> None:
        """Compute the include roots from the current files, and discard cached targets."""
        self._roots = frozenset(root for root, files in self._below.items() if files)
        self._beside: dict[str, list[str]] = {}
        for root in self._roots:
            self._beside.setdefault(posixpath.dirname(root), []).append(root)
        self._known: dict[tuple[str, str], str] = {}
        self._near: dict[str, list[str]] = {}

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        new = {path for path in came if path.lower().endswith(_ENDINGS)}
        lost_files = went & self._files
        for path in lost_files:
            self._files.remove(path)
            self._by_name[posixpath.basename(path)].remove(path)
            self._below.subtract(_roots_around(path))
        for path in new:
            self._take(path)
        if new or lost_files:
            self._find_roots()
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The includes with their targets."""
        return tuple(replace(one, target=self._target(path, one.specifier)) for one in imports)

    def _target(self, path: str, specifier: str) -> str:
        key = posixpath.dirname(path), specifier
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._find(key[0], specifier)
        return found if found != path else ""

    def _find(self, folder: str, specifier: str) -> str:
        system = specifier.startswith("<")
        wanted = posixpath.normpath(specifier.strip("<>").replace("\\", "/"))
        if wanted.startswith("/") or (system and wanted in _LIBRARY):
            return ""
        beside = posixpath.normpath(posixpath.join(folder, wanted))
        if not system and beside in self._files:
            return beside
        plain = wanted.lstrip("./") if wanted.startswith("../") else wanted
        near = self._around(folder)
        for root in near:
            choice = posixpath.join(root, plain)
            if choice in self._files:
                return choice
        named = self._by_name.get(posixpath.basename(plain), ())
        ending = [p for p in named if p == plain or p.endswith("/" + plain)]
        choices = [p for p in ending if p[: -len(plain) - 1] in self._roots]
        if len(choices) == 1:
            return choices[0]
        # `<zlib.h>` is a library's, even if a nested folder has a file of that name.
        if system and "/" not in plain:
            return ""
        return ending[0] if len(ending) == 1 else ""

    def _around(self, folder: str) -> list[str]:
        """The include roots of the folders around a folder, nearest first."""
        near = self._near.get(folder)
        if near is None:
            near, around = list(self._beside.get("", ())), folder
            while around:
                near += self._beside.get(around, ())
                around = posixpath.dirname(around)
            near.sort(key=lambda root: (-len(root), root))
            self._near[folder] = near
        return near
