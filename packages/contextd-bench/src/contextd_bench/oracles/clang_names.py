"""Every name of a C or C++ tree with what clang says it refers to, as a line of JSON per file.

Usage: python clang_names.py ROOT --names < paths; needs libclang. Files are compiled as clang_calls.py does.
A name refers to its definition and to each declaration of it, but not to those of other source files where its own
defines it; declarations themselves are not judged. A
specialization of a template has no uses of its own: they are those of the template. Also not judged: branches of the
preprocessor that no compiled file takes, names in directives, texts of macros that no file expands, arguments that
a macro drops, macros of generated headers outside of the tree, names that depend on the parameters of a template, and lines with errors.
After `_SECONDS` of its own time no further file is compiled; how many are left is said on stderr.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from clang import cindex

from contextd_bench.oracles.clang_calls import Judge, commands

_Kind = cindex.CursorKind
_REFERENCES = frozenset(
    (
        *(_Kind.DECL_REF_EXPR, _Kind.MEMBER_REF_EXPR, _Kind.MEMBER_REF, _Kind.TYPE_REF),
        *(_Kind.TEMPLATE_REF, _Kind.NAMESPACE_REF, _Kind.VARIABLE_REF, _Kind.LABEL_REF),
        _Kind.OVERLOADED_DECL_REF,
    )
)
_TEMPLATES = frozenset(
    (
        *(_Kind.FUNCTION_TEMPLATE, _Kind.CLASS_TEMPLATE),
        _Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    )
)
_RECORDS = frozenset((_Kind.STRUCT_DECL, _Kind.UNION_DECL, _Kind.ENUM_DECL, _Kind.CLASS_DECL))
_ALIASES = frozenset((_Kind.TYPEDEF_DECL, _Kind.TYPE_ALIAS_DECL))
_LINKED = frozenset(
    (
        *(_Kind.FUNCTION_DECL, _Kind.CXX_METHOD, _Kind.CONSTRUCTOR, _Kind.DESTRUCTOR),
        *(_Kind.FUNCTION_TEMPLATE, _Kind.VAR_DECL, _Kind.CONVERSION_FUNCTION),
        _Kind.NAMESPACE,
    )
)
_UNLISTED = frozenset(
    (
        *(_Kind.FIELD_DECL, _Kind.PARM_DECL, _Kind.LABEL_STMT, _Kind.TEMPLATE_TYPE_PARAMETER),
        *(_Kind.TEMPLATE_NON_TYPE_PARAMETER, _Kind.TEMPLATE_TEMPLATE_PARAMETER),
    )
)
"""What is no definition of ours, and would be taken for one of the same name in its file."""
_FUNCTIONS = frozenset(
    (
        *(_Kind.FUNCTION_DECL, _Kind.CXX_METHOD, _Kind.CONSTRUCTOR, _Kind.DESTRUCTOR),
        *(_Kind.FUNCTION_TEMPLATE, _Kind.CONVERSION_FUNCTION, _Kind.LAMBDA_EXPR),
    )
)
_SOURCES = (".c", ".cc", ".cpp", ".cxx")
_MACRO = re.compile(rb"\w+\(([^()]*)\)(.*)", re.S)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|undef)\b(?:[^\n]*\\\n)*[^\n]*", re.M
)

_SECONDS = 120
"""The most CPU time for a repository. Each compiled file costs the more, the more headers it includes."""

Name = tuple[str, int, str]
"""(path, line, name)."""


class _Ranges(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange)))


class ClangNames(Judge):
    """What clang said of the names of the files so far."""

    def __init__(self, root: Path, code: Iterable[str]) -> None:
        super().__init__(root, code)
        self.declared_at: dict[str, set[Name]] = defaultdict(set)
        self.referring: dict[Name, set[str]] = defaultdict(set)
        self.direct: dict[Name, set[Name]] = defaultdict(set)
        self.unjudged: set[Name] = set()
        self.dependent: dict[tuple[str, int], Name] = {}
        self.resolved: set[tuple[str, int]] = set()
        self.judged: set[str] = set()
        self._walked: set[tuple[str, int]] = set()
        self._starts: dict[str, list[int]] = {}

    def take(self, unit: Any) -> None:
        """Take over what one compiled file says."""
        macros: dict[tuple[str, int], Any] = {}
        fresh: set[tuple[str, int]] = set()
        for cursor in unit.cursor.get_children():
            if cursor.kind == _Kind.MACRO_INSTANTIATION:
                self._macro(cursor, macros)
            elif cursor.kind == _Kind.MACRO_DEFINITION:
                self._macro_text(cursor)
            elif not cursor.kind.is_preprocessing():
                self._top(cursor, macros, fresh)
        self._walked |= fresh
        for one in unit.diagnostics:
            if one.severity >= cindex.Diagnostic.Error and one.location.file is not None:
                path = self.inside(one.location.file.name)
                if path is not None:
                    self._unknown_lines(path, one.location.line, one.location.line)
        self._skipped(unit)

    def _macro(self, cursor: Any, macros: dict[tuple[str, int], Any]) -> None:
        at, target = self.place(cursor), cursor.referenced
        if at is None or target is None:
            return
        macros[at[0], at[2]] = target
        where = self.place(target)
        name = at[0], at[1], target.spelling
        if where is None and not target.location.is_in_system_header:
            # A generated header defines it, which nobody here reads.
            self.unjudged.add(name)
            return
        if where is not None and self._drops(where[0], where[2], target.extent.end.offset):
            for line, word, _ in self._words(at[0], at[2], cursor.extent.end.offset):
                self.unjudged.add((at[0], line, word))
        self.direct[name] |= {(where[0], where[1], target.spelling)} if where is not None else set()

    def _drops(self, path: str, start: int, end: int) -> bool:
        """Tell whether a macro uses none of its parameters."""
        found = _MACRO.match(self.text(path)[start:end])
        names = _WORD.findall(found[1]) if found is not None else []
        return found is not None and bool(names) and not {*names} & {*_WORD.findall(found[2])}

    def _macro_text(self, cursor: Any) -> None:
        at = self.place(cursor)
        if at is not None and (at[0], at[2]) not in self._walked:
            self._walked.add((at[0], at[2]))
            for line, word, _ in self._words(at[0], at[2], cursor.extent.end.offset):
                self.unjudged.add((at[0], line, word))

    def _skipped(self, unit: Any) -> None:
        lib = cindex.conf.lib
        lib.clang_getAllSkippedRanges.restype = ctypes.POINTER(_Ranges)
        lib.clang_getAllSkippedRanges.argtypes = [ctypes.c_void_p]
        lib.clang_disposeSourceRangeList.argtypes = [ctypes.c_void_p]
        found = lib.clang_getAllSkippedRanges(unit)
        for number in range(found.contents.count):
            one = found.contents.ranges[number]
            path = self.inside(one.start.file.name) if one.start.file is not None else None
            if path is not None:
                self._unknown_lines(path, one.start.line, one.end.line)
        lib.clang_disposeSourceRangeList(found)

    def _unknown_lines(self, path: str, first: int, last: int) -> None:
        starts = self._lines(path)
        end = starts[last] if last < len(starts) else len(self.text(path))
        for line, word, _ in self._words(path, starts[first - 1], end):
            self.unjudged.add((path, line, word))

    def _lines(self, path: str) -> list[int]:
        if path not in self._starts:
            text = self.text(path)
            self._starts[path] = [0, *(one.end() for one in re.finditer(rb"\n", text))]
        return self._starts[path]

    def _words(self, path: str, start: int, end: int) -> Iterator[tuple[int, str, int]]:
        text = self.text(path)
        line, last = text.count(b"\n", 0, start) + 1, start
        for found in _WORD.finditer(text, start, end):
            line += text.count(b"\n", last, found.start())
            last = found.start()
            yield line, found[0].decode(), found.start()

    def _top(self, top: Any, macros: dict[tuple[str, int], Any], fresh: set[Any]) -> None:
        at = self.place(top)
        if at is None or (at[0], at[2]) in self._walked:
            return
        fresh.add((at[0], at[2]))
        self.judged.add(at[0])
        waiting = [top]
        while waiting:
            cursor = waiting.pop()
            kind = _kind(cursor)
            if kind in _REFERENCES:
                self._reference(cursor, macros)
            elif kind is not None and kind.is_declaration():
                self._declaration(cursor)
            waiting += cursor.get_children()

    def _declaration(self, cursor: Any) -> None:
        at = self.place(cursor)
        if at is None:
            return
        name = cursor.spelling.split("<")[0]
        if self._is_dependent(cursor, at):
            # What depends on a parameter is known when it is given, not here.
            for line, word, offset in self._words(at[0], at[2], cursor.extent.end.offset):
                self.dependent[at[0], offset] = at[0], line, word
        place = (at[0], at[1], name)
        is_type = cursor.kind in _RECORDS or cursor.kind == _Kind.CLASS_TEMPLATE
        is_special = is_type and _pattern(cursor) is not None
        is_inside = _is_static_member(cursor) and cursor.lexical_parent == cursor.semantic_parent
        if (cursor.kind in _LINKED and not is_inside) or (is_type and not is_special):
            self.declared_at[self._key(cursor)].add(place)
        if cursor.kind in _ALIASES:
            under = cursor.underlying_typedef_type.get_canonical().get_declaration()
            # `typedef A::Run Run;` in another class is a name of its own.
            if under.spelling == name and under.semantic_parent == cursor.semantic_parent:
                self.declared_at[self._key(under)].add(place)
        self.unjudged.add(place)

    def _is_dependent(self, cursor: Any, at: tuple[str, int, int]) -> bool:
        """Tell whether names in a declaration may depend on the parameters of a template: of a type or a function,
        of an alias, or of a variable or a concept, which libclang does not expose.
        """
        if cursor.kind in _TEMPLATES:
            return bool(cursor.is_definition())
        start = cursor.extent.start.offset
        is_unexposed = cursor.kind == _Kind.UNEXPOSED_DECL or "CONCEPT" in cursor.kind.name
        is_template = self.text(at[0])[start : start + 8] == b"template"
        return cursor.kind == _Kind.TYPE_ALIAS_TEMPLATE_DECL or (is_unexposed and is_template)

    def _key(self, target: Any) -> str:
        """What the declarations of one thing have in common."""
        target = _pattern(target) or target
        usr = str(target.get_usr())
        defined = target.get_definition() if target.kind in _RECORDS else None
        at = self.place(defined) if defined is not None else None
        # Each file may have a type of the same name.
        return f"{usr} {at[0]}" if at is not None and at[0].endswith(_SOURCES) else usr

    def _reference(self, cursor: Any, macros: dict[tuple[str, int], Any]) -> None:
        found = self._written(cursor)
        if found is None:
            return
        path, line, offset = found
        target = cursor.referenced
        written = self.word(path, offset)
        if target is None or cursor.kind == _Kind.OVERLOADED_DECL_REF:
            self.unjudged.add((path, line, written))
            return
        name = target.spelling.split("<")[0].lstrip("~")
        if written == name:
            self.resolved.add((path, offset))
            self._leads((path, line, name), target)
            return
        macro = macros.get((path, offset))
        where = self.place(macro) if macro is not None else None
        if macro is not None and where is not None:
            for inner, word, _ in self._words(where[0], where[2], macro.extent.end.offset):
                if word == name:
                    self._leads((where[0], inner, name), target)

    def _written(self, cursor: Any) -> tuple[str, int, int] | None:
        """Where a name is written: in the argument of a macro, or where a macro is expanded."""
        file, line = cindex.c_object_p(), ctypes.c_uint()
        column, offset = ctypes.c_uint(), ctypes.c_uint()
        cindex.conf.lib.clang_getFileLocation(
            cursor.location,
            *(ctypes.byref(one) for one in (file, line, column, offset)),
        )
        if not file:
            return None
        path = self.inside(str(cindex.File(file).name))
        return (path, line.value, offset.value) if path is not None else None

    def _leads(self, name: Name, target: Any) -> None:
        if _is_unlisted(target):
            self.direct[name] |= set()
            return
        if target.kind in _LINKED or target.kind in _RECORDS or target.kind in _TEMPLATES:
            self.referring[name].add(self._key(target))
        if _is_static_member(target):
            # It is a definition of ours only where it is declared again outside of its class.
            self.direct[name] |= set()
            return
        target = _pattern(target) or target
        defined = target.get_definition() or target
        places = {self.place(defined), self.place(target)} - {None}
        self.direct[name] |= {(at[0], at[1], name[2]) for at in places if at is not None}
        if target.kind in _ALIASES:
            under = target.underlying_typedef_type.get_canonical().get_declaration()
            if under.spelling == target.spelling:
                self._leads(name, under)

    def entries(self) -> Iterator[dict[str, Any]]:
        """What is known of each file."""
        rows: dict[str, list[Any]] = defaultdict(list)
        self.unjudged |= {n for at, n in self.dependent.items() if at not in self.resolved}
        for path in self.judged:
            for found in _DIRECTIVE.finditer(self.text(path)):
                for line, word, _ in self._words(path, found.start(), found.end()):
                    self.unjudged.add((path, line, word))
        for name in self.direct.keys() | self.referring.keys():
            direct = self.direct.get(name, set())
            places = direct | {
                place for key in self.referring.get(name, ()) for place in self.declared_at[key]
            }
            if any(place[0].endswith(_SOURCES) for place in direct):
                # Each of several programs may define a function of the same name.
                places = {p for p in places if p in direct or not p[0].endswith(_SOURCES)}
            rows[name[0]].append([name[1], name[2], sorted(places), True])
        for path, line, word in self.unjudged:
            rows[path].append([line, word, [], False])
        for path in sorted(self.judged):
            yield {"path": path, "calls": rows[path]}


def _kind(cursor: Any) -> Any:
    """The kind of a cursor; None for one that libclang has and its bindings do not know."""
    try:
        return cursor.kind
    except ValueError:
        return None


def _pattern(target: Any) -> Any:
    """The template that something is an instance or a specialization of; None without one."""
    pattern = cindex.conf.lib.clang_getSpecializedCursorTemplate(target)
    return pattern if pattern is not None and pattern.kind != _Kind.INVALID_FILE else None


def _is_static_member(target: Any) -> bool:
    around = target.semantic_parent if target.kind == _Kind.VAR_DECL else None
    return around is not None and around.kind in _RECORDS | _TEMPLATES


def _is_unlisted(target: Any) -> bool:
    around = target.semantic_parent if target.kind == _Kind.VAR_DECL else None
    return target.kind in _UNLISTED or (around is not None and around.kind in _FUNCTIONS)


def main(root: Path) -> None:
    """Answer for the files named on stdin."""
    code = [path for path in sys.stdin.read().splitlines() if (root / path).is_file()]
    judge = ClangNames(root, code)
    for path, arguments in commands(root, code):
        if time.process_time() > _SECONDS:
            judge.counts["files left out for time"] += 1
            continue
        unit = judge.parsed(path, arguments)
        if unit is not None:
            judge.take(unit)
    for entry in judge.entries():
        print(json.dumps(entry))
    for what, number in sorted(judge.counts.items()):
        print(f"{root.name}: {what}: {number}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
