"""Blanks what only a preprocessor understands in C and C++, byte for byte, before parsing."""

from __future__ import annotations

import re

_EXPORTED = re.compile(
    rb"\b(?:class|struct|union|enum(?:\s+class)?)\s+"
    rb"([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)(?=\s+[A-Za-z_][\w:]*(?:\s+final)?\s*[:{])"
)
_LINKAGE = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]+)__cplusplus[^\n]*\n\s*"
    rb'(?:extern\s+"C"\s*\{|\})[^\n]*\n\s*#[ \t]*endif[^\n]*',
    re.M,
)
_DECLARATIONS = re.compile(rb"^[ \t]*[A-Z_]*(?:BEGIN|END)_(?:C_)?DECLS?\b[ \t]*;?[ \t]*\r?$", re.M)
_INCLUDED = re.compile(rb"__has_include(?:_next)?\s*(\([^)\n]*\))")
_ATTRIBUTES = re.compile(
    rb"\)(\s*(?:__\w+(?:[ \t]*\(\([^;{}]*?\)\)|[ \t]*\([^;{}()]*\))?\s*)+)(?=;)"
)
_VISIBLE = re.compile(rb"[^\n\r]")


def mend(data: bytes) -> bytes:
    """Export macros between `class` and its name, `extern "C"` between `#ifdef` and `#endif`, what
    stands for it, the argument of `__has_include`, and attributes behind a prototype become spaces.
    """
    for pattern in (_EXPORTED, _INCLUDED, _ATTRIBUTES):
        data = pattern.sub(_without_group, data)
    for pattern in (_LINKAGE, _DECLARATIONS):
        data = pattern.sub(lambda found: _VISIBLE.sub(b" ", found[0]), data)
    return data


def _without_group(found: re.Match[bytes]) -> bytes:
    whole, start = found[0], found.start(1) - found.start()
    end = start + len(found[1])
    return whole[:start] + _VISIBLE.sub(b" ", found[1]) + whole[end:]
