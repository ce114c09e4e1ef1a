"""A file's bytes as text."""

from __future__ import annotations

import hashlib

from contextd_common.text.encodings import marked

_SNIFFED = 8_000


READING = "5"
"""The version of file analysis.

Raise it when unchanged files would get other symbols, imports or chunks. Files with an older
version are read again, as if they had changed.
"""


def content_digest(data: bytes) -> str:
    """The content of `SourceFile.digest`: the analysis version and a hash of 120 bits."""
    return f"{READING}.{hashlib.blake2b(data, digest_size=15).hexdigest()}"


def outdated(digest: str) -> bool:
    """Whether a stored digest is of another analysis version."""
    return not digest.startswith(f"{READING}.")


def is_binary(data: bytes) -> bool:
    """Whether these bytes are binary: a NUL near the start without a byte order mark."""
    return b"\0" in data[:_SNIFFED] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def decode(data: bytes) -> str:
    """Decode `data`: by its byte order mark, as UTF-8, or as Latin-1.

    Never fails. Line ends stay; the byte order mark is dropped.
    """
    announced = marked(data)
    if announced is not None:
        text, encoding = announced
        return text.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
