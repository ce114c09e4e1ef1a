"""Blank preprocessor text in C and C++ that the grammar cannot parse, keeping all offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from contextd_common.text.regex import regex

_EXPORTED = regex(
    rb"\b(?:class|struct|union|enum(?:\s+class)?)\s+"
    rb"([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?:[ \t]+[A-Z][A-Z0-9]*_[A-Z0-9_]+)?)(?=\s+(?:\[\[[^\]\n]{0,80}\]\]\s*)?"
    rb"[A-Za-z_][\w:]*(?:\s+final)?\s*[:{])"
)
_LINKAGE = regex(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]+)__cplusplus[^\n]*\n\s*"
    rb'(?:extern\s+"C"\s*\{|\})[^\n]*\n\s*#[ \t]*endif[^\n]*',
    re.M,
)
_DECLARATIONS = regex(
    rb"^[ \t]*[A-Z_]*(?:(?:BEGIN|END)_(?:C_)?DECLS?\b[ \t]*;?"
    rb"|[A-Z0-9]_(?:BEGIN|END|EXPORT)(?:_[A-Z0-9_]{1,60})?+)[ \t]*\r?$",
    re.M,
)
_NAMESPACE = regex(
    rb"^[ \t]*(?P<word>[A-Z][A-Z0-9_]{0,40}NAMESPACE[A-Z0-9_]{0,40})(?=[ \t]*(?://[^\n]*)?\s*\{)",
    re.M,
)
"""`LIB_NAMESPACE_START {`: a macro that opens a namespace."""
_SPECIFIERS = regex(
    rb"^(?P<before>[ \t]*(?:\[\[[^\]\n]{1,60}\]\][ \t]*)?(?:(?:inline|static|extern|friend|virtual|template[ \t]*<[^\n]{0,200}>)[ \t]+){0,4}+)"
    rb"(?P<word>(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]{0,80}\))?+[ \t]+){1,3}+)"
    rb"(?=(?P<owner>[A-Za-z_]\w{0,80}+)::~?(?P=owner)[ \t]*\("
    rb"|(?!(?:return|else|case|throw|new|delete|goto)\b)[A-Za-z_][\w:]{0,80}+[ \t*&]{1,4}+[A-Za-z_]\w{0,80}+::~?\w{1,80}+[ \t]*\("
    rb"|(?:const[ \t]+)?(?!(?:return|else|case|throw|new|delete|goto|operator)\b)[A-Za-z_][\w:]{0,80}+"
    rb"(?:<[^;{}()\n]{0,120}>)?(?:[ \t]*[*&]{1,2}[ \t]*|[ \t]+(?:const[ \t]*[*&]{1,2}[ \t]*)?)[a-zA-Z_]\w{0,80}+[ \t]*\("
    rb"|extern[ \t]|(?:void|auto|inline|static|int|bool|explicit|constexpr|unsigned|char|friend|virtual|operator|template|class|struct|size_t|double|float|long|~)\b)",
    re.M,
)
"""`LIB_CONSTEXPR auto f()`, `LIB_FN Cart::Cart()` and `LIB_FN Line Cart::first()`: macros of a
library before a declaration.
"""
_NESTED = rb"\((?:[^;{}()]++|\((?:[^;{}()]++|\([^;{}()]*+\))*+\))*+\)"
_LIBRARY_WORDS = regex(
    rb"(?<!define )(?<!ifdef )(?<!ifndef )(?<![#!(&|\w])(?P<word>[A-Z][A-Z0-9]{0,30}+_(?:[A-Z0-9]{1,30}_){0,4}"
    rb"(?:CONSTEXPR|CONSTEVAL|CONSTINIT|INLINE|NODISCARD|DEPRECATED|EXPLICIT|UNIQUE_ADDRESS|UNUSED)[A-Z0-9_]{0,30}+)"
    rb"(?=[ \t]++[A-Za-z_~:(\[])"
)
"""`LIB_CONSTEXPR Cart(int size)` and `if LIB_CONSTEXPR (…)`: macros that stand for a keyword."""
_TEMPLATES = regex(
    rb"(?<=[<,])(?P<before>\s{0,40}+)(?P<word>[A-Z][A-Z0-9]{0,30}+_[A-Z0-9_]{1,40}+"
    + _NESTED
    + rb")(?=\s{0,20}+[,>])"
    rb"|\b(?P<type>typename\s{1,20}+(?:\w{1,40}+::)?enable_if<[^;{}]{1,300}?>::type\s?\*?\s?=\s?\w{1,20}+)"
    rb"(?=\s{0,20}+>)"
)
"""`template <typename T, LIB_ENABLE_IF(…)>`, `template <class T, typename std::enable_if<…>::type* = nullptr>`."""
_CONSTRAINED = regex(
    rb"^[ \t]*[A-Z][A-Z0-9]{0,30}+_[A-Z0-9_]{0,40}?(?:TEMPLATE|CONSTRAINT)[A-Z0-9_]{0,20}+"
    + _NESTED
    + rb"(?=[ \t]*(?://[^\n]*)?\r?\n\s*(?!:)[A-Za-z_~:\[])",
    re.M,
)
"""`LIB_CONSTRAINED_TEMPLATE(is_cart<T>, typename T)` before a declaration: a macro that stands for its template head."""
_ALONE = regex(
    rb"^[ \t]*[A-Z][A-Z0-9]{0,30}+_[A-Z0-9_]{1,60}+(?=[ \t]*\r?\n\s{0,80}(?:class|struct|union|enum|template|namespace"
    rb"|typedef|using|friend|virtual|explicit|extern|inline|static|constexpr|public|protected|private)\b)",
    re.M,
)
"""`LIB_TEMPLATE_HEAD` on a line of its own before a declaration."""
_TYPED_CALL = regex(
    rb"^(?P<before>[ \t]+(?:[A-Za-z_]\w{0,40}+::)*+[A-Za-z_]\w{0,60}+\((?:[^;{}()\n]{0,80},[ \t]*)?)"
    rb"(?P<word>(?:(?:unsigned|signed|long|short)[ \t]+){0,3}+(?:int|char|bool|float|double|long|short|unsigned|size_t|u?int\d{1,2}_t))"
    rb"(?=[ \t]*[,)])(?=[^;{}\n]{0,300}[.(\"\d][^;{}\n]{0,300}\);)",
    re.M,
)
"""`EXPECT_EQUAL(int, cart.size(), 3);`: a macro that is given a type, which the grammar takes for a parameter."""
_EMPTY = regex(rb"(?<==)(?P<before>[ \t]?)\{\}(?=\s{0,20}+[,)])")
"""`void f(Size size = {})`, which the grammar parses as a literal without a type."""
_POINTED = regex(rb"->\*(?!/)")
"""`(object->*method)()`, which the grammar does not support."""
_PRAGMAS = regex(
    rb"^[ \t]*(?=[A-Z0-9_]{0,60}(?:PRAGMA|PUSH|POP|WARNING|DIAGNOSTIC|DEPRECATED|ATTRIBUTE))[A-Z][A-Z0-9]*_[A-Z0-9_]{1,60}+"
    rb"\([^;{}()\n]{0,200}(?:\([^;{}()\n]{0,200}\)[^;{}()\n]{0,200})?\)(?=[ \t]*(?://[^\n]*)?\r?$)",
    re.M,
)
"""`LIB_PRAGMA(push_options)` and `LIB_DEPRECATED("use at()")` on a line of their own."""
_OPERATORS = regex(
    rb"^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]{0,60}+\([^;{}()\n]{0,80}[,(][ \t]*[!=<>+*/%&|^-]{1,3}[ \t]*\)(?=[ \t]*\r?$)",
    re.M,
)
"""`LIB_COMPARE(NE, !=)`, a macro that defines a function for an operator."""
# Possessive and bounded here and below: a text may have thousands of beginnings of a match.
_INCLUDED = regex(rb"__has_include(?:_next)?\s*+(\([^)\n]{0,300}+\))")
_DEAD = regex(rb"^[ \t]*#[ \t]*if[ \t]+0[ \t]*(?:/[/*][^\n]*)?\r?$", re.M)
_ATTRIBUTES = regex(rb"\)(\s*+(?:__\w++(?:[ \t]*+" + _NESTED + rb")?+\s*+){1,12}+)(?=;)")
_WORD = rb"\s++[A-Z][A-Z0-9_]{3,40}+"
_GIVEN = rb"[\w.:!&*>-]++"
_NOTE = _WORD + rb"\((?!void\)|\))(?:" + _GIVEN + rb"(?:[ \t]*+,[ \t]*+" + _GIVEN + rb"){0,5}+)?+\)"
_ANNOTATED = regex(
    rb"(?:[\w)](?P<note>(?:" + _NOTE + rb"){1,3}+)(?=\s*+[;{=])"
    rb"|\)(?:\s++(?:const|noexcept|override|final)\b){0,3}+(?P<word>"
    + _WORD
    + rb"(?:"
    + _NOTE
    + rb")?+)(?=\s*+[;{]))"
)
"""`int size GUARDED_BY(lock);`, `void f() REQUIRES(lock) {`."""
_MACROS = regex(
    rb"(?<!define )(?<!ifdef )(?<!ifndef )\b(JNIEXPORT|JNICALL|WINAPI|CALLBACK|APIENTRY|STDMETHODCALLTYPE"
    rb"|[A-Z][A-Z0-9_]*_(?:API|EXPORTS?|EXTERN|PUBLIC|INLINE|CALL|CDECL))(?=[\s*]+[A-Za-z_:<])"
)
_TYPED = regex(rb"^(?P<head>[A-Z][A-Z0-9_]{2,}\()[^()\n;]{1,80}(?P<tail>\))(?=\s+\w+\s*\()", re.M)
"""`API(char *) name(…)`: an export macro around the type."""
_CONDITION = regex(rb"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|else|endif)\b[^\n]*", re.M)
_INCLUDE = regex(rb"^[ \t]*#[ \t]*include\b", re.M)
_VISIBLE = regex(rb"[^\n\r]")
_LONGEST = 4_000
"""The most bytes of a condition inside a statement."""
_LONGEST_BRANCHES = 20_000
"""The most bytes of a condition whose branches open a block that they do not close."""
_STATEMENT = 400
"""The most bytes searched backwards for the beginning of a declaration."""
_STATEMENTS = frozenset(b"if while for switch else do return case goto throw new delete".split())


def mend(data: bytes) -> bytes:
    """Replace unparsable preprocessor text by spaces.

    That is: export macros between `class` and its name, `extern "C"` between `#ifdef` and `#endif`
    and macros for it, export macros around a type, the argument of `__has_include`, attributes
    after a prototype, calling conventions, and conditions inside a statement.
    """
    data = _without_dead_code(data)
    for pattern in (_EXPORTED, _INCLUDED, _ATTRIBUTES, _MACROS):
        data = pattern.sub(_without_group, data)
    data = _ANNOTATED.sub(lambda found: _without_note(data, found), data)
    data = _NAMESPACE.sub(_opened, data)
    data = _SPECIFIERS.sub(lambda found: found["before"] + b" " * len(found["word"]), data)
    data = _LIBRARY_WORDS.sub(lambda found: b" " * len(found["word"]), data)
    data = _TEMPLATES.sub(lambda found: _a_number(data, found), data)
    data = _TYPED_CALL.sub(lambda found: found["before"] + _named(found["word"]), data)
    data = _POINTED.sub(b"-> ", data)
    data = _EMPTY.sub(rb"\g<before>0 ", data)
    data = _TYPED.sub(_bare_type, data)
    for pattern in (_LINKAGE, _DECLARATIONS, _PRAGMAS, _OPERATORS, _CONSTRAINED, _ALONE):
        data = pattern.sub(lambda found: _VISIBLE.sub(b" ", found[0]), data)
    return _unconditional(data)


def _without_dead_code(data: bytes) -> bytes:
    """Replace code in `#if 0` by spaces: examples and old code, never compiled."""
    at = 0
    while (dead := _DEAD.search(data, at)) is not None:
        at = dead.end()
        depth = 0
        for found in _CONDITION.finditer(data, at):
            if not depth and not found["word"].startswith(b"if"):
                spaces = _VISIBLE.sub(b" ", data[at : found.start()])
                data = data[:at] + spaces + data[found.start() :]
                break
            depth += found["word"].startswith(b"if") - (found["word"] == b"endif")
    return data


def _is_split(data: bytes, marks: Sequence[tuple[int, int, bytes]]) -> bool:
    """Whether a condition is inside a statement, or a branch of it opens or closes a block."""
    start, end = marks[0][0], marks[-1][1]
    inside = data[start:end] if end - start < _LONGEST_BRANCHES else b";"
    if len(inside) < _LONGEST and b"{" not in inside and b";" not in inside:
        # Each branch may include another header, and no statement contains an include.
        return _INCLUDE.search(inside) is None
    branches = [data[one[1] : two[0]] for one, two in pairwise(marks)]
    return len(inside) > 1 and any(one.count(b"{") != one.count(b"}") for one in branches)


def _unconditional(data: bytes) -> bytes:
    """Keep the first branch of conditions around lines of a statement or around half of a block."""
    pieces: list[bytes] = []
    at = 0
    open_: list[list[tuple[int, int, bytes]]] = []
    for found in _CONDITION.finditer(data):
        if found["word"].startswith(b"if"):
            open_.append([])
        if not open_:
            continue
        open_[-1].append((found.start(), found.end(), found["word"]))
        if found["word"] != b"endif":
            continue
        marks = open_.pop()
        start, end = marks[0][0], marks[-1][1]
        if start < at or not _is_split(data, marks):
            continue
        pieces += [data[at:start], _VISIBLE.sub(b" ", data[start : marks[0][1]])]
        pieces += [data[marks[0][1] : marks[1][0]], _VISIBLE.sub(b" ", data[marks[1][0] : end])]
        at = end
    return b"".join([*pieces, data[at:]])


def _a_number(data: bytes, found: re.Match[bytes]) -> bytes:
    """A template parameter without its `enable_if` condition. Other text is kept."""
    before = data[max(0, found.start() - _STATEMENT) : found.start()]
    if b"template" not in re.split(rb"[;{}]", before)[-1]:
        return found[0]
    word = found["word"] or found["type"]
    return (found["before"] or b"") + b"int" + _VISIBLE.sub(b" ", word[3:])


def _without_note(data: bytes, found: re.Match[bytes]) -> bytes:
    """A declaration without trailing annotations. Inside a function, the same form is a call."""
    before = data[max(0, found.start() - _STATEMENT) : found.start() + 1]
    begun = re.split(rb"[;{}:]|\n[ \t]*#[^\n]*", before)[-1].split()
    if not begun or len(begun) < 2 or begun[0].split(b"(")[0] in _STATEMENTS:
        return found[0]
    return found[0][:1] + _VISIBLE.sub(b" ", found[0][1:])


def _named(word: bytes) -> bytes:
    """A name in the place of a built-in type."""
    return b"T" + re.sub(rb"\s", b"_", word[1:])


def _opened(found: re.Match[bytes]) -> bytes:
    """A block that the grammar knows, in the place of a macro that opens a namespace."""
    word = b"namespace" if b"ANON" in found["word"] else b'extern "C"'
    whole = found[0]
    if len(word) > len(found["word"]):
        return whole
    before = len(whole) - len(found["word"])
    return whole[:before] + word.ljust(len(found["word"]))


def _bare_type(found: re.Match[bytes]) -> bytes:
    head, tail = len(found["head"]), len(found["tail"])
    return b" " * head + found[0][head:-tail] + b" " * tail


def _without_group(found: re.Match[bytes]) -> bytes:
    whole, start = found[0], found.start(1) - found.start()
    end = start + len(found[1])
    return whole[:start] + _VISIBLE.sub(b" ", found[1]) + whole[end:]
