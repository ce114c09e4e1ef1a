"""Rewrite Swift syntax that the grammar does not support, keeping all offsets, before parsing."""

from __future__ import annotations

import re

_PREFIX = re.compile(rb"(?<=[\[(,+=:\s])~(?=[A-Za-z_(.\[])")
_WORDS = re.compile(
    rb"@_\w+(?:\([^()\n]*\))?(?=\s)|(?<=[:>(,]\s)sending(?=\s)|\bnonisolated\(unsafe\)"
    rb"|(?<=as)[?!](?=\s)|\btry[?!]?(?=\s)|^[ \t]*#(?:if|elseif|else|endif)\b[^\r\n]*",
    re.M,
)


def mend(data: bytes) -> bytes:
    """Rewrite unsupported syntax to the same length.

    A `~` before an operand becomes `-`; `try`, the mark after `as`, compilation conditions,
    attributes that begin with an underscore, and `sending` become spaces.
    """
    data = _PREFIX.sub(b"-", data)
    return _WORDS.sub(lambda found: b" " * len(found[0]), data)
