"""A file's bytes as text."""

from __future__ import annotations

import codecs
import hashlib

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SNIFFED = 8_000


def content_digest(data: bytes) -> str:
    """The 128-bit hash `SourceFile.digest` carries, as 32 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def is_binary(data: bytes) -> bool:
    """Whether these bytes are no text: a NUL near the start and no mark of a wide encoding."""
    return b"\0" in data[:_SNIFFED] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def decode(data: bytes) -> str:
    """`data` as text: UTF-8, what a byte order mark announces, or Latin-1. Never fails.

    Line ends are kept as they are; the mark itself is dropped.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
