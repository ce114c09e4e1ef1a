"""Find the file that defines a type, for languages where paths do not follow names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Set

from contextd_code.index.languages import java_resolver
from contextd_code.index.languages.language import Read, made_of, reader_of

_TOKEN = re.compile(
    r'''//[^\n]*|/\*.*?\*/|"""(?:.|\n)*?"""|\$?@\$?"(?:[^"]|"")*"|"(?:\\.|[^"\\\n])*"'''
    r"""|'(?:\\.|[^'\\\n])*'|(?P<brace>[{}])"""
    r"|\b(?:namespace|package)\s+(?P<space>[\w.`]+)"
    r"|\bglobal\s+using\s+(?P<using>[\w.]+)\s*;"
    r"|\bdelegate\s+[\w<>\[\],.? ]+?\s(?P<delegate>\w+)\s*(?:<[^>(]*>)?\s*\("
    r"|\b(?:fun\s+interface|class|struct|interface|enum|record|object|typealias)\s+"
    r"(?:class\s+|struct\s+)?(?P<type>\w+)"
    r"|\bfun\s+(?:<[^{(]*?>\s*)?(?:[\w<>?,*. ]+\.)?(?P<function>\w+)\s*\("
    r"|\b(?:val|var)\s+(?:<[^{(]*?>\s*)?(?:[\w<>?,*]+\.)?(?P<value>\w+)",
    re.S,
)


def declared(text: str) -> Iterator[tuple[str, str, str]]:
    """The definitions of a C#, Kotlin or Java text outside types.

    (`name`, namespace, name), and (`using`, namespace, '*') for a namespace it opens for the whole
    project. Reads tokens and does not parse; only braces must be right.
    """
    base = pending = ""
    open_: list[str | None] = []
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "brace":
            if token["brace"] == "{":
                open_.append(pending or None)
            elif open_:
                open_.pop()
            pending = ""
        elif kind == "space":
            # `namespace A;` and `package a` apply to the rest of the file.
            if text[token.end() : token.end() + 200].lstrip().startswith("{"):
                pending = token["space"]
            else:
                base = token["space"].replace("`", "")
        elif kind == "using":
            yield "using", token["using"], "*"
        elif kind is not None and None not in open_:
            spaces = [base, *(space for space in open_ if space)]
            yield "name", ".".join(filter(None, spaces)), token[kind]


def _defined(read: Read, path: str) -> list[tuple[str, str, str]]:
    """The definitions of a file. The resolver of Java reads Java texts the same way."""
    if path.endswith(".java"):
        package, types = made_of(
            read, path, java_resolver.declared, reader=reader_of(java_resolver.__file__)
        )
        return [("name", package, name) for name in sorted(set(types)) if "." not in name]
    return made_of(read, path, _sorted, reader=reader_of(__file__))


def _sorted(text: str) -> list[tuple[str, str, str]]:
    return sorted(set(declared(text)))


class Namespaces:
    """The names that the files of a project define, by namespace. Read on first use."""

    def __init__(self, paths: Collection[str], read: Read, endings: tuple[str, ...]) -> None:
        self._read, self._endings = read, endings
        self._by_name: dict[tuple[str, str], list[str]] = {}
        self._names_of: dict[str, list[tuple[str, str]]] = {}
        self._opened_by: dict[str, list[str]] = {}
        for path in sorted(path for path in paths if path.endswith(endings)):
            self._take(path)

    def follow(self, came: Set[str], went: Set[str], changed: Set[str]) -> None:
        """See `LanguageResolver.follow`."""
        for path in went | changed:
            self._drop(path)
        for path in came | changed:
            if path.endswith(self._endings):
                self._take(path)

    def _take(self, path: str) -> None:
        try:
            found = _defined(self._read, path)
        except OSError:
            return
        names: list[tuple[str, str]] = []
        for kind, space, name in found:
            if kind == "using":
                self._opened_by.setdefault(path, []).append(space)
            else:
                names.append((space, name))
                self._by_name.setdefault((space, name), []).append(path)
        if names:
            self._names_of[path] = names

    def _drop(self, path: str) -> None:
        self._opened_by.pop(path, None)
        for key in self._names_of.pop(path, ()):
            self._by_name[key].remove(path)

    @property
    def opened(self) -> list[str]:
        """The namespaces that files open for the whole project, file by file."""
        return [space for path in sorted(self._opened_by) for space in self._opened_by[path]]

    def of(self, path: str) -> list[str]:
        """The namespaces a file adds to."""
        return list(dict.fromkeys(space for space, _ in self._names_of.get(path, ())))

    def defines(self, space: str, name: str) -> bool:
        """Whether any file defines a name in a namespace."""
        return bool(self._by_name.get((space, name)))

    def file(self, space: str, name: str) -> str:
        """The only file that defines a name; of several, the one named like it; otherwise empty."""
        found = self._by_name.get((space, name), ())
        if len(found) > 1:
            found = [p for p in found if p.rsplit("/", 1)[-1].rpartition(".")[0] == name]
        return found[0] if len(found) == 1 else ""

    def qualified(self, name: str) -> tuple[str, str]:
        """The file that defines `a.b.C`, also for `a.b.C.Inner`, and its name there."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            found = self.file(".".join(parts[: length - 1]), parts[length - 1])
            if found:
                return found, parts[length - 1]
        return "", ""
