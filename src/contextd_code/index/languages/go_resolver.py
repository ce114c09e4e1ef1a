"""Resolve Go imports to files of the project."""

from __future__ import annotations

import posixpath
import re
from bisect import insort
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import field, replace

from contextd_code.index.languages.go import OWN
from contextd_code.index.languages.language import ImportReach, Read, made_of, reader_of
from contextd_code.values.definition_queries import WHOLE
from contextd_code.values.imports import said_words
from contextd_code.values.source import Import
from contextd_common.dataclass import dataclass

SETTINGS = ("go.mod", "go.work")
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])*'"""
    r"|(?P<open>[{(\[])|(?P<close>[})\]])"
    r"|^[ \t]*package[ \t]+(?P<package>\w+)"
    r"|\bfunc[ \t]+(?P<function>\w+)[ \t]*[\[(]"
    r"|^[ \t]*(?P<keyword>type|var|const)\b[ \t]*(?P<names>\w+(?:[ \t]*,[ \t]*\w+)*)?"
    r"|^[ \t]*(?P<listed>\w+(?:[ \t]*,[ \t]*\w+)*)",
    re.S | re.M,
)
_MODULE = re.compile(r"""^\s*module\s+["`]?([^\s"`]+)""", re.M)
_REPLACE = re.compile(r"""^\s*(?:replace\s+)?["]?([^\s"]+)["]?(?:\s+v\S+)?\s*=>\s*(\.\S*)""", re.M)

Names = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Package:
    """The names that a folder defines. `files` has the package name of each file."""

    files: dict[str, str] = field(default_factory=dict)
    defined: dict[str, list[str]] = field(default_factory=dict)

    def of(self, name: str, *, tests: bool, package: str = "") -> list[str]:
        """The files that define a name; several with different build constraints."""
        return [
            path
            for path in self.defined.get(name, ())
            if (tests or not path.endswith("_test.go"))
            and (not package or self.files[path] == package)
        ]


def declared(text: str) -> Iterator[tuple[str, str]]:
    """(`package`, its name) and (`name`, each name that a Go text defines outside functions).

    Reads tokens and does not parse; only brackets must be right.
    """
    depth = 0
    listing = pending = False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            listing = listing if depth else pending and token["open"] == "("
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
            listing = listing and depth > 0
        elif kind == "package" and not depth:
            yield "package", token["package"]
        elif kind == "function" and not depth:
            yield "name", token["function"]
        elif token["keyword"] and not depth:
            for name in re.findall(r"\w+", token["names"] or ""):
                yield "name", name
        elif kind == "listed" and depth == 1 and listing:
            for name in re.findall(r"\w+", token["listed"]):
                yield "name", name
        pending = bool(token["keyword"]) and not token["names"] and not depth


def _all_declared(text: str) -> list[tuple[str, str]]:
    return list(dict.fromkeys(declared(text)))


def defines(text: str) -> Iterator[tuple[str, ...]]:
    """(package, name) for each definition of a Go text."""
    package = ""
    for kind, name in declared(text):
        if kind == "package":
            package = name
        else:
            yield package, name


def _is_source(path: str) -> bool:
    return path.endswith(".go") and "vendor" not in posixpath.dirname(path).split("/")


def reach(path: str) -> ImportReach | None:
    """See `Language.reach`."""
    return None if path.endswith(".go") else ImportReach()


def decisive(path: str, text: str) -> object:
    """The parts of a `go.mod` that affect where imports lead; nothing in a `go.work` does."""
    named = posixpath.basename(path) == "go.mod"
    return (_MODULE.findall(text)[:1], _REPLACE.findall(text)) if named else None


class GoResolver:
    """Resolves an import of a package to each file that defines a name used from it.

    If no such file is known, to the package's main file: the one named like its folder, or its
    first. Modules are those of every `go.mod` below the root, and folders named by `replace`;
    `vendor` is skipped, and tests define nothing for other files.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._read = read
        self._folders: dict[str, list[str]] = {}
        modules: dict[str, str] = {}
        for path in sorted(paths):
            folder, name = posixpath.split(path)
            if _is_source(path):
                self._folders.setdefault(folder, []).append(path)
            elif name == "go.mod":
                self._take(path, folder, modules)
        self._modules = sorted(modules.items(), key=lambda one: -len(one[0]))
        self._packages: dict[str, _Package] = {}

    def _take(self, path: str, folder: str, modules: dict[str, str]) -> None:
        try:
            text = self._read(path)
        except OSError:
            return
        found = _MODULE.search(text)
        if found:
            modules[found[1]] = folder
        for name, place in _REPLACE.findall(text):
            target = posixpath.normpath(posixpath.join(folder, place))
            modules.setdefault(name, "" if target == "." else target)

    def reach(self, path: str) -> ImportReach:
        """See `ReachingResolver.reach`: a package is its folder, which a module may name
        differently.

        An import without used names leads to its main file only; the names of the other files are
        known.
        """
        folder = posixpath.dirname(path)
        called = posixpath.basename(folder)
        files = [file for file in self._folders.get(folder, ()) if not file.endswith("_test.go")]
        first = not files or path <= files[0] or path == posixpath.join(folder, called + ".go")
        if path.endswith("_test.go") or not first:
            return ImportReach(beside=True)
        names = [called, *(m for m, place in self._modules if place == folder)]
        return ImportReach(frozenset(said_words(" ".join(names))), beside=True)

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        if any(posixpath.basename(path) == "go.mod" for path in came | went | changed):
            return False
        for path in filter(_is_source, came | went | changed):
            self._packages.pop(posixpath.dirname(path), None)
        for path in filter(_is_source, went):
            self._folders[posixpath.dirname(path)].remove(path)
        for path in filter(_is_source, came):
            insort(self._folders.setdefault(posixpath.dirname(path), []), path)
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets. Idempotent."""
        wanted: dict[str, tuple[int, dict[str, None]]] = {}
        own: dict[str, None] = {}
        called: dict[str, Names] = {}
        for one in imports:
            names = dict.fromkeys(name for name, _ in one.names if name != WHOLE)
            if aliases := tuple(pair for pair in one.names if pair[0] == WHOLE):
                called[one.specifier] = aliases
            if one.specifier != OWN:
                wanted.setdefault(one.specifier, (one.line, {}))[1].update(names)
            for name in names if one.specifier == OWN else ():
                own[name] = None
        for name in tuple(own):
            # A name of another package without a file yet is kept with the file's own
            # names.
            specifier, _, inner = name.partition(" ")
            if inner:
                del own[name]
                if specifier in wanted:
                    wanted[specifier][1][inner] = None
        found: list[Import] = []
        left: dict[str, None] = {}
        dots: list[str] = []
        for specifier, (line, asked) in wanted.items():
            dots += [specifier] if "." in asked else []
            for one in self._imported(path, specifier, line, asked, left):
                found.append(replace(one, names=(*called.get(specifier, ()), *one.names)))
        found += self._used(path, own, dots, left)
        if left:
            found.append(Import(specifier=OWN, line=1, names=tuple((n, "") for n in sorted(left))))
        return tuple(found)

    def _imported(
        self, path: str, specifier: str, line: int, asked: dict[str, None], left: dict[str, None]
    ) -> Iterator[Import]:
        folder = self._folder(specifier)
        if folder is None:
            yield Import(
                specifier=specifier, line=line, names=tuple((n, "") for n in sorted(asked))
            )
            return
        package = self._package(folder)
        by_file: dict[str, list[tuple[str, str]]] = {}
        for name in sorted(asked):
            files = package.of(name, tests=False)
            for file in files:
                by_file.setdefault(file, []).append((name, ""))
            if not files and name != ".":
                left[f"{specifier} {name}"] = None
        if "." in asked or not by_file:
            names: Names = ((".", ""),) if "." in asked else ()
            main = self._main(folder)
            by_file.setdefault(main, []).extend(names)
        for file, found in by_file.items():
            if file != path:
                yield Import(
                    specifier=specifier, line=line, target=file, names=tuple(sorted(found))
                )

    def _used(
        self, path: str, own: dict[str, None], dots: list[str], left: dict[str, None]
    ) -> Iterator[Import]:
        """The files that define names used from the file's own package and from its dot imports."""
        here = self._package(posixpath.dirname(path))
        tests = path.endswith("_test.go")
        by_file: dict[str, list[tuple[str, str]]] = {}
        for name in sorted(own):
            files = here.of(name, tests=tests, package=here.files.get(path, ""))
            for specifier in () if files else dots:
                folder = self._folder(specifier)
                files = files or (self._package(folder).of(name, tests=False) if folder else [])
            for file in files:
                by_file.setdefault(file, []).append((name, ""))
            if not files:
                left[name] = None
        for file, names in by_file.items():
            if file != path:
                yield Import(specifier=OWN, line=1, target=file, names=tuple(sorted(names)))

    def _folder(self, specifier: str) -> str | None:
        """The folder of an import path, if it contains Go files other than tests."""
        for module, place in self._modules:
            if specifier == module or specifier.startswith(module + "/"):
                inner = specifier[len(module) :].lstrip("/")
                folder = "/".join(filter(None, (place, inner)))
                files = self._folders.get(folder, ())
                if any(not file.endswith("_test.go") for file in files):
                    return folder
        return None

    def _main(self, folder: str) -> str:
        files = [f for f in self._folders[folder] if not f.endswith("_test.go")]
        called = posixpath.join(folder, posixpath.basename(folder) + ".go")
        return called if called in files else files[0]

    def _package(self, folder: str) -> _Package:
        known = self._packages.get(folder)
        if known is not None:
            return known
        package = self._packages[folder] = _Package()
        for path in self._folders.get(folder, ()):
            package.files[path] = ""
            try:
                found = made_of(self._read, path, _all_declared, reader=reader_of(__file__))
            except OSError:
                continue
            for kind, name in found:
                if kind == "package":
                    package.files[path] = name
                elif path not in package.defined.get(name, ()):
                    package.defined.setdefault(name, []).append(path)
        return package
