"""What a person's file says, whatever their editor saved it as."""

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
"""The share of zeros in every second byte from which on it is UTF-16: in a Latin script nearly all are."""

_CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")


def marked(data: bytes) -> tuple[bytes, str] | None:
    """What stands behind a byte order mark, and the encoding that it announces; None without one."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :], encoding
    return None


def text_in(data: bytes) -> str | None:
    """The text of these bytes: UTF-8, UTF-16 and UTF-32 by their mark, UTF-16 without one by its zeros, else
    Windows' Latin. None for what is no text. The mark is dropped; the bytes may end in the midst of
    a character. A few broken bytes in UTF-8 stay what they are, broken.
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
    """Whether plain text can be written between these bytes: not into UTF-16, nor into what is no text."""
    announced = marked(data)
    return b"\0" not in data and (announced is None or announced[1] == _UTF_8)


def _decoded(data: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(data)


def _plain(text: str) -> str | None:
    """The text; None when control characters say that it is none."""
    return None if _CONTROL.search(text[:_LOOKED_AT]) else text
