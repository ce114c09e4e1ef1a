"""Preprocessor conditions around definitions of C and C++: the platforms they name, and the alternatives they
select.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from tree_sitter import Node

from contextd_code.calls.linkage import MACRO
from contextd_code.index.languages.outline import text_of
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition
from contextd_common.dataclass import dataclass
from contextd_common.errors import ContextdError
from contextd_common.text.regex import regex

_SYSTEMS = regex(
    r"\b(?:_?_?WIN(?:32|64|NT)?|_?_?WIN(?:32|64)_?_?|WINDOWS|_MSC_VER|__MINGW\w+|__CYGWIN__|__APPLE__|__sun|_AIX"
    r"|__hpux|__HAIKU__|__BEOS__|__OS2__|__VMS|VMS|MSDOS|__DJGPP__|_?_?AMIGA\w*|_?_?riscos|UNDER_CE|_WIN32_WCE"
    r"|__MWERKS__|__BORLANDC__|__TURBOC__|__WATCOMC__|__MVS__|__QNX\w*)\b"
)
_ALWAYS = regex(r"!?\s*(?:defined)?\s*\(?\s*__GNUC__\s*\)?")
"""Macros that compilers of the remaining platforms define."""
_NOT = regex(r"!\s*(?:defined\s*)?\(?\s*\Z")
_BRANCHES = frozenset(("preproc_ifdef", "preproc_if", "preproc_elif"))
_DIRECTIVE = regex(
    rb"^[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif|define)\b((?:[^\n\\]|\\\n?)*)", re.M
)
_FIRST_WORD = regex(r"\s*(\w+)")


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition around a place. `is_not` means `#ifndef`, `is_else` that the place is in another branch, and
    `is_guard` that it is an include guard or `__cplusplus`.
    """

    text: str
    is_not: bool = False
    is_else: bool = False
    is_guard: bool = False


def is_for_other_system(conditions: Iterable[Branch]) -> bool | None:
    """Whether one of these names a foreign platform (True), or excludes one (False). None without such a
    condition.
    """
    marks: set[bool] = set()
    for one in conditions:
        named = _SYSTEMS.search(one.text)
        before = one.text[: named.start()] if named is not None else one.text[:1]
        is_not = one.is_not or bool(_NOT.search(before))
        if named is not None:
            marks.add(is_not == one.is_else)
        elif _ALWAYS.fullmatch(one.text.strip()) and is_not != one.is_else:
            marks.add(True)
    return (True in marks) if marks else None


def conditions_around(node: Node | None) -> Iterator[Branch]:
    """The conditions around a node, innermost first, include guards among them."""
    is_else = False
    while node is not None:
        if node.type in _BRANCHES:
            written = node.child_by_field_name("name") or node.child_by_field_name("condition")
            yield Branch(text_of(written), node.children[0].type.endswith("ndef"), is_else)
        is_else = node.type in ("preproc_else", "preproc_elif")
        node = node.parent


def is_defined_elsewhere(sources: Sources, one: Definition) -> bool:
    """Whether a file defines a name for another platform only."""
    places = _places(sources, one)
    return bool(places) and all(is_for_other_system(place) is True for place in places)


def is_alternative(sources: Sources, one: Definition) -> bool:
    """Whether every definition of a name in its file depends on a condition other than the include guard."""
    places = _places(sources, one)
    return bool(places) and all(any(not c.is_guard for c in place) for place in places)


def is_self_guarded(sources: Sources, one: Definition) -> bool:
    """Whether a macro is a fallback definition: `#ifndef X` around `#define X`."""
    name = one.symbol.name
    places = _places(sources, one)
    return bool(places) and all(any(c.text.strip() == name for c in place) for place in places)


def _places(sources: Sources, one: Definition) -> list[tuple[Branch, ...]]:
    """The conditions of each definition of a name in its file."""
    with suppress(ContextdError):
        source = sources.current(one.path)
        starts = [
            each.start
            for each in source.file.symbols
            if each.name == one.symbol.name
            and (each.parent == one.symbol.parent or each.kind == MACRO)
        ]
        return conditions_at(source.data, starts)
    return []


def conditions_at(data: bytes, starts: Sequence[int]) -> list[tuple[Branch, ...]]:
    """The conditions at each offset of a text, outermost first. Trees lack some, which are blanked for parsing."""
    found: list[tuple[Branch, ...]] = []
    waiting = sorted(starts)
    stack: list[Branch] = []
    opened = ""
    for match in _DIRECTIVE.finditer(data):
        while waiting and waiting[0] <= match.start(1):
            found.append(tuple(stack))
            waiting.pop(0)
        word, text = match[1].decode(), match[2].decode("utf-8", "replace")
        if word == "define" and stack and opened:
            first = _FIRST_WORD.match(text)
            is_guard = first is not None and first[1] == opened
            stack[-1] = replace(stack[-1], is_guard=is_guard or stack[-1].is_guard)
        opened = text.strip() if word == "ifndef" else ""
        if word in ("if", "ifdef", "ifndef"):
            is_guard = word == "ifdef" and text.strip() == "__cplusplus"
            stack.append(Branch(text, word == "ifndef", is_guard=is_guard))
        elif word == "endif" and stack:
            stack.pop()
        elif word == "else" and stack:
            stack[-1] = replace(stack[-1], is_else=True, is_guard=False)
        elif word == "elif" and stack:
            stack[-1] = Branch(text)
    return [*found, *[()] * len(waiting)]
