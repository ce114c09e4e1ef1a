"""Open a transcript, compressed or not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, cast

from contextd_common.files.guarded import open_file

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSED = ".zst"


def opened(path: Path) -> BinaryIO:
    """Open a transcript for reading its original text. Raises `OSError`, also for damaged data while reading."""
    if path.suffix == COMPRESSED:
        return cast(BinaryIO, _Decompressed(open_file(path)))
    return open_file(path)


class _Decompressed(zstd.ZstdFile):
    """A compressed file that raises damaged data as an ordinary read error."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        super().__init__(source)

    def close(self) -> None:
        super().close()
        self._source.close()

    def readline(self, size: int | None = -1, /) -> bytes:
        try:
            return super().readline(size)
        except (EOFError, zstd.ZstdError) as error:
            raise OSError(0, f"damaged: {error}") from error

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(size)
        except (EOFError, zstd.ZstdError) as error:
            raise OSError(0, f"damaged: {error}") from error


def plain_or_compressed(path: Path) -> Path:
    """The file itself, or its compressed version."""
    put_away = path.with_name(path.name + COMPRESSED)
    return put_away if not path.is_file() and put_away.is_file() else path
