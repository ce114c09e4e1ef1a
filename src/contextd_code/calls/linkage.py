"""Visibility between C and C++ files: includes, and the definitions of declarations."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property

from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_code.values.source import Symbol
from contextd_common.dataclass import dataclass

MACRO = "macro"
_FUNCTIONS = frozenset(("function", "method"))
_TYPES = frozenset(("struct", "union", "class", "enum", "type"))
_OPENED = re.compile(r"\bnamespace\s+(\w+)")
_SYSTEM_WORDS = frozenset(
    """win win32 win64 windows winnt mingw msvc cygwin msdos posix unix linux macos macosx darwin osx apple ios
    freebsd openbsd netbsd dragonfly bsd sunos solaris aix os390 zos ibmi haiku beos qnx android hurd minix amiga
    riscos os2 vms wasm wasi emscripten fuchsia x86 x64 i386 amd64 arm arm64 aarch64 neon ppc powerpc riscv
    s390 s390x mips sparc loongarch""".split()
)
"""Path words of files that only one kind of platform or processor compiles."""
_PATH_WORDS = re.compile(r"[^/._\-]+")
_SETTINGS = re.compile(r"conf(?:ig)?|version", re.I)
_MOST_UNSEEN = 3
"""The most definitions with a name that no file declares: with more, the name is ambiguous."""


def is_declaration(symbol: Symbol) -> bool:
    """Whether a function is declared here and defined elsewhere."""
    if symbol.kind not in _FUNCTIONS:
        return False
    # A body is no part of the signature.
    return symbol.signature.endswith(";") or symbol.end - symbol.start == len(symbol.signature)


def taken(symbol: Symbol) -> int:
    """The number of a function's parameters, if its signature shows it."""
    _, _, rest = symbol.signature.partition(f"{symbol.name}(")
    depth = number = 0
    for at, sign in enumerate(rest):
        if sign in "(<[{":
            depth += 1
        elif sign in ")>]}" and (sign != ">" or rest[at - 1 : at] != "-"):
            depth -= 1
            if depth < 0:
                return number + (rest[:at].strip() not in ("", "void"))
        elif sign == "," and not depth:
            number += 1
    return number


def are_for_systems(several: Sequence[Definition]) -> bool:
    """Whether definitions of one name are platform alternatives: each is in a file of its own, and at most one
    of these paths names no platform. A use of the name is a use of each.
    """
    paths = {one.path for one in several}
    general = [path for path in paths if not _SYSTEM_WORDS & set(_PATH_WORDS.findall(path.lower()))]
    is_one_name = len({one.qualified for one in several}) == 1
    return is_one_name and 1 < len(paths) == len(several) and len(general) <= 1


@dataclass(frozen=True, slots=True)
class Choice:
    """The possible definitions of a name; `whole` says that it is one of these, or each of them on another
    platform, and `seen` that they are visible in the file.
    """

    several: tuple[Definition, ...] = ()
    whole: bool = False
    seen: bool = True


@dataclass
class Linkage:
    """The C and C++ definitions of a project by name, and the includes between its files."""

    graph: SymbolGraph
    family: Callable[[str], str]
    _included: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    _named: dict[str, tuple[tuple[str, Definition], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, Definition], ...]]
    )
    _defined: dict[Definition, tuple[Definition, ...]] = field(
        default_factory=dict[Definition, tuple[Definition, ...]]
    )

    def included(self, path: str) -> frozenset[str]:
        """A file and all its direct and indirect includes."""
        known = self._included.get(path)
        if known is None:
            seen = {path}
            waiting = [path]
            while waiting:
                file = self.graph.files.get(waiting.pop())
                for one in file.imports if file is not None else ():
                    if one.target and one.target not in seen:
                        seen.add(one.target)
                        waiting.append(one.target)
            known = self._included[path] = frozenset(seen)
        return known

    def named(self, name: str) -> Sequence[tuple[str, Definition]]:
        """The definitions of a name, each with its class or namespace."""
        known = self._named.get(name)
        if known is None:
            known = self._named[name] = tuple(
                (self.home(one), one)
                for one in self.graph.by_name.get(name, ())
                if self.family(one.path) == "c"
            )
        return known

    def home(self, one: Definition) -> str:
        """The class or namespace of a definition, without those left out when it is named."""
        parent = "" if one.symbol.kind == MACRO else one.symbol.parent
        for inline in self._inline if parent else ():
            if parent == inline or parent.startswith(f"{inline}."):
                around = inline.rpartition(".")[0]
                parent = f"{around}{parent[len(inline) :]}".strip(".")
        return parent

    @cached_property
    def _inline(self) -> Sequence[str]:
        """The inline namespaces, innermost first."""
        found = {
            one.qualified for one in self._namespaces if one.symbol.signature.startswith("inline ")
        }
        return sorted(found, key=lambda name: -name.count("."))

    @cached_property
    def _namespaces(self) -> Sequence[Definition]:
        return [
            Definition(path, one)
            for path, file in self.graph.files.items()
            if self.family(path) == "c"
            for one in file.symbols
            if one.kind == "module"
        ]

    @cached_property
    def opened_by_macros(self) -> frozenset[str]:
        """The namespaces that macros open, which the parser does not see."""
        return frozenset(
            name
            for path, file in self.graph.files.items()
            if self.family(path) == "c"
            for one in file.symbols
            if one.kind == MACRO
            for name in _OPENED.findall(one.signature)
        )

    def chosen(self, path: str, hits: Iterable[Definition]) -> Choice:
        """The definitions of one name that a file can refer to."""
        every = list(hits)
        seen = self.included(path)
        near = [one for one in every if one.path in seen]
        macros = [one for one in near if one.symbol.kind == MACRO]
        functions = [one for one in near if one.symbol.kind in _FUNCTIONS]
        if functions or macros:
            return self._function(path, functions, macros)
        if near:
            return _choice(_types(path, near) or near)
        if types := _types(path, every):
            return _choice(types)
        far = [
            one
            for one in every
            if one.symbol.exported
            and one.symbol.kind in _FUNCTIONS
            and not is_declaration(one.symbol)
        ]
        bodies = _distinct(far)
        # A header that is generated or installed may declare it; the library has few names of several words.
        is_alone = len(bodies) == 1 and not any(one.symbol.kind == MACRO for one in every)
        is_long = is_alone and bodies[0].symbol.name.strip("_").count("_") > 0
        is_whole = (is_long and self.is_blind(path)) or (
            is_alone and self._declares(path, bodies[0].path)
        )
        return Choice(tuple(far) if len(far) <= _MOST_UNSEEN else (), is_whole, seen=False)

    def is_blind(self, path: str) -> bool:
        """Whether a file includes a quoted header that is not in the repository, other than settings."""
        file = self.graph.files.get(path)
        return file is not None and any(
            not one.target
            and not one.specifier.startswith("<")
            and not _SETTINGS.search(one.specifier)
            for one in file.imports
        )

    def _declares(self, path: str, source: str) -> bool:
        """Whether a file includes a header that is not in the repository and has the name of a source file, as
        headers do that the build makes.
        """
        file = self.graph.files.get(path)
        stem = _stem(source)
        return file is not None and any(
            not one.target and _stem(one.specifier.strip("<>")) == stem for one in file.imports
        )

    def _function(self, path: str, functions: list[Definition], macros: list[Definition]) -> Choice:
        bodies = [one for one in functions if not is_declaration(one.symbol)]
        own = [one for one in bodies if one.path == path]
        meant = own or bodies
        # With different parameters, another function defined elsewhere may be meant.
        known = {taken(one.symbol) for one in meant}
        apart = [one for one in functions if taken(one.symbol) not in known]
        meant = [*meant, *(body for one in apart for body in self.definitions(one))]
        choice = _choice([*macros, *meant])
        # A missing definition may be generated, or in an unreadable file.
        is_found = not any(is_declaration(one.symbol) for one in choice.several)
        # Overloads, or a definition for each program: one of these it is.
        is_whole = choice.whole or not macros
        return replace(choice, whole=is_whole and is_found)

    def definitions(self, one: Definition) -> tuple[Definition, ...]:
        """The definition of a declaration; a definition returns itself."""
        if not is_declaration(one.symbol):
            return (one,)
        known = self._defined.get(one)
        if known is None:
            known = self._defined[one] = tuple(self._looked_up(one)) or (one,)
        return known

    def _looked_up(self, one: Definition) -> Sequence[Definition]:
        home = self.home(one)
        bodies = [
            body
            for other, body in self.named(one.symbol.name)
            if body.symbol.kind in _FUNCTIONS and not is_declaration(body.symbol)
            if other == home or (other and home.endswith(f".{other}"))
        ]
        number = taken(one.symbol)
        bodies = [body for body in bodies if taken(body.symbol) == number] or bodies
        own = [body for body in bodies if body.path == one.path]
        if own or (not one.symbol.exported and not one.symbol.parent):
            return own[:1]
        bodies = _distinct(body for body in bodies if body.symbol.exported or home)
        including = [body for body in bodies if one.path in self.included(body.path)]
        if not including:
            return bodies
        stem = posixpath.splitext(one.path)[0]
        beside = [body for body in including if posixpath.splitext(body.path)[0] == stem]
        return beside or including


def _types(path: str, several: Sequence[Definition]) -> list[Definition]:
    """The types among these; those with members come before aliases, and those of the file itself first."""
    types = [one for one in several if one.symbol.kind in _TYPES]
    types = [one for one in types if one.path == path] or types
    return [one for one in types if one.symbol.kind != "type"] or types


def _choice(several: Sequence[Definition]) -> Choice:
    distinct = _distinct(several)
    return Choice(tuple(distinct), whole=len(distinct) == 1)


def _distinct(several: Iterable[Definition]) -> list[Definition]:
    """One of several definitions that differ by preprocessor condition or by arguments."""
    by_place: dict[tuple[str, str], Definition] = {}
    for one in several:
        by_place.setdefault((one.path, one.qualified), one)
    return list(by_place.values())


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
