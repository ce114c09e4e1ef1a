"""A text with the derived forms that a scan needs repeatedly, computed once."""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[int, int, str]
"""Start, end (exclusive) and type of a secret."""

# One byte per character, so offsets in the bytes are offsets in the text; bytes search and
# translate several times faster than str does.
_RUN = bytes(
    97 if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "-_") else 32
    for byte in range(256)
)
_DIGIT = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))


# A hook that finds no daemon imports this; `dataclasses` would be 7 ms of its 50.
class Text(NamedTuple):
    """`whole` and, offset by offset, the same as bytes: `plain` with `?` for what is beyond Latin-1,
    `lower` with ASCII letters in lower case, `runs` with `a` for ASCII letters, digits, `-` and `_`
    and a space for the rest, `digits` with `0` for digits and a space for the rest.
    """

    whole: str
    plain: bytes
    lower: bytes
    runs: bytes
    digits: bytes


def read(whole: str) -> Text:
    """Prepare a text for scanning."""
    plain = whole.encode("latin-1", "replace")
    return Text(whole, plain, plain.lower(), plain.translate(_RUN), plain.translate(_DIGIT))
