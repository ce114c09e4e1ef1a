"""Blank C# preprocessor directives that split a statement, before parsing."""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?P<word>if|elif|else|endif|region|endregion)\b[^\n]*", re.M
)
_MEMBER = re.compile(
    rb"\b(?:class|struct|interface|enum|record|namespace|public|private|internal|protected)\b"
)
_VISIBLE = re.compile(rb"[^\r\n]")


def mend(data: bytes) -> bytes:
    """Replace directive lines by spaces, and also the text between `#else` and `#endif` unless it
    defines something.

    Offsets and lines stay the same.
    """
    pieces: list[bytes] = []
    at = 0
    # One entry for each open `#if`: whether its current branch is not the first.
    open_: list[bool] = []
    others = 0
    for found in _DIRECTIVE.finditer(data):
        before = data[at : found.start()]
        other = others > 0 and not _MEMBER.search(before)
        pieces += [_VISIBLE.sub(b" ", before) if other else before, b" " * len(found[0])]
        at = found.end()
        word = found["word"]
        if word == b"if":
            open_.append(False)
        elif word == b"endif" and open_:
            others -= open_.pop()
        elif word in (b"else", b"elif") and open_ and not open_[-1]:
            open_[-1] = True
            others += 1
    return b"".join([*pieces, data[at:]])
