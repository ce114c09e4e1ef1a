"""Decode text files, whatever encoding an editor saved them in."""

from __future__ import annotations

import codecs
import re

_UTF_8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF8, _UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LOOKED_AT = 4_096
_MOSTLY = 0.4
"""Share of zero bytes among every second byte above which text is UTF-16: in a Latin script nearly all are
zero.
"""

_CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def marked(data: bytes) -> tuple[bytes, str] | None:
    """The bytes after a byte order mark and the encoding it announces; None without a mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :], encoding
    return None


def text_in(data: bytes) -> str | None:
    """Decode these bytes: UTF-8, UTF-16 and UTF-32 by byte order mark, UTF-16 without one by its zero
    bytes, else Windows-1252. Return None for binary data. The mark is dropped, the bytes may end inside
    a character, and a few invalid UTF-8 bytes are tolerated.
    """
    announced = marked(data)
    if announced is not None and announced[1] != _UTF_8:
        return _plain(_decoded(*announced))
    head = data[:_LOOKED_AT]
    if b"\0" in head:
        for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            if head[first::2].count(0) >= _MOSTLY * len(head) / 2 > head[1 - first :: 2].count(0):
                return _plain(_decoded(data, encoding))
        return None
    text = _decoded(data.removeprefix(codecs.BOM_UTF8), _UTF_8)
    broken = text.count("\ufffd")
    if broken and broken >= len(text) - len(text.encode("ascii", "ignore")) - broken:
        text = data.decode("cp1252", "replace")
    return _plain(text)


def takes_ascii(data: bytes) -> bool:
    """Whether ASCII text can be inserted into these bytes: false for UTF-16 and binary data."""
    announced = marked(data)
    return b"\0" not in data and (announced is None or announced[1] == _UTF_8)


def _decoded(data: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(data)


def _plain(text: str) -> str | None:
    """The text, or None if control characters show that the data is binary."""
    return None if _CONTROL.search(text[:_LOOKED_AT]) else text
