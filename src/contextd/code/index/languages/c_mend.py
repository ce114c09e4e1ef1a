"""Blanks what only a preprocessor understands in C and C++, byte for byte, before parsing."""

from __future__ import annotations

import re

from contextd.domain.regex import regex

_EXPORTED = regex(
    rb"\b(?:class|struct|union|enum(?:\s+class)?)\s+"
    rb"([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)(?=\s+[A-Za-z_][\w:]*(?:\s+final)?\s*[:{])"
)
_LINKAGE = regex(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]+)__cplusplus[^\n]*\n\s*"
    rb'(?:extern\s+"C"\s*\{|\})[^\n]*\n\s*#[ \t]*endif[^\n]*',
    re.M,
)
_DECLARATIONS = regex(rb"^[ \t]*[A-Z_]*(?:BEGIN|END)_(?:C_)?DECLS?\b[ \t]*;?[ \t]*\r?$", re.M)
# Possessive and bounded here and below: what looks like the start of a match comes by the thousand.
_INCLUDED = regex(rb"__has_include(?:_next)?\s*+(\([^)\n]{0,300}+\))")
_NESTED = rb"\((?:[^;{}()]++|\((?:[^;{}()]++|\([^;{}()]*+\))*+\))*+\)"
_ATTRIBUTES = regex(rb"\)(\s*+(?:(?:__\w++|[A-Z][A-Z0-9_]{3,40}+)(?:[ \t]*+" + _NESTED + rb")?+\s*+){1,12}+)(?=;)")
_MACROS = regex(
    rb"\b(JNIEXPORT|JNICALL|WINAPI|CALLBACK|APIENTRY|STDMETHODCALLTYPE"
    rb"|[A-Z][A-Z0-9_]*_(?:API|EXPORTS?|EXTERN|PUBLIC|INLINE|CALL))(?=[\s*]+[A-Za-z_:<])"
)
_TYPED = regex(rb"^(?P<head>[A-Z][A-Z0-9_]{2,}\()[^()\n;]{1,80}(?P<tail>\))(?=\s+\w+\s*\()", re.M)
"""`API(char *) name(…)`: a word for exports that takes the type."""
_CONDITION = regex(rb"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|else|endif)\b[^\n]*", re.M)
_VISIBLE = regex(rb"[^\n\r]")
_LONGEST = 4_000
"""Bytes of a condition inside of a statement."""


def mend(data: bytes) -> bytes:
    """Export macros between `class` and its name, `extern "C"` between `#ifdef` and `#endif`, what
    stands for it, words for exports around a type, the argument of `__has_include`, attributes behind a prototype, words for exports
    and calling conventions, and conditions inside of a statement become spaces.
    """
    for pattern in (_EXPORTED, _INCLUDED, _ATTRIBUTES, _MACROS):
        data = pattern.sub(_without_group, data)
    data = _TYPED.sub(_bare_type, data)
    for pattern in (_LINKAGE, _DECLARATIONS):
        data = pattern.sub(lambda found: _VISIBLE.sub(b" ", found[0]), data)
    return _unconditional(data)


def _unconditional(data: bytes) -> bytes:
    """Conditions around no more than lines of a statement: their first branch is kept."""
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
        inside = data[start:end] if end - start < _LONGEST else b";"
        if start < at or b"{" in inside or b";" in inside:
            continue
        pieces += [data[at:start], _VISIBLE.sub(b" ", data[start : marks[0][1]])]
        pieces += [data[marks[0][1] : marks[1][0]], _VISIBLE.sub(b" ", data[marks[1][0] : end])]
        at = end
    return b"".join([*pieces, data[at:]])


def _bare_type(found: re.Match[bytes]) -> bytes:
    head, tail = len(found["head"]), len(found["tail"])
    return b" " * head + found[0][head:-tail] + b" " * tail


def _without_group(found: re.Match[bytes]) -> bytes:
    whole, start = found[0], found.start(1) - found.start()
    end = start + len(found[1])
    return whole[:start] + _VISIBLE.sub(b" ", found[1]) + whole[end:]
