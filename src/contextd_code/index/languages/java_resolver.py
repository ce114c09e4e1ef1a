"""Resolve Java type names to files of the project."""

from __future__ import annotations

import posixpath
import re
from bisect import insort
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain

from contextd_code.index.languages.java import OWN
from contextd_code.index.languages.language import Read, made_of, reader_of
from contextd_code.values.source import Import

_STRUCTURE = re.compile(
    r"""[/"'{}](?:(?<=[{}])"""
    r"""|(?<=/)(?:/[^\n]*+|\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)"""
    r'''|(?<=")(?:""[^\\"]*+(?:(?:\\.|"(?!""))[^\\"]*+)*+"""|[^"\\\n]*+(?:\\.[^"\\\n]*+)*+")'''
    r"""|(?<=')[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')""",
    re.S,
)
"""Braces, comments and literals. Starting with a character set makes the search three times as
fast.
"""

_NAMED = re.compile(
    r"\bpackage\s+(?P<package>[\w.]+)\s*;"
    r"|(?<![.\w])(?:class|interface|enum|record(?=\s+\w+\s*[(<]))\s+(?P<type>\w+)"
)


def declared(text: str) -> tuple[str, list[str]]:
    """The package of a Java text, and its types, nested ones as `Outer.Inner`.

    Reads tokens and does not parse; only braces must be right.
    """
    package = pending = ""
    types: list[str] = []
    open_: list[str] = []
    bodies = seen = 0
    for start, end in chain((m.span() for m in _STRUCTURE.finditer(text)), [(len(text),) * 2]):
        # Types inside a method body are visible there only.
        for named in _NAMED.finditer(text, seen, start) if not bodies else ():
            if named["type"]:
                pending = named["type"]
                types.append(".".join([*open_, pending]))
            elif not open_:
                package = named["package"]
        seen = end
        mark = text[start:end]
        if mark == "{":
            open_.append(pending)
            bodies += not pending
            pending = ""
        elif mark == "}" and open_:
            bodies -= not open_.pop()
    return package, types


def defines(text: str) -> Iterator[tuple[str, ...]]:
    """(package, type) for each type of a Java text."""
    package, types = declared(text)
    return ((package, name) for name in types)


class JavaResolver:
    """Finds types by package and name, in any Maven or Gradle source root.

    A name without an import is searched in the file's own package, then in `.*` imports.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._package_of: dict[str, str] = {}
        self._types: dict[str, list[str]] = {}
        self._names_of: dict[str, list[str]] = {}
        self._read = read
        for path in sorted(path for path in paths if path.endswith(".java")):
            self._take(path)

    def _take(self, path: str) -> None:
        try:
            package, types = made_of(self._read, path, declared, reader=reader_of(__file__))
        except OSError:
            return
        self._package_of[path] = package
        self._names_of[path] = list(dict.fromkeys(_joined(package, name) for name in types))
        for name in self._names_of[path]:
            # Of equally near types the first wins, so the order is kept.
            insort(self._types.setdefault(name, []), path)

    def _drop(self, path: str) -> None:
        self._package_of.pop(path, None)
        for name in self._names_of.pop(path, ()):
            self._types[name].remove(path)

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> bool:
        """See `LanguageResolver.follow`."""
        for path in went | changed:
            self._drop(path)
        for path in sorted(came | changed):
            if path.endswith(".java"):
                self._take(path)
        return True

    def resolve(self, path: str, imports: Sequence[Import]) -> tuple[Import, ...]:
        """The imports with their targets. Idempotent."""
        found: list[Import] = []
        wanted: dict[str, None] = {}
        packages: dict[str, int] = {}
        line = 1
        for one in imports:
            if one.specifier == OWN or _is_package(one.specifier):
                wanted.update((name.rsplit(".", 1)[-1], None) for name, _ in one.names)
            if one.specifier == OWN:
                line = one.line
            elif _is_package(one.specifier):
                packages.setdefault(one.specifier, one.line)
            else:
                found.append(self._named(path, one))
        own = self._package_of.get(path, "")
        left = dict(wanted)
        found += self._of(path, own, OWN, line, left)
        for specifier, at in packages.items():
            seen = len(found)
            found += self._of(path, specifier[:-2], specifier, at, left)
            if len(found) == seen:
                found.append(Import(specifier=specifier, line=at))
        if left:
            found.append(
                Import(specifier=OWN, line=line, names=tuple((n, "") for n in sorted(left)))
            )
        return tuple(sorted(found, key=lambda one: (one.line, one.specifier, one.target)))

    def _of(
        self, path: str, package: str, specifier: str, line: int, left: dict[str, None]
    ) -> Iterator[Import]:
        """The remaining names that a package or type contains, by file."""
        by_file: dict[str, list[tuple[str, str]]] = {}
        for name in tuple(left):
            target, inner = self._find(path, _joined(package, name))
            if target:
                del left[name]
                by_file.setdefault(target, []).append((inner, "" if inner == name else name))
        for target, names in by_file.items():
            if target != path:
                yield Import(
                    specifier=specifier, line=line, target=target, names=tuple(sorted(names))
                )

    def _named(self, path: str, one: Import) -> Import:
        """An import of one type, or of static members, by its full name."""
        static = one.specifier.startswith("static ")
        full = one.specifier.removeprefix("static ").removesuffix(".*")
        target, inner = self._find(path, full)
        local = one.names[0][1] if one.names else ""
        if not target and static:
            # The last part is a member: `Money.add`.
            holder, _, member = full.rpartition(".")
            target, inner = self._find(path, holder)
            inner = f"{inner}.{member}"
        if not target or target == path:
            return one if not one.target else replace(one, target="")
        return replace(one, target=target, names=((inner, local),))

    def _find(self, path: str, full: str) -> tuple[str, str]:
        """The file that defines a type with this full name, and its name there: `Outer.Inner`."""
        files = self._types.get(full)
        if not files:
            return "", ""
        package = self._package_of[files[0]]
        inner = full[len(package) + 1 :] if package else full
        # If several modules have a type of the name, the nearest wins.
        best = max(
            files, key=lambda file: (len(posixpath.commonprefix([file, path])), file == path)
        )
        return best, inner


def _joined(package: str, name: str) -> str:
    return f"{package}.{name}" if package else name


def _is_package(specifier: str) -> bool:
    return specifier.endswith(".*") and not specifier.startswith("static ")
