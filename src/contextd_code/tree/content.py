"""A file's bytes as text."""

from __future__ import annotations

import hashlib

from contextd_code.text.encodings import marked

_SNIFFED = 8_000


READING = "5"
"""Which reading of files this is: raise it when symbols, imports or chunks of an unchanged file would be
others now. What an older one read is read again, as if the file had changed.
"""


def content_digest(data: bytes) -> str:
    """What `SourceFile.digest` carries: which reading it is of, and a hash of 120 bits."""
    return f"{READING}.{hashlib.blake2b(data, digest_size=15).hexdigest()}"


def outdated(digest: str) -> bool:
    """Whether a stored digest is of another reading."""
    return not digest.startswith(f"{READING}.")


def is_binary(data: bytes) -> bool:
    """Whether these bytes are binary: a NUL near the start and no mark of a wide encoding."""
    return b"\0" in data[:_SNIFFED] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def decode(data: bytes) -> str:
    """`data` as text: UTF-8, what a byte order mark announces, or Latin-1. Never fails.

    Line ends are kept as they are; the mark itself is dropped.
    """
    announced = marked(data)
    if announced is not None:
        text, encoding = announced
        return text.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
