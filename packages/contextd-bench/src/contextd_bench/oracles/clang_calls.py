"""Every call of a C or C++ tree with the definitions clang finds for it, as a line of JSON per file.

Usage: python clang_calls.py ROOT < paths; needs libclang. How each file is compiled is read from
ROOT/compile_commands.json; without that the folders of its own headers are guessed. A file that cannot be
compiled is not judged; how many those are, and which calls nobody can place, is said on stderr.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from clang import cindex

_Kind = cindex.CursorKind
_CODE = (".c", ".cc", ".cpp", ".cxx")
_CPP = (".cc", ".cpp", ".cxx")
_TEMPLATES = frozenset((_Kind.FUNCTION_TEMPLATE, _Kind.CLASS_TEMPLATE))
_CALLABLE = frozenset(
    (
        *(_Kind.FUNCTION_DECL, _Kind.CXX_METHOD, _Kind.CONSTRUCTOR, _Kind.DESTRUCTOR),
        *(_Kind.CONVERSION_FUNCTION, _Kind.FUNCTION_TEMPLATE),
    )
)
_REFERENCES = frozenset((_Kind.DECL_REF_EXPR, _Kind.MEMBER_REF_EXPR))
_OVERLOADED = frozenset((_Kind.OVERLOADED_DECL_REF,))
_WORD = re.compile(rb"[A-Za-z_]\w*")
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp")
_ALONE = frozenset(("-c", "-MMD", "-MD", "-MP", "-M", "-MM", "-Werror", "-pipe"))
_WITH_NEXT = frozenset(("-o", "-MF", "-MT", "-MQ"))

Place = tuple[str, int, str]
"""(path, line, name) of a definition."""
Call = tuple[str, int, str]


class Judge:
    """What clang said of the files so far. A call leads to places, or to declarations that other files may define."""

    def __init__(self, root: Path, code: Iterable[str]) -> None:
        self.root = root
        self.code = frozenset(code)
        self.index = cindex.Index.create()
        self.definitions: dict[str, set[Place]] = defaultdict(set)
        self.places: dict[Call, set[Place]] = defaultdict(set)
        self.declared: dict[Call, set[str]] = defaultdict(set)
        self.known: set[Call] = set()
        self.seen: set[tuple[str, int]] = set()
        self.counts: Counter[str] = Counter()
        self._texts: dict[str, bytes] = {}
        self._inside: dict[str, str | None] = {}
        self.macro_texts: dict[tuple[str, int], list[tuple[int, str]]] = {}
        self.spans: dict[str, list[tuple[int, int]]] = defaultdict(list)

    def inside(self, name: str) -> str | None:
        """The path of a file within the repository."""
        if name not in self._inside:
            path = Path(name).resolve()
            inside = str(path.relative_to(self.root)) if path.is_relative_to(self.root) else None
            self._inside[name] = inside if inside in self.code else None
        return self._inside[name]

    def place(self, cursor: Any) -> tuple[str, int, int] | None:
        """(path, line, offset) of a cursor in the repository."""
        location = cursor.location
        path = self.inside(location.file.name) if location.file is not None else None
        return (path, location.line, location.offset) if path is not None else None

    def text(self, path: str) -> bytes:
        """The content of a file."""
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_bytes()
        return self._texts[path]

    def word(self, path: str, offset: int) -> str:
        """The word that stands somewhere."""
        found = _WORD.match(self.text(path), offset)
        return found[0].decode() if found is not None else ""

    def named(self, where: tuple[str, int, int], cursor: Any) -> Place:
        """A definition by the name that is written there, which a macro may make another."""
        name = cursor.spelling.split("<")[0]
        written = self.word(where[0], where[2])
        is_written = bool(written) and not written.isupper() and cursor.kind in _CALLABLE
        return where[0], where[1], written if is_written and _PLAIN.fullmatch(name) else name

    def parsed(self, path: str, arguments: list[str]) -> Any:
        """One file as clang compiles it, with the headers it includes; None where it does not."""
        detailed = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        try:
            unit = self.index.parse(str(self.root / path), arguments, options=detailed)
        except cindex.TranslationUnitLoadError:
            self.counts["files not compiled"] += 1
            return None
        fatal = [one for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Fatal]
        if fatal:
            print(f"not compiled: {path}: {fatal[0].spelling}", file=sys.stderr)
            self.counts["files not compiled"] += 1
            return None
        self.counts["files compiled"] += 1
        return unit

    def read(self, path: str, arguments: list[str]) -> None:
        """Take over what clang says of one file and the headers it includes."""
        unit = self.parsed(path, arguments)
        if unit is None:
            return
        broken = {
            (one.location.file.name, one.location.line)
            for one in unit.diagnostics
            if one.severity >= cindex.Diagnostic.Error and one.location.file is not None
        }
        self.counts["lines with errors"] += len(broken)
        top = list(unit.cursor.get_children())
        macros = {
            (at[0], at[2]): cursor.referenced
            for cursor in top
            if cursor.kind == _Kind.MACRO_INSTANTIATION
            and cursor.referenced is not None
            and (at := self.place(cursor)) is not None
        }
        fresh: set[tuple[str, int]] = set()
        for cursor in top:
            if not cursor.kind.is_preprocessing():
                self._walk(cursor, macros, fresh)
        self._macros(macros)
        self.spans.clear()
        self.seen |= fresh

    def _macros(self, macros: Mapping[tuple[str, int], Any]) -> None:
        """The macros that are called within the functions that were looked at."""
        for (path, offset), defined in macros.items():
            is_called = cindex.conf.lib.clang_Cursor_isMacroFunctionLike(defined)
            if is_called and any(start < offset < end for start, end in self.spans[path]):
                text = self.text(path)
                call = path, text.count(b"\n", 0, offset) + 1, defined.spelling
                self.known.add(call)
                where = self.place(defined)
                if where is not None:
                    self.places[call].add((where[0], where[1], defined.spelling))

    def _walk(self, top: Any, macros: dict[tuple[str, int], Any], fresh: set[Any]) -> None:
        """Look at everything below a declaration that no file before showed."""
        at = self.place(top)
        if at is None:
            return
        key = at[0], at[2]
        if key in self.seen:
            return
        fresh.add(key)
        waiting = [top]
        while waiting:
            cursor = waiting.pop()
            kind = cursor.kind
            if kind in _CALLABLE and cursor.is_definition():
                if (where := self.place(cursor)) is not None:
                    self.definitions[cursor.get_usr()].add(self.named(where, cursor))
                    self.spans[where[0]].append((where[2], cursor.extent.end.offset))
            elif kind == _Kind.CALL_EXPR:
                self._call(cursor, macros)
            waiting += cursor.get_children()

    def _call(self, cursor: Any, macros: dict[tuple[str, int], Any]) -> None:
        named = _callee(cursor)
        at = self.place(named)
        if at is None:
            return
        path, line, offset = at
        target = named.referenced if named is not cursor else cursor.referenced
        if target is None or target.kind in _OVERLOADED:
            self.counts["calls without a callee"] += 1
            return
        name = target.spelling.split("<")[0]
        macro = macros.get((path, offset))
        written = self.word(path, offset)
        if macro is None:
            if written == name:
                self._leads((path, line, name), target)
            return
        if cindex.conf.lib.clang_Cursor_isMacroFunctionLike(macro):
            inner = self._in_body(macro, name)
            if inner is not None:
                self._leads(inner, target)
            return
        call = path, line, written
        self._leads(call, target)
        if (where := self.place(macro)) is not None:
            self.places[call].add((where[0], where[1], macro.spelling))

    def _in_body(self, macro: Any, name: str) -> Call | None:
        """Where the body of a macro calls a name."""
        where = self.place(macro)
        if where is None:
            return None
        key = where[0], where[2]
        if key not in self.macro_texts:
            tokens = [(one.location.line, one.spelling) for one in macro.get_tokens()]
            self.macro_texts[key] = tokens[1:]
        tokens = self.macro_texts[key]
        for (line, one), (_, after) in pairwise(tokens):
            if one == name and after == "(":
                return where[0], line, name
        return None

    def _leads(self, call: Call, target: Any) -> None:
        self.known.add(call)
        if target.kind not in _CALLABLE:
            self.counts["calls through a pointer or a value"] += 1
            return
        pattern = cindex.conf.lib.clang_getSpecializedCursorTemplate(target)
        if pattern is not None and pattern.kind != _Kind.INVALID_FILE:
            target = pattern
        if target.kind == _Kind.CONSTRUCTOR:
            # Its class is meant as well, which may stand in another file.
            holder = target.semantic_parent.get_definition()
            if holder is not None and (at := self.place(holder)) is not None:
                self.places[call].add((at[0], at[1], target.spelling.split("<")[0]))
        defined = target.get_definition()
        where = self.place(defined) if defined is not None else None
        if where is not None:
            self.places[call].add(self.named(where, target))
        elif defined is None and (here := self.place(target)) is not None:
            if (
                target.is_pure_virtual_method()
                or target.is_default_method()
                or (
                    target.kind == _Kind.CONSTRUCTOR
                    and here[2] == target.semantic_parent.location.offset
                )
            ):
                self.places[call].add((here[0], here[1], target.spelling))
            else:
                self.declared[call].add(target.get_usr())

    def calls(self) -> Iterator[tuple[Call, list[Place], bool]]:
        """Each call, where it leads, and whether that is known."""
        for call in sorted(self.known):
            places = set(self.places.get(call, ()))
            declared = self.declared.get(call, set())
            for usr in declared:
                places |= self.definitions.get(usr, set())
            undefined = any(usr not in self.definitions for usr in declared)
            self.counts["calls of what no compiled file defines"] += undefined and not places
            self.counts["calls of what several files define"] += len(places) > 1
            self.counts["calls judged"] += bool(places) or not undefined
            yield call, sorted(places), bool(places) or not undefined


def _callee(cursor: Any) -> Any:
    """The name that a call calls, or the call itself where it makes an object."""
    one = next(cursor.get_children(), None)
    while one is not None and one.kind not in _REFERENCES:
        if one.kind not in (_Kind.UNEXPOSED_EXPR, _Kind.PAREN_EXPR):
            return cursor
        one = next(one.get_children(), None)
    target = cursor.referenced
    if one is None or (target is not None and target.kind == _Kind.CONSTRUCTOR):
        return cursor
    return one


def _guessed(root: Path, code: list[str]) -> list[str]:
    """The folders that would have to be named for the headers of the repository to be found."""
    headers: dict[str, list[str]] = defaultdict(list)
    for path in code:
        if path.endswith(_HEADERS):
            headers[posixpath.basename(path)].append(path)
    folders: Counter[str] = Counter()
    for path in code:
        for found in _INCLUDE.finditer((root / path).read_bytes()):
            wanted = posixpath.normpath(found[1].decode("utf-8", "replace"))
            for header in headers.get(posixpath.basename(wanted), ()):
                if f"/{header}".endswith(f"/{wanted}"):
                    folders[header[: -len(wanted)].rstrip("/")] += 1
    return [f"-I{root / folder}" for folder, _ in folders.most_common()]


def commands(root: Path, code: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(path, arguments) of every file that is compiled."""
    builtin = subprocess.run(
        ["cc", "-print-file-name=include"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout.strip()
    always = ["-w", "-ferror-limit=0", *(["-isystem", builtin] if builtin else [])]
    listed = root / "compile_commands.json"
    if not listed.is_file():
        settings = [one.parent for one in root.rglob("config.h")]
        configured = ["-DHAVE_CONFIG_H", *(f"-I{folder}" for folder in settings)]
        guessed = [*(configured if settings else []), *_guessed(root, code)]
        for path in code:
            if path.endswith(_CODE):
                kind = ["-xc++", "-std=c++17"] if path.endswith(_CPP) else ["-D_GNU_SOURCE"]
                yield path, [*kind, *guessed, *always]
        return
    done: set[str] = set()
    for one in json.loads(listed.read_text()):
        folder = Path(one["directory"])
        file = (folder / one["file"]).resolve()
        path = str(file.relative_to(root)) if file.is_relative_to(root) else ""
        if path in done or path not in code:
            continue
        done.add(path)
        words = one.get("arguments") or shlex.split(one["command"])
        yield path, [f"-working-directory={folder}", *_options(words[1:], one["file"]), *always]


def _options(words: list[str], file: str) -> list[str]:
    options: list[str] = []
    skip = False
    for word in words:
        if skip or word in _WITH_NEXT:
            skip = not skip
        elif word not in _ALONE and word != file:
            options.append(word)
    return options


def main(root: Path) -> None:
    """Answer for the files named on stdin."""
    code = [path for path in sys.stdin.read().splitlines() if (root / path).is_file()]
    judge = Judge(root, code)
    for path, arguments in commands(root, code):
        judge.read(path, arguments)
    by_path: dict[str, list[Any]] = defaultdict(list)
    for (path, line, name), places, known in judge.calls():
        by_path[path].append([line, name, places, known])
    for path, calls in by_path.items():
        print(json.dumps({"path": path, "calls": calls}))
    units = sum(path.endswith(_CODE) for path in code)
    read = judge.counts["files compiled"] + judge.counts["files not compiled"]
    judge.counts["files that no command compiles"] = units - read
    for what, number in sorted(judge.counts.items()):
        print(f"{root.name}: {what}: {number}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
