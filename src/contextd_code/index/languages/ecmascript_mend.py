"""Rewrite TypeScript syntax that the grammar does not support, keeping all offsets, before parsing."""

from __future__ import annotations

import re

# Possessive and bounded: broken text may open thousands of comments and never close them.
_SKIPPED = rb"(?>\s|/\*.{0,400}?\*/|//[^\n]*\n)*+"
_VARIANCE = re.compile(
    rb"(?<=[<,])(" + _SKIPPED + rb")(in\s+out|in|out)(?=\s+[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))",
    re.S,
)
_CALL_SIGNATURE = re.compile(
    rb"\n[ \t]+<(?=\s*(?:const\s+)?[A-Za-z_$][\w$]*\s*(?:[,>]|extends\b|=[^=>]))"
)
_TYPES_ALONE = re.compile(rb"(\bexport\s+)type(?=\s*\*)|(\bimport\s+)defer(?=\s*\*)")
_OPTIONAL_PATTERN = re.compile(rb"(?<=[}\]])\?(?=\s*:)")
_IMPORTED_TYPE = re.compile(
    rb"(?<=[\w$])<(\s*(?:typeof\s+)?import\(\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*\)[\w$.\s\[\]'\"]*)>(?=\()"
)
_BACKTICK = re.compile(rb"(?<!\\)((?:\\\\)*)\\`")
_ENDS_A_TYPE = frozenset(b")>]}'\"`_$") | frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)
_FAR = 4_000
_PRAGMA = 2_000


def mend(data: bytes) -> bytes:
    """Rewrite unsupported syntax to the same length; offsets and lines stay the same.

    `in` and `out` before a type parameter become spaces. A call signature at the start of a line,
    after a type without a semicolon, gets one in its indentation: TypeScript ends the type at the
    line, the grammar reads type arguments. An escaped backtick in a template type becomes quotes. A
    module type as a type argument becomes an argument, `export type *` becomes `export *`, and `&`
    in the text of an element becomes `|`.
    """
    if b"@flow" in data[:_PRAGMA]:
        # Another language: the repairs do not help it, and broken text is slow to parse.
        return data
    data = data.replace(b"&", b"|")
    data = _TYPES_ALONE.sub(_blanked, data)
    data = _OPTIONAL_PATTERN.sub(b" ", data)
    data = _IMPORTED_TYPE.sub(rb"(\1)", data)
    data = _VARIANCE.sub(lambda found: found[1] + b" " * len(found[2]), data)
    data = _BACKTICK.sub(rb"\1''", data)
    parts: list[bytes] = []
    start = 0
    for found in _CALL_SIGNATURE.finditer(data):
        if _last_of(data[max(0, found.start() - _FAR) : found.start()]) in _ENDS_A_TYPE:
            parts += [data[start : found.start() + 1], b";"]
            start = found.start() + 2
    return b"".join([*parts, data[start:]])


def _blanked(found: re.Match[bytes]) -> bytes:
    """Blank the keyword after the first one."""
    keyword = found[1] or found[2]
    return keyword + b" " * (len(found[0]) - len(keyword))


def _last_of(before: bytes) -> int:
    """The last byte of code before an offset, skipping comments; -1 if there is none."""
    before = before.rstrip()
    for _ in range(20):
        if not before.endswith(b"*/") and b"//" not in before[before.rfind(b"\n") + 1 :]:
            break
        shorter = _without_comment(before)
        if len(shorter) == len(before):
            break
        before = shorter
    return before[-1] if before else -1


def _without_comment(before: bytes) -> bytes:
    if before.endswith(b"*/"):
        opened = before.rfind(b"/*")
        return before[:opened].rstrip() if opened >= 0 else b""
    line = before.rfind(b"\n") + 1
    stripped = before[line:].lstrip()
    return before[:line].rstrip() if stripped.startswith(b"//") else before
